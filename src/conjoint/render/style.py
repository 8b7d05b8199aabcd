"""Picture styles: what is drawn beyond the pictures of the official renderer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """Options of a painter, all off in the official pictures.

    Attributes:
        soft_shadows: shadows with soft edges: sharp where a body touches the floor, wider with the distance from it.
        sky: a sky with a horizon behind models that have no skybox, and haze over their planes without end.
    """

    soft_shadows: bool = False
    sky: bool = False


OFFICIAL = Style()
"""The pictures of `Renderer` and of the `mjr_*` functions."""

STUDIO = Style(soft_shadows=True, sky=True)
"""The pictures of the viewers."""

HORIZON, ZENITH, GROUND = (0.93, 0.95, 0.97), (0.45, 0.62, 0.80), (0.70, 0.70, 0.69)
"""Colors of the sky that a style adds: at the horizon, overhead, and below the horizon where there is no floor."""
