"""Functions of OpenGL that moderngl has not."""

from __future__ import annotations

import ctypes
from typing import Any

VERSION = 0x1F02
"""GL_VERSION."""

FRAMEBUFFER, COMPLETE = 0x8D40, 0x8CD5
"""GL_FRAMEBUFFER, and GL_FRAMEBUFFER_COMPLETE: how it is where it can be drawn into."""


def opengl_function(context: Any, name: str, *kinds: Any, result: Any = None) -> Any:
    """A function of OpenGL, None if there is none.

    Args:
        context: of moderngl; it must be current.
        name: such as "glClipControl".
        kinds: types of its arguments, of ctypes.
        result: type of what it returns.
    """
    loader = context.mglo._context
    address = getattr(loader, "load_opengl_function", None) or loader.load
    found = address(name)
    # the lock of Python is kept, as by moderngl: OpenGL is called by one thread at a time
    return ctypes.PYFUNCTYPE(result, *kinds)(found) if found else None
