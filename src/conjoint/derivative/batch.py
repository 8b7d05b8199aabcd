"""Derivatives of every world of a batch, on all threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from conjoint.api.objects.model import model_in
from conjoint.batch.arrays import fill_data
from conjoint.batch.batch import Batch, worlds_of
from conjoint.batch.world_set import WorldSet
from conjoint.derivative.derivatives import jacobian_at, jvp_at, vjp_at
from conjoint.derivative.inputs_check import check_function, check_names, check_world
from conjoint.derivative.pipeline import DualPipeline
from conjoint.derivative.workers import Worker, Workers
from conjoint.lang import FatalError

_workers: WeakKeyDictionary[Batch, dict[str, Workers]] = WeakKeyDictionary()


class AllWorlds:
    """The worlds of a batch as `Points`, on all threads."""

    def __init__(self, batch: Batch, function: str):
        if not isinstance(batch, Batch):
            raise TypeError(f"derivatives of a batch are of a Batch, not of {type(batch).__name__}")
        self._batch, self._function, self._worlds = batch, function, worlds_of(batch)

    def each(self, work: Callable[[DualPipeline, int], Any]) -> list[Any]:
        """`Points.each`; first of world 0."""
        worlds = self._worlds
        with worlds.turn.held:
            workers = _workers_of(self._batch, worlds, self._function)
            if worlds.varied.names:
                worlds.constants.follow()

            def at(worker: Worker, world: int) -> Any:
                _enter(worker, worlds, world)
                return work(worker.values(), world)

            return workers.do(self._batch.nworld, at)

    def rows(self, given: Mapping[str, Any], what: str) -> list[dict[str, np.ndarray]]:
        """`Points.rows`: of each field one vector for each world."""
        check_names(what, given)
        nworld, found = self._batch.nworld, {}
        with self._worlds.turn.held:
            pipeline = _workers_of(self._batch, self._worlds, self._function).first.pipeline
            for name, value in given.items():
                shape = nworld, pipeline.coordinates(name).size
                found[name] = np.asarray(value, float)
                if found[name].shape != shape:
                    raise FatalError(f"{what}[{name!r}] must have shape {shape}, not {found[name].shape}")
        return [{name: value[world : world + 1] for name, value in found.items()} for world in range(nworld)]

    def matrix(self, found: Sequence[np.ndarray]) -> np.ndarray:
        """`Points.matrix`: worlds along the first axis."""
        return np.stack(found)

    def vectors(self, found: Sequence[np.ndarray], given: Mapping[str, Any]) -> np.ndarray:
        """`Points.vectors`: a row for each world."""
        return np.concatenate(found)


def batch_jacobian(
    batch: Batch, outputs: Sequence[str], inputs: Sequence[str], function: str = "mj_step"
) -> dict[str, dict[str, np.ndarray]]:
    """Exact derivatives of fields by fields in every world of a batch, at the states and inputs that worlds have now.

    Worlds stay as they are. What varies between them (`vary`) has the numbers of each world. Derivatives are in double
    precision, of the step of a single world.

    Args:
        batch: the worlds.
        outputs: names of fields that the function writes, as of `jacobian`.
        inputs: names of fields of the world, or of the model.
        function: `mj_step`, `mj_forward` or `mj_inverse`.

    Returns:
        by output and input, shape (nworld, rows, columns), with the rows and columns of `jacobian`.

    Raises:
        FatalError: there is no such field, a state is not finite, or the model cannot be differentiated.
        TypeError: names are no list, or this is no batch.
    """
    return jacobian_at(AllWorlds(batch, function), outputs, inputs)


def batch_jvp(
    batch: Batch, directions: Mapping[str, np.ndarray], outputs: Sequence[str], function: str = "mj_step"
) -> dict[str, np.ndarray]:
    """Changes of fields in every world when its inputs change along a direction: the matrices times vectors.

    Args:
        batch: the worlds, which stay as they are.
        directions: by input, shape (nworld, size): a vector in its coordinates for each world.
        outputs: names of fields.
        function: as of `jacobian`.

    Returns:
        by output, shape (nworld, size): a vector in its coordinates for each world.

    Raises:
        FatalError: as of `batch_jacobian`, or directions have another shape.
    """
    return jvp_at(AllWorlds(batch, function), directions, outputs)


def batch_vjp(
    batch: Batch, cotangents: Mapping[str, np.ndarray], inputs: Sequence[str], function: str = "mj_step"
) -> dict[str, np.ndarray]:
    """Gradients by inputs, in every world, of a number of which the gradients by outputs are given.

    Args:
        batch: the worlds, which stay as they are.
        cotangents: by output, shape (nworld, size): a vector in its coordinates for each world.
        inputs: names of fields.
        function: as of `jacobian`.

    Returns:
        by input, shape (nworld, size): a vector in its coordinates for each world.

    Raises:
        FatalError: as of `batch_jacobian`, or cotangents have another shape.
    """
    return vjp_at(AllWorlds(batch, function), cotangents, inputs)


def batch_transition(batch: Batch) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Exact transition matrices of every world: A, B, C and D of `mjd_transition`, with worlds along the first axis.

    Args:
        batch: the worlds, at whose states and controls derivatives are taken.

    Returns:
        A, B, C and D, of shape (nworld, 2 nv + na, 2 nv + na), (nworld, 2 nv + na, nu), (nworld, nsensordata, 2 nv +
            na) and (nworld, nsensordata, nu).

    Raises:
        FatalError: a state is not finite, or the model cannot be differentiated.
    """
    state = ("qpos", "qvel", "act")
    known = batch_jacobian(batch, (*state, "sensordata"), (*state, "ctrl"))

    def matrix(rows: Sequence[str], columns: Sequence[str]) -> np.ndarray:
        return np.concatenate([np.concatenate([known[r][c] for c in columns], axis=2) for r in rows], axis=1)

    sensors, controls = ["sensordata"], ["ctrl"]
    return matrix(state, state), matrix(state, controls), matrix(sensors, state), matrix(sensors, controls)


def _workers_of(batch: Batch, worlds: WorldSet, function: str) -> Workers:
    """The workers of a function of a batch, made on first use."""
    check_function(function)
    known = _workers.setdefault(batch, {})
    if function not in known:
        known[function] = Workers(model_in(worlds.model_of()), function, batch.nthread)
    return known[function]


def _enter(worker: Worker, worlds: WorldSet, world: int) -> None:
    """Give a worker the model, the state and the inputs of a world."""
    for name in worlds.varied.all:
        worker.m.memory.view(name)[...] = worlds.varied.arrays[name][world]
    fill_data(worker.d, worlds.arrays, world)
    try:
        check_world(worker.m, worker.d)
    except FatalError as error:
        raise FatalError(f"world {world}: {error}") from None
