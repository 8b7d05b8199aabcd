"""`StudioRenderer`, which draws pictures as the viewers do, and `SoftRenderer`, which draws pictures of films."""

from __future__ import annotations

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvCamera, MjvOption
from conjoint.batch.batch import Batch
from conjoint.render.lighting import SHADOW_SIZE
from conjoint.render.renderer import Renderer
from conjoint.render.style import FILM, STUDIO
from conjoint.viz.studio import add_key_light


class StudioRenderer(Renderer):
    """Renderer with the viewers' style: soft shadows, and a sky and a light if the model has none."""

    _style = STUDIO

    def update_scene(
        self, data: MjData | Batch, camera: int | str | MjvCamera = -1, scene_option: MjvOption | None = None
    ) -> None:
        with self._busy:
            super().update_scene(data, camera, scene_option)
            add_key_light(self._model, self._scene)


class SoftRenderer(StudioRenderer):
    """Renderer for films, with the viewers' style except for shadows that take less time.

    Args:
        model, height, width, max_geom: arguments of `Renderer`.
        shadow_size: maximum side length of a shadow map, in pixels.
    """

    _style = FILM

    def __init__(self, model: MjModel, height: int, width: int, max_geom: int = 10000, shadow_size: int = SHADOW_SIZE):
        super().__init__(model, height, width, max_geom)
        self._painter.lighting.limit = shadow_size
