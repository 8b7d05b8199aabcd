"""Depth images equal ray distances in every renderer, and nearer objects hide farther ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import conjoint
import desktop
from places import TESTS
from waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("opengl")

OLD = {"MESA_GL_VERSION_OVERRIDE": "3.3", "MESA_EXTENSION_OVERRIDE": "-GL_ARB_clip_control"}
"""Environment variables that make Mesa behave like an OpenGL implementation without clip control, as on macOS."""


def errors(**settings: str) -> dict:
    """Return the results of `depth_errors.py` with these environment variables."""
    given = [sys.executable, str(TESTS / "depth_errors.py")]
    done = subprocess.run(given, env=os.environ | settings, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check(found: dict) -> None:
    """Assert that depth errors are below 0.02 mm, and errors of ray distances below 0.001 mm.

    Floats are 5e-7 m apart at 10 m, and OpenGL rounds vertices.
    """
    for case, (picture, read, rays) in found["errors"].items():
        assert max(picture, read) < 2e-5, case
        assert rays < 1e-6, case


def test_depths_are_exact_without_a_window() -> None:
    check(errors(MUJOCO_GL="egl"))


@pytest.mark.nightly
def test_depths_are_exact_where_opengl_maps_them_to_both_signs() -> None:
    found = errors(MUJOCO_GL="egl", **OLD)
    check(found)
    # other drivers ignore these settings
    assert found["written"] or "Mesa" not in found["version"]


@pytest.mark.skipif(bool(desktop.missing()), reason=desktop.missing() or "there is a desktop")
def test_depths_are_exact_on_a_display() -> None:
    with desktop.desktop() as display:
        check(errors(MUJOCO_GL="glfw", DISPLAY=display))


WALLS = """<mujoco><visual><headlight ambient=".5 .5 .5"/><map znear="0.001" zfar="100"/></visual>
<statistic extent="1" center="0 0 0"/>
<asset><material name="glass" reflectance="1" rgba=".2 .2 .2 1"/></asset>
<worldbody><camera name="eye" xyaxes="1 0 0 0 0 1" fovy="40"/>
<geom type="box" size="30 .01 30" pos="0 30 0" euler="8 0 12" rgba="1 0 0 1"/>
<body pos="0 30 0" euler="8 0 12"><geom type="box" size="30 .01 30" pos="0 .0005 0" rgba="0 1 0 {alpha}"/></body>
<body pos="0 -2 0" euler="-90 0 0"><geom type="plane" size="9 9 1" material="glass"/></body>
<camera name="back" pos="0 3 0" xyaxes="-1 0 0 0 0 1" fovy="40"/></worldbody></mujoco>"""
"""Model (XML) of a red wall half a millimeter in front of a green wall, opposite a mirror."""


@pytest.mark.parametrize("settings", [{}, OLD], ids=["mapped", "written"])
@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_walls_far_away_do_not_shine_through_each_other(alpha, settings, monkeypatch) -> None:
    """Distant walls do not show through each other, even with 24-bit depth and a near plane at 1 mm."""
    for name, value in {"MUJOCO_GL": "egl", **settings}.items():
        monkeypatch.setenv(name, value)
    model = conjoint.MjModel.from_xml_string(WALLS.format(alpha=alpha))
    data = conjoint.MjData(model)
    conjoint.mj_forward(model, data)
    with conjoint.Renderer(model, 60, 80) as renderer:
        for camera in ("eye", "back"):
            renderer.update_scene(data, camera)
            color = renderer.render().astype(int)
            # in the mirror, only the contribution of the reflection is red
            assert color[..., 0].min() > 60 and np.all(color[..., 0] - color[..., 1] > 50), camera
        renderer.enable_segmentation_rendering()
        renderer.update_scene(data, "eye")
        assert np.all(renderer.render()[..., 0] == 0)


def test_depths_of_pictures_without_anything_are_the_far_plane(monkeypatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "egl")
    model = conjoint.MjModel.from_xml_string('<mujoco><visual><map zfar="7"/></visual><statistic extent="2"/></mujoco>')
    data = conjoint.MjData(model)
    conjoint.mj_forward(model, data)
    with conjoint.Renderer(model, 8, 8) as renderer:
        renderer.enable_depth_rendering()
        renderer.update_scene(data)
        np.testing.assert_allclose(renderer.render(), 14.0, rtol=1e-6)
