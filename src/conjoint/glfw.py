"""`GLContext` of a window that is not shown, on the display of a desktop."""

from typing import Any

from conjoint.render import context

__all__ = ["GLContext"]


class GLContext(context.GLContext):
    """An OpenGL context on a display, whatever MUJOCO_GL says."""

    def __init__(self, max_width: int = 0, max_height: int = 0):
        self._context: Any = context.make_context("glfw")
