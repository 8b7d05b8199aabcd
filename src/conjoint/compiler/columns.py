"""Numbers of many fields, collected in lists and written together: one array for each type instead of each field."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from conjoint.lang.memory.layout import COMPONENTS, INTEGERS, Buffer, number_array

MANY = 1 << 14
"""Numbers that are not kept any longer: lists take several times the memory of arrays."""

Planned = tuple[int, str, bool]
"""Place of a field, its kind, and whether its rows are one number each."""


class Columns:
    """Numbers that are to be written to the fields of a model."""

    def __init__(self, buffer: Buffer):
        layout = buffer.layout
        self._index, self._fields, self._starts = layout.index, layout.fields, layout.starts
        # kinds that are stored alike share a list
        self._stored: dict[np.dtype, _Numbers] = {}
        self._of_kind: dict[str, _Numbers] = {}
        for kind in COMPONENTS:
            dtype = INTEGERS.get(kind, layout.real)
            if dtype not in self._stored:
                self._stored[dtype] = _Numbers(buffer.bytes.view(dtype))
            self._of_kind[kind] = self._stored[dtype]

    def add(self, name: str, numbers: Iterable[Any]) -> None:
        """All numbers of a field, row by row."""
        place = self._index[name]
        found = self._of_kind[self._fields[place].kind]
        found.places.append(place)
        found.begins.append(len(found.numbers))
        found.numbers.extend(numbers)
        if len(found.numbers) > MANY:
            found.write(self._starts)

    def add_all(self, fields: Sequence[Planned], columns: Iterable[Iterable[Any]]) -> None:
        """All numbers of some fields, as `add` does it for one; several numbers per row come as one sequence."""
        for (place, kind, single), column in zip(fields, columns, strict=True):
            found = self._of_kind[kind]
            found.places.append(place)
            found.begins.append(len(found.numbers))
            found.numbers.extend(column if single else chain.from_iterable(column))
            if len(found.numbers) > MANY:
                found.write(self._starts)

    def write(self) -> None:
        """Write all that was added."""
        for found in self._stored.values():
            if found.numbers:
                found.write(self._starts)


class _Numbers:
    """Numbers of one type: of each field its place, and where its numbers begin; and the memory that they go to."""

    def __init__(self, memory: np.ndarray):
        self.memory = memory
        self.numbers: list[Any] = []
        self.places: list[int] = []
        self.begins: list[int] = []

    def write(self, starts: np.ndarray) -> None:
        """Write all numbers, and forget them; `starts` are the first bytes of fields."""
        dtype = self.memory.dtype
        begins = np.array([*self.begins, len(self.numbers)])
        shift = starts[self.places] // dtype.itemsize - begins[:-1]
        where = np.repeat(shift, begins[1:] - begins[:-1])
        where += np.arange(len(where))
        self.memory[where] = number_array(self.numbers, dtype)
        self.numbers, self.places, self.begins = [], [], []
