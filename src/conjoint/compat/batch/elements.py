"""Access to one element in all simulations, as in `batch.joint("knee").qpos`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from conjoint.api.arguments import store
from conjoint.api.objects.views import Slice, data_attributes, model_attributes
from conjoint.batch.views import ACCESSORS
from conjoint.compat.batch.fields import DATA_FIELDS, MODEL_FIELDS, STATE, only_computed
from conjoint.compat.batch.models import Models
from conjoint.once import made_once
from conjoint.spec.problems import suggestion

COMPUTED = ("moment",)
"""Attributes of `MjData` views that are computed, and so are not parts of a field."""


class Named:
    """View of one element in all simulations, with the attributes of the views of `MjData` and `MjModel`.

    Attributes of `MjData` are parts of bound fields. Attributes of `MjModel` are read-only values that all
    simulations share, or, after `batch.expand`, writable parts of a field with individual values. Assigning to an
    attribute of `MjModel`, as in `batch.body("pole").mass = masses`, expands the field and writes to all simulations.

    Attributes:
        id: id of the element.
        name: name of the element, "" if it has none.
    """

    id: int
    name: str
    _batch: Any
    _models: Models
    _kind: str

    def __init__(self, batch: Any, models: Models, kind: str, key: int | str):
        """Find an element of a type by name or id. Raises KeyError or IndexError if it does not exist."""
        found = getattr(batch.model, kind)(key)
        self.__dict__.update(_batch=batch, _models=models, _kind=kind, id=found.id, name=found.name)

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._part(name, write=False)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("id", "name") or name.startswith("_"):
            raise AttributeError(f"{name} of an element cannot be set")
        store(name, self._part(name, write=True), value)

    def __dir__(self) -> list[str]:
        return ["id", "name", *(name for rules in _rules(self._kind) for name in rules)]

    def __repr__(self) -> str:
        return f"<{self._kind} {self.name or self.id!r} of {self._batch!r}>"

    def _part(self, name: str, write: bool) -> np.ndarray:
        """Return the values of an attribute, one row per simulation.

        Raises:
            AttributeError: the attribute does not exist, or it is not a part of a field.
            ValueError: the attribute cannot be written to.
        """
        rules = _rules(self._kind)
        for of_model, known in enumerate(rules):
            with suppress(KeyError):
                fields = _FieldsOfModels(self._models, write) if of_model else _FieldsOfWorlds(self._batch, write)
                rows = np.moveaxis(known[name](fields, self.id), -1, 0)
                # a single number per element is presented as a vector, as in views of single worlds
                return rows if rows.ndim > 1 else rows[:, None]
        if name in COMPUTED or any(name in known for known in rules):
            raise AttributeError(f"{name} of a {self._kind} is not a slice of a field that is bound or expanded")
        near = suggestion(name, [*rules[0], *rules[1]])
        raise AttributeError(f"{name} is not a field of a {self._kind}{near}")


class _FieldsOfWorlds:
    """Access to the `MjData` fields of all simulations.

    Simulations are along the last axis, so that functions that slice fields of a single world can be used.
    """

    def __init__(self, batch: Any, write: bool):
        self.model, self._batch, self._write = batch.model, batch, write

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in DATA_FIELDS:
            raise KeyError(name)
        if self._write and name not in STATE:
            raise only_computed(name)
        return np.moveaxis(self._batch.bind(name), 0, -1)


class _FieldsOfModels:
    """Access to the `MjModel` fields of all simulations, with simulations along the last axis."""

    def __init__(self, models: Models, write: bool):
        self.model, self._models, self._write = models.model, models, write

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in MODEL_FIELDS:
            raise KeyError(name)
        return np.moveaxis(self._models.assignable(name) if self._write else self._models.rows(name), 0, -1)


@made_once
def _rules(kind: str) -> tuple[dict[str, Slice], dict[str, Slice]]:
    """Return functions that slice the attributes of an element type out of fields, for worlds and for the model."""
    element = ACCESSORS[kind]
    of_worlds = data_attributes(element) if element.data_accessors else {}
    return {name: rule for name, rule in of_worlds.items() if name not in COMPUTED}, model_attributes(element)


def finder(kind: str) -> Callable[[Any, int | str], Named]:
    """Return the method of a batch that returns an element of a type."""

    def find(self: Any, key: int | str) -> Named:
        return Named(self, self._models, kind, key)

    find.__name__ = kind
    find.__doc__ = f"The {kind} of this name or number in all simulations; KeyError or IndexError if there is none."
    return find
