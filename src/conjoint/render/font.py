"""Letters: pictures of the printable ASCII characters side by side, drawn with the font that Pillow brings along."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conjoint.once import made_once

FIRST, LAST = 32, 126
"""Characters that there are."""

SIZES = {False: 13, True: 22}
"""Height of letters in pixels at the font scale 100, normal and big."""

GAP = 2
"""Pixels between letters in the picture, so that no letter shows a part of its neighbour."""


@dataclass(frozen=True)
class Font:
    """A font of one size.

    Attributes:
        pixels: all letters side by side, shape (height, width), opacity from 0 to 255, the upper row first.
        left: where each letter begins.
        width: how far it goes.
        height: of a line.
    """

    pixels: np.ndarray
    left: np.ndarray
    width: np.ndarray
    height: int

    def measure(self, text: str) -> int:
        """Width of a line of text in pixels."""
        return int(self.width[self.letters(text)].sum())

    def letters(self, text: str) -> np.ndarray:
        """Numbers of the letters of a text; others than ASCII are question marks."""
        codes = np.array([ord(c) if FIRST <= ord(c) <= LAST else ord("?") for c in text], int)
        return codes - FIRST


@made_once
def font(scale: int, big: bool) -> Font:
    """The font of a scale (mjtFontScale, percent)."""
    from PIL import Image, ImageDraw, ImageFont

    face = ImageFont.load_default(SIZES[big] * scale / 100)
    letters = [chr(code) for code in range(FIRST, LAST + 1)]
    width = np.array([max(1, round(face.getlength(letter))) for letter in letters])
    left = np.cumsum(width + GAP) - width - GAP
    _, top, _, bottom = face.getbbox("".join(letters))
    height = int(bottom - min(top, 0)) + 1
    picture = Image.new("L", (int(left[-1] + width[-1]), height))
    pen = ImageDraw.Draw(picture)
    for letter, x in zip(letters, left, strict=True):
        pen.text((int(x), 0), letter, fill=255, font=face)
    return Font(np.asarray(picture), left, width, height)
