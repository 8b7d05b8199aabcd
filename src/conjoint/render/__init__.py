"""Pictures of a scene: by OpenGL (needs the extra `render`), or by rays."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conjoint.render.context import GLContext
    from conjoint.render.notebook import Recorder, show
    from conjoint.render.rays import RayRenderer
    from conjoint.render.renderer import Renderer

# whole before any module of it (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")

__all__ = ["GLContext", "RayRenderer", "Recorder", "Renderer", "show"]

_MODULES = {
    "GLContext": "context", "RayRenderer": "rays", "Recorder": "notebook", "Renderer": "renderer", "show": "notebook",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import what is asked for: rays need no OpenGL."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
