"""`SoftRenderer`: pictures of films, whose shadows have soft edges."""

from __future__ import annotations

from conjoint.api.objects.model import MjModel
from conjoint.render.renderer import Renderer


class SoftRenderer(Renderer):
    """Renderer with soft edges of shadows; arguments and methods as those of `Renderer`.

    Height fields receive shadows, and cast none.
    """

    def __init__(self, model: MjModel, height: int, width: int, max_geom: int):
        super().__init__(model, height, width, max_geom)
        self._painter.soft = True
