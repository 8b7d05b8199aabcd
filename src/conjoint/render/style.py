"""Picture styles: optional effects beyond the official renderer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Shadows(Enum):
    """Edges of shadows.

    HARD: those of the official renderer. EVEN: edges of one width; without a graphics card they take a fifth of the
    time of a picture. SOFT: sharp where a body touches the floor and wider with the distance from it; they take as long
    as all else.
    """

    HARD = 0
    EVEN = 1
    SOFT = 2


@dataclass(frozen=True)
class Style:
    """Options of a painter, all off in the official pictures.

    Attributes:
        shadows: edges of shadows.
        sky: a sky with a horizon behind models that have no skybox, and haze over their planes without end.
    """

    shadows: Shadows = Shadows.HARD
    sky: bool = False


OFFICIAL = Style()
"""The pictures of `Renderer` and of the `mjr_*` functions."""

STUDIO = Style(Shadows.SOFT, sky=True)
"""The pictures of the viewers."""

FILM = Style(Shadows.EVEN, sky=True)
"""The pictures of films."""

HORIZON, ZENITH, GROUND = (0.93, 0.95, 0.97), (0.45, 0.62, 0.80), (0.70, 0.70, 0.69)
"""Colors of the sky that a style adds: at the horizon, overhead, and below the horizon where there is no floor."""
