"""OpenGL renderers and contexts in threads, after a fork, and together with windows."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest

import conjoint
import desktop
from places import TESTS
from waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("opengl")

FOLDER = TESTS
XML = """<mujoco><asset><texture type="skybox" builtin="gradient" rgb1="1 1 1" rgb2="0 0 1" width="16" height="16"/></asset>
<worldbody><light pos="0 0 3" castshadow="true"/><geom type="plane" size="2 2 1" rgba=".5 .5 .5 1"/>
<body pos="0 0 .5"><freejoint/><geom size=".3" rgba="1 0 0 1"/></body></worldbody></mujoco>"""
AREA = conjoint.MjrRect(0, 0, 30, 20)


@pytest.fixture(scope="module")
def world() -> tuple:
    """Return a model, its data, and an image rendered in a single thread."""
    os.environ["MUJOCO_GL"] = "egl"
    m = conjoint.MjModel.from_xml_string(XML)
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    with conjoint.Renderer(m, 20, 30) as renderer:
        renderer.update_scene(d)
        return m, d, renderer.render()


def at_once(count: int, work: Callable[[], None]) -> list[BaseException]:
    """Run `work` in several threads at the same time, and return their errors."""
    gate, errors = threading.Barrier(count), []

    def run() -> None:
        gate.wait()
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_each_thread_makes_renderers_of_its_own(world: tuple) -> None:
    m, d, right = world

    def work() -> None:
        for _ in range(2):
            with conjoint.Renderer(m, 20, 30) as renderer:
                renderer.update_scene(d)
                np.testing.assert_array_equal(renderer.render(), right)

    assert at_once(16, work) == []


def test_threads_share_a_renderer(world: tuple) -> None:
    """Several threads can share a renderer, which OpenGL alone does not support."""
    m, d, right = world
    renderer = conjoint.Renderer(m, 20, 30)

    def work() -> None:
        for _ in range(4):
            renderer.update_scene(d)
            np.testing.assert_array_equal(renderer.render(), right)

    assert at_once(4, work) == []
    renderer.update_scene(d)
    np.testing.assert_array_equal(renderer.render(), right)
    assert at_once(1, renderer.close) == []
    with pytest.raises(RuntimeError, match="after close"):
        renderer.render()


def test_renderers_are_forgotten_in_other_threads_while_some_draw(world: tuple) -> None:
    m, d, right = world
    made = [conjoint.Renderer(m, 20, 30) for _ in range(8)]
    for one in made:
        one.update_scene(d)
        # a reference cycle leaves this renderer to the garbage collector, in whatever thread it runs
        one.itself = one
    del one

    def work() -> None:
        made.pop()
        gc.collect()
        with conjoint.Renderer(m, 20, 30) as renderer:
            renderer.update_scene(d)
            np.testing.assert_array_equal(renderer.render(), right)

    assert at_once(8, work) == []


def drawn(con: conjoint.MjrContext, scene: conjoint.MjvScene) -> np.ndarray:
    """Return the image that the `mjr` functions draw, top row first."""
    pixels = np.zeros((20, 30, 3), np.uint8)
    conjoint.mjr_setBuffer(conjoint.mjtFramebuffer.mjFB_OFFSCREEN, con)
    conjoint.mjr_render(AREA, scene, con)
    conjoint.mjr_readPixels(pixels, None, AREA, con)
    return pixels[::-1]


def scene_of(m, d) -> conjoint.MjvScene:
    scene, camera = conjoint.MjvScene(m, 100), conjoint.MjvCamera()
    conjoint.mjv_defaultFreeCamera(m, camera)
    conjoint.mjv_updateScene(m, d, conjoint.MjvOption(), None, camera, 7, scene)
    return scene


def test_a_context_belongs_to_the_thread_that_made_it_current(world: tuple) -> None:
    m, d, right = world
    context, scene = conjoint.GLContext(30, 20), scene_of(m, d)
    context.make_current()
    con = conjoint.MjrContext(m, 100)
    np.testing.assert_allclose(drawn(con, scene), right, atol=1)
    for work in (context.make_current, lambda: drawn(con, scene)):
        (error,) = at_once(1, work)
        assert isinstance(error, conjoint.FatalError) and "current in another thread" in str(error)
    (error,) = at_once(1, lambda: conjoint.mjr_rectangle(AREA, 1, 1, 1, 1))
    assert "in this thread" in str(error)

    def work() -> None:
        own = conjoint.GLContext(30, 20)
        own.make_current()
        mine = conjoint.MjrContext(m, 100)
        np.testing.assert_allclose(drawn(mine, scene), right, atol=1)
        mine.free()
        own.free()

    assert at_once(4, work) == []
    # a renderer leaves the current context current
    with conjoint.Renderer(m, 20, 30) as renderer:
        renderer.update_scene(d)
        renderer.render()
        conjoint.mjr_rectangle(AREA, 0, 0, 0, 1)
        np.testing.assert_allclose(drawn(con, scene), right, atol=1)
    assert at_once(1, lambda: (con.free(), context.free())) == []
    with pytest.raises(conjoint.FatalError, match="MjrContext has been freed"):
        drawn(con, scene)
    with pytest.raises(conjoint.FatalError, match="OpenGL context has been freed"):
        context.make_current()


def test_a_context_of_a_thread_that_ended_works_or_is_refused(world: tuple) -> None:
    m, d, right = world
    made, scene = [], scene_of(m, d)

    def work() -> None:
        context = conjoint.GLContext(30, 20)
        context.make_current()
        made.extend([context, conjoint.MjrContext(m, 100)])

    assert at_once(1, work) == []
    context, con = made
    try:
        np.testing.assert_allclose(drawn(con, scene), right, atol=1)
    except conjoint.FatalError as error:
        assert "even if that has ended" in str(error)
    con.free()
    context.free()


def output(name: str, **settings: str) -> list[str]:
    """Return the output lines of a program in the tests folder."""
    given = [sys.executable, str(FOLDER / name)]
    done = subprocess.run(given, env=os.environ | settings, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_children_of_a_fork_are_told_that_opengl_did_not_come_along() -> None:
    """Rendering in a forked child process raises an error; in MuJoCo it hangs."""
    first, second, ended, same = output("gl_fork.py", MUJOCO_GL="egl")
    assert "forked from a process that had used OpenGL" in first and first == second and "'spawn'" in first
    assert ended == "child ended with 0" and same == "same picture: True"


@pytest.mark.skipif(bool(desktop.missing()), reason=desktop.missing() or "there is a desktop")
def test_renderers_draw_beside_a_window() -> None:
    """A renderer works beside a window whose context is current; formerly its draw calls went to the window."""
    pytest.importorskip("glfw")
    with desktop.desktop() as display:
        found = output("gl_beside_window.py", DISPLAY=display)
    assert found == ["made before: True", "made beside: True", "window: True"]


@pytest.mark.skipif(bool(desktop.missing()), reason=desktop.missing() or "there is a desktop")
def test_renderers_draw_beside_a_context_that_glfw_does_not_know() -> None:
    """A renderer works beside a GL context unknown to GLFW; formerly its first image came from that context."""
    with desktop.desktop() as display:
        found = output("gl_beside_glx.py", DISPLAY=display)
    assert len(found) == 5 and all(line.endswith(": True") for line in found), found


@pytest.mark.skipif(sys.platform != "linux", reason="EGL is Linux's")
def test_contexts_of_other_libraries_are_drawn_in_and_stay_current() -> None:
    """A current EGL context of another library, with or without a surface, is used for drawing and stays current."""
    found = output("gl_beside_egl.py", MUJOCO_GL="egl")
    wrong = [line for line in found if "False" in line]
    assert len(found) == 14 and not wrong, found
