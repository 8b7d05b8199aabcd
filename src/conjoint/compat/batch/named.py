"""One element in all simulations: `batch.joint("knee").qpos`, `batch.body("pole").mass = masses`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conjoint.api.arguments import store
from conjoint.api.objects.views import ELEMENT_TYPES, ElementType, Slice, data_attributes, model_attributes
from conjoint.compat.batch.fields import DATA_FIELDS, MODEL_FIELDS, STATE, only_computed, value_of
from conjoint.once import made_once
from conjoint.spec.problems import suggestion

OF_WORLDS = ("actuator", "body", "camera", "geom", "joint", "light", "sensor", "site", "tendon")
OF_MODELS = ("equality", "keyframe", "material", "numeric", "pair")
ACCESSORS = {name: element for element in ELEMENT_TYPES for name in element.accessors if name in OF_WORLDS + OF_MODELS}
"""Names under which a batch finds elements."""

COMPUTED = {"actuator": frozenset({"moment"})}
"""Attributes of views of `MjData` that are part of no field."""

STRUCTURE = ("adr", "num", "id", "type")
"""Ends of the names of integers that belong to the structure of a model."""


class Named:
    """One element in all simulations; its attributes have the names of those of `MjData`'s and `MjModel`'s views.

    Attributes of `MjData` are parts of bound fields. Those of `MjModel` are those of expanded fields, or what all
    simulations share, which cannot be written to. Assigning expands a field and writes to every simulation.

    Attributes:
        id: number of the element.
        name: its name, "" if it has none.
    """

    id: int
    name: str
    _batch: Any
    _kind: str

    def __init__(self, batch: Any, kind: str, key: int | str):
        """The element of a kind that a name or number finds; KeyError or IndexError if there is none."""
        found = getattr(batch.model, kind)(key)
        for name, value in (("_batch", batch), ("_kind", kind), ("id", found.id), ("name", found.name)):
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("__"):
            raise AttributeError(name)
        field, place, shape, of_model = self._place(name)
        if not of_model:
            return _part(self._batch.bind(field), place, shape)
        return self._read(name, field, place, shape)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("id", "name") or name.startswith("_"):
            raise AttributeError(f"{name} of an element cannot be set")
        field, place, shape, of_model = self._place(name)
        if of_model and self._batch.models is not None:
            raise ValueError(f"{field} is that of the models given: change these, and call set_models again")
        if of_model and _structural(field, value_of(self._batch.model, field)) and field not in self._batch.own_fields:
            raise ValueError(f"{field} cannot be set: it is structural, the same in every simulation")
        if not of_model and field not in STATE:
            raise only_computed(f"{name} of a {self._kind}")
        rows = self._batch.expand(field) if of_model else self._batch.bind(field)
        store(name, _part(rows, place, shape), value)

    def __dir__(self) -> list[str]:
        return ["id", "name", *_parts(self._kind)[0], *_parts(self._kind)[1]]

    def __repr__(self) -> str:
        return f"<{self._kind} {self.name or self.id!r} of {self._batch!r}>"

    def _place(self, name: str) -> tuple[str, int, tuple[int, ...], bool]:
        """The field that has an attribute; where in it the element's part begins; its shape; whether a model has it.

        Raises:
            AttributeError: there is no such attribute, or it is no part of a field.
        """
        of_worlds, of_models = _parts(self._kind)
        for rules, known in ((of_worlds, DATA_FIELDS), (of_models, MODEL_FIELDS)):
            if name in rules:
                numbers = _Numbers(self._batch, rules is of_models)
                part = rules[name](numbers, self.id)
                if numbers.field in known:
                    return numbers.field, int(part.flat[0]) if part.size else 0, part.shape, rules is of_models
        if name in of_models or name in COMPUTED.get(self._kind, ()):
            raise AttributeError(f"{name} of a {self._kind} is not a slice of a field that is bound or expanded")
        near = suggestion(name, [*of_worlds, *of_models])
        raise AttributeError(f"{name} is not a field of a {self._kind}{near}")

    def _read(self, name: str, field: str, place: int, shape: tuple[int, ...]) -> np.ndarray:
        """A part of the models of all simulations, which is not expanded by reading it."""
        batch = self._batch
        if batch.models is not None:
            parts = [getattr(getattr(batch.get_model(sim), self._kind)(self.id), name) for sim in range(batch.nsim)]
            found = np.stack(parts)
            found.flags.writeable = False
            return found
        rows = batch.expand(field) if field in batch.own_fields else batch.expanded(field)
        if rows is None:
            alike = value_of(batch.model, field)[None]
            return np.broadcast_to(_part(alike, place, shape), (batch.nsim, *shape))
        return _part(rows, place, shape)


class _Numbers:
    """Fields of a world or a model in which each number is its place: what a rule takes of them tells where it lies.

    Attributes:
        model: the model of the batch, which has addresses.
        field: the field that was asked for last.
    """

    def __init__(self, batch: Any, of_model: bool):
        self.model, self.field = batch.model, ""
        self._owner = batch.model if of_model else batch.template

    def __getattr__(self, name: str) -> np.ndarray:
        self.field = name
        shape = np.shape(getattr(self._owner, name))
        return np.arange(int(np.prod(shape))).reshape(shape)


def _part(rows: np.ndarray, place: int, shape: tuple[int, ...]) -> np.ndarray:
    """The numbers of every row from a place on, in a shape."""
    flat = rows.reshape(len(rows), -1)
    return flat[:, place : place + int(np.prod(shape))].reshape(len(rows), *shape)


def _structural(field: str, value: np.ndarray) -> bool:
    """Whether a field of the model has addresses, counts, ids or types."""
    return value.dtype.kind in "iu" and field.endswith(STRUCTURE) and not field.endswith("contype")


@made_once
def _rules(element: ElementType) -> tuple[dict[str, Slice], dict[str, Slice]]:
    """Rules for the attributes that a world has of a type of elements, and for those of the model."""
    return (data_attributes(element) if element.data_accessors else {}), model_attributes(element)


def _parts(kind: str) -> tuple[dict[str, Slice], dict[str, Slice]]:
    """Rules for the attributes of a kind of elements; those that are part of no field are left out."""
    of_worlds, of_models = _rules(ACCESSORS[kind])
    return {name: rule for name, rule in of_worlds.items() if name not in COMPUTED.get(kind, ())}, of_models


def finder(kind: str) -> Callable[[Any, int | str], Named]:
    """The method of a batch that finds an element of a kind."""

    def find(self: Any, key: int | str) -> Named:
        return Named(self, kind, key)

    find.__name__ = kind
    find.__doc__ = f"The {kind} of this name or number in all simulations; KeyError or IndexError if there is none."
    return find
