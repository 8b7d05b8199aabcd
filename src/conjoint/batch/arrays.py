"""What a batch keeps of its worlds: an array for each field, with a row for each world."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conjoint.lang.layout import Field, Layout, Lifetime, Role
from conjoint.schema.data import DATA_ROWS

LASTING = tuple(
    field
    for field in DATA_ROWS
    if field.role in (Role.STATE, Role.INPUT)
    or (field.role is not Role.STRUCTURE and field.lifetime is Lifetime.KEPT and field.stage and not field.uniform)
)
"""Fields that a step goes on from: state, inputs, and what stages keep for later steps."""

LIVE = frozenset(field.name for field in LASTING if field.role in (Role.STATE, Role.INPUT))
"""State and inputs: arrays that a user may write to."""

READABLE = {
    field.name: field
    for field in DATA_ROWS
    if field.public and field.role is not Role.STRUCTURE and field.lifetime is not Lifetime.STAGE
}
"""Fields that a batch shows: `Intermediate` ones are only `MjData`'s."""


class Arrays:
    """Arrays by name of field.

    Args:
        layout: of a block, which says how the numbers of a field are stored.
        nworld: number of worlds.
    """

    def __init__(self, layout: Layout, nworld: int):
        self.layout, self.nworld = layout, nworld
        self.lasting = {field.name: self._new(field) for field in LASTING}
        self.before = {name: np.zeros_like(array) for name, array in self.lasting.items()}
        """What came into the last call: with it the call can be repeated."""
        self.results: dict[str, np.ndarray] = {}

    def _new(self, field: Field) -> np.ndarray:
        return np.zeros((self.nworld, *self.layout.place(field.name)[0][:-1]), self.layout.dtype(field))

    def add_result(self, name: str) -> None:
        """Keep field `name` from now on."""
        self.results[name] = self._new(READABLE[name])

    def reset(self, initial: Iterator[tuple[str, np.ndarray]], chosen: np.ndarray) -> None:
        """Put the worlds `chosen` into the initial state: zero, but for the fields that start from the model."""
        for array in (*self.lasting.values(), *self.results.values()):
            array[chosen] = 0
        self.write(initial, chosen)

    def write(self, values: Iterator[tuple[str, np.ndarray]], chosen: np.ndarray) -> None:
        """Write numbers of one world into the worlds `chosen`."""
        for name, value in values:
            self.lasting[name][chosen] = value

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for group in (self.lasting, self.before, self.results) for array in group.values())
