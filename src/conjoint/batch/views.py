"""Views of a batch: elements such as `batch.joint("knee")`, and groups of fields such as `batch.opt`."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any

import numpy as np

from conjoint.api.arguments import store
from conjoint.api.objects.views import ELEMENT_TYPES, ElementType, Slice, data_attributes, model_attributes
from conjoint.lang.errors import ArgumentError
from conjoint.once import made_once
from conjoint.spec.problems import suggestion

ACCESSORS = {name: element for element in ELEMENT_TYPES for name in (*element.accessors, *element.data_accessors)}
"""Accessors of a batch, by name."""


class _ElementsFirst:
    """Fields of a batch with the world axis last, so that the element slices for a single world can be applied.

    Attributes:
        model: the model of the batch.
        field: the last field that was read.
    """

    def __init__(self, batch: Any):
        self.batch, self.model, self.field = batch, batch.model, ""

    def __getattr__(self, name: str) -> np.ndarray:
        self.field = name
        return np.moveaxis(getattr(self.batch, name), 0, -1)


class WorldsElement:
    """One element in all worlds of a batch, with attributes of shape (nworld, ...), or in one world.

    Attributes are those of `MjData`'s views (`xpos`, `qpos`, `ctrl`), and for varying fields those of `MjModel`'s views
    (`mass`, `friction`). State, inputs and varying fields are writable views; all other attributes are read-only
    copies.
    """

    __slots__ = ("_accessor", "_batch", "_parts", "_settable", "_world", "id", "name")
    _accessor: str
    _batch: Any
    _settable: Set[str]
    _parts: dict[str, Slice]
    _world: int | None
    id: int
    name: str

    def __init__(self, batch: Any, accessor: str, id: int, settable: Set[str], world: int | None = None):
        """Create the view of an accessor's element `id`, in all worlds or in one.

        Only `settable` fields may be written to.
        """
        element = ACCESSORS[accessor]
        name = batch.model.name_table.names(element.names)[id]
        given = {"_accessor": accessor, "_batch": batch, "_parts": _parts(element), "_settable": settable}
        given |= {"id": id, "name": name, "_world": world}
        for key, value in given.items():
            object.__setattr__(self, key, value)

    def __getattr__(self, name: str) -> np.ndarray:
        return self._found(name)[1]

    def __setattr__(self, name: str, value: Any) -> None:
        field, part = self._found(name)
        if field not in self._settable:
            raise ArgumentError(f"{field!r} of a batch cannot be set: the next step computes it")
        store(name, part, value)

    def __dir__(self) -> list[str]:
        return ["id", "name", *self._parts]

    def __reduce__(self) -> tuple[Any, ...]:
        return WorldsElement, (self._batch, self._accessor, self.id, self._settable, self._world)

    def __repr__(self) -> str:
        where = "" if self._world is None else f"world {self._world} of "
        return f"<{self._accessor} {self.name or self.id!r} of {where}{self._batch!r}>"

    def _found(self, name: str) -> tuple[str, np.ndarray]:
        """Return the name of the field that an attribute belongs to, and the part of the field for this element.

        Raises:
            AttributeError: the attribute does not exist, or it is a model field that does not vary.
        """
        part_of = self._parts.get(name)
        if part_of is None:
            raise AttributeError(f"{self.name or self.id!r} has no attribute {name!r}{suggestion(name, self._parts)}")
        fields = _ElementsFirst(self._batch)
        part = part_of(fields, self.id)
        rows = np.moveaxis(part, -1, 0)
        return fields.field, rows if self._world is None else rows[self._world, ...]


@made_once
def _parts(element: ElementType) -> dict[str, Slice]:
    """Return the slices of the attributes of an element type."""
    of_worlds = data_attributes(element) if element.data_accessors else {}
    parts = model_attributes(element) | of_worlds
    # the number of moment arms differs between worlds
    parts.pop("moment", None)
    return parts


def accessor(
    batch: Any, name: str, settable: Set[str], world: int | None = None
) -> Callable[[int | str], WorldsElement]:
    """Return `batch.body` or a similar accessor. Like the model's accessor, it converts a name or id to an element."""
    find = getattr(batch.model, name)
    return lambda key: WorldsElement(batch, name, find(key).id, settable, world)


class Group:
    """Group of fields of a batch, such as `batch.warning`, or `batch.opt` if "opt.gravity" varies."""

    def __init__(self, batch: Any, name: str, members: Sequence[str]):
        """Create the group called `name`, with the fields `members`."""
        self.__dict__.update(_batch=batch, _name=name, _members=members)

    def __dir__(self) -> list[str]:
        return [*self._members]

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(f"a group of fields has no attribute {name!r}")
        return getattr(self._batch, f"{self._name}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._batch, f"{self._name}.{name}", value)

    def __reduce__(self) -> tuple[Any, ...]:
        return Group, (self._batch, self._name, self._members)
