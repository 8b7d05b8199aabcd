"""Edges at which a state may move to both sides, and one of them is flat: ends of dead bands of springs."""

from __future__ import annotations

import numpy as np

from conjoint.runtime.plan import Plan
from conjoint.runtime.world import World


class OpenEdges:
    """Springs of tendons with a dead band, inside of which nothing pulls.

    Args:
        plan: the model.
    """

    def __init__(self, plan: Plan):
        band, stiffness = plan.view("tendon_lengthspring"), plan.view("tendon_stiffness")
        curved = plan.view("tendon_stiffnesspoly").any(axis=1)
        self._tendons = np.flatnonzero((band[:, 0] < band[:, 1]) & ((stiffness != 0.0) | curved))
        self._band = band

    def are_met(self, world: World) -> bool:
        """Whether a tendon lies at an end of its band, at the values in a world."""
        if not self._tendons.size:
            return False
        lengths = world.view("ten_length")[self._tendons, None]
        return bool((lengths == self._band[self._tendons]).any())


def steeper(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Of two matrices the columns that are larger where both differ most."""
    row = np.abs(one - other).argmax(axis=0)
    columns = np.arange(one.shape[1])
    return np.where(np.abs(one[row, columns]) >= np.abs(other[row, columns]), one, other)
