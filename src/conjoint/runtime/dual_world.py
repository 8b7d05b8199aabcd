"""A world of dual numbers: memory for the values, and separate memory for the tangents of all real fields."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conjoint.lang.memory.layout import Buffer, Field, Layout, Lifetime, Role
from conjoint.once import derived
from conjoint.physics.derivative import directions
from conjoint.runtime.entry import entry
from conjoint.runtime.kernel_memory import KernelMemory
from conjoint.runtime.plan import Plan
from conjoint.runtime.world import World
from conjoint.schema.memory import DATA_STRUCT, DERIVATIVE_ROWS, tangent_rows
from conjoint.schema.model import MODEL_FIELDS, MODEL_ROWS
from conjoint.schema.rows import table

DATA_TANGENTS = (*DERIVATIVE_ROWS, *tangent_rows((*DATA_STRUCT, *DERIVATIVE_ROWS)))
MODEL_TANGENTS = tangent_rows(MODEL_FIELDS)
DUAL_DATA: tuple[Field, ...] = table(DATA_STRUCT, DATA_TANGENTS)
DUAL_MODEL: tuple[Field, ...] = table(MODEL_ROWS, MODEL_TANGENTS)
"""Fields of `m` that kernels in dual numbers read; `DUAL_DATA` contains those of `d`.

The fields of ordinary kernels come first, in order.
"""


REAL = np.dtype(np.float64).itemsize

_take_state = entry(directions.take_state, "int[]", "int[]", "real[]", "out real[]", "out real[]")


class DualWorld(World):
    """A world whose real fields may have tangents. Kernels for ordinary worlds run on it, too.

    Attributes:
        tangents: memory of the tangents, which the system allocates only when it is written.
    """

    def __init__(self, plan: Plan):
        super().__init__(plan)

    def show(self, *buffers: Buffer, table: np.ndarray | None = None) -> None:
        self.tangents = self._new_tangents(buffers)
        super().show(*buffers, self.tangents, table=table)

    def _new_tangents(self, buffers: tuple[Buffer, ...]) -> Buffer:
        sizes: dict[str, int] = {}
        for buffer in buffers:
            sizes |= buffer.layout.sizes
        return Buffer(Layout(DATA_TANGENTS, sizes))

    def replace_arena(self, arena: Buffer) -> None:
        tangents = self._new_tangents((self.data, arena))
        self.buffers = self.data, arena, tangents, self.arena, self.tangents
        self.table[len(self.data.table) :] = np.concatenate([arena.table, tangents.table])
        self.arena, self.tangents = arena, tangents
        self.buffers = self.data, arena, tangents

    def take(self, world: World, moved: np.ndarray, kept: np.ndarray) -> None:
        """Copy the state and the inputs from another world of the same model.

        Args:
            world: the other world.
            moved: ranges of memory (see `pieces`) that are also copied to `kept`.
            kept: receives these ranges, one after another.
        """
        _take_state(self._taken, moved, reals_of(world.data), self._reals, kept)

    @derived
    def _reals(self) -> np.ndarray:
        return reals_of(self.data)

    @derived
    def _taken(self) -> np.ndarray:
        """Ranges of memory that are copied from another world, in the format of `pieces`."""
        spans = self.data.layout.spans(is_taken)
        return pieces([(start // REAL, -(-(end - start) // REAL)) for start, end, _ in spans])


def pieces(spans: Sequence[tuple[int, int]]) -> np.ndarray:
    """Return ranges of memory in the format of kernels: the number of ranges, then the start and length of each."""
    return np.array([len(spans), *(number for span in spans for number in span)], np.int32)


def reals_of(buffer: Buffer) -> np.ndarray:
    """Return the whole memory of a buffer as an array of floating-point numbers."""
    return buffer.bytes[: buffer.layout.nbytes // REAL * REAL].view(np.float64)


def span_of(buffer: Buffer, name: str) -> tuple[int, int]:
    """Return the index of a field's first component in its buffer, and its number of components."""
    shape, _, start = buffer.layout.place(name)
    return start // REAL, int(np.prod(shape))


def is_taken(field: Field) -> bool:
    """Return True if the next step depends on the current value of a field."""
    return field.role in (Role.INPUT, Role.STATE) or (field.role is Role.RESULT and field.lifetime is Lifetime.KEPT)


class DualModel(KernelMemory):
    """A model for kernels in dual numbers: the memory of its plan, and memory for the tangents of its values."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.tangents = Buffer(Layout(MODEL_TANGENTS, plan.sizes))
        self.show(*plan.buffers, self.tangents)

    @derived
    def inputs(self) -> dict[str, np.ndarray]:
        """Tangents of the model's values, by field name."""
        return {f.name: self.tangents.view(f.name) for f in MODEL_TANGENTS}
