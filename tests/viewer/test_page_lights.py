"""Lights of models look in the web viewer as in images of `Renderer`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import conjoint
from browsers import new_page, screenshot
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from waiting import wait_for

pytest.importorskip("viser")
if not jit_enabled():
    pytest.skip("scenes are made by many kernels: compiled only", allow_module_level=True)

from conjoint.viewer import web
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.web.lights import BRIGHTEST, FAR, FILM, cone, fading, intensities, shade, shown_as
from conjoint.viewer.web.looks import linear, roughness
from conjoint.viewer.web.page import Page
from conjoint.viz.framing import frame_motion

SCENE = """<mujoco><visual><headlight {}/></visual><statistic center="0 0 .3" extent="1.5"/><worldbody>{}
<geom type="plane" size="3 3 .1"/><geom size=".3" pos="-.6 0 .3" rgba=".8 .3 .2 1"/>
<geom type="box" size=".25 .25 .25" pos=".1 .1 .25" euler="0 0 30"/>
<body name="lamp" pos=".8 0 .45"><freejoint/><geom type="capsule" size=".15 .3" rgba=".2 .4 .9 1"/>
<light name="carried" active="false" pos="0 0 1" dir="0 0 -1"/></body></worldbody></mujoco>"""

LIGHTS = {
    "headlight": SCENE.format("", ""),
    "spot": SCENE.format("", '<light pos="0 -1 3" dir="0 .3 -1"/>'),
    "directional": SCENE.format("", '<light directional="true" pos="0 0 3" dir="1 1 -1.5" diffuse=".8 .8 .8"/>'),
    "coloured": SCENE.format('ambient=".2 .2 .3" diffuse="0 0 0"', """<light type="point" pos="0 -.6 1.5" diffuse=".9 .7 .3"
castshadow="false"/>"""),
}  # fmt: skip

ALIKE = 20.0
"""Maximum mean color difference (of 255): browsers smooth shadows, and differ in cones and highlights."""

SIZE = 480, 640
"""Height and width of images (pixels)."""

HIDDEN = ".mantine-Paper-root, .mantine-Notification-root { display: none !important }"
"""Style sheet that hides the panels in front of the scene."""


def world(text: str) -> tuple[conjoint.MjModel, conjoint.MjData]:
    m = conjoint.MjModel.from_xml_string(text)
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    return m, d


# ---- messages to browsers


@given(st.floats(0, BRIGHTEST))
def test_an_intensity_is_shown_as_the_brightness_that_it_stands_for(brightness: float) -> None:
    a, b, c, d, e, exposure = FILM
    x = shown_as(np.array(brightness)) / exposure
    assert (x * (x + a) - b) / (x * (c * x + d) + e) == pytest.approx(linear(np.array(brightness)), abs=1e-12)


def test_lights_that_are_added_are_seen_and_those_without_light_are_not() -> None:
    one = intensities(np.full(3, 0.1), np.array([[0.4, 0.4, 0.4], [0.0, 0.0, 0.0], [0.7, 0.5, 0.0]]))
    assert (
        one.shape == (4, 3) and (one[[0, 1]] > 0).all() and not one[2].any() and one[3, 0] > one[3, 1] > one[3, 2] == 0
    )
    colour, most = shade(one[3])
    assert colour[0] == 255 and colour[0] > colour[1] > colour[2] == 0 and most == one[3, 0]
    assert shade(np.zeros(3)) == ((0, 0, 0), 0.0)


def test_cones_and_fading_are_those_of_the_light() -> None:
    assert cone(30, 0) == (pytest.approx(np.pi / 6), 0.0)
    angles = [cone(60, exponent)[0] for exponent in (1, 5, 20, 100)]
    assert angles == sorted(angles, reverse=True) and angles[0] <= np.pi / 3
    assert fading(np.zeros(3), 2.0) == fading(np.array([1.0, 0, 0]), 2.0) == (1.0, 0.0)
    strength, decay = fading(np.array([0.0, 0.0, 0.5]), 2.0)
    assert decay > 2 and strength * 2.0**-decay == pytest.approx(2.0**-2.2)
    assert roughness(0.0, 0.5) == 1.0 and roughness(0.5, 1.0) < roughness(0.5, 0.2) < 1.0


def test_lights_follow_bodies_and_go_out() -> None:
    m, d = world(LIGHTS["spot"])
    m.light("carried").active = 1
    with web.launch_passive(m, d, port=8830) as handle:
        lights = wait_for(lambda: handle._viewer._lights)
        lamps = lights._lamps
        wait_for(lambda: "/lights/2" in lamps)
        assert lamps["/lights/1"].look[0] == lamps["/lights/2"].look[0] == "spot" and "/lights/ambient" in lamps
        assert np.allclose(lamps["/lights/2"].handle.position, [0.8, 0, 1.45])
        d.qpos[:7] = [0, 0, 2, 0, 1, 0, 0]
        conjoint.mj_forward(m, d)
        handle.sync()
        wait_for(lambda: np.allclose(lamps["/lights/2"].handle.position, [0, 0, 1], atol=1e-6))
        assert np.allclose(lamps["/lights/2"].handle.direction, [0, 0, 1], atol=1e-6)
        m.light("carried").active = 0
        handle.sync()
        wait_for(lambda: "/lights/2" not in lamps)


def test_crowds_are_lit_from_afar() -> None:
    m, _ = world(LIGHTS["spot"])
    with web.Crowd(Batch(m, 4), port=8850) as crowd:
        lamps = crowd._lights._lamps
        assert {lamp.look[0] for lamp in lamps.values()} == {"ambient", "directional"}
        towards = m.stat.center - m.light_pos[0]
        expected = -FAR * towards / np.linalg.norm(towards)
        assert np.allclose(lamps["/lights/1"].handle.position, expected) and "/lights/head" in lamps


# ---- images


def rendered(m: conjoint.MjModel, d: conjoint.MjData, camera: conjoint.MjvCamera) -> np.ndarray:
    """Return an image in the style of the viewer window."""
    try:
        from conjoint.render.soft_renderer import StudioRenderer

        with StudioRenderer(m, *SIZE) as renderer:
            renderer.update_scene(d, camera)
            return renderer.render().astype(float)
    except (conjoint.FatalError, ImportError) as error:
        pytest.skip(f"no OpenGL: {error}")


def looks_alike(tab: Any, expected: np.ndarray) -> bool:
    """Return True if a tab shows the expected image, compared where that image is not black."""
    seen = screenshot(tab).astype(float)
    there = expected.any(axis=2)
    # ignore viser's axes in the lower left corner
    there[400:, :80] = False
    return bool(np.abs(seen - expected)[there].mean() < ALIKE)


@pytest.mark.parametrize("name", LIGHTS)
def test_the_page_is_lit_as_pictures_are(name: str, browser: Any) -> None:
    m, d = world(LIGHTS[name])
    camera = conjoint.MjvCamera()
    frame_motion(m, d, camera)
    expected = rendered(m, d, camera)
    page = Page(Exchange(m, d), "127.0.0.1", 8870)
    tab = new_page(browser, SIZE[1], SIZE[0])
    tab.goto(page.url)
    tab.add_style_tag(content=HIDDEN)
    wait_for(lambda: looks_alike(tab, expected))
    tab.close()
    page.close()


def test_files_of_motions_are_lit_as_pictures_are(browser: Any, tmp_path: Path) -> None:
    m, d = world(LIGHTS["directional"])
    target = tmp_path / "page.html"
    camera = conjoint.MjvCamera()
    conjoint.mjv_defaultFreeCamera(m, camera)
    web.export_page(m, [m.qpos0], target, camera=camera)
    tab = new_page(browser, SIZE[1], SIZE[0])
    tab.goto(f"file://{os.path.abspath(target)}")
    tab.add_style_tag(content=HIDDEN)
    wait_for(lambda: looks_alike(tab, rendered(m, d, camera)))
    tab.close()
