"""A place to draw without a window: OpenGL through EGL, on a graphics card or in software."""

from __future__ import annotations

import os
from typing import Any

from conjoint.lang import FatalError

BACKENDS = ("egl", "glfw")
"""Values of MUJOCO_GL: without a window, or on the display of a desktop."""

HELP = (
    "install Mesa's OpenGL (Debian: apt-get install libegl1 libgl1-mesa-dri), "
    "or set MUJOCO_GL=glfw where there is a display"
)


def make_context() -> Any:
    """A new OpenGL 3.3 context of moderngl, not tied to a window.

    Raises:
        FatalError: there is no OpenGL here, or MUJOCO_GL names a backend that is not known.
    """
    try:
        import moderngl
    except ImportError:
        raise FatalError("drawing needs moderngl: pip install 'conjoint[render]'") from None
    wanted = os.environ.get("MUJOCO_GL", "").lower() or "egl"
    if wanted not in BACKENDS:
        raise FatalError(f"MUJOCO_GL={wanted}: the renderer knows {' and '.join(BACKENDS)}")
    try:
        options: dict[str, Any] = {"backend": "egl"} if wanted == "egl" else {}
        return moderngl.create_context(standalone=True, require=330, **options)
    except Exception as error:
        # moderngl raises bare Exceptions, with what the loader of libraries said
        raise FatalError(f"cannot open OpenGL without a window ({error}): {HELP}") from None


class GLContext:
    """An OpenGL context of a program's own, for code that calls OpenGL itself.

    Args:
        max_width: not needed here; as in the official package.
        max_height: likewise.
    """

    def __init__(self, max_width: int = 0, max_height: int = 0):
        self._context = make_context()

    def make_current(self) -> None:
        """Let calls of OpenGL go to this context."""
        self._context.__enter__()

    def free(self) -> None:
        """Give back what the context holds; again does nothing."""
        if self._context is not None:
            self._context.release()
            self._context = None

    def __del__(self) -> None:
        if getattr(self, "_context", None) is not None:
            self.free()
