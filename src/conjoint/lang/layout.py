"""Fields and their place in memory: one aligned buffer, one table of addresses.

A `Field` is a row of the schema. A `Layout` gives every field its offset in one contiguous buffer, for given sizes,
precision and number of lanes; a `Buffer` owns that memory, shows it as NumPy arrays, and holds the table of addresses
that kernels read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

ALIGNMENT = 64
"""Bytes: one cache line, one 512-bit register. Unaligned lanes cost up to 30 %."""

COMPONENTS: dict[str, int] = {
    "real": 1, "vec3": 3, "quat": 4, "mat3": 9, "spatial": 6, "inertia": 10,
    "float": 1, "int": 1, "byte": 1, "bool": 1, "long": 1,
}  # fmt: skip
"""Number of stored numbers per element of each kind."""

INTEGERS: dict[str, np.dtype[Any]] = {
    "float": np.dtype(np.float32), "int": np.dtype(np.int32), "byte": np.dtype(np.uint8), "bool": np.dtype(np.bool_),
    "long": np.dtype(np.int64),
}  # fmt: skip
"""Storage of the kinds that are not made of reals; `float` is a colour or mesh coordinate, 32 bits at any precision."""


@dataclass(frozen=True, slots=True)
class Field:
    """One row of the schema.

    Attributes:
        name: the seeds' name; a dot makes it a member of a group (`opt.timestep`).
        kind: element type, a key of `COMPONENTS`.
        shape: leading dimensions, in named sizes or numbers; `()` is a single element.
        default: initial value, a number or a tuple of the element's components.
        unit: SI unit, "" if none.
        stage: the pipeline function that writes it; "" for inputs and constants.
        meaning: one line.
        public: False for scratch memory of the kernels, which users do not see.
    """

    name: str
    kind: str
    shape: tuple[str | int, ...] = ()
    default: float | tuple[float, ...] = 0
    unit: str = ""
    stage: str = ""
    meaning: str = ""
    public: bool = True


class Layout:
    """Offsets of `fields` in one buffer.

    Args:
        fields: rows of the schema, in storage order.
        sizes: value of every named size used in a shape.
        real: float64 or float32.
        lanes: 1, or the number of worlds stored side by side.
    """

    def __init__(self, fields: Iterable[Field], sizes: Mapping[str, int], real: type = np.float64, lanes: int = 1):
        self.fields = tuple(fields)
        self.sizes = dict(sizes)
        self.real = np.dtype(real)
        self.lanes = lanes
        self.index = {field.name: i for i, field in enumerate(self.fields)}
        self.offsets: list[int] = []
        # by name: first byte, end, type and shape of the NumPy view
        self.places: dict[str, tuple[int, int, np.dtype, tuple[int, ...]]] = {}
        kinds = {kind: (self._inner(kind), INTEGERS.get(kind, self.real)) for kind in COMPONENTS}
        offset = 0
        for field in self.fields:
            self.offsets.append(offset)
            inner, dtype = kinds[field.kind]
            shape = self.dims(field) + inner if field.shape else inner
            nbytes = prod(shape) * dtype.itemsize
            self.places[field.name] = (offset, offset + nbytes, dtype, shape)
            offset += -(-nbytes // ALIGNMENT) * ALIGNMENT
        self.nbytes = offset

    def _inner(self, kind: str) -> tuple[int, ...]:
        """Trailing dimensions of a field: components of the element if more than one, lanes if more than one."""
        components = COMPONENTS[kind]
        return ((components,) if components > 1 else ()) + ((self.lanes,) if self.lanes > 1 else ())

    def dtype(self, field: Field) -> np.dtype:
        """NumPy type of the numbers stored for `field`."""
        return INTEGERS.get(field.kind, self.real)

    def dims(self, field: Field) -> tuple[int, ...]:
        """Leading dimensions of `field`, as numbers."""
        sizes = self.sizes
        return tuple([sizes[s] if isinstance(s, str) else s for s in field.shape])

    def count(self, field: Field) -> int:
        """Number of elements of `field`."""
        count = 1
        for n in self.dims(field):
            count *= n
        return count

    def array_shape(self, field: Field) -> tuple[int, ...]:
        """Shape of the NumPy view: dimensions, components of the element if more than one, lanes if more than one."""
        return self.dims(field) + self._inner(field.kind)


class Buffer:
    """Memory of one layout: `bytes` (64-byte aligned), and `table`, the address of every field."""

    def __init__(self, layout: Layout):
        self.layout = layout
        raw = np.zeros(layout.nbytes + ALIGNMENT, np.uint8)
        start = -raw.ctypes.data % ALIGNMENT
        self.bytes = raw[start : start + layout.nbytes]
        self.table = self.bytes.ctypes.data + np.array(layout.offsets, np.int64)

    @property
    def address(self) -> int:
        """Address of the table: what a kernel receives as `m` or `d`."""
        return int(self.table.ctypes.data)

    def view(self, name: str) -> np.ndarray:
        """NumPy view of a field, sharing memory (see `Layout.array_shape`)."""
        start, end, dtype, shape = self.layout.places[name]
        return self.bytes[start:end].view(dtype).reshape(shape)

    def set_defaults(self) -> None:
        """Write the default of every field, in every element and lane."""
        for field in self.layout.fields:
            view = self.view(field.name)
            if np.ndim(field.default) == 0:
                view[...] = field.default
            else:
                default = np.asarray(field.default)
                view[...] = default.reshape(default.shape + (1,)) if self.layout.lanes > 1 else default
