"""Models of the simulations: the batch's model with individual field values, or models that the program passes."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.compat.batch.fields import MODEL_FIELDS, set_value, value_of
from conjoint.lang import FatalError
from conjoint.schema.model import MODEL_FIELDS as ROWS_OF_MODEL

STRUCTURE = ("adr", "num", "id", "type")
"""Name suffixes of integer fields that belong to the structure of a model."""

DERIVED = tuple(row.name for row in ROWS_OF_MODEL if "mj_setConst" in row.stages and row.name in MODEL_FIELDS)
"""Expandable fields that mj_setConst computes from other fields."""


class Models:
    """Models of all simulations.

    Args:
        model: the model of the batch.
        nsim: number of simulations.

    Attributes:
        expanded: individual values of fields for which `expand` was called, shape (nsim, ...), by name.
        derived: constants that depend on expanded fields (`set_const`), shape (nsim, ...), by name.
        given: models that the program passed, or None if simulations use the model of the batch.
    """

    def __init__(self, model: MjModel, nsim: int):
        self.model, self.nsim = model, nsim
        self.expanded: dict[str, np.ndarray] = {}
        self.derived: dict[str, np.ndarray] = {}
        self.given: MjModel | tuple[MjModel, ...] | None = None
        self._known: dict[str, np.ndarray] = {}

    def expand(self, name: str) -> np.ndarray:
        """Return the values of a field in all simulations, as a writable array of shape (nsim, ...).

        Raises:
            FatalError: simulations run on models that the program passed.
        """
        self.check_own("expand")
        if name not in self.expanded:
            found = self.derived.pop(name, None)
            self.expanded[name] = self._repeated(name) if found is None else found
        return self.expanded[name]

    def _repeated(self, name: str) -> np.ndarray:
        """Return a field of the model, repeated for each simulation."""
        return np.repeat(value_of(self.model, name)[None], self.nsim, axis=0)

    def values(self, name: str) -> np.ndarray | None:
        """Return the values of a field in all simulations, or None if all simulations share the model's values."""
        found = self.expanded.get(name)
        return self.derived.get(name) if found is None else found

    def rows(self, name: str) -> np.ndarray:
        """Return the values of a model field in all simulations, read-only unless the field is expanded."""
        if self.given is not None:
            found = np.stack([value_of(self.of(sim), name) for sim in range(self.nsim)])
        elif name in self.expanded:
            return self.expanded[name]
        else:
            alike = value_of(self.model, name)
            found = self.derived.get(name, np.broadcast_to(alike, (self.nsim, *alike.shape))).view()
        found.flags.writeable = False
        return found

    def assignable(self, name: str) -> np.ndarray:
        """Return an assignable array of the values of a field in all simulations.

        Raises:
            ValueError: simulations run on models that the program passed, or the field contains addresses, counts, ids
                or types.
        """
        if self.given is not None:
            raise ValueError(f"{name} belongs to the models passed to set_models: change them, and call it again")
        structural = value_of(self.model, name).dtype.kind in "iu" and name.endswith(STRUCTURE)
        if structural and not name.endswith("contype") and name not in self.expanded:
            raise ValueError(f"{name} cannot be set: it is structural, the same in every simulation")
        return self.expand(name)

    @property
    def own(self) -> dict[str, np.ndarray]:
        """Individual values of expanded and derived fields, shape (nsim, ...), by name."""
        return self.expanded | self.derived

    def of(self, sim: int) -> MjModel:
        """Return the model of a simulation: a copy of the batch's model, or the model that the program passed."""
        if self.given is not None:
            return self.given[sim] if isinstance(self.given, tuple) else self.given
        return self.written(copy.copy(self.model), sim)

    def written(self, model: MjModel, sim: int) -> MjModel:
        """Write the individual values of a simulation to a copy of the batch's model, and return the copy."""
        for name, values in self.own.items():
            set_value(model, name, values[sim])
        return model

    def check_own(self, function: str) -> None:
        """Raise FatalError if simulations run on models that the program passed.

        `function` is the caller, for the message.
        """
        if self.given is not None:
            raise FatalError(f"{function}: simulations use caller models: call set_models(None) first")

    def give(self, models: MjModel | Iterable[MjModel] | None) -> None:
        """Set the models of the simulations: one for all, one for each, or None for the model of the batch.

        Raises:
            FatalError: fields have been expanded (`expand`).
            ValueError: the number of models is wrong, or their sizes differ from those of the batch's model.
        """
        if models is not None and self.expanded:
            raise FatalError("set_models: the batch has per-simulation fields (expand); create another batch")
        if models is None or isinstance(models, MjModel):
            given: MjModel | tuple[MjModel, ...] | None = models
        else:
            given = tuple(models)
            if len(given) != self.nsim:
                raise ValueError(f"set_models takes a model per simulation: {self.nsim}, not {len(given)}")
        for model in given if isinstance(given, tuple) else [given] if given else []:
            if not isinstance(model, MjModel):
                raise TypeError(f"set_models takes an MjModel, or a list of them, not {model!r:.60}")
            if model.sizes != self.model.sizes:
                raise ValueError("set_models: models must have the sizes of the model of the batch")
        self.given = given
        self.derived.clear()

    def prepare_derived(self) -> None:
        """Allocate arrays for the constants that depend on individual field values."""
        for name in DERIVED:
            if self.values(name) is None:
                self.derived[name] = self._repeated(name)

    def keep_derived(self, model: MjModel, sim: int) -> None:
        """Store the results of mj_setConst for a simulation."""
        for name in DERIVED:
            values = self.values(name)
            assert values is not None
            values[sim] = value_of(model, name)

    def remember(self) -> None:
        """Record that the derived constants are up to date with the current values of expanded fields."""
        self._known = {name: values.copy() for name, values in self.expanded.items()}

    def follows(self, names: Iterable[str]) -> bool:
        """Return True if the derived constants are up to date with the current values of expanded fields `names`."""
        return all((self._known.get(n, value_of(self.model, n)) == self.expanded[n]).all() for n in names)
