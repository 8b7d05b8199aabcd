"""Rows of a model whose arrays programs hold, and so may write to between any two steps.

Each step looks whether such rows are as they were. What no program has asked for need not be looked at: models with
many geoms have long rows.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

import numpy as np

from conjoint.lang.memory.layout import COMPONENTS, Buffer, Layout
from conjoint.runtime.structure import WORD, watched_begin
from conjoint.schema import plan
from conjoint.schema.memory import layout_of
from conjoint.schema.model import ARRAY_FIELDS, MODEL_FIELDS
from conjoint.schema.plan import LENT_ROWS, MOST_LENT

DECIDES_STATIC = {
    "geom_pos": plan.LENT_GEOM_POS, "geom_quat": plan.LENT_GEOM_QUAT, "geom_size": plan.LENT_GEOM_SIZE,
    "geom_aabb": plan.LENT_GEOM_AABB, "geom_rbound": plan.LENT_GEOM_BOUND, "geom_margin": plan.LENT_GEOM_BOUND,
    "geom_gap": plan.LENT_GEOM_BOUND,
    "geom_sameframe": plan.LENT_GEOM_FRAME, "body_pos": plan.LENT_BODY, "body_quat": plan.LENT_BODY,
    "body_ipos": plan.LENT_BODY, "body_iquat": plan.LENT_BODY, "body_sameframe": plan.LENT_BODY,
}  # fmt: skip
"""Rows that decide where geoms that never move are, and the boxes around them, and how steps are told."""

ASKED_FOR = frozenset(field.name for field in ARRAY_FIELDS)
"""Rows that programs ask for one by one; options and the like can always be written to."""

WATCHED = tuple(field.name for field in MODEL_FIELDS if field.watched)
"""Rows that a plan depends on."""

OPTIONS = tuple(name for name in WATCHED if name not in ASKED_FOR)
PLACES = [k for k, field in enumerate(MODEL_FIELDS) if field.name in OPTIONS]
"""Those of them that can always be written to, each in one word, and their places among the fields of a model."""

assert len(WATCHED) <= MOST_LENT
assert all(not field.shape and COMPONENTS[field.kind] == 1 for field in MODEL_FIELDS if field.name in OPTIONS)


class LentRows:
    """What programs may write to of a model.

    Args:
        model: its memory.

    Attributes:
        buffer: the same for kernels (`schema.plan.LENT_ROWS`).
    """

    def __init__(self, model: Buffer):
        self._names = set(OPTIONS)
        self._model = model
        self._first = watched_begin(model)
        self.buffer = Buffer(layout_of(LENT_ROWS, {}))
        view = self.buffer.view
        self._count, self._begin, self._end = view("nlent"), view("lent_begin"), view("lent_end")
        begin, end = _options(model.layout, self._first)
        self._begin[: len(begin)], self._end[: len(end)], self._count[...] = begin, end, len(begin)

    def lend(self, name: str) -> None:
        """From now on a program may write to a row."""
        if name not in self._names:
            self._names.add(name)
            if name in WATCHED:
                shape, dtype, start = self._model.layout.place(name)
                self._watch(start, prod(shape) * dtype.itemsize)
            if name in DECIDES_STATIC:
                self.buffer.view("static_lent")[...] |= DECIDES_STATIC[name]

    def lend_all(self) -> None:
        """From now on a program may write to all of the model."""
        for name in (*DECIDES_STATIC, *WATCHED):
            self.lend(name)

    def _watch(self, start: int, nbytes: int) -> None:
        """Let steps look at memory; threads that step meanwhile see it, or do not see it yet."""
        first, count = (start - self._first) // WORD.itemsize, -(-nbytes // WORD.itemsize)
        k = int(self._count)
        if k and self._end[k - 1] == first:
            self._end[k - 1] = first + count
        elif count:
            self._begin[k], self._end[k] = first, first + count
            self._count[...] = k + 1


@lru_cache(maxsize=64)
def _options(layout: Layout, first: int) -> tuple[np.ndarray, np.ndarray]:
    """Words behind the byte `first` where pieces of memory begin and end that hold `OPTIONS`."""
    words = np.sort(layout.starts[PLACES] - first) // WORD.itemsize
    # words side by side are one piece
    apart = np.flatnonzero(words[1:] != words[:-1] + 1)
    return words[[0, *(apart + 1)]], words[[*apart, -1]] + 1
