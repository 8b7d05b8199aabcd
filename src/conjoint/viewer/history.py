"""States that a simulation has been in, for steps back."""

from __future__ import annotations

import numpy as np

from conjoint.api.functions.state import mj_getState, mj_setState, mj_stateSize, whole_state
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel

LENGTH = 5000
"""States that are kept, at most."""

ROOM = 100_000_000
"""Bytes that they take, at most."""

KEPT = whole_state()
"""What is kept: all that the next step depends on."""


class History:
    """The last states, the newest last.

    Args:
        m: the model.

    Attributes:
        position: how far back the world is: 0 for the newest state, -1 for the one before.
    """

    def __init__(self, m: MjModel):
        size = mj_stateSize(m, KEPT)
        self._m = m
        self._states = np.zeros((max(2, min(LENGTH, ROOM // (8 * max(size, 1)))), size))
        self._newest, self.count, self.position = -1, 0, 0

    def __len__(self) -> int:
        return self.count

    def add(self, d: MjData) -> None:
        """Keep the state of `d` as the newest; those that came after where the world was are forgotten."""
        self._newest = (self._newest + self.position) % len(self._states)
        self.count += self.position
        self.position = 0
        self._newest = (self._newest + 1) % len(self._states)
        self.count = min(self.count + 1, len(self._states))
        mj_getState(self._m, d, self._states[self._newest], KEPT)

    def go(self, d: MjData, position: int) -> bool:
        """Put `d` into a state; tells whether there was another one than now."""
        position = int(np.clip(position, 1 - self.count, 0)) if self.count else 0
        if not self.count or position == self.position:
            return False
        self.position = position
        mj_setState(self._m, d, self._states[(self._newest + position) % len(self._states)], KEPT)
        return True

    def clear(self) -> None:
        """Forget all states."""
        self._newest, self.count, self.position = -1, 0, 0
