"""Access to the arrays of a compiled model: views by name, and a buffer that writes many fields together."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, groupby
from math import prod
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from conjoint.lang.memory.layout import COMPONENTS, INTEGERS, Buffer, Field, Layout, number_array
from conjoint.schema.model import MODEL_FIELDS


class Arrays:
    """Views of a model's fields, by name (`m.body_pos`), and its sizes (`m.nv`)."""

    def __init__(self, buffer: Buffer):
        self.buffer = buffer
        self.__dict__.update(buffer.layout.sizes)

    def __getattr__(self, name: str) -> Any:
        """Return the view of a field, created on first use."""
        view = self.__dict__[name] = self.buffer.view(name)
        return view


MANY = 1 << 14
"""Maximum number of values in a field that is written together with other fields.

Larger fields are written individually, because buffering them in lists needs more memory.
"""

PLACES = {field.name: place for place, field in enumerate(MODEL_FIELDS)}
"""Index of each field of a model, by name."""

STORED = {kind: kind if kind in INTEGERS else "real" for kind in COMPONENTS}
"""Storage type for each element type: "real" for all types made of floating-point numbers."""


class Group(NamedTuple):
    """Fields with the same storage type, whose values are in consecutive columns of a table.

    Attributes:
        stored: storage type of the fields, a value of `STORED`.
        places: indices of the fields in the model.
        widths: number of values per element of each field; 0 if it depends on the sizes of the model.
        first, several, end: index of the first column, of the first column with several values per element, and one
            past the last column.
    """

    stored: str
    places: list[int]
    widths: list[int]
    first: int
    several: int
    end: int


def grouped(plan: Mapping[str, str]) -> tuple[list[Group], list[str]]:
    """Group fields by storage type. Return the groups, and the source of the values of each column.

    `plan` maps field names to sources of their values.
    """
    fields = [(MODEL_FIELDS[PLACES[name]], source) for name, source in plan.items()]
    rows = [(STORED[field.kind], row_width(field), PLACES[field.name], source) for field, source in fields]
    rows.sort(key=lambda row: (row[0], row[1] != 1))
    groups: list[Group] = []
    for stored, found in groupby(rows, itemgetter(0)):
        _, widths, places, _ = map(list, zip(*found, strict=True))
        first = groups[-1].end if groups else 0
        groups.append(Group(stored, places, widths, first, first + widths.count(1), first + len(widths)))
    return groups, [source for *_, source in rows]


def row_width(field: Field) -> int:
    """Return the number of values per element of a field; 0 if it depends on the sizes of the model."""
    return COMPONENTS[field.kind] * prod(n if isinstance(n, int) else 0 for n in field.shape[1:])


class Columns:
    """Buffer for numbers that will be written to the fields of a model."""

    def __init__(self, buffer: Buffer):
        layout, memory = buffer.layout, buffer.bytes
        self._index, self._fields, self._layout = layout.index, layout.fields, layout
        self._stored = {"real": _Numbers(memory.view(layout.real))}
        for kind, dtype in INTEGERS.items():
            self._stored[kind] = _Numbers(memory.view(dtype))

    def add(self, name: str, numbers: Sequence[Any]) -> None:
        """Add all numbers of a field, row by row."""
        place = self._index[name]
        self._stored[STORED[self._fields[place].kind]].add(self._layout, [place], [len(numbers)], numbers)

    def add_all(self, groups: Sequence[Group], columns: Sequence[Sequence[Any]]) -> None:
        """Add all numbers of several fields.

        An entry of a column is one number, or a sequence of numbers if the field has several per element.
        """
        rows = len(columns[0])
        for stored, places, widths, first, several, end in groups:
            found = self._stored[stored]
            if rows * sum(widths) > MANY or 0 in widths:
                for place, width, column in zip(places, widths, columns[first:end], strict=True):
                    numbers = column if width == 1 else list(chain.from_iterable(column))
                    found.add(self._layout, [place], [len(numbers)], numbers)
                continue
            single, others = columns[first:several], chain.from_iterable(columns[several:end])
            together = [*chain.from_iterable(single), *chain.from_iterable(others)]
            found.add(self._layout, places, [rows * width for width in widths], together)

    def write(self) -> None:
        """Write all added numbers to the model."""
        for found in self._stored.values():
            if found.numbers:
                found.write(self._layout)


class _Numbers:
    """Buffered numbers of one storage type, with the indices and counts of their fields, and the target memory."""

    def __init__(self, memory: np.ndarray):
        self.memory = memory
        self.numbers: list[Any] = []
        self.places: list[int] = []
        self.counts: list[int] = []

    def add(self, layout: Layout, places: list[int], counts: list[int], numbers: Iterable[Any]) -> None:
        """Add the numbers of some fields of `layout`."""
        self.places += places
        self.counts += counts
        self.numbers.extend(numbers)
        if len(self.numbers) > MANY:
            self.write(layout)

    def write(self, layout: Layout) -> None:
        """Write all numbers in the buffer to memory, and clear the buffer."""
        dtype = self.memory.dtype
        where = _where(layout, dtype.itemsize, tuple(self.places), tuple(self.counts))
        self.memory[where] = number_array(self.numbers, dtype)
        self.numbers, self.places, self.counts = [], [], []


@lru_cache(maxsize=64)
def _where(layout: Layout, size: int, places: tuple[int, ...], counts: tuple[int, ...]) -> np.ndarray:
    """Return the memory indices of the first `counts` numbers of some fields of a layout, in units of `size` bytes."""
    numbers = np.array(counts, np.int64)
    shift = layout.starts[list(places)] // size - numbers.cumsum() + numbers
    where: np.ndarray = shift.repeat(numbers)
    where += np.arange(len(where))
    return where
