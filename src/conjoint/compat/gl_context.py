"""OpenGL contexts with a fixed backend, for MuJoCo's modules `egl`, `glfw` and `osmesa`."""

from typing import Any

from conjoint.render import context

__all__ = ["EglContext", "GlfwContext"]


class EglContext(context.GLContext):
    """OpenGL context without a display, created by EGL, on a graphics card or in software. MUJOCO_GL is ignored."""

    def __init__(self, max_width: int = 0, max_height: int = 0):
        self._context: Any = context.make_context("egl")


class GlfwContext(context.GLContext):
    """OpenGL context of an invisible window on a desktop display. MUJOCO_GL is ignored."""

    def __init__(self, max_width: int = 0, max_height: int = 0):
        self._context: Any = context.make_context("glfw")
