"""Lists of records over arrays: contacts, warnings, timers, solver statistics."""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, Self, TypeVar, overload

import numpy as np

from conjoint.api.objects.option import last_part
from conjoint.api.objects.struct import BufferRecord, format_group, record_class
from conjoint.lang.layout import Buffer
from conjoint.runtime.world import World
from conjoint.schema.arena import ARENA_FIELDS
from conjoint.schema.data import DATA_FIELDS


class ContactRecord(BufferRecord):
    """Base of `MjContact`, with the geoms one by one."""

    geom: np.ndarray

    @property
    def geom1(self) -> int:
        """Id of the first geom, -1 for a flex."""
        return int(self.geom[0])

    @geom1.setter
    def geom1(self, id: int) -> None:
        self.geom[0] = id

    @property
    def geom2(self) -> int:
        """Id of the second geom, -1 for a flex."""
        return int(self.geom[1])

    @geom2.setter
    def geom2(self, id: int) -> None:
        self.geom[1] = id

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("geom1", "geom2"):
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)


def _stat_class(name: str, doc: str, prefix: str) -> Any:
    fields = [field for field in DATA_FIELDS if field.name.startswith(prefix)]
    return record_class(name, doc, fields, last_part, element=True)


MjContact: Any = record_class(
    "MjContact",
    "A contact between two geoms, or with a flex.",
    [field for field in ARENA_FIELDS if field.name.startswith("contact_")],
    lambda name: name.removeprefix("contact_"),
    element=True,
    base=ContactRecord,
)
MjWarningStat: Any = _stat_class("MjWarningStat", "How often a warning was raised, and about what last.", "warning.")
MjTimerStat: Any = _stat_class("MjTimerStat", "How often a part of the pipeline ran, and for how long.", "timer.")
MjSolverStat: Any = _stat_class("MjSolverStat", "Statistics of one iteration of the solver.", "solver.")
for _cls in (MjContact, MjWarningStat, MjTimerStat, MjSolverStat):
    _cls.__module__ = __name__

RecordT = TypeVar("RecordT", bound=BufferRecord)


class RecordList(Generic[RecordT]):
    """Elements `start` to `stop` of the fields of a record class: records by index, arrays by attribute."""

    _record: type[RecordT]

    def __init__(self, buffer: Buffer, start: int, stop: int):
        self._buffer, self._start, self._stop = buffer, start, stop

    def _part(self, start: int, stop: int) -> Self:
        """The elements from `start` to `stop` of the fields."""
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
        i = index + len(self) if index < 0 else int(index)
        if not 0 <= i < len(self):
            raise IndexError(f"Invalid index {index}. Valid indices from 0 to {len(self) - 1}")
        return self._record(self._buffer, self._start + i)

    def __iter__(self) -> Iterator[RecordT]:
        return (self[i] for i in range(len(self)))

    def __getattr__(self, name: str) -> np.ndarray:
        field = self._record._fields.get(name)
        if field is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self._record._whole_view(self._buffer, field)[self._start : self._stop]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._record._fields]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or len(other) != len(self):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in self._record._fields)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return format_group(type(self).__name__, {name: getattr(self, name) for name in sorted(self._record._fields)})


class _MjContactList(RecordList):
    """The contacts that a world has whenever it is asked, in the order of detection; or a fixed range of them."""

    _record = MjContact

    def __init__(self, world: World, start: int = 0, stop: int | None = None):
        self._world, self._start, self._end = world, start, stop

    @property
    def _buffer(self) -> Buffer:  # type: ignore[override]
        return self._world.arena

    @property
    def _stop(self) -> int:  # type: ignore[override]
        return int(self._world.data.view("ncon")) if self._end is None else self._end

    def _part(self, start: int, stop: int) -> Self:
        return type(self)(self._world, start, stop)

    @property
    def geom1(self) -> np.ndarray:
        """Id of the first geom of every contact."""
        return self.geom[:, 0]

    @property
    def geom2(self) -> np.ndarray:
        """Id of the second geom of every contact."""
        return self.geom[:, 1]


class ContactCopies(RecordList):
    """Contacts that were copied: those of one world of a batch (`Batch.contact`)."""

    _record = MjContact

    @property
    def geom1(self) -> np.ndarray:
        """Id of the first geom of every contact."""
        return self.geom[:, 0]

    @property
    def geom2(self) -> np.ndarray:
        """Id of the second geom of every contact."""
        return self.geom[:, 1]


class _MjWarningStatList(RecordList):
    """All warnings, by mjtWarning."""

    _record = MjWarningStat


class _MjTimerStatList(RecordList):
    """All timers, by mjtTimer."""

    _record = MjTimerStat


class _MjSolverStatList(RecordList):
    """Statistics of the solver, mjNSOLVER iterations for each of mjNISLAND islands."""

    _record = MjSolverStat
