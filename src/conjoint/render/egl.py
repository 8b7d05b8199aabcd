"""Contexts of EGL that other libraries have made current in a thread, which moderngl does not find."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass

LIBRARY = "libEGL.so.1"
DRAW, READ = 0x3059, 0x305A
"""EGL_DRAW, EGL_READ: the surfaces that a context draws into and reads from."""

ADDRESS = ctypes.c_void_p
KINDS: dict[str, tuple[object, list[object]]] = {
    "eglGetCurrentContext": (ADDRESS, []),
    "eglGetCurrentDisplay": (ADDRESS, []),
    "eglGetCurrentSurface": (ADDRESS, [ctypes.c_int]),
    "eglMakeCurrent": (ctypes.c_uint, [ADDRESS] * 4),
    "eglGetProcAddress": (ADDRESS, [ctypes.c_char_p]),
}
"""Functions of EGL: what they return, and what they take."""

_loaded: list[ctypes.PyDLL] = []


def _library() -> ctypes.PyDLL | None:
    """EGL, None as long as nothing in this process has loaded it: then none of its contexts is current."""
    if not _loaded and hasattr(os, "RTLD_NOLOAD"):
        try:
            # the lock of Python is kept, as in calls of OpenGL
            library = ctypes.PyDLL(LIBRARY, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        except OSError:
            return None
        for name, (result, kinds) in KINDS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, kinds
        _loaded.append(library)
    return _loaded[0] if _loaded else None


def current_egl() -> int:
    """The address of the context of EGL that is current in this thread, 0 if there is none."""
    library = _library()
    return (library.eglGetCurrentContext() or 0) if library is not None else 0


@dataclass(frozen=True)
class EGLContext:
    """A context of EGL that another library has made and owns; its functions are loaded as moderngl asks for them.

    Attributes:
        library: EGL.
        display, draw, read, context: what makes it current: addresses, and None for no surface.
    """

    library: ctypes.PyDLL
    display: int | None
    draw: int | None
    read: int | None
    context: int

    @classmethod
    def current(cls) -> EGLContext | None:
        """The one that is current in this thread, None if there is none."""
        library, context = _library(), current_egl()
        if library is None or not context:
            return None
        draw, read = (library.eglGetCurrentSurface(which) for which in (DRAW, READ))
        return cls(library, library.eglGetCurrentDisplay(), draw, read, context)

    def make_current(self) -> None:
        """Let it be current in this thread again."""
        self.library.eglMakeCurrent(self.display, self.draw, self.read, self.context)

    def set_aside(self) -> None:
        """Let no context be current in this thread."""
        self.library.eglMakeCurrent(self.display, None, None, None)

    def load(self, name: str) -> int:
        """The address of a function of OpenGL, 0 if there is none."""
        return self.library.eglGetProcAddress(name.encode()) or 0
