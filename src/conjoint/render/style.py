"""Picture styles: optional effects that MuJoCo's renderer does not have."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Shadows(Enum):
    """Styles of shadow edges.

    HARD: edges as in MuJoCo's renderer. EVEN: edges of constant width. Without a graphics card, they take a fifth of
    the drawing time. SOFT: edges that are sharp where a body touches the floor, and widen with the distance from it.
    Without a graphics card, they take as long as all other drawing.
    """

    HARD = 0
    EVEN = 1
    SOFT = 2


@dataclass(frozen=True)
class Style:
    """Options of a painter. By default all are off, as in MuJoCo's pictures.

    Attributes:
        shadows: style of shadow edges.
        sky: whether to draw a sky with a horizon behind models without a skybox, and haze over their infinite planes.
    """

    shadows: Shadows = Shadows.HARD
    sky: bool = False


OFFICIAL = Style()
"""Picture style of `Renderer` and of the `mjr_*` functions."""

STUDIO = Style(Shadows.SOFT, sky=True)
"""Picture style of the viewers."""

FILM = Style(Shadows.EVEN, sky=True)
"""Picture style of films."""

HORIZON, ZENITH, GROUND = (0.93, 0.95, 0.97), (0.45, 0.62, 0.80), (0.70, 0.70, 0.69)
"""Colors of the sky that a style adds: at the horizon, overhead, and below the horizon if there is no floor."""
