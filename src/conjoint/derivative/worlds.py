"""Worlds at which derivatives are evaluated: a single world, or all worlds of a batch."""

from __future__ import annotations

import copy
import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel, model_in
from conjoint.batch.batch import Batch, worlds_of
from conjoint.batch.exchange import fill_world
from conjoint.derivative.inputs_check import check_function, check_names, check_world, hint
from conjoint.derivative.pipeline import DualPipeline
from conjoint.lang import ArgumentError, FatalError
from conjoint.lang.language.name import Name, value_of
from conjoint.lang.system import processors
from conjoint.lang.threads.thread_pool import ThreadPool

device = Name("conjoint.derivative.device")


@dataclass(frozen=True)
class Worlds:
    """Worlds at which derivatives are evaluated.

    Attributes:
        axes: world axes, which are the first axes of every array of derivatives; empty for a single world.
        pipeline: a pipeline of the function, for the coordinates of all fields.
        each: function that returns the results of `work(pipeline, world)` for every world, after the world's values are
            computed.
    """

    axes: tuple[int, ...]
    pipeline: DualPipeline
    each: Callable[[Callable[[DualPipeline, int], Any]], list[Any]]


def worlds_at(model: MjModel | Batch, data: MjData | None, function: str) -> Worlds:
    """Return the worlds of a batch, or the single world of a model and its data.

    Raises:
        TypeError: the arguments are neither a batch nor a model with its data.
    """
    if isinstance(model, Batch):
        if data is not None:
            raise TypeError(
                "a Batch has its own data: pass keyword arguments, as in jacobian(batch, outputs=[...], inputs=[...])"
            )
        return _worlds_of_batch(model, function)
    data = check_world(model, data)
    pipeline = pipeline_of(model, function)

    def each(work: Callable[[DualPipeline, int], Any]) -> list[Any]:
        pipeline.at(data)
        return [work(pipeline, 0)]

    return Worlds((), pipeline, each)


def _worlds_of_batch(batch: Batch, function: str) -> Worlds:
    """Return the worlds of a batch, processed by all its threads; world 0 is processed first, alone."""
    check_function(function)
    worlds, known = worlds_of(batch), _workspaces.setdefault(batch, {})
    with worlds.turn.held:
        if function not in known:
            known[function] = Workspaces(model_in(worlds.model_of()), function, batch.nthread)
    places = known[function]

    def enter(place: Workspace, world: int) -> None:
        fill_world(place.model, place.data, worlds, world)

    def each(work: Callable[[DualPipeline, int], Any]) -> list[Any]:
        with worlds.turn.held:
            if worlds.varied.names:
                worlds.constants.follow()
            if worlds.device is not None and worlds.device.has_float64:
                return on_device(work)
            return places.each(batch.nworld, enter, work)

    def alone(world: int) -> DualPipeline:
        enter(places.first, world)
        return places.first.values()

    def on_device(work: Callable[[DualPipeline, int], Any]) -> list[Any]:
        for world in range(batch.nworld):
            enter(places.first, world)
            check_entered(places.first, world, batch.nworld)
        pipeline = places.first.pipeline
        if places.remote is None or places.remote.pipeline is not pipeline:
            places.remote = value_of(device).DevicePipeline(worlds, pipeline, alone)
        places.remote.begin()
        return [work(places.remote.at(world), world) for world in range(batch.nworld)]

    return Worlds((batch.nworld,), places.first.pipeline, each)


class Workspace:
    """Memory in which one thread computes derivatives.

    Args:
        model: the model.
        function: the function that is differentiated.

    Attributes:
        model: a writable copy of the model.
        data: a world of the copy.
        pipeline: the last pipeline.
    """

    def __init__(self, model: MjModel, function: str):
        self.model, self._function = copy.copy(model), function
        # the memory of the copy is written to
        self.model.plans.exposed.expose_all()
        self.data = MjData(self.model)
        self.pipeline = DualPipeline(self.model, function)

    def values(self) -> DualPipeline:
        """Compute all values at the current model and world, and return the pipeline."""
        if not self.pipeline.holds(self.model):
            self.pipeline = DualPipeline(self.model, self._function)
        self.pipeline.at(self.data)
        return self.pipeline


def check_entered(place: Workspace, world: int, count: int) -> None:
    """Raise FatalError, with the number of the world, if the world's state or inputs are not finite."""
    try:
        check_world(place.model, place.data)
    except FatalError as error:
        raise FatalError(f"world {world}: {error}" if count > 1 else str(error)) from None


class Workspaces:
    """Workspaces of one model for all threads.

    Args:
        model: the model.
        function: the function that is differentiated.
        nthread: number of threads; by default the number of processors that the process may use.

    Attributes:
        first: workspace of the first thread.
        remote: derivatives of the worlds on a device (`derivative.device.DevicePipeline`), if some were computed.
    """

    remote: Any = None

    def __init__(self, model: MjModel, function: str, nthread: int | None = None):
        self._model, self._function, self._nthread = copy.copy(model), function, nthread or processors()
        self.first = Workspace(self._model, function)
        self._every = [self.first]
        self._pool = ThreadPool("conjoint derivatives")

    def each(
        self, count: int, enter: Callable[[Workspace, int], None], work: Callable[[DualPipeline, int], Any]
    ) -> list[Any]:
        """Return the results of `work(pipeline, world)` for `count` worlds, using all threads.

        Args:
            count: number of worlds.
            enter: function that writes a world into the model and the data of a workspace.
            work: function that uses a pipeline whose values have been computed for a world.

        Raises:
            BaseException: an error in a world, or an interrupt; then the remaining worlds are skipped.
        """

        def at(place: Workspace, world: int) -> Any:
            enter(place, world)
            check_entered(place, world, count)
            return work(place.values(), world)

        if not count:
            return []
        # the first world runs alone, because it compiles the kernels for all threads
        found = [at(self.first, 0)]
        while len(self._every) < min(self._nthread, count - 1):
            self._every.append(Workspace(self._model, self._function))
        return found + self._pool.map(at, range(1, count), self._every)


_workspaces: WeakKeyDictionary[Batch, dict[str, Workspaces]] = WeakKeyDictionary()
"""Workspaces of each batch, by function."""


class Known(threading.local):
    """Thread-local cache of pipelines, by model and function, each with memory for one world."""

    def __init__(self) -> None:
        self.pipelines: WeakKeyDictionary[MjModel, dict[str, DualPipeline]] = WeakKeyDictionary()


_known = Known()


def pipeline_of(m: MjModel, function: str) -> DualPipeline:
    """Return this thread's pipeline of a function, created on first use and again after the model has changed."""
    known = _known.pipelines.setdefault(m, {})
    found = known.get(function)
    if found is None or not found.holds(m):
        check_function(function)
        found = known[function] = DualPipeline(m, function)
    return found


def stacked(worlds: Worlds, found: list[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """Stack the arrays of all worlds, with the world axes first."""
    return (np.array(found) if worlds.axes else found[0]).reshape(*worlds.axes, *shape)


def rows_of(worlds: Worlds, given: Mapping[str, Any], what: str) -> tuple[dict[str, np.ndarray], tuple[int, ...]]:
    """Arrange vectors in the tangent coordinates of fields as rows for each world.

    Args:
        worlds: the worlds.
        given: for each field, one vector for each world, shape (*axes, size), or n vectors, shape (*axes, n, size).
        what: word for the vectors in messages, `directions` or `cotangents`.

    Returns:
        Arrays by field, shape (worlds, n, size), and the axis of n: (n,), or () for single vectors.

    Raises:
        ArgumentError: the field does not exist, or vectors have the wrong shape.
        TypeError: a value is not an array of numbers.
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} must be a dict of arrays, such as {{'qpos': ...}}, not {type(given).__name__}")
    check_names(what, given)
    axes, found = worlds.axes, {}
    many: tuple[int, ...] = ()
    for name, value in given.items():
        size = worlds.pipeline.coordinates(name).size
        try:
            rows = np.asarray(value, float)
        except (TypeError, ValueError):
            raise TypeError(f"{what}[{name!r}] must be numbers, not {value!r:.40}") from None
        n = rows.shape[len(axes) : -1]
        if len(n) > 1 or rows.shape != (*axes, *n, size):
            first = "".join(f"{count}, " for count in axes)
            raise ArgumentError(
                f"{what}[{name!r}] must have shape {(*axes, size)} or ({first}n, {size}), not {rows.shape}"
                f"{hint(name, rows, size)}"
            )
        many = many or n
        found[name] = rows.reshape(math.prod(axes), *(n or (1,)), size)
    if len({rows.shape[1] for rows in found.values()}) > 1:
        shapes = ", ".join(f"{name} {np.shape(value)}" for name, value in given.items())
        raise ArgumentError(f"{what} must be equally many for each field: {shapes}")
    return found, many
