"""The `mjr` functions: framebuffers, pixels, text, figures, and OpenGL contexts."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import conjoint
import official_stereo
from waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("opengl")

WIDTH, HEIGHT = 160, 120
XML = """<mujoco><visual><global offwidth="160" offheight="120"/></visual><asset>
<texture name="t" type="2d" builtin="flat" rgb1="1 0 0" width="8" height="8"/><material name="m" texture="t"/>
<hfield name="h" nrow="3" ncol="3" size="1 1 1 .1"/><mesh name="me" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
<worldbody><geom type="box" size="1 1 .1" material="m"/><geom type="hfield" hfield="h" pos="0 3 0"/>
<geom type="mesh" mesh="me" pos="0 -3 0"/></worldbody></mujoco>"""


@pytest.fixture
def con(monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "egl")
    gl = conjoint.GLContext(WIDTH, HEIGHT)
    gl.make_current()
    made = conjoint.MjrContext(conjoint.MjModel.from_xml_string(XML), conjoint.mjtFontScale.mjFONTSCALE_100)
    conjoint.mjr_setBuffer(conjoint.mjtFramebuffer.mjFB_OFFSCREEN, made)
    yield made
    made.free()
    made.free()
    gl.free()
    gl.free()


def full() -> conjoint.MjrRect:
    return conjoint.MjrRect(0, 0, WIDTH, HEIGHT)


def read(con, viewport=None) -> np.ndarray:
    area = viewport or full()
    rgb = np.zeros((area.height, area.width, 3), np.uint8)
    conjoint.mjr_readPixels(rgb, None, area, con)
    return rgb


def black(con) -> None:
    conjoint.mjr_rectangle(full(), 0, 0, 0, 1)


def test_rectangles_are_where_they_are(con) -> None:
    black(con)
    conjoint.mjr_rectangle(conjoint.MjrRect(56, 67, 34, 23), 0, 0, 1, 1)
    expected = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    expected[67:90, 56:90, 2] = 255
    assert np.array_equal(read(con), expected)
    flat = np.zeros(3 * WIDTH * HEIGHT, np.uint8)
    conjoint.mjr_readPixels(flat, None, full(), con)
    assert np.array_equal(flat, expected.ravel())
    conjoint.mjr_rectangle(full(), 1, 1, 1, 0.5)
    assert abs(int(read(con)[0, 0, 0]) - 128) <= 1


def test_pixels_are_drawn_and_read(con) -> None:
    black(con)
    area = conjoint.MjrRect(10, 20, 6, 4)
    given = np.random.default_rng(0).integers(0, 255, (4, 6, 3)).astype(np.uint8)
    # depths are stored as written: as in MuJoCo, 1 is near and 0 is far
    near = np.linspace(0, 1, 24, dtype=np.float32).reshape(4, 6)
    conjoint.mjr_drawPixels(given.ravel(), near.ravel(), area, con)
    assert np.array_equal(read(con, area), given)
    depth = np.zeros((4, 6), np.float32)
    conjoint.mjr_readPixels(None, depth, area, con)
    np.testing.assert_allclose(depth, 1 - near, atol=1e-6)
    con.readDepthMap = conjoint.mjtDepthMap.mjDEPTH_ZEROFAR
    conjoint.mjr_readPixels(None, depth, area, con)
    assert np.array_equal(depth, near)
    conjoint.mjr_drawPixels(None, near * 0, area, con)
    assert np.array_equal(read(con, area), given)
    with pytest.raises(TypeError, match="rgb must be a contiguous uint8 array of 72 numbers"):
        conjoint.mjr_readPixels(np.zeros(3, np.uint8), None, area, con)
    with pytest.raises(TypeError, match=r"rgb must be a uint8 array of shape \(4, 6, 3\)"):
        conjoint.mjr_drawPixels(np.zeros(3, np.uint8), None, area, con)


def test_scenes_are_drawn_as_by_the_renderer(con) -> None:
    m = con._model
    d, scene = conjoint.MjData(m), conjoint.MjvScene(m, 100)
    conjoint.mj_forward(m, d)
    camera = conjoint.MjvCamera()
    conjoint.mjv_defaultFreeCamera(m, camera)
    conjoint.mjv_updateScene(m, d, conjoint.MjvOption(), None, camera, 7, scene)
    black(con)
    conjoint.mjr_render(full(), scene, con)
    whole = read(con)
    with conjoint.Renderer(m, HEIGHT, WIDTH) as renderer:
        renderer.update_scene(d)
        assert np.abs(renderer.render()[::-1].astype(int) - whole).max() <= 1
    # a smaller viewport is drawn in its area, and nothing outside it
    black(con)
    part = conjoint.MjrRect(80, 60, 80, 60)
    conjoint.mjr_render(part, scene, con)
    assert not read(con)[:60].any() and read(con, part).any()


def test_both_eyes_and_frames_are_drawn_as_officially(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("MUJOCO_GL", "egl")
    ours, theirs = official_stereo.take(conjoint), official_stereo.official(tmp_path)
    for name, expected in theirs.items():
        off = np.abs(ours[name].astype(float) - expected)
        if "depth" in name:
            # coincident objects, except the reflecting floor, are drawn in a different order at some pixels
            assert np.mean(off > 1e-3) < 0.002, name
        else:
            assert off.mean() < 2.0 and np.mean(off > 40) < 0.005, name
    # a side-by-side image differs from a single image, and its halves differ from each other
    alone, both = (ours[f"1 ({way}, 0, 0, 0) color"].astype(int) for way in (0, 2))
    half = official_stereo.WIDTH // 2
    assert np.abs(alone - both).mean() > 5 and np.abs(both[:, :half] - both[:, half:]).mean() > 5


def test_what_changed_in_the_model_is_uploaded(con) -> None:
    m = con._model
    d, scene = conjoint.MjData(m), conjoint.MjvScene(m, 100)
    conjoint.mj_forward(m, d)

    def drawn() -> np.ndarray:
        camera = conjoint.MjvCamera()
        conjoint.mjv_defaultFreeCamera(m, camera)
        conjoint.mjv_updateScene(m, d, conjoint.MjvOption(), None, camera, 7, scene)
        conjoint.mjr_render(full(), scene, con)
        return read(con).astype(int)

    before = drawn()
    m.tex_data[:] = np.tile([0, 255, 0], 64)
    m.hfield_data[4] = 1.0
    m.mesh_vert[:] *= 2
    assert np.array_equal(drawn(), before)
    conjoint.mjr_uploadTexture(m, con, 0)
    green = drawn()
    assert green[..., 1].max() > 50 > before[..., 1].min()
    conjoint.mjr_uploadHField(m, con, 0)
    hill = drawn()
    conjoint.mjr_uploadMesh(m, con, 0)
    assert np.abs(hill - green).max() > 20 and np.abs(drawn() - hill).max() > 20
    for upload in (conjoint.mjr_uploadTexture, conjoint.mjr_uploadMesh, conjoint.mjr_uploadHField):
        with pytest.raises(conjoint.FatalError, match="id must be an id from 0 to 0, not 7"):
            upload(m, con, 7)


def test_text_is_larger_at_larger_scales(con) -> None:
    inked = []
    for scale in (50, 100, 200, 300):
        conjoint.mjr_changeFont(scale, con)
        assert con.fontScale == scale and con.charWidth[ord("W")] > con.charWidth[ord("i")] > 0
        black(con)
        conjoint.mjr_text(conjoint.mjtFont.mjFONT_NORMAL, "Wi", con, 0.1, 0.2, 1, 1, 0)
        rgb = read(con)
        rows, columns = np.nonzero(rgb[..., 0])
        assert not rgb[..., 2].any() and columns.min() >= 0.1 * WIDTH - 1 and rows.min() >= 0.2 * HEIGHT - 1
        inked.append(len(rows))
    assert inked == sorted(inked) and inked[0] > 5
    conjoint.mjr_changeFont(100, con)
    black(con)
    conjoint.mjr_text(conjoint.mjtFont.mjFONT_BIG, "Wi", con, 0.1, 0.2, 1, 1, 0)
    assert (read(con)[..., 0] > 0).sum() > inked[1]
    with pytest.raises(conjoint.FatalError, match="120 is not a font scale"):
        conjoint.mjr_changeFont(120, con)


@pytest.mark.parametrize("place", range(8))
def test_overlays_are_at_their_edges(con, place: int) -> None:
    black(con)
    name = conjoint.mjtGridPos(place).name
    conjoint.mjr_overlay(0, place, full(), "one\ntwo", "1\n2", con)
    rows, columns = np.nonzero(read(con)[..., 0])
    assert len(rows)
    y, x = rows.mean() / HEIGHT, columns.mean() / WIDTH
    assert ("LEFT" in name) == (x < 0.4) and ("RIGHT" in name) == (x > 0.6)
    assert ("BOTTOM" in name) == (y < 0.4) and ("TOP" in name) == (y > 0.6)


def test_labels_fill_their_rectangle(con) -> None:
    black(con)
    conjoint.mjr_label(conjoint.MjrRect(20, 30, 60, 40), 0, "ok", 1, 0, 0, 1, 0, 0, 1, con)
    rgb = read(con)
    assert rgb[31, 21].tolist() == [255, 0, 0] and rgb[30:70, 20:80, 2].max() > 200 and not rgb[71:].any()
    found = [conjoint.mjr_findRect(x, 35, 1, conjoint.MjrRect(20, 30, 60, 40)) for x in (19, 20, 79, 80)]
    assert found == [-1, 0, 0, -1]


@pytest.mark.parametrize("bars", [0, 1])
def test_figures_show_their_lines(con, bars: int) -> None:
    figure = conjoint.MjvFigure()
    figure.linepnt[0], figure.linename[0], figure.title = 50, "wave", "a title"
    figure.flg_barplot = bars
    t = np.linspace(0, 10, 50)
    figure.linedata[0][:100] = np.stack([t, 3 * np.sin(t)], axis=1).ravel()
    figure.range[0], figure.range[1] = (0, 10), (1, 0)
    black(con)
    conjoint.mjr_figure(full(), figure, con)
    rgb = read(con).astype(int)
    line = (rgb[..., 0] > 150) & (rgb[..., 1] < 120)
    left, right = figure.xaxispixel
    columns = np.nonzero(line.any(axis=0))[0]
    assert 0 < left < right <= WIDTH and columns.min() < left + 12 and columns.max() > right - 15
    np.testing.assert_allclose(figure.xaxisdata, (0, 10))
    np.testing.assert_allclose(figure.yaxisdata, (3 * np.sin(t).min(), 3 * np.sin(t).max()), rtol=1e-3)
    figure.highlight = figure.xaxispixel[1] - 12, figure.yaxispixel[1] - 12
    conjoint.mjr_figure(full(), figure, con)
    assert figure.highlightid == 0


def test_auxiliary_framebuffers_are_copied(con) -> None:
    black(con)
    conjoint.mjr_addAux(1, 30, 20, 4, con)
    conjoint.mjr_setAux(1, con)
    assert conjoint.mjr_maxViewport(con).width == 30 == con.auxWidth[1]
    conjoint.mjr_rectangle(conjoint.MjrRect(0, 0, 30, 20), 0, 1, 0, 1)
    conjoint.mjr_restoreBuffer(con)
    assert not read(con).any()
    conjoint.mjr_blitAux(1, conjoint.MjrRect(0, 0, 30, 20), 50, 60, con)
    rgb = read(con)
    assert (rgb[60:80, 50:80, 1] == 255).all() and rgb[..., 1].sum() == 255 * 600
    with pytest.raises(conjoint.FatalError, match="no auxiliary framebuffer 2"):
        conjoint.mjr_setAux(2, con)
    with pytest.raises(conjoint.FatalError, match="index must be an id from 0 to 9, not 10"):
        conjoint.mjr_addAux(10, 3, 3, 0, con)


def test_the_offscreen_framebuffer_changes_its_size(con) -> None:
    conjoint.mjr_resizeOffscreen(64, 48, con)
    area = conjoint.mjr_maxViewport(con)
    assert (area.width, area.height) == (64, 48) == (con.offWidth, con.offHeight)
    conjoint.mjr_rectangle(area, 1, 0, 0, 1)
    conjoint.mjr_finish()
    assert (read(con, area)[..., 0] == 255).all() and conjoint.mjr_getError() == 0
    with pytest.raises(conjoint.FatalError, match="width must be an integer of at least 1, not 0"):
        conjoint.mjr_resizeOffscreen(0, 3, con)
    with pytest.raises(conjoint.FatalError, match="needs a window"):
        conjoint.mjr_blitBuffer(area, area, 1, 1, con)


def test_pixels_are_copied_from_the_offscreen_framebuffer_to_the_window_and_back(con) -> None:
    """`mjr_blitBuffer` copies pixels between the offscreen framebuffer and an emulated window."""
    con.gl._screen = con.gl.simple_framebuffer((WIDTH, HEIGHT))
    con.windowAvailable = 1
    offscreen, window = conjoint.mjtFramebuffer.mjFB_OFFSCREEN, conjoint.mjtFramebuffer.mjFB_WINDOW
    for source, target, color in ((offscreen, window, (255, 0, 0)), (window, offscreen, (0, 0, 255))):
        for buffer, drawn in ((target, (0, 255, 0)), (source, color)):
            conjoint.mjr_setBuffer(buffer, con)
            conjoint.mjr_rectangle(full(), *(part / 255 for part in drawn), 1)
        conjoint.mjr_blitBuffer(conjoint.MjrRect(0, 0, 10, 5), conjoint.MjrRect(20, 30, 20, 10), 1, 0, con)
        assert (read(con) == color).all()
        conjoint.mjr_setBuffer(target, con)
        expected = np.zeros((HEIGHT, WIDTH, 3), np.uint8) + np.array([0, 255, 0], np.uint8)
        expected[30:40, 20:40] = color
        assert np.array_equal(read(con), expected)


def test_contexts_that_are_not_there_are_told(monkeypatch, con) -> None:
    con.free()
    with pytest.raises(conjoint.FatalError, match="has been freed"):
        conjoint.mjr_setBuffer(1, con)
    flat = conjoint.MjrContext()
    with pytest.raises(conjoint.FatalError, match="there is no framebuffer"):
        conjoint.mjr_readPixels(None, None, full(), flat)
    flat.free()
    with pytest.raises(conjoint.FatalError, match="no MjrContext is in use"):
        conjoint.mjr_rectangle(full(), 0, 0, 0, 1)


CONTEXTS = """
import os
os.environ["MUJOCO_GL"] = "osmesa"
import conjoint
conjoint.install_as_mujoco()
import mujoco.gl_context, mujoco.osmesa, mujoco.egl
from mujoco.renderer import Renderer
for module in (mujoco.gl_context, mujoco.osmesa, mujoco.egl):
    context = module.GLContext(64, 48)
    context.make_current()
    context.free()
import mujoco.glfw
assert mujoco.glfw.GLContext.__init__ is not mujoco.egl.GLContext.__init__
assert Renderer is mujoco.Renderer is conjoint.Renderer and mujoco.gl_context.GLContext is conjoint.GLContext
"""


def test_contexts_are_where_programs_look_for_them() -> None:
    """MuJoCo's GL context modules can be imported under their usual names."""
    done = subprocess.run([sys.executable, "-c", CONTEXTS], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr


def test_a_context_lives_as_long_as_programs_have_it(con) -> None:
    """A context in use has no internal references, so that programs such as dm_control can free it at the end."""
    own = conjoint.MjrContext(conjoint.MjModel.from_xml_string(XML), 100)
    conjoint.mjr_setBuffer(conjoint.mjtFramebuffer.mjFB_OFFSCREEN, own)
    conjoint.mjr_rectangle(full(), 0, 0, 1, 1)
    conjoint.mjr_finish()
    other = object()
    assert sys.getrefcount(own) == sys.getrefcount(other)
    own.free()
    with pytest.raises(conjoint.FatalError, match="no MjrContext is in use in this thread"):
        conjoint.mjr_finish()
    conjoint.mjr_setBuffer(conjoint.mjtFramebuffer.mjFB_OFFSCREEN, con)
    conjoint.mjr_finish()
