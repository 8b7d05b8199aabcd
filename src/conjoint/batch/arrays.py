"""Arrays of a batch: one for each field, with one row for each world."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

import numpy as np

from conjoint.batch.varied_models import Varied
from conjoint.lang.memory.layout import Field, Layout, Lifetime, Role
from conjoint.runtime.plan import Plan
from conjoint.runtime.reset import initial_values
from conjoint.runtime.sleep import may_sleep
from conjoint.runtime.sleep_start import resting_start
from conjoint.schema.data import DATA_ROWS, SLEEP_ROWS

NOT_RUN = frozenset({"mj_setLengthRange"})
"""Names of functions that run several steps themselves, which batches do not support."""

LASTING = {
    field.name: field
    for field in DATA_ROWS
    if field.role in (Role.STATE, Role.INPUT)
    or (
        (field.role is not Role.STRUCTURE and field.lifetime is Lifetime.KEPT and not field.uniform)
        and not NOT_RUN.issuperset(field.stages)
    )
}
"""Fields that the next step depends on, by name: state, inputs, and values that stages store for later steps."""

OF_SLEEP = frozenset(field.name for field in SLEEP_ROWS) & LASTING.keys()
"""Names of those fields in `LASTING` that only worlds with sleeping trees use."""

LIVE = frozenset(field.name for field in LASTING.values() if field.role in (Role.STATE, Role.INPUT))
"""Names of state and input fields, whose arrays the user may write to."""

READABLE = {
    field.name: field
    for field in DATA_ROWS
    # an `MjData` computes this field on demand
    if field.public and field.role is not Role.STRUCTURE and field.name != "bvh_active"
}
"""Fields that a batch exposes, by name. Contacts, constraints and model constants are available only in `MjData`."""

LASTING_OR_READ = READABLE | LASTING
"""Fields for which a batch has, or may have, an array."""


class Arrays:
    """Arrays of the worlds of a batch, by field name.

    The array of an input is created on first access; before that, the input has its initial value in every world.

    Args:
        plan: plan of the model.
        layout: memory layout of a block.
        nworld: number of worlds.
        varied: model fields that vary between worlds.

    Attributes:
        lasting: fields that a step continues from.
        before: values of these fields before the last call, so that the call can be repeated.
        results: other fields that are recorded.
    """

    def __init__(self, plan: Plan, layout: Layout, nworld: int, varied: Varied):
        self.layout, self.nworld, self.varied = layout, nworld, varied
        self.initial = dict(initial_values(plan)) | resting_start(plan)
        self.lasting: dict[str, np.ndarray] = {}
        self.before: dict[str, np.ndarray] = {}
        self.results: dict[str, np.ndarray] = {}
        for field in LASTING.values():
            if field.role is not Role.INPUT and (field.name not in OF_SLEEP or may_sleep(plan.model)):
                self.add_lasting(field.name)
        # initial values that vary between worlds differ from those in the workspace
        for name, _ in varied.initial_values():
            self.add_lasting(name)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a field in one world."""
        shape: tuple[int, ...] = self.layout.place(name)[0]
        return shape[:-1] if LASTING_OR_READ[name].lanes(self.layout.lanes) > 1 else shape

    def new(self, field: Field) -> np.ndarray:
        """Return a new array of zeros for a field, with one row for each world."""
        return np.zeros((self.nworld, *self.shape(field.name)), self.layout.place(field.name)[1])

    def add_lasting(self, name: str) -> None:
        """Add an array for a field that persists between steps, filled with the field's initial values."""
        self.lasting[name], self.before[name] = self.new(LASTING[name]), self.new(LASTING[name])
        initial = self.initial | dict(self.varied.initial_values())
        if name in initial:
            self.lasting[name][...] = self.before[name][...] = initial[name]

    def add_result(self, name: str) -> None:
        """Record field `name` from now on."""
        self.results[name] = self.new(READABLE[name])

    def reset(self, chosen: np.ndarray) -> None:
        """Reset the chosen worlds: fields that start from model values get these values, all others become zero."""
        for array in (*self.lasting.values(), *self.results.values()):
            array[chosen] = 0
        self.write({name: value for name, value in self.initial.items() if name in self.lasting}, chosen)
        self.write({name: values[chosen] for name, values in self.varied.initial_values()}, chosen)

    def write(self, values: Mapping[str, np.ndarray], chosen: np.ndarray) -> None:
        """Write values to the chosen worlds: either one row for all of them, or one row for each."""
        for name, value in values.items():
            if name not in self.lasting:
                self.add_lasting(name)
            self.lasting[name][chosen] = value

    @property
    def nbytes(self) -> int:
        """Number of bytes of all arrays."""
        own = sum(array.nbytes for group in (self.lasting, self.before, self.results) for array in group.values())
        return own + self.varied.nbytes


class RemoteArrays(Arrays):
    """Arrays of worlds whose current values are elsewhere, on a device or in a cluster.

    When `lasting` is read, all its arrays are fetched first.

    Attributes:
        worlds: the worlds, whose method `bring_home` fetches the arrays; None while the arrays are current.
        here: the local arrays, which may be out of date.
    """

    worlds: weakref.ref[Any] | None = None

    @property
    def lasting(self) -> dict[str, np.ndarray]:
        if self.worlds is not None and (worlds := self.worlds()) is not None:
            worlds.bring_home()
        return self.here

    @lasting.setter
    def lasting(self, arrays: dict[str, np.ndarray]) -> None:
        self.here = arrays

    def add_lasting(self, name: str) -> None:
        """Add an array for a field that persists between steps; the remote worlds have no values for it yet."""
        worlds, self.worlds = self.worlds, None
        try:
            super().add_lasting(name)
        finally:
            self.worlds = worlds
