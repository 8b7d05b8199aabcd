"""What a program puts over the scene of a window."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from conjoint.api.objects.visual import MjrRect, MjvFigure

Text = tuple[int, int, str, str]
"""Font (mjtFontScale), place (mjtGridPos), and the texts of two columns."""


@dataclass
class Extra:
    """What a program puts over the scene."""

    figures: list[tuple[MjrRect, MjvFigure]] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    images: list[tuple[MjrRect, np.ndarray]] = field(default_factory=list)
    shown_images: int = 0
