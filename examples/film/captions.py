"""Captions of the film: an orange bar, the name of a program, and a text."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from film.look import MATERIALS

PLATE, CLEAR = (26, 29, 35), 0.78
"""Color of the background of a caption, and its opacity."""


class Caption:
    """A caption at the lower left of pictures.

    Args:
        program: name of the program that draws the pictures.
        text: description of what the pictures show.
        width, height: size of the pictures, in pixels.
    """

    def __init__(self, program: str, text: str, width: int, height: int):
        unit = height / 720
        large, small = (ImageFont.load_default(size=max(size * unit, 9)) for size in (24, 19))
        margin, bar, gap = round(36 * unit), max(round(6 * unit), 2), round(15 * unit)
        across = max(large.getlength(text), small.getlength(program))
        size = round(bar + 2 * gap + across), round(72 * unit)
        plate = Image.new("RGB", size, PLATE)
        drawn = ImageDraw.Draw(plate)
        drawn.rectangle((0, 0, bar - 1, size[1]), tuple(round(255 * x) for x in MATERIALS["orange"][0]))
        drawn.text((bar + gap, 0.34 * size[1]), text, (255, 255, 255), large, "lm")
        drawn.text((bar + gap, 0.72 * size[1]), program, (206, 211, 218), small, "lm")
        self._plate = np.asarray(plate, np.float32)
        self._opacity = np.full((size[1], size[0], 1), CLEAR, np.float32)
        self._opacity[:, :bar] = 1.0
        top = height - margin - size[1]
        self._place = slice(top, top + size[1]), slice(margin, margin + size[0])

    def draw(self, picture: np.ndarray, strength: float = 1.0) -> np.ndarray:
        """Return a copy of a picture with the caption, blended in with a strength from 0 to 1."""
        made = picture.copy()
        part, share = made[self._place].astype(np.float32), strength * self._opacity[:, : picture.shape[1]]
        made[self._place] = np.round(part + share * (self._plate - part))
        return made
