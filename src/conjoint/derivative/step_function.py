"""A step as a function of arrays, of one world or of many, with its derivatives: what other frameworks call."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conjoint.api.arguments import as_array
from conjoint.api.functions.constants import mj_setConst
from conjoint.api.functions.state import mj_getState, mj_setState, mj_stateSize, whole_state
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.batch.varied_models import VARIABLE
from conjoint.derivative.inputs_check import check_function, check_names, check_world
from conjoint.derivative.pipeline import REALS, DualPipeline
from conjoint.derivative.workers import Worker, Workers
from conjoint.lang import FatalError
from conjoint.once import ForkLock
from conjoint.runtime.constants import constants_of_worlds, following

Values = Mapping[str, np.ndarray]
"""Arrays by name of field."""


class StepFunction:
    """A step, or another function, from arrays to arrays, without a state of its own.

    Call it with the inputs by name: `step({"qpos": qpos, "qvel": qvel, "ctrl": ctrl})` gives the outputs by name. An
    array has the shape of its field, or axes before it: then it has a world for each of their places, worlds run on
    all threads, and what has no such axes is the same in all worlds. Inputs that are not given are those of `d` and of
    the model, as both were when the function was made. Where rows of the model are given, constants that follow from
    them are found anew (mj_setConst).

    Derivatives are by the numbers of the fields, nq of them for positions. A step does not depend on the length of a
    quaternion: its derivatives have no part along it.

    Args:
        m: the model; the function works on a copy of it.
        outputs: names of fields that the function writes.
        d: the world that has the inputs that are not given; by default one that was just made.
        function: `mj_step`, `mj_forward` or `mj_inverse`.
        nthread: threads; by default as many as processors that the process may use.

    Raises:
        FatalError: there is no such field, or the model cannot be differentiated.
    """

    def __init__(
        self,
        m: MjModel,
        outputs: Sequence[str] = ("qpos", "qvel"),
        d: MjData | None = None,
        function: str = "mj_step",
        nthread: int | None = None,
    ):
        check_function(function)
        self.outputs = check_names("outputs", outputs)
        world = MjData(m) if d is None else d
        check_world(m, world)
        self._turn = ForkLock()
        self._workers = Workers(m, function, nthread)
        for name in self.outputs:
            if self._workers.first.pipeline.field(name)[0] != "d":
                raise FatalError(f"outputs are fields of MjData; {name!r} is one of the model")
        self._start = np.zeros(mj_stateSize(m, whole_state()))
        mj_getState(m, world, self._start, whole_state())
        # whether rows of the model were written, which rows may be, and what follows from them
        self._touched, self._model = False, copy.copy(m)
        self._rows = VARIABLE & REALS["m"].keys()
        self._constants = constants_of_worlds(self._model.memory)

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of a field.

        Args:
            name: of a field of `MjData`, or of one of the model, such as "body_mass".

        Raises:
            FatalError: there is no such field.
        """
        first = self._workers.first
        if first.pipeline.field(name)[0] == "d":
            return first.d.world.data.view(name).shape
        if name not in self._rows:
            raise FatalError(f"{name!r} of the model cannot be an input: it decides more than numbers")
        return self._model.memory.view(name).shape

    def __call__(self, inputs: Values) -> dict[str, np.ndarray]:
        """The outputs by name, with the axes of the worlds before the shapes of the fields."""
        given, before = self._flat(inputs)
        count = int(np.prod(before, dtype=int))
        found = self._in_all_worlds(given, count, lambda pipeline, _: [pipeline.outcome(name) for name in self.outputs])
        return {
            name: np.array([one[k] for one in found]).reshape(*before, *self.shape(name))
            for k, name in enumerate(self.outputs)
        }

    def jacobian(self, inputs: Values, by: Sequence[str] | None = None) -> dict[str, dict[str, np.ndarray]]:
        """Derivatives of the outputs by the inputs.

        Args:
            inputs: where, as in a call.
            by: names of inputs; by default all that are given.

        Returns:
            by output and input, the axes of the worlds, then those of the output, then those of the input.
        """
        matrices, before = self._matrices(inputs, by)
        return {
            output: {name: x.reshape(*before, *self.shape(output), *self.shape(name)) for name, x in row.items()}
            for output, row in matrices.items()
        }

    def jvp(self, inputs: Values, directions: Values) -> dict[str, np.ndarray]:
        """Changes of the outputs when inputs change along directions.

        Args:
            inputs: where, as in a call.
            directions: by input, arrays of the shapes of the inputs; worlds may share one.

        Returns:
            by output, arrays of the shapes of the outputs.
        """
        matrices, before = self._matrices(inputs, tuple(directions))
        given = {name: self._vectors(name, value, before) for name, value in directions.items()}
        return {
            output: self._summed(output, before, [np.einsum("wij,wj->wi", row[n], x) for n, x in given.items()])
            for output, row in matrices.items()
        }

    def vjp(self, inputs: Values, cotangents: Values, by: Sequence[str] | None = None) -> dict[str, np.ndarray]:
        """Gradients by the inputs of a number of which the gradients by outputs are given, in each world.

        Args:
            inputs: where, as in a call.
            cotangents: by output, arrays of the shapes of the outputs; worlds may share one.
            by: names of inputs; by default all that are given.

        Returns:
            by input, the axes of the worlds, then those of the input.
        """
        matrices, before = self._matrices(inputs, by)
        check_names("cotangents", cotangents)
        if missing := [name for name in cotangents if name not in matrices]:
            raise FatalError(f"cotangents of {missing[0]!r}: the function has the outputs {', '.join(self.outputs)}")
        given = {name: self._vectors(name, value, before) for name, value in cotangents.items()}
        names = check_names("by", inputs if by is None else by)
        return {
            name: self._summed(name, before, [np.einsum("wi,wij->wj", c, matrices[o][name]) for o, c in given.items()])
            for name in names
        }

    def _summed(self, name: str, before: tuple[int, ...], parts: Sequence[np.ndarray]) -> np.ndarray:
        """The sum of vectors of the numbers of a field, in its shape."""
        return np.sum(parts, axis=0).reshape(*before, *self.shape(name))

    def _matrices(
        self, inputs: Values, by: Sequence[str] | None
    ) -> tuple[dict[str, dict[str, np.ndarray]], tuple[int, ...]]:
        """Derivatives by output and input, (worlds, numbers of one, of the other), and the axes of the worlds."""
        given, before = self._flat(inputs)
        names = check_names("by", inputs if by is None else by)
        if missing := [name for name in names if name not in given]:
            raise FatalError(f"no derivatives by {missing[0]!r}: it is not among the inputs {', '.join(given)}")
        count = int(np.prod(before, dtype=int))
        sizes = {name: int(np.prod(self.shape(name), dtype=int)) for name in (*self.outputs, *names)}
        found = {o: {n: np.zeros((count, sizes[o], sizes[n])) for n in names} for o in self.outputs}

        def keep(pipeline: DualPipeline, world: int) -> None:
            ends = {name: pipeline.outcome(name) for name in self.outputs}
            for output, row in pipeline.jacobian(self.outputs, names).items():
                for name, matrix in row.items():
                    begin = given[name][world].reshape(-1)
                    found[output][name][world] = in_numbers(pipeline, matrix, (output, ends[output]), (name, begin))

        self._in_all_worlds(given, count, keep)
        return found, before

    def _vectors(self, name: str, value: np.ndarray, before: tuple[int, ...]) -> np.ndarray:
        """Vectors of the numbers of a field, one for each world."""
        shape = self.shape(name)
        try:
            rows = np.broadcast_to(np.asarray(as_array(name, value), float), (*before, *shape))
        except ValueError:
            raise FatalError(
                f"a vector for {name} must have shape {(*before, *shape)}, not {np.shape(value)}"
            ) from None
        return rows.reshape(int(np.prod(before, dtype=int)), -1)

    def _flat(self, inputs: Values) -> tuple[dict[str, np.ndarray], tuple[int, ...]]:
        """Inputs with one axis of worlds, and the axes that they had."""
        arrays, before = {}, []
        for name in check_names("inputs", inputs):
            shape, value = self.shape(name), np.asarray(as_array(name, inputs[name]), float)
            first = value.ndim - len(shape)
            if first < 0 or value.shape[first:] != shape:
                raise FatalError(f"{name} must have shape {shape}, or axes of worlds before it, not {value.shape}")
            arrays[name] = value
            before.append(value.shape[:first])
        try:
            axes = np.broadcast_shapes(*before)
        except ValueError:
            told = ", ".join(f"{name} {value.shape}" for name, value in arrays.items())
            raise FatalError(f"inputs have different numbers of worlds: {told}") from None
        count = int(np.prod(axes, dtype=int))
        flat = {
            name: np.broadcast_to(value, (*axes, *self.shape(name))).reshape(count, *self.shape(name))
            for name, value in arrays.items()
        }
        return flat, axes

    def _in_all_worlds(
        self, given: Mapping[str, np.ndarray], count: int, found: Callable[[DualPipeline, int], Any]
    ) -> list[Any]:
        """Return what `found(pipeline, world)` is with the values of each world, on all threads."""
        of_model = given.keys() & self._rows
        self._touched = self._touched or bool(of_model)
        follow = bool(following(of_model, self._constants))

        def work(worker: Worker, world: int) -> Any:
            mj_setState(worker.m, worker.d, self._start, whole_state())
            if self._touched:
                worker.m.memory.bytes[...] = self._model.memory.bytes
            for name, value in given.items():
                memory = worker.m.memory if name in self._rows else worker.d.world.data
                memory.view(name)[...] = value[world]
            if follow:
                mj_setConst(worker.m, worker.d)
            try:
                check_world(worker.m, worker.d)
            except FatalError as error:
                raise FatalError(f"world {world}: {error}" if count > 1 else str(error)) from None
            return found(worker.values(), world)

        with self._turn.held:
            return self._workers.do(count, work)


def in_numbers(
    pipeline: DualPipeline, matrix: np.ndarray, output: tuple[str, np.ndarray], given: tuple[str, np.ndarray]
) -> np.ndarray:
    """A matrix in the coordinates of an output and an input, as one in their numbers.

    Args:
        pipeline: what knows the coordinates.
        matrix: derivatives in coordinates.
        output: name and numbers of the output.
        given: name and numbers of the input.
    """
    (row, end), (column, begin) = output, given
    rows, columns = pipeline.coordinates(row), pipeline.coordinates(column)
    # where there are as many directions as numbers there is no quaternion
    if rows.size < end.size:
        matrix = rows.directions(end) @ matrix
    return matrix @ columns.components(begin, np.eye(begin.size)) if columns.size < begin.size else matrix
