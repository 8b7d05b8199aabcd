"""Steps as functions of arrays, for one or many worlds, with their derivatives."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from conjoint.api.arguments import as_array
from conjoint.api.functions.constants import mj_setConst
from conjoint.api.functions.state import mj_getState, mj_setState, mj_stateSize, whole_state
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.batch.varied_models import VARIABLE
from conjoint.derivative.derivatives import Matrices, Vectors, jacobian_of, jvp_of, pushed_forward, vjp_of
from conjoint.derivative.inputs_check import check_function, check_names, check_world
from conjoint.derivative.pipeline import REALS, DualPipeline
from conjoint.derivative.worlds import Workspace, Workspaces, Worlds, stacked
from conjoint.lang import ArgumentError
from conjoint.once import ForkLock
from conjoint.runtime.constants import constants_of_worlds, following

Values = Mapping[str, np.ndarray]
"""Arrays by field name."""


@dataclass(frozen=True)
class ArrayWorlds(Worlds):
    """Worlds whose inputs are given as rows of arrays.

    Attributes:
        inputs: arrays by field, shape (number of worlds, ...).
    """

    inputs: dict[str, np.ndarray]


class StepFunction:
    """A step, or another function of the engine, as a pure function of arrays.

    Call it with arrays by name: `step({"qpos": qpos, "qvel": qvel, "ctrl": ctrl})` returns the outputs by name. An
    array has the shape of its field, optionally preceded by world axes; worlds run on all threads. An input without
    such axes is the same in all worlds. Missing inputs have the values that `data` and the model had at construction.
    If fields of the model are given, constants that depend on them are recomputed (mj_setConst).

    Derivatives are in the tangent coordinates of `jacobian`. The derivatives of `jax_step` and `torch_step` are with
    respect to the components of the fields, as these frameworks require.

    Args:
        model: the model; the function works on a copy of it.
        data: world with the values of missing inputs; by default a new world.
        outputs: names of fields that the function writes.
        function: `mj_step`, `mj_forward` or `mj_inverse`.
        nthread: number of threads; by default the number of processors that the process may use.

    Raises:
        ArgumentError: the field or function does not exist.
        FatalError: the model cannot be differentiated.
    """

    def __init__(
        self,
        model: MjModel,
        data: MjData | None = None,
        outputs: Sequence[str] = ("qpos", "qvel"),
        function: str = "mj_step",
        nthread: int | None = None,
    ):
        check_function(function)
        self.outputs = check_names("outputs", outputs)
        world = MjData(model) if data is None else data
        check_world(model, world)
        self._turn = ForkLock()
        self._places = Workspaces(model, function, nthread)
        for name in self.outputs:
            if self._places.first.pipeline.field(name)[0] != "d":
                raise ArgumentError(f"outputs must be fields of MjData, but {name!r} is a field of MjModel")
        self._start = np.zeros(mj_stateSize(model, whole_state()))
        mj_getState(model, world, self._start, whole_state())
        # whether model fields were written, the writable model fields, and the stages that recompute constants
        self._touched, self._model = False, copy.copy(model)
        self._fields = VARIABLE & REALS["m"].keys()
        self._constants = constants_of_worlds(self._model.memory)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a field.

        Args:
            name: name of a field of `MjData` or of the model, such as "body_mass".

        Raises:
            ArgumentError: the field does not exist.
        """
        first = self._places.first
        if first.pipeline.field(name)[0] == "d":
            return first.data.world.data.view(name).shape
        if name not in self._fields:
            raise ArgumentError(f"{name!r} of the model cannot be an input: it determines which stages run")
        return self._model.memory.view(name).shape

    def __call__(self, values: Values) -> Vectors:
        """Return the outputs by name, with the world axes before the axes of the fields.

        Args:
            values: arrays by input name.

        Raises:
            ArgumentError: an array has a different shape from its field, or arrays have different numbers of worlds.
        """
        worlds = self.worlds(values)
        found = worlds.each(lambda pipeline, _: [pipeline.outcome(name) for name in self.outputs])
        return {
            name: stacked(worlds, [one[k] for one in found], self.shape(name)) for k, name in enumerate(self.outputs)
        }

    def jacobian(self, values: Values, inputs: Sequence[str] | None = None) -> Matrices:
        """Return derivatives of the outputs with respect to inputs, in tangent coordinates.

        Args:
            values: arrays by input name, as in a call.
            inputs: names of inputs; by default all inputs that have values.

        Returns:
            The matrices of `jacobian` by output and input name, with the world axes first.
        """
        return jacobian_of(self.worlds(values), self.outputs, self._named("inputs", values, inputs))

    def jvp(self, values: Values, directions: Values) -> Vectors:
        """Return changes in the outputs when inputs change along given directions.

        Args:
            values: arrays by input name, as in a call.
            directions: per input, one vector in its tangent coordinates for each world, shape (*world axes, size), or n
                vectors, shape (*world axes, n, size).

        Returns:
            For each output, by name, one vector in the output's tangent coordinates per direction.
        """
        self._named("directions", values, directions)
        return jvp_of(self.worlds(values), directions, self.outputs, pushed_forward)

    def vjp(self, values: Values, cotangents: Values, inputs: Sequence[str] | None = None) -> Vectors:
        """Return gradients with respect to inputs, given gradients with respect to outputs, in each world.

        Args:
            values: arrays by input name, as in a call.
            cotangents: by output, one vector in its tangent coordinates for each world, shape (*world axes, size), or n
                vectors, shape (*world axes, n, size).
            inputs: names of inputs; by default all inputs that have values.

        Returns:
            For each input, by name, one vector in the input's tangent coordinates per cotangent.
        """
        if missing := [name for name in cotangents if name not in self.outputs]:
            raise ArgumentError(f"cotangents of {missing[0]!r}: the function has the outputs {', '.join(self.outputs)}")
        return vjp_of(self.worlds(values), cotangents, self._named("inputs", values, inputs))

    def _named(self, what: str, values: Values, names: Iterable[str] | None) -> tuple[str, ...]:
        """Return the names of inputs for derivatives; None selects all inputs."""
        found = check_names(what, values if names is None else names)
        if missing := [name for name in found if name not in values]:
            raise ArgumentError(f"{missing[0]!r} is not among the inputs of the function: {', '.join(values)}")
        return found

    def worlds(self, values: Values) -> ArrayWorlds:
        """Return worlds with the given inputs.

        Args:
            values: arrays by input name, as in a call.

        Raises:
            ArgumentError: an array has a different shape from its field, or arrays have different numbers of worlds.
        """
        arrays, before = {}, []
        for name in check_names("values", values):
            shape, value = self.shape(name), np.asarray(as_array(name, values[name]), float)
            first = value.ndim - len(shape)
            if first < 0 or value.shape[first:] != shape:
                raise ArgumentError(f"{name} must have shape {shape}, or axes of worlds before it, not {value.shape}")
            arrays[name] = value
            before.append(value.shape[:first])
        try:
            axes = np.broadcast_shapes(*before)
        except ValueError:
            shapes = ", ".join(f"{name} {value.shape}" for name, value in arrays.items())
            raise ArgumentError(f"inputs have different numbers of worlds: {shapes}") from None
        count = int(np.prod(axes, dtype=int))
        flat = {
            name: np.broadcast_to(value, (*axes, *self.shape(name))).reshape(count, *self.shape(name))
            for name, value in arrays.items()
        }
        return ArrayWorlds(axes, self._places.first.pipeline, partial(self._each, flat, count), flat)

    def _each(self, given: Values, count: int, work: Callable[[DualPipeline, int], Any]) -> list[Any]:
        """Return the results of `work(pipeline, world)` for the inputs of each world, using all threads."""
        of_model = given.keys() & self._fields
        self._touched = self._touched or bool(of_model)
        follow = bool(following(of_model, self._constants))

        def enter(place: Workspace, world: int) -> None:
            mj_setState(place.model, place.data, self._start, whole_state())
            if self._touched:
                place.model.memory.bytes[...] = self._model.memory.bytes
            for name, value in given.items():
                memory = place.model.memory if name in self._fields else place.data.world.data
                memory.view(name)[...] = value[world]
            if follow:
                mj_setConst(place.model, place.data)

        with self._turn.held:
            return self._places.each(count, enter, work)
