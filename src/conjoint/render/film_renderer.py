"""Renderer of films: OpenGL, or rays where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import FatalError
from conjoint.render.rays import RayRenderer
from conjoint.render.scene import SceneRenderer

CONTRAST = 24
"""Neighbours whose brightness (0 to 255) differs by more are on both sides of an edge."""


class FilmRenderer:
    """Color renderer with OpenGL, or by rays where there is none.

    Args:
        model: the model.
        width, height: size of the pictures, in pixels.
        rays: draw by rays even if there is OpenGL.

    Attributes:
        rays: True if pictures are drawn by rays.

    Raises:
        ValueError: pictures are larger than the model's buffer.
    """

    def __init__(self, model: MjModel, width: int, height: int, rays: bool = False):
        self.rays, self._renderer = _renderer(model, width, height, rays)

    def picture(self, data: MjData, camera: Any = -1) -> np.ndarray:
        """Draw what a camera sees, shape (height, width, 3), uint8.

        Args:
            data: the world.
            camera: a camera of the model by name or number, an `MjvCamera`, or -1 for a free one.

        Raises:
            ValueError: there is no such camera.
        """
        self._renderer.update_scene(data, camera=camera)
        seen = self._renderer.render()
        return smoothed(seen) if self.rays else seen

    def close(self) -> None:
        """Release the context."""
        self._renderer.close()


def _renderer(model: MjModel, width: int, height: int, rays: bool) -> tuple[bool, SceneRenderer]:
    """Make a renderer; the first result is True if it draws by rays."""
    if not rays:
        try:
            # needs the extra `render`
            from conjoint.render.renderer import Renderer

            return False, Renderer(model, height, width)
        except FatalError:
            pass
    return True, RayRenderer(model, width, height)


def smoothed(picture: np.ndarray) -> np.ndarray:
    """A picture without steps along its edges: there, pixels are mixed with their neighbors.

    One ray for each pixel leaves steps where OpenGL takes several samples of a pixel.
    """
    wide = np.pad(picture.astype(np.int16), ((1, 1), (1, 1), (0, 0)), "edge")
    light = wide.sum(axis=2) // 3
    rows, columns = (np.s_[:-2], np.s_[1:-1], np.s_[2:]), (np.s_[:-2], np.s_[1:-1], np.s_[2:])
    around = [light[row, column] for row in rows for column in columns]
    edge = np.maximum.reduce(around) - np.minimum.reduce(around) > CONTRAST
    # weights 1, 2, 1 along rows, then along columns
    across = wide[:, :-2] + 2 * wide[:, 1:-1] + wide[:, 2:]
    mixed = (across[:-2] + 2 * across[1:-1] + across[2:]) // 16
    return np.where(edge[:, :, np.newaxis], mixed, picture).astype(np.uint8)
