"""Pictures of a scene by OpenGL (needs the extra `render`)."""

from conjoint.render.context import GLContext
from conjoint.render.renderer import Renderer

__all__ = ["GLContext", "Renderer"]
