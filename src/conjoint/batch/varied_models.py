"""Model rows that vary between the worlds of a batch, and the constants that depend on them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from conjoint.lang.calls.transfer import INTO, FieldTransfer
from conjoint.lang.errors import ArgumentError
from conjoint.lang.memory.layout import Buffer, Layout
from conjoint.lang.objects.unit import rows_of
from conjoint.runtime.constants import computed_rows, constants_of_worlds, following
from conjoint.runtime.kernel_memory import KernelMemory
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import initial_sources
from conjoint.runtime.stage import Stage
from conjoint.schema.model import MODEL_FIELDS, MODEL_ROWS, may_vary, varied_rows
from conjoint.spec.problems import suggestion

MODEL = {field.name: field for field in MODEL_FIELDS}
VARIABLE = frozenset(field.name for field in MODEL_FIELDS if may_vary(field))
"""Names of model rows that may differ between worlds."""


class BlockModel(KernelMemory):
    """Model of the worlds of a block: varying rows have one value per lane; other rows are those of a shared model.

    Attributes:
        own: memory of the varying rows.
        rows: description of these rows for kernels.
    """

    def __init__(self, below: Plan | BlockModel, names: Iterable[str], lanes: int):
        fields = tuple(MODEL[name] for name in names)
        base, table = below.buffers[0].layout, below.table.copy()
        self.own = Buffer(Layout(fields, base.sizes, base.real.type, lanes))
        places = rows_of(MODEL_ROWS).places
        for field, address in zip(fields, self.own.table.tolist(), strict=True):
            value, view = below.view(field.name), self.own.view(field.name)
            view[...] = value[..., None] if view.ndim > value.ndim else value
            table[places[field.name]] = address
        self.show(self.own, *below.buffers, table=table)
        inherited = frozenset() if isinstance(below, Plan) else below.names
        self.names: frozenset[str] = inherited | {field.name for field in fields}
        # a single world reads its rows like rows that worlds share
        self.rows = varied_rows(self.names) if lanes > 1 and self.names else MODEL_ROWS

    @property
    def nbytes(self) -> int:
        """Number of bytes of memory of the varying rows."""
        return self.own.layout.nbytes


class Varied:
    """Model fields that vary between the worlds of a batch.

    Programs may refer to the arrays and write to them at any time. An array is checked for changes only if a program
    has read it since the last check, or still refers to it or a view of it (by reference count). Values that are equal
    in all worlds stay in the lanes. Columns that differ are packed at the start of a call.

    Attributes:
        names: rows that users set.
        derived: constants of mj_setConst that depend on some of these rows.
        sources: rows that these constants depend on.
        stages: stages that compute these constants.
        arrays: arrays of `names` and `derived`, by name, with one row for each world.
        columns: for each model row, the indices of the columns that differ between worlds.
        packed: differing columns by number type, with one row for each world.
    """

    def __init__(self, plan: Plan, names: Sequence[str], nworld: int):
        """Create arrays in which all worlds have the values of the plan.

        Raises:
            ValueError: worlds cannot differ in one of the rows.
        """
        for name in names:
            check_variable(name)
        self.plan = plan
        self.names = tuple(dict.fromkeys(names))
        stages = constants_of_worlds(plan.model)
        follow = {name: following([name], stages) for name in self.names}
        self.sources = [name for name in self.names if follow[name]]
        self.derived = tuple(sorted(frozenset().union(*follow.values()) - {*self.names}))
        self.stages: tuple[Stage, ...] = stages if self.sources else ()
        self.arrays = {name: np.repeat(plan.view(name)[None], nworld, axis=0) for name in self.all}
        self._known = {name: self.arrays[name].copy() for name in self.sources}
        self.columns: dict[str, list[int]] = {name: [] for name in self.all}
        self.packed = self._room(nworld)
        # values in the lanes of rows without packed columns
        self._alike = {name: self.arrays[name][0].copy() for name in self.all}
        self._unread = {"constants": set[str](), "packed": set[str]()}
        self._references = {name: self._count(name) for name in self.names}

    def _count(self, name: str) -> int:
        """Return the number of references to an array and its views, including references in the user's program."""
        return sys.getrefcount(self.arrays[name])

    @property
    def all(self) -> tuple[str, ...]:
        """Names of all varying fields."""
        return self.names + self.derived

    @property
    def computed(self) -> list[str]:
        """Names of the model rows that the stages write."""
        return sorted(set().union(*map(computed_rows, self.stages)))

    def expose(self, name: str) -> np.ndarray:
        """Return the array of model row `name`, to which the user may write."""
        self.note(name)
        return self.arrays[name]

    def note(self, name: str) -> None:
        """Mark an array as possibly changed."""
        for unread in self._unread.values():
            unread.add(name)

    def _read(self, purpose: str, names: Iterable[str]) -> list[str]:
        """Return those model rows that may have changed since they were last read for `purpose`."""
        unread = self._unread[purpose]
        found = [n for n in names if n in unread or self._count(n) > self._references.get(n, self._count(n))]
        unread.difference_update(found)
        return found

    def changed(self) -> np.ndarray:
        """Return the ids of worlds whose constants are out of date, and mark them as updated."""
        changed = np.zeros(len(self.arrays[self.all[0]]) if self.all else 0, bool)
        for name in self._read("constants", self.sources):
            now, known = self.arrays[name], self._known[name]
            if not np.array_equal(now, known):
                changed |= (now != known).reshape(len(now), -1).any(axis=1)
                known[...] = now
        return np.flatnonzero(changed)

    def touched(self) -> list[str]:
        """Return the rows that may have changed since the last call."""
        return self._read("packed", self.all)

    def pack(self, touched: Sequence[str]) -> None:
        """Pack the columns that differ between worlds, after changes to at least one row."""
        for name in touched:
            columns = _columns(self.arrays[name])
            self.columns[name] = np.flatnonzero((columns != columns[:1]).any(axis=(0, 1))).tolist()
            self._alike[name] = self.arrays[name][0].copy()
        self.packed = self._room(len(self.arrays[touched[0]]))
        for name, k, place in self._places():
            array = self.arrays[name]
            self.packed[array.dtype][:, place] = _columns(array)[:, :, k]

    def _places(self) -> Iterator[tuple[str, int, slice]]:
        """Yield the row and column of each packed value, and its index among the packed values of its type."""
        ends: dict[np.dtype, int] = {}
        for name, columns in self.columns.items():
            array = self.arrays[name]
            for k in columns:
                first = ends.get(array.dtype, 0)
                ends[array.dtype] = first + _columns(array).shape[1]
                yield name, k, slice(first, ends[array.dtype])

    def _room(self, nworld: int) -> dict[np.dtype, np.ndarray]:
        """Allocate memory for the packed columns of `nworld` worlds."""
        widths = {self.arrays[name].dtype: place.stop for name, _, place in self._places()}
        return {dtype: np.empty((nworld, width), dtype) for dtype, width in widths.items()}

    def fill(self, own: Buffer) -> None:
        """Write the values shared by all worlds to the lanes of a block."""
        for name, value in self._alike.items():
            view = own.view(name)
            view[...] = value[..., None] if view.ndim > value.ndim else value

    def transfers(self, names: Iterable[str], own: Buffer) -> list[FieldTransfer]:
        """Return the transfers that copy the differing columns of the rows `names` into the lanes of a block."""
        wanted, found = set(names), []
        for name, k, place in self._places():
            if name in wanted:
                array = self.arrays[name]
                apart = _columns(array).shape[2]
                found.append(FieldTransfer(self.packed[array.dtype][:, place], own.view(name), INTO, None, k, apart))
        return found

    def initial_values(self) -> Iterator[tuple[str, np.ndarray]]:
        """Yield the world fields that are initialized from varying rows, with their values in every world."""
        for name, source, ids in initial_sources(self.plan):
            if source in self.arrays:
                yield name, self.arrays[source][:, ids]

    @property
    def nbytes(self) -> int:
        """Number of bytes of all arrays."""
        return sum(a.nbytes for group in (self.arrays, self.packed, self._known) for a in group.values())


def _columns(array: np.ndarray) -> np.ndarray:
    """Reshape an array to (worlds, elements, components); scalar fields get one component."""
    return array.reshape(len(array), -1, array.shape[-1] if array.ndim > 2 else 1)


def check_variable(name: str) -> None:
    """Raise ArgumentError, with the reason, unless worlds may differ in row `name` of the model."""
    if name in VARIABLE:
        return
    field = MODEL.get(name)
    if field is None:
        raise ArgumentError(f"vary: a model has no field {name!r}{suggestion(name, VARIABLE)}")
    if field.stages:
        reason = f"{field.stage} computes it from other fields, for each world if these vary"
    elif field.uniform:
        reason = "it belongs to the structure of the model"
    elif field.watched:
        reason = "it determines which stages run and which geoms may touch"
    else:
        reason = "stages branch on it"
    raise ArgumentError(f"vary: worlds of a batch share {name!r}: {reason}; create a batch for each of its values")
