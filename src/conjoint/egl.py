"""`GLContext` without a display, by EGL: on a graphics card, or in software."""

from typing import Any

from conjoint.render import context

__all__ = ["GLContext"]


class GLContext(context.GLContext):
    """An OpenGL context by EGL, whatever MUJOCO_GL says."""

    def __init__(self, max_width: int = 0, max_height: int = 0):
        self._context: Any = context.make_context("egl")
