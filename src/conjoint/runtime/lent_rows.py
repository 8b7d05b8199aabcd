"""Rows of a model whose arrays programs hold, and so may write to between any two steps.

Each step looks whether such rows are as they were. What no program has asked for need not be looked at: models with
many geoms have long rows.
"""

from __future__ import annotations

from math import prod

from conjoint.lang.memory.layout import Buffer, Layout
from conjoint.runtime.structure import WORD, watched_begin
from conjoint.schema import plan
from conjoint.schema.model import ARRAY_FIELDS, MODEL_FIELDS
from conjoint.schema.plan import LENT_ROWS, MOST_LENT

DECIDES_STATIC = {
    "geom_pos": plan.LENT_GEOM_POS, "geom_quat": plan.LENT_GEOM_QUAT, "geom_size": plan.LENT_GEOM_SIZE,
    "geom_aabb": plan.LENT_GEOM_AABB, "geom_rbound": plan.LENT_GEOM_BOUND, "geom_margin": plan.LENT_GEOM_BOUND,
    "geom_sameframe": plan.LENT_GEOM_FRAME, "body_pos": plan.LENT_BODY, "body_quat": plan.LENT_BODY,
    "body_ipos": plan.LENT_BODY, "body_iquat": plan.LENT_BODY, "body_sameframe": plan.LENT_BODY,
}  # fmt: skip
"""Rows that decide where geoms that never move are, and the boxes around them, and how steps are told."""

ASKED_FOR = frozenset(field.name for field in ARRAY_FIELDS)
"""Rows that programs ask for one by one; options and the like can always be written to."""

WATCHED = tuple(field.name for field in MODEL_FIELDS if field.watched)
"""Rows that a plan depends on."""

assert len(WATCHED) <= MOST_LENT


class LentRows:
    """What programs may write to of a model.

    Args:
        model: its memory.

    Attributes:
        buffer: the same for kernels (`schema.plan.LENT_ROWS`).
    """

    def __init__(self, model: Buffer):
        self._names: set[str] = set()
        self._model = model
        self.buffer = Buffer(Layout(LENT_ROWS, {}))
        for name in WATCHED:
            if name not in ASKED_FOR:
                self.lend(name)

    def lend(self, name: str) -> None:
        """From now on a program may write to a row."""
        if name not in self._names:
            self._names.add(name)
            if name in WATCHED:
                self._watch(name)
            if name in DECIDES_STATIC:
                self.buffer.view("static_lent")[...] |= DECIDES_STATIC[name]

    def lend_all(self) -> None:
        """From now on a program may write to all of the model."""
        for name in (*DECIDES_STATIC, *WATCHED):
            self.lend(name)

    def _watch(self, name: str) -> None:
        """Let steps look at a row; threads that step meanwhile see it, or do not see it yet."""
        shape, dtype, start = self._model.layout.place(name)
        first = (start - watched_begin(self._model)) // WORD.itemsize
        count = -(-prod(shape) * dtype.itemsize // WORD.itemsize)
        view = self.buffer.view
        k = int(view("nlent"))
        if k and view("lent_end")[k - 1] == first:
            view("lent_end")[k - 1] = first + count
        elif count:
            view("lent_begin")[k], view("lent_end")[k] = first, first + count
            view("nlent")[...] = k + 1
