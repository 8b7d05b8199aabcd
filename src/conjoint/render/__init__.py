"""Rendering of scenes, with OpenGL (needs the extra `render`) or by ray casting."""

from importlib import import_module
from typing import TYPE_CHECKING

from conjoint.lazy import names_of

if TYPE_CHECKING:
    from conjoint.render.context import GLContext
    from conjoint.render.film import Film, Recorder, show
    from conjoint.render.rays import RayRenderer
    from conjoint.render.renderer import Renderer

# Import this package completely before any of its modules (CONTRIBUTING.md, Threads and imports).
import_module("conjoint.lang")

__all__ = ["Film", "GLContext", "RayRenderer", "Recorder", "Renderer", "show"]

__getattr__ = names_of(
    __name__,
    {
        "context": "GLContext",
        "rays": "RayRenderer",
        "film": "Film Recorder show",
        "renderer": "Renderer",
    },
)
