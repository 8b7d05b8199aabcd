"""What films are drawn with: OpenGL, or rays where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import FatalError
from conjoint.render.rays import RayRenderer
from conjoint.render.scene import SceneRenderer

FINER = 2
"""Rays are sent through so many times as many rows and columns as a picture has; their mean has smooth edges."""


class FilmRenderer:
    """Draws colours with whatever this machine has.

    Args:
        model: the model.
        height, width: of pictures, in pixels.
        rays: by rays, also where there is OpenGL.

    Attributes:
        rays: whether pictures are drawn by rays.

    Raises:
        ValueError: pictures are larger than the model's buffer.
    """

    def __init__(self, model: MjModel, height: int, width: int, rays: bool = False):
        self.rays, self._renderer = _renderer(model, height, width, rays)

    def picture(self, data: MjData, camera: Any = -1) -> np.ndarray:
        """What a camera sees, shape (height, width, 3), uint8.

        Args:
            data: the world.
            camera: a camera of the model by name or number, an `MjvCamera`, or -1 for a free one.

        Raises:
            ValueError: there is no such camera.
        """
        self._renderer.update_scene(data, camera=camera)
        seen = self._renderer.render()
        return mean_of_blocks(seen, FINER) if self.rays else seen

    def close(self) -> None:
        """Give back the context."""
        self._renderer.close()


def _renderer(model: MjModel, height: int, width: int, rays: bool) -> tuple[bool, SceneRenderer]:
    """Whether it draws by rays, and what draws."""
    if not rays:
        try:
            # needs the extra `render`
            from conjoint.render.renderer import Renderer

            return False, Renderer(model, height, width)
        except FatalError:
            pass
    return True, RayRenderer(model, FINER * height, FINER * width)


def mean_of_blocks(picture: np.ndarray, side: int) -> np.ndarray:
    """A smaller picture, each of whose pixels is the mean of a square block of pixels."""
    height, width, colors = picture.shape
    blocks = picture.reshape(height // side, side, width // side, side, colors).astype(np.uint16)
    return (blocks.sum(axis=(1, 3)) // side**2).astype(np.uint8)
