"""`GLContext` in software: by EGL, which draws without a display, too; the library OSMesa is not needed."""

from conjoint.egl import GLContext

__all__ = ["GLContext"]
