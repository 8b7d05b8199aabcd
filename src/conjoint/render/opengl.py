"""OpenGL features that moderngl lacks: lazy import, missing functions, and contexts of other libraries."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conjoint.lang.optional_packages import need


class OnDemand:
    """Stand-in for the module `moderngl`, which is imported on first use of one of its names."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(need("render", "drawing"), name)
        setattr(self, name, found)
        return found


moderngl: Any = OnDemand()


VERSION = 0x1F02
"""OpenGL's constant GL_VERSION, which selects the version string."""

FRAMEBUFFER, COMPLETE = 0x8D40, 0x8CD5
"""OpenGL's constants GL_FRAMEBUFFER, and GL_FRAMEBUFFER_COMPLETE, the status of a framebuffer ready for drawing."""


def opengl_function(context: Any, name: str, *kinds: Any, result: Any = None) -> Any:
    """Return an OpenGL function, or None if it is not available.

    Args:
        context: the moderngl context; it must be current.
        name: name of the function, such as "glClipControl".
        kinds: ctypes types of the arguments.
        result: ctypes type of the return value; None if there is none.
    """
    loader = context.mglo._context
    address = getattr(loader, "load_opengl_function", None) or loader.load
    found = address(name)
    # PYFUNCTYPE keeps Python's global lock, as moderngl does: only one thread at a time calls OpenGL
    return ctypes.PYFUNCTYPE(result, *kinds)(found) if found else None


ADDRESS = ctypes.c_void_p

EGL, GLX = "EGL", "GLX"

LIBRARIES = {EGL: ("libEGL.so.1",), GLX: ("libGLX.so.0", "libGL.so.1")}
"""Shared libraries with the functions in `NAMES`. The first one that is already loaded is used."""

NAMES = {
    EGL: ("eglGetCurrentContext", "eglGetCurrentDisplay", "eglMakeCurrent", "eglGetProcAddress"),
    GLX: ("glXGetCurrentContext", "glXGetCurrentDisplay", "glXMakeContextCurrent", "glXGetProcAddressARB"),
}
"""Names of the functions that return the current context and display, set both, and look up OpenGL functions."""

EGL_DRAW, EGL_READ = 0x3059, 0x305A


@dataclass(frozen=True)
class _System:
    """Functions of a window system.

    Attributes:
        context, display: functions that return the address of this thread's current context or display; None if there
            is none.
        surfaces: function that returns the surfaces that this thread draws into and reads from.
        make_current: function that makes a context current, given a display, two surfaces and the context.
        address: function that returns the address of an OpenGL function.
    """

    context: Callable[[], int | None]
    display: Callable[[], int | None]
    surfaces: Callable[[], tuple[int | None, int | None]]
    make_current: Callable[..., int]
    address: Callable[[bytes], int | None]


_systems: dict[str, _System] = {}


def _system(kind: str) -> _System | None:
    """Return the functions of EGL or GLX; None if this process has not loaded it, so that it has no context."""
    if kind not in _systems:
        library = _loaded(kind)
        if library is None:
            return None
        _systems[kind] = _functions(kind, library)
    return _systems[kind]


def _loaded(kind: str) -> ctypes.PyDLL | None:
    """Return the library of EGL or GLX if this process has loaded it, else None."""
    # Windows has neither of them
    if sys.platform == "win32" or not hasattr(os, "RTLD_NOLOAD"):
        return None
    for name in LIBRARIES[kind]:
        try:
            # PyDLL keeps Python's global lock, as in calls of OpenGL
            return ctypes.PyDLL(name, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        except OSError:
            continue
    return None


def _functions(kind: str, library: ctypes.PyDLL) -> _System:
    context, display, make, address = (getattr(library, name) for name in NAMES[kind])
    for function in (context, display, address):
        function.restype = ADDRESS
    make.argtypes, address.argtypes = [ADDRESS] * 4, [ctypes.c_char_p]
    if kind == EGL:
        surface = library.eglGetCurrentSurface
        surface.restype, surface.argtypes = ADDRESS, [ctypes.c_int]
        return _System(context, display, lambda: (surface(EGL_DRAW), surface(EGL_READ)), make, address)
    draw, read = library.glXGetCurrentDrawable, library.glXGetCurrentReadDrawable
    draw.restype = read.restype = ADDRESS
    return _System(context, display, lambda: (draw(), read()), make, address)


def current_egl() -> int:
    """Return the address of this thread's current EGL context; 0 without one."""
    egl = _system(EGL)
    return (egl.context() or 0) if egl is not None else 0


@dataclass(frozen=True)
class OtherContext:
    """A context that another library has created and owns. Its methods have the names that moderngl calls.

    Attributes:
        system: functions of EGL or GLX.
        display: address of the display.
        surfaces: addresses of the surfaces to draw into and to read from; None for no surface.
        context: address of the context.
    """

    system: _System
    display: int | None
    surfaces: tuple[int | None, int | None]
    context: int

    @classmethod
    def current(cls) -> OtherContext | None:
        """Return this thread's current context, or None."""
        for kind in (EGL, GLX):
            system = _system(kind)
            context = system.context() if system is not None else None
            if system is not None and context:
                return cls(system, system.display(), system.surfaces(), context)
        return None

    def make_current(self) -> None:
        """Make the context current in this thread again."""
        self.system.make_current(self.display, *self.surfaces, self.context)

    def set_aside(self) -> None:
        """Unset this thread's current context."""
        self.system.make_current(self.display, None, None, None)

    def load(self, name: str) -> int:
        """Return the address of an OpenGL function; 0 if it is not available."""
        return self.system.address(name.encode()) or 0
