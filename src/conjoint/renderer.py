"""`Renderer`, where programs for the official package look for it."""

from conjoint.render.renderer import Renderer

__all__ = ["Renderer"]
