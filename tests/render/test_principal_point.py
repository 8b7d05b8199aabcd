"""A camera's axis meets the image at the principal point: x to the left of the center and y above it.

MuJoCo has done the same since pull request #3150; earlier versions mirror the vertical part.
"""

from __future__ import annotations

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch

drawn = pytest.mark.usefixtures("opengl")

WIDTH, HEIGHT, PIXEL = 80, 60, 8e-5
XML = """<mujoco><visual><headlight ambient=".5 .5 .5"/></visual><worldbody><camera name="eye" pos="0 -2 0" {axes}
resolution="80 60" sensorsize=".0064 .0048" focal=".006 .007" {principal} {more}/><geom size=".06" rgba="1 1 1 1"/></worldbody></mujoco>"""
AXES = 'xyaxes="1 0 0 0 0 1"', 'xyaxes=".6 0 .8 -.8 0 .6"'
POINTS = [
    ("", 0.0, 0.0),
    ('principal=".0008 0"', 10.0, 0.0),
    ('principal="0 .0008"', 0.0, 10.0),
    ('principal="-.0006 -.0012"', -7.5, -15.0),
    ('principalpixel="6 14"', 6.0, 14.0),
]
"""Camera attributes, and the principal point that they define (pixels)."""


def world(principal: str, axes: str = AXES[0], more: str = "") -> tuple:
    """Return the model and data of a ball on the axis of a camera."""
    m = conjoint.MjModel.from_xml_string(XML.format(principal=principal, axes=axes, more=more))
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    return m, d


def middle(shown: np.ndarray) -> list[float]:
    """Return how far the mean of these pixels is left of and above the image center (pixels)."""
    rows, columns = np.nonzero(shown)
    return [WIDTH / 2 - columns.mean() - 0.5, HEIGHT / 2 - rows.mean() - 0.5]


@drawn
@pytest.mark.parametrize("kind", ["Renderer", "RayRenderer"])
@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize(("principal", "x", "y"), POINTS)
def test_pictures_have_it_where_it_is(principal: str, x: float, y: float, axes: str, kind: str, monkeypatch) -> None:
    """Color, depth and segmentation images show a ball on the camera's axis at the principal point."""
    monkeypatch.setenv("MUJOCO_GL", "egl")
    m, d = world(principal, axes)
    with getattr(conjoint, kind)(m, height=HEIGHT, width=WIDTH) as renderer:
        renderer.update_scene(d, "eye")
        shown = [renderer.render().max(axis=2) > 0]
        renderer.enable_depth_rendering()
        shown.append(renderer.render() < 3)
        renderer.enable_segmentation_rendering()
        shown.append(renderer.render()[..., 0] == 0)
    for one in shown:
        np.testing.assert_allclose(middle(one), [x, y], atol=0.5)


@pytest.mark.plain
@pytest.mark.parametrize(("principal", "x", "y"), POINTS)
def test_worlds_of_a_batch_see_it_there(principal: str, x: float, y: float) -> None:
    m, _ = world(principal)
    depth, seen = Batch(m, 1, nthread=1).render("eye", WIDTH, HEIGHT, ("depth", "segmentation"))
    np.testing.assert_allclose(middle(depth[0] < 3), [x, y], atol=0.5)
    np.testing.assert_allclose(middle(seen[0, ..., 0] == 0), [x, y], atol=0.5)


@pytest.mark.parametrize(("principal", "x", "y"), POINTS)
def test_what_is_seen_there_is_selected(principal: str, x: float, y: float) -> None:
    """`mjv_select` at a geom's position in the window selects the geom, even with a shifted principal point."""
    m, d = world(principal)
    scene, camera, option = conjoint.MjvScene(m, 100), conjoint.MjvCamera(), conjoint.MjvOption()
    camera.type, camera.fixedcamid = conjoint.mjtCamera.mjCAMERA_FIXED, 0
    conjoint.mjv_updateScene(m, d, option, None, camera, 7, scene)
    eye = scene.camera[0]
    sensor = 0.01 / 0.007 * 0.0048
    assert eye.frustum_top - eye.frustum_bottom == pytest.approx(sensor * m.stat.extent, rel=1e-5)
    for dx, dy in ((0, 0), (2 * x, 0), (0, 2 * y)):
        geom, flex, skin = (np.zeros(1, np.int32) for _ in range(3))
        place = 0.5 - (x - dx) / WIDTH, 0.5 + (y - dy) / HEIGHT
        conjoint.mjv_select(m, d, option, WIDTH / HEIGHT, *place, scene, np.zeros(3), geom, flex, skin)
        assert geom[0] == (0 if dx == dy == 0 else -1), place
