"""What a reset of a world writes, as places in its memory and in that of its model: found once for a plan."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.lang.memory.layout import Buffer
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import initial_sources, is_reset, keyframes

NO_KEY = -1
"""In place of the id of a keyframe: there is none."""

WORD = 8
"""Bytes of a number that is cleared or copied."""


class Initial:
    """Places that a reset writes.

    Attributes:
        memory: of the world and of the model, as integers of eight bytes.
        cleared: where the numbers begin and end that become zero, run by run.
        rows: see `physics.integration.initial.begin_anew`; first those of the reference configuration, then those of a
            keyframe.
        initial_rows, all_rows: number of the former, and of both.
        chosen: what is no such row: memory, the row of the model, and which of its elements.
    """

    def __init__(self, data: Buffer, plan: Plan):
        both = (data.bytes, plan.model.bytes)
        self.memory = tuple(memory[: len(memory) // WORD * WORD].view(np.int64) for memory in both)
        ends = [place // WORD for span in data.layout.spans(is_reset) for place in span[:2]]
        self.cleared = np.array(ends, np.int32)
        self.chosen: list[tuple[np.ndarray, np.ndarray, Any]] = []
        rows: list[tuple[int, int, int, int]] = []
        for name, source, ids in initial_sources(plan):
            target, values = data.view(name), plan.view(source)
            if target.size and target.dtype == values.dtype and target.itemsize == WORD:
                whole = isinstance(ids, slice)
                pairs = [(target, values)] if whole else [(target[k], values[i]) for k, i in enumerate(ids)]
                rows += [(*self._places(some, others), some.size, 0) for some, others in pairs]
            elif target.size:
                self.chosen.append((target.reshape(values[ids].shape), values, ids))
        self.initial_rows = len(rows)
        for target, values in keyframes(data, plan):
            if len(values):
                rows.append((*self._places(target, values), target.size, target.size))
        self.all_rows = len(rows)
        self.rows = np.array(rows, np.int32).ravel()

    def _places(self, target: np.ndarray, values: np.ndarray) -> tuple[int, int]:
        """Where the first number of two arrays is, counted from the beginning of their memory."""
        parts = zip((target, values), self.memory, strict=True)
        return tuple((part.ctypes.data - memory.ctypes.data) // WORD for part, memory in parts)  # type: ignore[return-value]
