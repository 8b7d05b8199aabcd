"""Fields and their memory: one aligned buffer, and one table of addresses.

A `Field` is a row of the schema. A `Layout` assigns every field an offset in one contiguous buffer, for given
sizes, precision and number of lanes. A `Buffer` owns this memory, presents it as NumPy arrays, and contains the
table of addresses that kernels read.
"""

from __future__ import annotations

import enum
import keyword
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import prod
from operator import itemgetter
from typing import Any

import numpy as np

ALIGNMENT = 64
"""Alignment of fields in bytes: one cache line, one 512-bit register. Unaligned lanes are up to 30 % slower."""

WATCHED_ALIGNMENT = 8
"""Alignment of watched fields in bytes: they are packed closely, because every step compares them all. They are not
stored in lanes.
"""

COMPONENTS: dict[str, int] = {
    "real": 1, "float": 1, "int": 1, "byte": 1, "bool": 1, "long": 1, "char": 1, "spatial": 6,
}  # fmt: skip
"""Number of stored numbers per element of each element type. Records (`vec3`, `quat`, ...) add their own entries."""

INTEGERS: dict[str, np.dtype[Any]] = {
    "float": np.dtype(np.float32), "int": np.dtype(np.int32), "byte": np.dtype(np.uint8), "bool": np.dtype(np.bool_),
    "long": np.dtype(np.int64), "char": np.dtype(np.uint8),
}  # fmt: skip
"""NumPy types of the element types that are stored the same way in both precisions.

`float` is a color or mesh coordinate, 32 bits at any precision; `char` is a byte of a zero-terminated text in UTF-8.
"""


TANGENT = "tangent."
"""Prefix in the name of a field that stores tangents; it precedes the name of the field that stores the values."""

Shape = tuple[str | int, ...]
"""Dimensions of an array, each a number or the name of a size."""
Span = tuple[int, int, np.dtype]
"""A range of memory: offset of its first byte, offset of its end, and type of its numbers."""
Form = tuple[int, str, Shape, np.dtype]
"""Description of a field's NumPy view: field index, first dimension, other dimensions, and number type.

The first dimension is separate only if it is the only named size. Otherwise it is "", and the others are all
dimensions.
"""


class Role(enum.IntEnum):
    """Origin and purpose of a field's values."""

    STRUCTURE = 0
    """Determined by the model or its memory: sizes, addresses, ids, types. A reset preserves it; worlds share it."""
    INPUT = 1
    """Set by users, read by stages."""
    STATE = 2
    """State that a step advances."""
    RESULT = 3
    """Computed by the stages named in the field's schema row."""
    SCRATCH = 4
    """Scratch memory of the stages named in the field's schema row; users do not see it."""


class Lifetime(enum.IntEnum):
    """Period during which a field's value is valid."""

    KEPT = 0
    """Valid until it is changed: later steps read it or continue from it."""
    STEP = 1
    """Valid until the next step computes it again."""
    STAGE = 2
    """Valid until later stages of the same step have read it."""


@dataclass(frozen=True, slots=True)
class Field:
    """One row of the schema.

    Attributes:
        name: field name; a dot makes it a member of a group (`opt.timestep`).
        kind: element type, a key of `COMPONENTS`.
        shape: leading dimensions, as names of sizes or numbers; `()` is a single element.
        default: initial value: a number, a tuple of the element's components, or the text of a field of chars. The name
            of a model field stands for the values of that field, and `name[ids]` for its values at the indices in
            `ids`. None if no stage reads the field before it is written.
        unit: SI unit, "" if none.
        stage: names of the pipeline functions that write the field, separated by commas; "" for inputs and constants.
        meaning: description in one line.
        public: False for scratch memory of the kernels, which users do not see.
        uniform: True for integers that are equal in all worlds: a block of worlds stores one copy, not one per world.
        role: origin and purpose of its values.
        lifetime: period during which its value is valid.
        watched: True if values derived from the model must be computed again after it changes.
        static: True if the poses of static geoms must be computed again after it changes.
        component: bit of the field in state vectors (mjtState), 0 if they do not contain it.
        key: name of the model field where keyframes store its value, "" if they do not store it.
        shared: True for model values that all worlds must have in common, because stages branch on them.
        varied: True for model fields with a separate copy for each world of a block.
        owners: the only packages and modules whose kernels use the field; empty if all kernels may.
        area: name of memory shared with fields of other groups, whose names have other prefixes. Groups of one area are
            never needed at the same time, and the area is as large as the largest of them. "" for memory of its own.
    """

    name: str
    kind: str
    shape: Shape = ()
    default: float | tuple[Any, ...] | str | None = 0
    unit: str = ""
    stage: str = ""
    meaning: str = ""
    public: bool = True
    uniform: bool = False
    role: Role = Role.INPUT
    lifetime: Lifetime = Lifetime.KEPT
    watched: bool = False
    static: bool = False
    component: int = 0
    key: str = ""
    shared: bool = False
    varied: bool = False
    owners: tuple[str, ...] = ()
    area: str = ""

    @property
    def group(self) -> str:
        """Name of the field's group, the prefix of its name (`opt` of `opt.timestep`); "" if it has none."""
        return self.name.rpartition(".")[0]

    def lanes(self, lanes: int) -> int:
        """Return the number of adjacent copies of each number if `lanes` worlds are stored side by side."""
        return 1 if self.uniform else lanes

    @property
    def stages(self) -> tuple[str, ...]:
        """Names of the pipeline functions that write the field."""
        return tuple(self.stage.split(", ")) if self.stage else ()


class Fixed:
    """Offsets, in any layout, of fields that have equal storage types and no named sizes in their shapes.

    Attributes:
        single, several: functions that extract from a mapping, keyed by name, the values of fields with one number, and
            the values of fields with several numbers.
        places, within: for each number (single fields first), index of its field, and index of the number in the field.
    """

    def __init__(self, fields: Sequence[Field], counts: Mapping[int, int]):
        """Initialize from `counts`, the count of numbers that each field of this set stores, by field index."""
        single, several = [i for i in counts if counts[i] == 1], [i for i in counts if counts[i] != 1]
        self.single, self.several = (picker([fields[i].name for i in some]) for some in (single, several))
        self.places = np.repeat([*single, *several], [counts[i] for i in (*single, *several)])
        self.within = np.concatenate([np.arange(counts[i]) for i in (*single, *several)])


def picker(names: Sequence[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Return a function that extracts the values of these names from a mapping."""
    if len(names) < 2:
        return lambda values: tuple(values[name] for name in names)
    return itemgetter(*names)


def field_name(attribute: str) -> str:
    """Return the field name of an attribute; attributes named like Python keywords end in "_" (`global_`)."""
    return attribute[:-1] if attribute.endswith("_") and keyword.iskeyword(attribute[:-1]) else attribute


class Dimensions:
    """Properties of a layout that do not depend on sizes, computed once and used for every model.

    Attributes:
        index: index of every field by name.
        sizes: names of the sizes that the shapes use.
        shapes: (n, nfield) leading dimensions, as indices into the values of `sizes` followed by `constants`.
        components, kinds: number of stored numbers per element, and element type, of every field.
        alignment: alignment of every field in bytes.
        order: indices of the fields in memory order. Fields of equal storage types are adjacent. At the end are static
            fields, watched arrays, watched numbers, and fields that share areas, in this order.
        sharing: for each area and each group in it, range (first, end) of the group's fields in `order`.
        fixed: fields whose shapes have no named size, by storage type; "real" for all types that consist of
            floating-point numbers.
    """

    def __init__(self, fields: tuple[Field, ...]):
        self.index = {field.name: i for i, field in enumerate(fields)}
        used = dict.fromkeys(n for field in fields for n in (*field.shape, 1))
        self.sizes = [n for n in used if isinstance(n, str)]
        self.constants = [n for n in used if not isinstance(n, str)]
        place = {n: i for i, n in enumerate([*self.sizes, *self.constants])}
        deepest = max((len(field.shape) for field in fields), default=0)
        padded = [(*field.shape, *(1,) * (deepest - len(field.shape))) for field in fields]
        self.shapes = (
            np.array([[place[n] for n in shape] for shape in padded], int).reshape(len(fields), deepest).T.copy()
        )
        self.components = np.array([COMPONENTS[field.kind] for field in fields], float)
        self.kinds = [field.kind for field in fields]
        self.uniform = np.array([field.uniform for field in fields], bool)
        self.alignment = np.array([WATCHED_ALIGNMENT if field.watched else ALIGNMENT for field in fields])
        alike_first = [
            (
                f.area,
                f.area and f.group,
                f.watched,
                f.static,
                f.watched and not f.shape,
                f.role,
                _STORED.index(_stored_as(f)),
            )
            for f in fields
        ]
        self.order = sorted(range(len(fields)), key=alike_first.__getitem__)
        self.sharing: dict[str, dict[str, tuple[int, int]]] = {}
        for at, field in enumerate(fields[i] for i in self.order):
            if field.area:
                groups = self.sharing.setdefault(field.area, {})
                groups[field.group] = groups.get(field.group, (at, at))[0], at + 1
        fixed = [(i, field) for i, field in enumerate(fields) if not _named(field.shape)]
        counts = {i: COMPONENTS[field.kind] * prod(int(n) for n in field.shape) for i, field in fixed}
        alike: dict[str, dict[int, int]] = {}
        for i, field in fixed:
            alike.setdefault(_stored_as(field), {})[i] = counts[i]
        self.fixed = {kind: Fixed(fields, found) for kind, found in alike.items()}
        self.fields = fields
        self._runs: dict[Callable[[Field], bool], list[tuple[int, int, str]]] = {}
        self._bytes: dict[np.dtype, np.ndarray] = {}
        self._forms: dict[tuple[str, np.dtype, int], Form] = {}

    def runs(self, wanted: Callable[[Field], bool]) -> list[tuple[int, int, str]]:
        """Return the fields for which `wanted` is True, as ranges of adjacent fields with equal storage types.

        Returns:
            The indices of the first and the last field of each range, and its storage type.
        """
        found = self._runs.get(wanted)
        if found is None:
            found = self._runs[wanted] = []
            before = None
            for place in self.order:
                field = self.fields[place]
                alike = (_stored_as(field), field.area and field.group) if wanted(field) else None
                if alike:
                    first = found.pop()[0] if found and before == alike else place
                    found.append((first, place, alike[0]))
                before = alike
        return found

    def item_bytes(self, real: np.dtype) -> np.ndarray:
        """Return the number of bytes per element of every field."""
        if real not in self._bytes:
            sizes = [INTEGERS.get(kind, real).itemsize for kind in self.kinds]
            self._bytes[real] = self.components * np.array(sizes, float)
        return self._bytes[real]

    def form(self, name: str, real: np.dtype, lanes: int) -> Form:
        """Return the field index, shape and number type of the NumPy view of a field."""
        known = self._forms.get((name, real, lanes))
        if known is None:
            i = self.index[name]
            field = self.fields[i]
            # components of an element if more than one, then lanes if more than one
            shape = _split((*field.shape, *inner(field, lanes)))
            known = self._forms[name, real, lanes] = (i, *shape, INTEGERS.get(field.kind, real))
        return known

    def spread(self, sizes: Mapping[str, int], real: np.dtype, lanes: int) -> tuple[np.ndarray, np.ndarray]:
        """Return two arrays: the offsets of all fields followed by the end of memory, and the end of each field."""
        # floats are exact up to 2^53 bytes, and larger sizes do not wrap around
        dims = np.array([*[sizes[name] for name in self.sizes], *self.constants], float)
        wanted = self.item_bytes(real) * np.where(self.uniform, 1, lanes)
        for places in self.shapes:
            wanted = wanted * dims[places]
        taken = (np.ceil(wanted / self.alignment) * self.alignment)[self.order]
        behind = np.cumsum(taken)
        for groups in self.sharing.values():
            # areas are consecutive; up to now, the groups of each area are adjacent too, and do not overlap
            first, behind_last = min(groups.values())[0], max(groups.values())[1]
            base = behind[first] - taken[first]
            saved = behind[behind_last - 1]
            for i, j in groups.values():
                behind[i:j] -= behind[i] - taken[i] - base
            behind[behind_last:] -= saved - behind[first:behind_last].max()
        starts = np.empty(len(taken) + 1)
        starts[self.order] = behind - taken
        starts[-1] = behind.max(initial=0.0)
        ends = np.empty(len(taken))
        ends[self.order] = behind
        return np.minimum(starts, 2.0**62).astype(np.int64), np.minimum(ends, 2.0**62).astype(np.int64)


def inner(field: Field, lanes: int) -> tuple[int, ...]:
    """Return the shape of one element in memory: components if more than one, then lanes if more than one."""
    return tuple(n for n in (COMPONENTS[field.kind], field.lanes(lanes)) if n > 1)


def _split(shape: Shape) -> tuple[str, Shape]:
    """Return the first dimension and the remaining ones if only the first is a named size.

    Otherwise, return "" and all dimensions.
    """
    return (str(shape[0]), shape[1:]) if _named(shape[:1]) and not _named(shape[1:]) else ("", shape)


_STORED = ("long", "real", "float", "int", "bool", "byte", "char")
"""Storage types of numbers, in the order of their fields in memory."""


def _stored_as(field: Field) -> str:
    """Return the storage type of a field: "real" for all element types that consist of reals."""
    return field.kind if field.kind in INTEGERS else "real"


def _named(shape: Shape) -> bool:
    """Return True if a shape has a named size."""
    return str in map(type, shape)


_DIMENSIONS: dict[int, tuple[tuple[Field, ...], Dimensions]] = {}
"""Recent results of `_dimensions` by the identity of their fields. Entries refer to the fields, so ids stay valid."""
_MOST_KEPT = 64


def _dimensions(fields: tuple[Field, ...]) -> Dimensions:
    """Return the `Dimensions` of `fields`, cached by identity.

    Comparing hundreds of fields would take longer than laying them out.
    """
    known = _DIMENSIONS.get(id(fields))
    if known is None:
        if len(_DIMENSIONS) >= _MOST_KEPT:
            _DIMENSIONS.clear()
        known = _DIMENSIONS[id(fields)] = (fields, Dimensions(fields))
    return known[1]


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
        # a tuple is a table of the schema, any other iterable is created for one layout
        dimensions = _dimensions(self.fields) if isinstance(fields, tuple) else Dimensions(self.fields)
        self.index, self.fixed = dimensions.index, dimensions.fixed
        # first byte of every field, and the end of memory
        self._dimensions = dimensions
        self.starts, self._ends = dimensions.spread(self.sizes, self.real, lanes)
        self.nbytes = self.starts.item(-1)
        # views of fields that were requested before
        self.places: dict[str, tuple[tuple[int, ...], np.dtype, int]] = {}

    def place(self, name: str) -> tuple[tuple[int, ...], np.dtype, int]:
        """Return the shape, number type and byte offset of the NumPy view of a field.

        The shape consists of the field's dimensions, the components of an element if more than one, and lanes if more
        than one.
        """
        known = self.places.get(name)
        if known is None:
            i, head, rest, dtype = self._dimensions.form(name, self.real, self.lanes)
            shape: tuple[Any, ...] = (self.sizes[head], *rest) if head else self._numbers(rest)
            known = self.places[name] = shape, dtype, self.starts.item(i)
        return known

    def _numbers(self, shape: Shape) -> tuple[int, ...]:
        """Return `shape` as numbers, with the names of sizes replaced by their values."""
        sizes = self.sizes
        return tuple([sizes[n] if isinstance(n, str) else n for n in shape])

    def spans(self, wanted: Callable[[Field], bool]) -> list[Span]:
        """Return the memory of the fields for which `wanted` is True; adjacent fields of equal types form one span."""
        starts, ends = self.starts.tolist(), self._ends.tolist()
        runs = self._dimensions.runs(wanted)
        return [(starts[i], ends[k], INTEGERS.get(kind, self.real)) for i, k, kind in runs if starts[i] < ends[k]]


def number_array(numbers: Sequence[Any], dtype: np.dtype) -> np.ndarray:
    """Return `numbers` as an array. For Python numbers, `struct` is four times as fast as NumPy."""
    try:
        return np.frombuffer(struct.pack(f"{len(numbers)}{dtype.char}", *numbers), dtype)
    except (struct.error, OverflowError):
        # numbers that do not fit are converted as NumPy converts them
        return np.array(numbers).astype(dtype)


@lru_cache(maxsize=_MOST_KEPT)
def fixed_places(layout: Layout, kind: str) -> np.ndarray:
    """Return the offsets, in numbers, of the fields stored as `kind` whose shapes have no named size."""
    fixed, size = layout.fixed[kind], INTEGERS.get(kind, layout.real).itemsize
    return np.asarray(layout.starts[fixed.places] // size + fixed.within)


BEHIND = 4096
"""Number of readable bytes after the end of a buffer.

A tile may extend beyond the end of its array, in up to 64 lanes.
"""


def aligned_bytes(count: int) -> np.ndarray:
    """Return `count` bytes of new memory, 64-byte aligned and filled with zeros."""
    raw = np.zeros(count + ALIGNMENT + BEHIND, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + count]


class Buffer:
    """Memory of one layout: `bytes` (64-byte aligned), and `table`, the address of every field.

    Args:
        layout: offsets of the fields.
        memory: aligned bytes to use; if None, new memory is allocated.
    """

    def __init__(self, layout: Layout, memory: np.ndarray | None = None):
        self.layout = layout
        self.bytes = aligned_bytes(layout.nbytes) if memory is None else memory
        self.table = self.bytes.ctypes.data + layout.starts[:-1]

    @property
    def address(self) -> int:
        """Address of the table of field addresses, which a kernel receives as `m` or `d`."""
        return int(self.table.ctypes.data)

    def view(self, name: str) -> np.ndarray:
        """Return a NumPy view of a field, which shares its memory (see `Layout.place`)."""
        layout = self.layout
        shape, dtype, start = layout.places.get(name) or layout.place(name)
        return np.ndarray(shape, dtype, self.bytes, start)

    def set_fixed(self, values: Mapping[str, Any]) -> None:
        """Write the fields whose shapes have no named size, for a single lane. Each value is a number or a sequence."""
        for kind, fixed in self.layout.fixed.items():
            dtype = INTEGERS.get(kind, self.layout.real)
            numbers = [*fixed.single(values), *chain.from_iterable(fixed.several(values))]
            self.bytes.view(dtype)[fixed_places(self.layout, kind)] = number_array(numbers, dtype)

    def set_defaults(self) -> None:
        """Write the default of every field (a number, a tuple or a text) to every element and lane."""
        for field in self.layout.fields:
            view = self.view(field.name)
            if isinstance(field.default, str):
                default = np.frombuffer(field.default.encode().ljust(view.shape[-1], b"\0"), np.uint8)
            else:
                default = np.asarray(field.default or 0)
            beside = field.lanes(self.layout.lanes) > 1
            view[...] = default.reshape((*default.shape, 1)) if default.ndim and beside else default
