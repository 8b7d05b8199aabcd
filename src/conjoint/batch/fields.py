"""Attributes of a batch and of its worlds: their names, their values, and the rules for setting them."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from conjoint.api.arguments import store
from conjoint.api.objects.attributes import DataAttributes
from conjoint.api.objects.model import MjModel
from conjoint.batch.arrays import LIVE, READABLE
from conjoint.batch.attributes import WorldsAttributes
from conjoint.batch.varied_models import MODEL, VARIABLE
from conjoint.batch.views import ACCESSORS, Group, accessor
from conjoint.batch.world_set import WorldSet
from conjoint.lang.errors import ArgumentError
from conjoint.schema.arena import ARENA_ROWS
from conjoint.schema.data import DATA_ROWS
from conjoint.spec.problems import suggestion

STEP_ONLY = frozenset(field.name for field in (*DATA_ROWS, *ARENA_ROWS) if field.public) - READABLE.keys()
"""Names of public fields without batch arrays. Workspaces contain them, for the worlds that ran last."""


class WorldFields(WorldsAttributes):
    """Fields of a `Batch` as its attributes.

    State, inputs and varying model fields are writable arrays. All other fields are computed by steps, and returned as
    read-only copies.
    """

    nworld: int
    _worlds: WorldSet

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"a batch has no attribute {name!r}")
        with self._worlds.turn.held:
            return self._field(name)

    def _field(self, name: str) -> Any:
        """Return the field with this name, as an attribute of the batch.

        Raises:
            AttributeError: there is no such field.
        """
        worlds = self._worlds
        varied, arrays = worlds.varied, worlds.arrays
        if name in varied.names:
            return varied.expose(name)
        if name in varied.derived:
            worlds.constants.follow()
            return read_only(varied.arrays[name])
        if name in LIVE:
            return worlds.live(name)
        if name in worlds.groups:
            return Group(self, name, worlds.groups[name])
        if name in ACCESSORS:
            return accessor(self, name, settable(worlds))
        check_field(name)
        if name not in arrays.results:
            if name in arrays.lasting:
                return read_only(arrays.lasting[name])
            worlds.find(name)
        return read_only(arrays.results[name])

    def __setattr__(self, name: str, value: Any) -> None:
        worlds = self.__dict__.get("_worlds")
        if worlds is None or name.startswith("_"):
            object.__setattr__(self, name, value)
            return
        with worlds.turn.held:
            array = writable(worlds, name)
            if array is not None:
                store(name, array, value)
                return
        if hasattr(self, name):
            raise AttributeError(f"{name!r} of a batch cannot be set: create another batch")
        check_field(name)

    def __dir__(self) -> list[str]:
        own = [name for name in super().__dir__() if not name.startswith("_") or name.startswith("__")]
        return [*own, *attribute_names(self._worlds)]

    def __len__(self) -> int:
        return self.nworld

    def __iter__(self) -> Iterator[World]:
        return (self[number] for number in range(self.nworld))

    def __getitem__(self, world: int) -> World:
        """Return one world, with the attributes of `MjData`.

        Args:
            world: id of the world; negative ids count from the end.

        Raises:
            IndexError: the world does not exist.
        """
        try:
            number = operator.index(world)
        except TypeError:
            rows = "batch.qpos[2:5]" if isinstance(world, slice) else "batch.qpos[worlds]"
            raise TypeError(
                f"batch[i] is one world, selected by its number, not by {world!r:.60}; rows of a field are {rows}"
            ) from None
        if not -self.nworld <= number < self.nworld:
            raise IndexError(f"there is no world {number}: the batch has {self.nworld}")
        return World(self, self._worlds, number % self.nworld)


class World(DataAttributes):
    """One world of a batch, with the attributes of `MjData`: `batch[3].qpos`, `batch[3].body("torso").xpos`.

    State, inputs and varying model fields are writable views, as in the batch; results of steps are copies. For all
    other fields, `batch.get_data` creates an `MjData`.

    Attributes:
        batch: the batch.
        number: id of the world, counted from 0.
    """

    __slots__ = ("_worlds", "batch", "number")

    ADVICE = "batch.get_data(number) creates an MjData from a world"
    """Advice that is added to the error message that an argument must be an `MjData`."""

    def __init__(self, batch: Any, worlds: WorldSet, number: int):
        """Create the view of world `number` of a batch."""
        for name, value in (("batch", batch), ("_worlds", worlds), ("number", number)):
            object.__setattr__(self, name, value)

    @property
    def model(self) -> MjModel:
        """Copy of the model, with the values of this world."""
        return self.batch.get_model(self.number)

    @property
    def contact(self) -> Any:
        """Contacts of this world in its last step, in the format of `Batch.contact`."""
        return self.batch.contact(self.number)

    def __getattr__(self, name: str) -> Any:
        if name in ACCESSORS:
            return accessor(self.batch, name, settable(self._worlds), self.number)
        if name in self._worlds.groups:
            return Group(self, name, self._worlds.groups[name])
        if name.startswith("_") or name in dir(type(self.batch)):
            raise AttributeError(f"a world of a batch has no attribute {name!r}")
        row = getattr(self.batch, name)[self.number, ...]
        return row if row.ndim else row.item()

    def __setattr__(self, name: str, value: Any) -> None:
        with self._worlds.turn.held:
            array = writable(self._worlds, name)
            if array is None:
                check_field(name)
            else:
                store(name, array[self.number, ...], value)

    def __dir__(self) -> list[str]:
        return ["batch", "contact", "model", "number", *attribute_names(self._worlds)]

    def __reduce__(self) -> tuple[Any, ...]:
        return operator.getitem, (self.batch, self.number)

    def __repr__(self) -> str:
        return f"<world {self.number} of {self.batch!r}>"


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a read-only copy of an array; writes to a writable copy would have no effect."""
    copied = array.copy()
    copied.setflags(write=False)
    return copied


def settable(worlds: WorldSet) -> frozenset[str]:
    """Return the names of the fields that users may write to."""
    return LIVE.union(worlds.varied.names)


def writable(worlds: WorldSet, name: str) -> np.ndarray | None:
    """Return the array of a writable field; None if the field does not exist.

    Raises:
        ArgumentError: the field is read-only.
    """
    if name in LIVE:
        return worlds.live(name)
    if name in worlds.varied.names:
        return worlds.varied.expose(name)
    if name in worlds.varied.derived:
        raise ArgumentError(f"{name!r} of a batch cannot be set: it depends on {', '.join(worlds.varied.sources)}")
    if name in READABLE:
        raise ArgumentError(f"{name!r} of a batch cannot be set: the next step computes it")
    return None


def check_field(name: str) -> None:
    """Raise AttributeError unless a batch has field `name`."""
    if name not in READABLE:
        hint = "; only MjData keeps it after a step" if name in STEP_ONLY else suggestion(name, READABLE)
        if name in VARIABLE:
            hint = f"; worlds share that of the model, unless the batch is made with vary=[{name!r}]"
        if member := next((row for row in MODEL if row in VARIABLE and row.startswith(f"{name}.")), None):
            hint = f"; worlds share those of the model, unless the batch is made with vary=[{member!r}]"
        raise AttributeError(f"a batch has no field {name!r}{hint}")


def attribute_names(worlds: WorldSet) -> list[str]:
    """Return the names of fields of the worlds, of varying rows and their groups, and of element accessors."""
    return sorted({name for name in (*READABLE, *worlds.varied.all) if "." not in name} | {*worlds.groups, *ACCESSORS})
