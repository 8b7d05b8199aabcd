"""OpenGL contexts of a fixed kind, for the official modules `egl`, `glfw` and `osmesa`."""

from typing import Any

from conjoint.render import context

__all__ = ["EglContext", "GlfwContext"]


class EglContext(context.GLContext):
    """An OpenGL context without a display, by EGL: on a graphics card, or in software. Ignores MUJOCO_GL."""

    def __init__(self, max_width: int = 0, max_height: int = 0):
        self._context: Any = context.make_context("egl")


class GlfwContext(context.GLContext):
    """An OpenGL context of an invisible window, on the display of a desktop. Ignores MUJOCO_GL."""

    def __init__(self, max_width: int = 0, max_height: int = 0):
        self._context: Any = context.make_context("glfw")
