"""Derivatives of all worlds of a batch, computed on its device in dual numbers, with one thread for each world."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from conjoint.batch.device_worlds import DeviceWorlds
from conjoint.batch.exchange import SHARED
from conjoint.batch.varied_models import BlockModel
from conjoint.derivative.coordinates import Coordinates
from conjoint.derivative.edges import bounds_of, steeper
from conjoint.derivative.passes import Group, Place
from conjoint.derivative.pipeline import DualPipeline
from conjoint.device.memory import GroupMemory, SimulatedMemory
from conjoint.device.steps import DeviceFunction, compiled_units, runner
from conjoint.lang import FatalError
from conjoint.lang.memory.layout import TANGENT, Buffer, Layout
from conjoint.lang.memory.realisation import TANGENTS
from conjoint.lang.threads.caller import heed
from conjoint.runtime.dual_stages import MOVED
from conjoint.runtime.dual_world import DATA_TANGENTS, DUAL_DATA, DUAL_MODEL, reals_of

MOST_BYTES = 1 << 30
"""Maximum memory in bytes for worlds that are differentiated together; larger batches are processed in chunks."""


class DualGroup(GroupMemory):
    """Host memory of one world in dual numbers.

    Args:
        pipeline: pipeline of the differentiated function on the CPU.
    """

    def __init__(self, pipeline: DualPipeline):
        self.model = pipeline.model
        super().__init__(pipeline.plan, np.float64, 1, BlockModel(pipeline.plan, (), 1).own)

    def _new_arena(self, capacities: Mapping[str, int]) -> Buffer:
        arena = super()._new_arena(capacities)
        self.tangents = Buffer(Layout(DATA_TANGENTS, self.data.layout.sizes | arena.layout.sizes))
        return arena

    @property
    def model_buffers(self) -> Sequence[Buffer]:
        return self.model.buffers

    @property
    def parts(self) -> Sequence[Buffer]:
        return self.data, self.arena, self.tangents


class DevicePipeline:
    """Derivatives of a function in all worlds of a batch, computed on its device.

    The class has the interface of a `DualPipeline`, which is for a single world. It differentiates all worlds together,
    and its methods return the results of one world, which `at` selects.

    Args:
        worlds: the worlds.
        pipeline: pipeline of the function on the CPU, for coordinates and stages.
        alone: function that returns the CPU pipeline of a world, for derivatives with respect to model fields.

    Attributes:
        world: number of the world whose results are returned.
        pieces: cache for callers, as in `DualPipeline`.
    """

    def __init__(self, worlds: DeviceWorlds, pipeline: DualPipeline, alone: Callable[[int], DualPipeline]):
        self.worlds, self.pipeline, self.alone = worlds, pipeline, alone
        self.world, self.pieces = 0, dict[Any, Any]()
        group = DualGroup(pipeline)
        count = max(1, min(worlds.nworld, MOST_BYTES // group.nbytes))
        self.memory = SimulatedMemory(worlds.device, group, count)
        self.values = DeviceFunction(worlds.device, pipeline.value_stages, "float64", DUAL_MODEL, 1, DUAL_DATA)
        self._runs: dict[int, tuple[Any, Callable[[], np.ndarray], Group]] = {}
        self._matrices: dict[Any, np.ndarray] = {}

    def begin(self) -> None:
        """Discard cached results, because the worlds may have changed."""
        self._matrices.clear()

    def at(self, world: int) -> DevicePipeline:
        """Select the world whose results are returned; return this pipeline."""
        self.world = world
        return self

    def coordinates(self, name: str) -> Coordinates:
        """Return the tangent coordinates of a field."""
        return self.pipeline.coordinates(name)

    def jacobian(self, outputs: tuple[str, ...], inputs: tuple[str, ...]) -> dict[str, dict[str, np.ndarray]]:
        """Return the derivatives of outputs with respect to inputs, as matrices by output and input name."""
        matrix, rows, columns = self.matrix(outputs, inputs)
        return {output: {name: matrix[rows[output], columns[name]] for name in inputs} for output in outputs}

    def matrix(
        self, outputs: tuple[str, ...], inputs: tuple[str, ...]
    ) -> tuple[np.ndarray, dict[str, slice], dict[str, slice]]:
        """Return the matrices of `jacobian` as one matrix, with the rows of each output and columns of each input."""
        if self.worlds.varied.names or any(self.pipeline.input_field(name)[0] == "m" for name in inputs):
            return self.alone(self.world).matrix(outputs, inputs)
        groups = self.pipeline.groups(outputs, inputs)
        rows, columns = self._slices(outputs), self._slices([place.name for g in groups for place in g.inputs])
        columns |= {name: slice(0, 0) for name in inputs if name not in columns}
        if (outputs, inputs) not in self._matrices:
            found = [self._linearized(chosen, groups, rows, columns) for chosen in self._chunks()]
            self._matrices[outputs, inputs] = np.concatenate(found)[: self.worlds.nworld]
        return self._matrices[outputs, inputs][self.world], rows, columns

    def products(self, outputs: tuple[str, ...], directions: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the changes in outputs along directions of inputs, as `DualPipeline.products` does."""
        matrices = self.jacobian(outputs, tuple(directions))
        return {
            output: np.sum([rows @ matrices[output][name].T for name, rows in directions.items()], axis=0)
            for output in outputs
        }

    # ---- on the device

    def _slices(self, names: Sequence[str]) -> dict[str, slice]:
        """Return the range of tangent coordinates of each field in a vector that contains all fields in order."""
        ends = np.cumsum([self.coordinates(name).size for name in names]).tolist()
        return {name: slice(*ends_of) for name, ends_of in zip(names, zip([0, *ends], ends, strict=False), strict=True)}

    def _chunks(self) -> list[np.ndarray]:
        """Return arrays of world numbers, one array for each chunk of worlds that are differentiated together.

        All chunks have the same length; the last world is repeated to fill the last chunk.
        """
        count, last = self.memory.nworld, self.worlds.nworld - 1
        return [np.minimum(np.arange(k, k + count), last) for k in range(0, last + 1, count)]

    def _computed(self, chosen: np.ndarray, outputs: Sequence[str]) -> dict[str, np.ndarray]:
        """Run the function in the chosen worlds, and return its outputs by name, shape (n, size)."""
        self._start = {}
        for name, array in self.worlds.arrays.lasting.items():
            if name in SHARED:
                self.memory.write(name, array[chosen])
            if name in MOVED:
                self._start[name] = array[chosen]
        self.memory.write("sleep_known", np.zeros((len(chosen), 1)))
        self.values.go(self.memory, 1, None, self._failed)
        return {name: self.memory.read(name).reshape(len(chosen), -1) for name in outputs}

    def _failed(self, answer: int, stage: int, worlds: np.ndarray) -> int:
        raise FatalError(f"{self.pipeline.function}: stage {stage} returned status {answer} in worlds {worlds}")

    def _linearized(
        self, chosen: np.ndarray, groups: Sequence[Group], rows: Mapping[str, slice], columns: Mapping[str, slice]
    ) -> np.ndarray:
        """Return the derivative matrices of the chosen worlds, shape (n, rows, columns).

        Args:
            chosen: numbers of the n worlds.
            groups: inputs, grouped by the stages that depend on them.
            rows: rows of each output.
            columns: columns of each input.
        """
        after = self._computed(chosen, list(rows))
        edges = self.pipeline.edges.are_met(self.memory.read("ten_length"))
        sides = [1.0, -1.0] if edges.any() else [1.0]
        found = [np.zeros((len(chosen), max_end(rows), max_end(columns))) for _ in sides]
        for matrix, side in zip(found, sides, strict=True):
            for group in groups:
                self._differentiate(group, after, rows, columns, side, matrix)
        for k in np.flatnonzero(edges):
            found[0][k] = steeper(found[0][k], found[1][k])
        return found[0]

    def _differentiate(
        self,
        group: Group,
        after: Mapping[str, np.ndarray],
        rows: Mapping[str, slice],
        columns: Mapping[str, slice],
        side: float,
        matrix: np.ndarray,
    ) -> None:
        """Compute the matrix columns of a group of inputs, eight directions in each pass.

        Args:
            group: inputs with the same dependent stages.
            after: values of the outputs after the function has run, shape (n, size).
            rows: rows of each output.
            columns: columns of each input.
            side: 1 or -1, sign of the direction in which inputs change.
            matrix: result, shape (n, rows, columns).
        """
        heed()
        changes = {place.name: self._directions(place, side) for place in group.inputs}
        order = [(name, k) for name, (seeds, _) in changes.items() for k in range(seeds.shape[2])]
        for first in range(0, len(order), TANGENTS):
            some = order[first : first + TANGENTS]
            self._begin_pass({*rows, *(place.name for place in group.cleared)}, changes, some)
            if (answers := self._runner(group)()).any():
                self._failed(int(answers.max()), 0, np.flatnonzero(answers))
            signs = np.stack([changes[name][1][:, k] for name, k in some], axis=-1)
            to = [columns[name].start + k for name, k in some]
            for name, value in after.items():
                tangents = self.memory.read(TANGENT + name).reshape(*value.shape, TANGENTS)[..., : len(some)]
                matrix[:, rows[name], to] = self._components(name, value, tangents) * signs[:, None]
        for name in changes:
            self._clear(name)

    def _directions(self, place: Place, side: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the changes in an input along its directions, and the signs with which they are multiplied.

        Args:
            place: location of the input.
            side: sign of the changes, 1 or -1, except at bounds, where changes must point inward.

        Returns:
            Changes, shape (n, numbers, size) for n worlds, and signs, shape (n, size). If the changes are the same in
            all worlds, their first dimension is 1.
        """
        name, coordinates = place.name, place.coordinates
        values = np.asarray(self._start.get(name, self.memory.read(name)), float)
        values = values.reshape(len(values), -1)
        shared = not len(coordinates.quaternions[0])
        seeds = np.stack([coordinates.directions(value) for value in (values[:1] if shared else values)])
        signs = np.full((len(values), coordinates.size), side)
        if bounds := bounds_of(self.pipeline.plan, name):
            signs = bounds.free_sides(reals_of(self.pipeline.plan.model), values, side)
        return seeds, signs

    def _begin_pass(
        self,
        cleared: Iterable[str],
        changes: Mapping[str, tuple[np.ndarray, np.ndarray]],
        some: Sequence[tuple[str, int]],
    ) -> None:
        """Restore the state, clear the tangents of fields, and set the tangents of inputs along up to eight directions.

        Args:
            cleared: names of the fields whose tangents are cleared.
            changes: results of `_directions`, by input.
            some: input and direction for each tangent.
        """
        for name, start in self._start.items():
            self.memory.write(name, start)
        for name in cleared:
            self._clear(name)
        for name, (seeds, signs) in changes.items():
            tangents = np.zeros((self.memory.nworld, seeds.shape[1], TANGENTS))
            for k, (owner, direction) in enumerate(some):
                if owner == name:
                    tangents[:, :, k] = seeds[:, :, direction] * signs[:, direction, None]
            self.memory.write(TANGENT + name, tangents)

    def _clear(self, name: str) -> None:
        """Set the tangents of a field to zero in all worlds."""
        place = self.memory.group.place(TANGENT + name)
        self.memory.write(TANGENT + name, np.zeros((self.memory.nworld, place.nbytes // place.dtype.itemsize)))

    def _runner(self, group: Group) -> Callable[[], np.ndarray]:
        """Return the function that runs one pass of a group; it is created again after memory has grown."""
        known = self._runs.get(id(group))
        if known is None or known[0] is not self.memory.worlds:
            kernels = compiled_units(self.worlds.device, group.units, DUAL_MODEL, DUAL_DATA)
            known = self._runs[id(group)] = self.memory.worlds, runner(self.memory, kernels), group
        return known[1]

    def _components(self, name: str, value: np.ndarray, tangents: np.ndarray) -> np.ndarray:
        """Convert changes in the numbers of a field (n, numbers, m) to tangent coordinates (n, size, m)."""
        coordinates = self.coordinates(name)
        if not len(coordinates.quaternions[0]):
            return tangents
        return np.stack([coordinates.components(*one) for one in zip(value, tangents, strict=True)])


def max_end(slices: Mapping[str, slice]) -> int:
    """Return the end of the last slice, which is the number of rows or columns of a matrix."""
    return max((part.stop for part in slices.values()), default=0)
