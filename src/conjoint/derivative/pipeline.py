"""Documented functions in dual numbers, which compute values first, then derivatives along eight directions at once."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.derivative.coordinates import Coordinates, coordinates
from conjoint.derivative.edges import OpenEdges, Sticking, bounds_of, steeper
from conjoint.derivative.passes import Group, Passes, Place, place_of
from conjoint.lang import ArgumentError, FatalError
from conjoint.lang.calls.driver import Run
from conjoint.lang.memory.layout import TANGENT, Buffer, Role
from conjoint.lang.memory.realisation import TANGENTS, default_width
from conjoint.lang.threads.caller import heed
from conjoint.once import derived
from conjoint.runtime.dual_run import DualConstants, PlainPass, WithConstants, constants_by, dual_run, value_run
from conjoint.runtime.dual_stages import MOVED, Part, Pass, dual_stages, pass_of, value_stages
from conjoint.runtime.dual_world import DUAL_DATA, DUAL_MODEL, DualModel, DualWorld, pieces, reals_of, span_of
from conjoint.runtime.functions import stages_of
from conjoint.runtime.pipeline import attended
from conjoint.runtime.plan import Plan
from conjoint.runtime.user import installed
from conjoint.schema.enums import mjtImpulse
from conjoint.spec.problems import suggestion

REALS = {
    role: {field.name: field for field in rows if f"{TANGENT}{field.name}" in {row.name for row in rows}}
    for role, rows in (("d", DUAL_DATA), ("m", DUAL_MODEL))
}
"""Floating-point fields that have tangents, by name, for the data ("d") and the model ("m")."""


class DualPipeline:
    """Derivatives of a documented function of a model.

    Args:
        m: the model.
        function: its name, `mj_step`, `mj_forward` or `mj_inverse`.

    Attributes:
        value_stages: stages that compute the values.
        sticking, edges: objects that detect kinks of the function.
        pieces: cache in which users of the pipeline store how matrices are composed.

    Raises:
        FatalError: the model, or an installed user function, cannot be differentiated.
    """

    def __init__(self, m: MjModel, function: str = "mj_step"):
        refuse(m)
        # weak reference: pipelines are freed with their model
        self._model_of, self.function = weakref.ref(m), function
        structure, lanes = m.plans.holding().structure, default_width("float64")
        self.plan = Plan(structure, nsolverstat=0, lanes=lanes, differentiated=True)
        self.world, self.model = DualWorld(self.plan), DualModel(self.plan)
        self._replaced = installed.active
        self.value_stages = value_stages(stages_of(function, self.plan))
        self._values = value_run(self.value_stages, self.plan, self.world)
        self._pieces = [span_of(self.world.data, name) for name in MOVED]
        self._kept = np.zeros(sum(count for _, count in self._pieces))
        self._start = list(self._parts())
        self._computed = False
        self._moved: dict[str, np.ndarray] = {}
        self._groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Group]] = {}
        self._passes: dict[Any, tuple[Buffer, Passes, dict[str, slice], dict[str, slice]]] = {}
        self._coordinates: dict[str, Coordinates] = {}
        self._constants: dict[tuple[str, ...], DualConstants] = {}
        self.sticking, self.edges = Sticking(self.plan), OpenEdges(self.plan)
        self.pieces: dict[Any, Any] = {}

    def holds(self, m: MjModel) -> bool:
        """Return True if the model and the installed functions have not changed since the pipeline was created."""
        installed.follow()
        return m is self._model_of() and self._replaced == installed.active and self.plan.holds()

    # ---- values

    def at(self, d: MjData) -> None:
        """Compute all values at the state and inputs of a world."""
        self.world.take(d.world, self._moved_pieces, self._kept)
        self._compute()

    def _compute(self) -> None:
        """Run the function with ordinary numbers, to compute all values."""
        run, arena = self._values, self.world.arena
        while answer := run.go(1):
            position = attended(self.world, self.value_stages, answer, run.position)
            if position is None:
                stage = self.value_stages[run.position[1]]
                raise FatalError(f"{self.function}: stage {stage.name} answered {answer}")
            run.position = position
        if self.world.arena is not arena:
            # the memory of the tangents was replaced
            self._groups.clear()
        self._moved.clear()
        for constants in self._constants.values():
            constants.stale = True
        self._computed = True

    def restore(self) -> None:
        """Restore the state to its values before the step."""
        self._computed = False
        for view, kept in self._start:
            view[...] = kept

    def _parts(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield each field that a step changes, as a view, together with its values at the start of the step."""
        first = 0
        for name, (_, count) in zip(MOVED, self._pieces, strict=True):
            view = self.world.data.view(name)
            yield view, self._kept[first : first + count].reshape(view.shape)
            first += count

    @derived
    def _moved_pieces(self) -> np.ndarray:
        return pieces(self._pieces)

    def _keep_moved(self) -> None:
        """Save the state after the step, because `restore` overwrites it."""
        if not self._moved:
            if not self._computed:
                self.restore()
                self._compute()
            self._moved.update((name, self.world.data.view(name).copy()) for name in MOVED)

    # ---- fields

    def field(self, name: str) -> str:
        """Return the full name of a field: `d.qpos` for `qpos`, `m.body_mass` for `body_mass`.

        Raises:
            ArgumentError: there is no floating-point field with this name.
        """
        for role, known in REALS.items():
            if name in known:
                return f"{role}.{name}"
        raise ArgumentError(f"cannot differentiate {name!r}{suggestion(name, {*REALS['d'], *REALS['m']})}")

    def input_field(self, name: str) -> str:
        """Return the full name of an input field.

        Raises:
            ArgumentError: the field is a result, not an input.
        """
        field = self.field(name)
        row = REALS[field[0]][name]
        given = (Role.INPUT, Role.STATE)
        if row.role not in given and (self.function, name) != ("mj_inverse", "qacc"):
            writer = getattr(row, "stage", "") or self.function
            raise ArgumentError(
                f"{name!r} cannot be an input of derivatives: it is a result ({writer} computes it); choose the inputs "
                "that it depends on"
            )
        return field

    def tangents(self, name: str) -> np.ndarray:
        """Return the memory of the tangents of a field, shape (number of components, tangents)."""
        field = self.field(name)
        memory = self.world if field[0] == "d" else self.model
        return memory.tangents.view(TANGENT + name).reshape(-1, TANGENTS)

    def value(self, name: str) -> np.ndarray:
        """Return the components of a field as a vector."""
        memory = self.world if self.field(name)[0] == "d" else self.plan
        return memory.view(name).reshape(-1)

    def outcome(self, name: str) -> np.ndarray:
        """Return a copy of a field's components after the function has run; call `at` first."""
        if name in MOVED:
            self._keep_moved()
        return np.array(self._moved.get(name, self.value(name))).reshape(-1)

    def coordinates(self, name: str) -> Coordinates:
        """Return the tangent coordinates of a field."""
        if name not in self._coordinates:
            self._coordinates[name] = coordinates(self._model_of(), name, self.value(name).size)
        return self._coordinates[name]

    # ---- derivatives

    def groups(self, outputs: tuple[str, ...], inputs: tuple[str, ...]) -> list[Group]:
        """Return the inputs in groups; the inputs of a group have the same dependent stages."""
        key = outputs, inputs
        if key not in self._groups:
            requested = [self.field(name) for name in outputs]
            alike: dict[tuple[Part, ...], list[str]] = {}
            for name in inputs:
                if self.coordinates(name).size:
                    found = self._pass([name], requested)
                    alike.setdefault(found.parts, []).append(name)
            self._groups[key] = [self._group(names, requested) for names in alike.values()]
        return self._groups[key]

    def _pass(self, names: Sequence[str], requested: Sequence[str]) -> Pass:
        """Return the stages that depend on some inputs, including stages for constants of the model."""
        inputs = [self.input_field(name) for name in names]
        following = constants_by(self.plan, [name[2:] for name in inputs if name[0] == "m"])
        stages = dual_stages(stages_of(self.function, self.plan, differentiated=names))
        return pass_of(stages, [*inputs, *(f"m.{name}" for name in following)], requested)

    def _group(self, names: Sequence[str], requested: Sequence[str]) -> Group:
        found = self._pass(names, requested)
        inputs = [self.field(name) for name in names]
        run: Any = dual_run(found, inputs, self.model, self.world)
        of_model = tuple(name[2:] for name in inputs if name[0] == "m")
        if constants_by(self.plan, of_model):
            if of_model not in self._constants:
                self._constants[of_model] = DualConstants(self.model, of_model)
            run = WithConstants(self._constants[of_model], run)
        places = [[self._place(name) for name in some] for some in (names, [name[2:] for name in found.cleared])]
        return Group(places[0], run, places[1], tuple(part.kernel for part in found.parts), found.units)

    def jacobian(self, outputs: tuple[str, ...], inputs: tuple[str, ...]) -> dict[str, dict[str, np.ndarray]]:
        """Return derivatives of outputs with respect to inputs, at the values that `at` has computed.

        Returns:
            A matrix for each output and input, by name.
        """
        matrix, rows, columns = self.matrix(outputs, inputs)
        return {output: {name: matrix[rows[output], columns[name]] for name in inputs} for output in outputs}

    def matrix(
        self, outputs: tuple[str, ...], inputs: tuple[str, ...]
    ) -> tuple[np.ndarray, dict[str, slice], dict[str, slice]]:
        """Return all matrices of `jacobian` in one, with the rows of each output and the columns of each input."""
        known = self._passes.get((outputs, inputs))
        if known is None or known[0] is not self.world.tangents:
            known = self._passes[outputs, inputs] = (self.world.tangents, *self._made_passes(outputs, inputs))
        if m := self._model_of():
            self.sticking.follow(m, self.world, inputs)
        _, passes, rows, columns = known
        self._computed = False
        both = self.edges.are_met(self.world.view("ten_length"))
        found = passes.matrix(self._failed)
        return steeper(found, passes.matrix(self._failed, -1.0)) if both else found, rows, columns

    def _made_passes(
        self, outputs: tuple[str, ...], inputs: tuple[str, ...]
    ) -> tuple[Passes, dict[str, slice], dict[str, slice]]:
        groups = self.groups(outputs, inputs)
        rows = [self._place(name) for name in outputs]
        passes = Passes(self.world, self.model, groups, rows, self._pieces, self._kept)
        # an input without directions has no group
        columns, first = dict.fromkeys(inputs, slice(0, 0)), 0
        for group in groups:
            columns |= slices_of(group.inputs, first)
            first += TANGENTS * -(-sum(place.coordinates.size for place in group.inputs) // TANGENTS)
        return passes, slices_of(rows, 0), columns

    def _place(self, name: str) -> Place:
        """Return the location of a field in memory."""
        field = self.field(name)
        memory = (self.world.data, self.world.tangents) if field[0] == "d" else (self.plan.model, self.model.tangents)
        return place_of(*memory, field, self.coordinates(name), bounds_of(self.plan, name))

    def _failed(self, run: Run | PlainPass, answer: int) -> None:
        run.position = (0, 0, 0)
        raise FatalError(f"{self.function}: a stage answered {answer} in dual numbers")

    def products(self, outputs: tuple[str, ...], directions: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return changes in outputs for changes in inputs along given directions.

        Args:
            outputs: names of fields.
            directions: for each input, by name, n vectors in its tangent coordinates, shape (n, size).

        Returns:
            For each output, by name, n vectors in its tangent coordinates, shape (n, size).
        """
        self._keep_moved()
        count = len(next(iter(directions.values())))
        found = {output: np.zeros((count, self.coordinates(output).size)) for output in outputs}
        names = tuple(sorted(directions))
        key = (*outputs, "together"), names
        if key not in self._groups:
            self._groups[key] = [self._group(names, [self.field(name) for name in outputs])]
        (group,) = self._groups[key]
        changes = {name: self.coordinates(name).directions(self._begin(name)) @ directions[name].T for name in names}
        signs = self._signs(changes)
        for first in range(0, count, TANGENTS):
            width = min(TANGENTS, count - first)
            for name in names:
                tangents = self.tangents(name)
                tangents[...] = 0.0
                tangents[:, :width] = (changes[name] * signs)[:, first : first + width]
            self._go(group)
            for output in outputs:
                found[output][first : first + width] = (
                    self.changes(output)[:, :width] * signs[first : first + width]
                ).T
        self._end(group)
        return found

    def _signs(self, changes: dict[str, np.ndarray]) -> np.ndarray:
        """Return a sign for each change in the inputs: -1 if only the opposite change stays within bounds, else 1."""
        signs = np.ones(next(iter(changes.values())).shape[1])
        for name, change in changes.items():
            if bounds := bounds_of(self.plan, name):
                signs[bounds.outward(reals_of(self.plan.model), self._begin(name), change)] = -1.0
        return signs

    def changes(self, output: str) -> np.ndarray:
        """Return changes in the field `output` along the directions of the last pass, shape (size, tangents)."""
        value = self._moved.get(output)
        return self.coordinates(output).components(
            self.value(output) if value is None else value, self.tangents(output)
        )

    def _begin(self, name: str) -> np.ndarray:
        """Return the values of an input before the step."""
        self.restore()
        return self.value(name)

    def _go(self, group: Group) -> None:
        """Run one pass from the state before the step."""
        heed()
        self.restore()
        for place in group.cleared:
            self.tangents(place.name)[...] = 0.0
        if answer := group.run.go(1):
            self._failed(group.run, answer)

    def _end(self, group: Group) -> None:
        """Clear the tangents of the inputs, and restore the state to its values before the step."""
        for place in group.inputs:
            self.tangents(place.name)[...] = 0.0
        self.restore()


def slices_of(places: Sequence[Place], first: int) -> dict[str, slice]:
    """Return the slice of coordinates of each field, by name, if the first field starts at index `first`.

    The coordinates of the fields are consecutive.
    """
    found = {}
    for place in places:
        found[place.name] = slice(first, first + place.coordinates.size)
        first += place.coordinates.size
    return found


def refuse(m: MjModel) -> None:
    """Raise FatalError if the model's solver or installed functions have no derivatives; the message names them."""
    found = []
    if installed.active:
        found.append(f"functions that the program has installed ({', '.join(installed.active)})")
    if m.opt.solver in tuple(mjtImpulse):
        found.append(f"the solver {mjtImpulse(m.opt.solver).name}, whose forces do not minimize a cost")
    if found:
        raise FatalError(f"this cannot be differentiated: {'; '.join(found)}; use mjd_transitionFD instead")
