"""Picture styles: what is drawn beyond the pictures of the official renderer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """Options of a painter, all off in the official pictures.

    Attributes:
        soft_shadows: shadows with soft edges: sharp where a body touches the floor, wider with the distance from it.
    """

    soft_shadows: bool = False


OFFICIAL = Style()
"""The pictures of `Renderer` and of the `mjr_*` functions."""

STUDIO = Style(soft_shadows=True)
"""The pictures of the viewers."""
