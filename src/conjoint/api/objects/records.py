"""Lists of records that give access to parallel arrays: contacts, warnings, timers, solver statistics."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar, overload

import numpy as np

from conjoint.api.arguments import given, store
from conjoint.api.objects.option import last_part
from conjoint.api.objects.struct import (
    BufferRecord,
    checked_number,
    fields_of,
    format_group,
    invalid_index,
    no_attribute,
    record_class,
    whole_view,
)
from conjoint.lang.errors import ArgumentError
from conjoint.lang.memory.layout import Buffer, Field, Layout
from conjoint.runtime.world import World
from conjoint.schema.arena import ARENA_FIELDS
from conjoint.schema.constants import mjNTIMER, mjNWARNING
from conjoint.schema.data import DATA_FIELDS
from conjoint.schema.enums import mjtCone

DIMENSIONS = (1, 3, 4, 6)
"""Valid values of `condim`."""

CONTACT_INTEGERS = ("dim", "geom", "flex", "elem", "vert", "efc_address")
"""Integer fields of a contact that kernels use as indices or counts."""


def check_contacts(world: World) -> None:
    """Check the indices in the contacts of a world, if a program has changed contacts since collision detection.

    Raises:
        FatalError: a geom, flex, element or vertex does not exist, or the dimension or rows are invalid.
    """
    if world.contacts_written:
        arena, nefc = world.arena, int(world.data.view("nefc"))
        for i in range(int(world.data.view("ncon"))):
            check_contact(world.model, {name: arena.view(f"contact_{name}")[i] for name in CONTACT_INTEGERS}, i, nefc)
        world.contacts_written = False


def check_contact(model: Buffer, values: Mapping[str, Any], number: int, nefc: int) -> None:
    """Check the indices in a contact.

    Args:
        model: memory of the model.
        values: values of the fields `CONTACT_INTEGERS`, by name.
        number: index of the contact, for the message.
        nefc: number of constraint rows.

    Raises:
        FatalError: a geom, flex, element or vertex does not exist, or the dimension or rows are invalid.
    """
    dim, row = int(values["dim"]), int(values["efc_address"])
    if dim not in DIMENSIONS:
        raise ArgumentError(f"contact {number} has dim = {dim}: a contact has 1, 3, 4 or 6 dimensions")
    rows = dim if model.view("opt.cone") == mjtCone.mjCONE_ELLIPTIC else max(2 * dim - 2, 1)
    if row != NO_ROWS and not 0 <= row <= nefc - rows:
        raise ArgumentError(f"contact {number} has efc_address = {row}: there are {nefc} rows, {rows} for it")
    sizes = model.layout.sizes
    for side in range(2):
        geom, flex = int(values["geom"][side]), int(values["flex"][side])
        if geom >= 0 or flex < 0:
            _check_id(number, f"geom[{side}]", geom, sizes["ngeom"])
            continue
        _check_id(number, f"flex[{side}]", flex, sizes["nflex"])
        part = "elem" if values["elem"][side] >= 0 else "vert"
        _check_id(number, f"{part}[{side}]", int(values[part][side]), int(model.view(f"flex_{part}num")[flex]))


def _check_id(number: int, name: str, id: int, count: int) -> None:
    if not 0 <= id < count:
        raise ArgumentError(f"contact {number} has {name} = {id}: {invalid_index(id, count)}")


NO_ROWS = -1
"""Value of `efc_address` for a contact without constraint rows."""


class ContactRecord(BufferRecord):
    """Base of `MjContact`, with `geom1` and `geom2`.

    Pipeline stages use a contact's integer fields as indices. Programs can set these fields only by assigning
    attributes, so that `check_contacts` checks the values before a stage uses them.
    """

    geom: np.ndarray

    def of_world(self, world: World) -> ContactRecord:
        """Mark this record as part of a world, and return the record."""
        self.__dict__["_world"] = world
        return self

    def _member_view(self, field: Field) -> np.ndarray:
        view = super()._member_view(field)
        view.flags.writeable = field.kind != "int" or "_world" not in self.__dict__
        return view

    def _store(self, name: str, value: Any) -> None:
        """Write an integer field, and note in the world that its contacts must be checked."""
        field, world = self._fields[name], self.__dict__.get("_world")
        view = super()._member_view(field)
        store(name, view, value if view.ndim else checked_number(field, value))
        if world is not None:
            world.note_contacts_written()

    @property
    def geom1(self) -> int:
        """Id of the first geom, -1 for a flex."""
        return int(self.geom[0])

    @geom1.setter
    def geom1(self, id: int) -> None:
        self._set_geom("geom1", id)

    @property
    def geom2(self) -> int:
        """Id of the second geom, -1 for a flex."""
        return int(self.geom[1])

    @geom2.setter
    def geom2(self, id: int) -> None:
        self._set_geom("geom2", id)

    def _set_geom(self, name: str, id: int) -> None:
        """Write the id of the first or second geom. Raises TypeError if the id is not an integer."""
        pair = self.geom.copy()
        pair[int(name == "geom2")] = given(name, id, int)
        self._store("geom", pair)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("geom1", "geom2"):
            object.__setattr__(self, name, value)
        elif name in self._fields and self._fields[name].kind == "int":
            self._store(name, value)
        else:
            super().__setattr__(name, value)


def _stat_class(name: str, doc: str, prefix: str) -> Any:
    fields = [field for field in DATA_FIELDS if field.name.startswith(prefix)]
    return record_class(name, doc, fields, last_part, element=True)


MjContact: Any = record_class(
    "MjContact",
    "Contact between two geoms, or between a flex and a geom or another flex.",
    [field for field in ARENA_FIELDS if field.name.startswith("contact_")],
    lambda name: name.removeprefix("contact_"),
    element=True,
    base=ContactRecord,
)
MjWarningStat: Any = _stat_class(
    "MjWarningStat", "Statistics of one warning type: number of warnings, and data of the last one.", "warning."
)
MjTimerStat: Any = _stat_class(
    "MjTimerStat", "Statistics of one timer: number of runs of a part of the pipeline, and total time.", "timer."
)
MjSolverStat: Any = _stat_class("MjSolverStat", "Statistics of one iteration of the solver.", "solver.")
for _cls in (MjContact, MjWarningStat, MjTimerStat, MjSolverStat):
    _cls.__module__ = __name__

RecordT = TypeVar("RecordT", bound=BufferRecord)


class RecordList(Generic[RecordT]):
    """List of records, which are elements `start` to `stop` of the arrays in a buffer.

    An index returns a record, and an attribute returns the array of a field. Repeated access returns the same object.
    """

    _record: type[RecordT]
    _copies: ClassVar[type[RecordList] | None] = None
    """Class of the lists that `copy` returns; None for the class of the list itself."""

    _buffer: Buffer
    _start: int
    _stop: int
    _records: dict[int, RecordT]

    def __init__(self, buffer: Buffer, start: int, stop: int):
        self.__dict__.update(_buffer=buffer, _start=start, _stop=stop, _records={})

    def _part(self, start: int, stop: int) -> Self:
        """Return the list of the elements `start` to `stop`, which are indices in the whole arrays of the buffer."""
        return type(self)(self._buffer, start, stop)

    def __len__(self) -> int:
        return self._stop - self._start

    @overload
    def __getitem__(self, index: int) -> RecordT: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[RecordT]: ...

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step == 1:
                return self._part(self._start + start, self._start + max(start, stop))
            return [self[i] for i in range(start, stop, step)]
        try:
            i = operator.index(index)
        except TypeError:
            raise TypeError(f"{type(self).__name__}: an index must be an integer or a slice, not {index!r}") from None
        count = len(self)
        i += count if i < 0 else 0
        if not 0 <= i < count:
            raise IndexError(invalid_index(index, count))
        return self._kept(self._start + i)

    def _kept(self, i: int) -> RecordT:
        """Return the record of element `i`, which is an index in the whole arrays of the buffer."""
        found = self._records.get(i)
        if found is None:
            found = self._records[i] = self._record(self._buffer, i)
        return found

    def __iter__(self) -> Iterator[RecordT]:
        return (self[i] for i in range(len(self)))

    def _array(self, name: str) -> np.ndarray:
        """Return the array of a field for all elements of the list.

        Raises:
            AttributeError: the records have no such field.
        """
        field = fields_of(self._record).get(name)
        if field is None:
            raise no_attribute(self, name)
        return whole_view(self._record, self._buffer, field)[self._start : self._stop]

    def __getattr__(self, name: str) -> np.ndarray:
        view = self.__dict__[name] = self._array(name)
        return view

    def __setattr__(self, name: str, value: Any) -> None:
        """Raise AttributeError: attributes cannot be added, and arrays can only be changed in place, by slices."""
        known = hasattr(self, name)
        hint = f"cannot be assigned; assign its elements: {name}[:] = ..." if known else "does not exist"
        raise AttributeError(f"{type(self).__name__}.{name} {hint}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *fields_of(self._record)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RecordList) or other._record is not self._record or len(other) != len(self):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in fields_of(self._record))

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> RecordList:
        """Return a copy of the list, in new memory."""
        return copied_list(type(self), {name: self._array(name) for name in fields_of(self._record)}, len(self))

    def __deepcopy__(self, memo: dict) -> RecordList:
        return self.__copy__()

    def __reduce__(self) -> tuple:
        values = {name: np.array(self._array(name)) for name in fields_of(self._record)}
        return copied_list, (type(self), values, len(self))

    def __repr__(self) -> str:
        return format_group(
            type(self).__name__, {name: getattr(self, name) for name in sorted(fields_of(self._record))}
        )


def copied_list(cls: Any, values: Mapping[str, np.ndarray], count: int) -> Any:
    """Return a list of class `cls` with `count` elements in new memory, filled with `values` by field name."""
    cls = cls._copies or cls
    fields = fields_of(cls._record)
    buffer = Buffer(
        Layout(
            fields.values(),
            {size: count for field in fields.values() for size in field.shape[:1] if isinstance(size, str)},
        )
    )
    for name, field in fields.items():
        whole_view(cls._record, buffer, field)[:count] = values[name]
    return cls(buffer, 0, count)


class _Contacts(RecordList):
    """List of contacts, with `geom1` and `geom2` as additional attributes."""

    _record = MjContact

    @property
    def geom1(self) -> np.ndarray:
        """Ids of the first geoms of all contacts, -1 for flexes."""
        return self.geom[:, 0]

    @property
    def geom2(self) -> np.ndarray:
        """Ids of the second geoms of all contacts, -1 for flexes."""
        return self.geom[:, 1]


class ContactCopies(_Contacts):
    """List of copied contacts, from one world of a batch (`Batch.contact`) or from another list."""


class _MjContactList(_Contacts):
    """List of a world's current contacts, in the order of detection, or of a fixed range of contacts."""

    _copies = ContactCopies
    _world: World
    _end: int | None
    _shown: Buffer | None

    def __init__(self, world: World, start: int = 0, stop: int | None = None):
        self.__dict__.update(_world=world, _start=start, _end=stop, _records={}, _shown=None)

    @property
    def _buffer(self) -> Buffer:  # type: ignore[override]
        return self._world.arena

    @property
    def _stop(self) -> int:  # type: ignore[override]
        return int(self._world.data.view("ncon")) if self._end is None else self._end

    def _part(self, start: int, stop: int) -> Self:
        return type(self)(self._world, start, stop)

    def _kept(self, i: int) -> Any:
        arena = self._world.arena
        if self._shown is not arena:
            # the arena has been replaced by a larger one
            self.__dict__.update(_shown=arena, _records={})
        return super()._kept(i).of_world(self._world)

    def __getattr__(self, name: str) -> np.ndarray:
        # arrays are not cached, because the number of contacts changes
        view = self._array(name)
        view.flags.writeable = view.dtype != np.int32
        return view


class _MjWarningStatList(RecordList):
    """List of statistics of all warnings, by mjtWarning."""

    _record = MjWarningStat


class _MjTimerStatList(RecordList):
    """List of statistics of all timers, by mjtTimer."""

    _record = MjTimerStat


class _MjSolverStatList(RecordList):
    """List of solver statistics: mjNSOLVER iterations for each of mjNISLAND islands."""

    _record = MjSolverStat


def lists_of(world: World) -> dict[str, RecordList]:
    """Return the record lists of a world, by attribute name."""
    data = world.data
    return {
        "contact": _MjContactList(world),
        "warning": _MjWarningStatList(data, 0, mjNWARNING),
        "timer": _MjTimerStatList(data, 0, mjNTIMER),
        "solver": _MjSolverStatList(data, 0, data.layout.sizes["nsolverstat"]),
    }
