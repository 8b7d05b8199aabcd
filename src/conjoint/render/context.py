"""Offscreen OpenGL contexts through EGL, on a GPU or in software."""

from __future__ import annotations

import os
from typing import Any

from conjoint.lang import FatalError
from conjoint.lang.optional_packages import need
from conjoint.render.opengl import OtherContext
from conjoint.render.turns import SharedContext, held_context

BACKENDS = {"egl": "egl", "glfw": "glfw", "osmesa": "egl"}
"""Backends, keyed by the value of MUJOCO_GL that selects them. EGL needs no window; GLFW needs a display.

Without a graphics card, EGL renders in software, as OSMesa does.
"""

HELP = (
    "install Mesa's OpenGL (Debian: apt-get install libegl1 libgl1-mesa-dri), "
    "or set MUJOCO_GL=glfw where there is a display"
)


HELP_CURRENT = "create one, such as conjoint.GLContext(640, 480), and call its make_current()"


def make_context(backend: str = "") -> SharedContext:
    """Return a new OpenGL 3.3 context that is not tied to a window and that any thread may use.

    Args:
        backend: one of `BACKENDS`; if empty, the value of MUJOCO_GL.

    Raises:
        FatalError: OpenGL is not available, MUJOCO_GL names an unknown backend, or this process was forked from one
            that had used OpenGL.
    """
    moderngl = need("render", "drawing")
    wanted = backend or os.environ.get("MUJOCO_GL", "").lower() or "egl"
    if wanted not in BACKENDS:
        raise FatalError(f"MUJOCO_GL={wanted}: the renderer knows {', '.join(BACKENDS)}")
    egl = BACKENDS[wanted] == "egl"
    options: dict[str, Any] = {"backend": "egl"} if egl else {}

    def make() -> Any:
        try:
            return moderngl.create_context(standalone=True, require=330, **options)
        except Exception as error:
            # moderngl raises a plain Exception with the message of the library loader
            raise FatalError(f"cannot open OpenGL without a window ({error}): {HELP}") from None

    return SharedContext(make, egl)


class GLContext:
    """An offscreen OpenGL context, for `MjrContext` and for user code that calls OpenGL.

    Args:
        max_width: ignored; accepted as in MuJoCo.
        max_height: ignored; accepted as in MuJoCo.
    """

    def __init__(self, max_width: int = 0, max_height: int = 0):
        self._context = make_context()

    def make_current(self) -> None:
        """Make this context the target of OpenGL calls in this thread.

        Raises:
            FatalError: the context has been freed, or is current in another thread.
        """
        self._context.keep()

    def free(self) -> None:
        """Release the resources of the context; no-op if already released."""
        self._context.release()

    def __del__(self) -> None:
        if getattr(self, "_context", None) is not None:
            self.free()


def attach() -> tuple[SharedContext | None, Any]:
    """Return this thread's current context and its moderngl object; the context is None if another library created it.

    Raises:
        FatalError: no context is current in this thread.
    """
    kept = held_context()
    if kept is not None:
        return kept, kept.gl
    moderngl = need("render", "drawing")
    # moderngl does not detect EGL contexts of other libraries
    other = OtherContext.current()
    found = {} if other is None else {"context": other}
    try:
        return None, moderngl.create_context(require=330, **found)
    except Exception as error:
        raise FatalError(f"no OpenGL context is current in this thread ({error}): {HELP_CURRENT}") from None
