"""Image positions of world points as seen by a scene's camera, computed without rendering."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import conjoint
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.render.camera import Eye, aside, eye_of, mirrored, views_of
from conjoint.schema.enums_visual import mjtStereo

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="scenes are made by many kernels: compiled only")

XML = """
<mujoco>
  <visual><map znear="0.1" zfar="10"/></visual><statistic extent="1"/>
  <worldbody>
    <geom size=".1"/>
    <camera name="eye" pos="1 2 3" xyaxes="0 1 0 -.6 0 .8" fovy="60" ipd="0.2"/>
    <camera name="flat" pos="1 2 3" xyaxes="0 1 0 -.6 0 .8" fovy="1.5" projection="orthographic"/>
  </worldbody>
</mujoco>
"""
RIGHT, UP, BACK = np.array([0, 1, 0]), np.array([-0.6, 0, 0.8]), np.array([0.8, 0, 0.6])
POS = np.array([1.0, 2.0, 3.0])


def scene_of(camera: str) -> conjoint.MjvScene:
    """Return a scene as seen by a camera of the model."""
    m = conjoint.MjModel.from_xml_string(XML)
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    scene, free = conjoint.MjvScene(m, 100), conjoint.MjvCamera()
    free.type, free.fixedcamid = conjoint.mjtCamera.mjCAMERA_FIXED, m.camera(camera).id
    conjoint.mjv_updateScene(m, d, conjoint.MjvOption(), None, free, int(conjoint.mjtCatBit.mjCAT_ALL), scene)
    return scene


def shown(eye: Eye, point: np.ndarray) -> np.ndarray:
    """Return a point's image coordinates: right, up and depth, each from -1 to 1."""
    x = eye.projection @ eye.view @ [*point, 1.0]
    return x[:3] / x[3]


def test_a_picture_shows_what_lies_within_the_angles_of_the_camera() -> None:
    """A camera's field of view is the vertical angle; the horizontal angle follows from the aspect ratio."""
    eye = eye_of(scene_of("eye"), 400, 200)
    tangent = np.tan(np.radians(30))
    assert (eye.near, eye.far, eye.orthographic) == pytest.approx((0.1, 10, False), rel=1e-6)
    assert np.allclose(eye.pos, POS, atol=1e-6) and np.allclose(eye.forward, -BACK, atol=1e-6)
    for distance, depth in ((0.1, -1), (10, 1)):
        assert np.allclose(shown(eye, POS - distance * BACK), [0, 0, depth], atol=1e-4)
    for distance in (0.5, 4.0):
        corner = POS + distance * (-BACK + tangent * UP + 2 * tangent * RIGHT)
        assert np.allclose(shown(eye, corner)[:2], 1, atol=1e-4)
        assert np.allclose(shown(eye, corner - 4 * distance * tangent * RIGHT)[:2], [-1, 1], atol=1e-4)


def test_a_parallel_projection_shows_the_same_size_at_all_distances() -> None:
    """An orthographic camera shows `fovy` meters of the world from bottom to top."""
    eye = eye_of(scene_of("flat"), 300, 200)
    assert eye.orthographic
    for distance, depth in ((0.1, -1), (5.05, 0), (10, 1)):
        point = POS - distance * BACK + 0.75 * UP - 0.5 * 1.5 * 0.75 * RIGHT
        assert np.allclose(shown(eye, point), [-0.5, 1, depth], atol=1e-4)


def test_both_eyes_have_half_of_the_picture_each() -> None:
    """In side-by-side stereo, the left half of the image shows the view of the left eye."""
    scene = scene_of("eye")
    (one,) = views_of(scene, (10, 20, 101, 50))
    assert one.port == (10, 20, 101, 50) and np.allclose(one.eye.pos, POS, atol=1e-6)
    scene.stereo = mjtStereo.mjSTEREO_SIDEBYSIDE
    left, right = views_of(scene, (10, 20, 101, 50))
    assert left.port == (10, 20, 50, 50) and right.port == (60, 20, 50, 50)
    assert np.allclose(right.eye.pos - left.eye.pos, 0.2 * RIGHT, atol=1e-6)
    assert np.allclose(left.eye.pos + right.eye.pos, 2 * POS, atol=1e-5)
    # an image of one column is too narrow for two views
    assert len(views_of(scene, (0, 0, 2, 5))) == 2 and len(views_of(scene, (0, 0, 1, 5))) == 1


def test_a_mirror_shows_points_where_their_images_are() -> None:
    eye, generator = eye_of(scene_of("eye"), 300, 200), np.random.default_rng(0)
    normal, through = np.array([0.6, 0.0, 0.8]), np.array([0.3, -0.2, 0.5])
    behind = mirrored(eye, through, normal)
    for point in generator.uniform(-1, 1, (5, 3)):
        image = point - 2 * ((point - through) @ normal) * normal
        assert np.allclose(shown(behind, point), shown(eye, image), atol=1e-9)
    again = mirrored(behind, through, normal)
    assert np.allclose(again.pos, eye.pos) and np.allclose(again.up, eye.up) and np.allclose(again.forward, eye.forward)
    assert np.allclose(behind.pos, eye.pos - 2 * ((eye.pos - through) @ normal) * normal)


def test_a_vector_across_a_direction_is_found_for_all_of_them() -> None:
    directions = [v for v in itertools.product((-1.0, 0.0, 0.4, 1.0), repeat=3) if any(v)]
    for direction in np.array(directions):
        found = aside(direction)
        assert abs(found @ direction) < 1e-12 and np.linalg.norm(found) == pytest.approx(1)


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("pos", np.nan, "has pos"), ("frustum_near", 0.0, "near plane at 0"), ("frustum_far", 0.01, "near plane at 0.1"),
        ("frustum_top", -9.0, "field of view with zero height"), ("forward", 0.0, "has no direction"),
        ("frustum_width", -1.0, "no width"), ("frustum_center", np.inf, "has frustum_center"),
    ],
)  # fmt: skip
def test_cameras_that_see_nothing_are_refused(field: str, value: float, text: str) -> None:
    scene = scene_of("eye")
    for camera in scene.camera:
        if field in ("pos", "forward"):
            getattr(camera, field)[:] = value
        else:
            setattr(camera, field, value)
    with pytest.raises(conjoint.FatalError, match=text):
        eye_of(scene, 30, 20)


def test_planes_of_a_parallel_projection_may_lie_behind_the_camera() -> None:
    scene = scene_of("flat")
    for camera in scene.camera:
        camera.frustum_near = -1.0
    assert np.allclose(shown(eye_of(scene, 30, 20), POS + 1.0 * BACK), [0, 0, -1], atol=1e-4)
