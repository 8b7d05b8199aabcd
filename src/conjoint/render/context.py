"""A place to draw without a window: OpenGL through EGL, on a graphics card or in software."""

from __future__ import annotations

import os
import weakref
from typing import Any

from conjoint.lang import FatalError
from conjoint.lang.extras import need

BACKENDS = {"egl": "egl", "glfw": "glfw", "osmesa": "egl"}
"""Values of MUJOCO_GL, and how they are drawn: without a window, or on the display of a desktop.

EGL draws in software where there is no graphics card, as OSMesa would.
"""

HELP = (
    "install Mesa's OpenGL (Debian: apt-get install libegl1 libgl1-mesa-dri), "
    "or set MUJOCO_GL=glfw where there is a display"
)


HELP_CURRENT = "make one, such as conjoint.GLContext(640, 480), and call its make_current()"


def make_context(backend: str = "") -> Any:
    """A new OpenGL 3.3 context of moderngl, not tied to a window.

    Args:
        backend: of `BACKENDS`; what MUJOCO_GL names if empty.

    Raises:
        FatalError: there is no OpenGL here, or MUJOCO_GL names a backend that is not known.
    """
    moderngl = need("render", "drawing")
    wanted = backend or os.environ.get("MUJOCO_GL", "").lower() or "egl"
    if wanted not in BACKENDS:
        raise FatalError(f"MUJOCO_GL={wanted}: the renderer knows {', '.join(BACKENDS)}")
    try:
        options: dict[str, Any] = {"backend": "egl"} if BACKENDS[wanted] == "egl" else {}
        return moderngl.create_context(standalone=True, require=330, **options)
    except Exception as error:
        # moderngl raises bare Exceptions, with what the loader of libraries said
        raise FatalError(f"cannot open OpenGL without a window ({error}): {HELP}") from None


class GLContext:
    """An OpenGL context without a window, for `MjrContext` and for code that calls OpenGL itself.

    Args:
        max_width: not needed here; as in the official package.
        max_height: likewise.
    """

    def __init__(self, max_width: int = 0, max_height: int = 0):
        self._context = make_context()

    def make_current(self) -> None:
        """Let calls of OpenGL go to this context.

        Raises:
            FatalError: it has been freed.
        """
        if self._context is None:
            raise FatalError("this GLContext has been freed: make another one")
        self._context.__enter__()
        _current[:] = [weakref.ref(self)]

    def free(self) -> None:
        """Give back what the context holds; again does nothing."""
        if self._context is not None:
            if _current and _current[0]() is self:
                _current.clear()
            self._context.release()
            self._context = None

    def __del__(self) -> None:
        if getattr(self, "_context", None) is not None:
            self.free()


_current: list[weakref.ref[GLContext]] = []
"""The context that was made current last."""


def attach() -> tuple[Any, int]:
    """The current context, as moderngl has it, and 1 if it is that of a window.

    Raises:
        FatalError: there is none.
    """
    current = _current[0]() if _current else None
    if current is not None:
        return current._context, 0
    moderngl = need("render", "drawing")
    try:
        return moderngl.create_context(require=330), 1
    except Exception as error:
        raise FatalError(f"no OpenGL context is current in this thread ({error}): {HELP_CURRENT}") from None
