"""All passes for a matrix of derivatives: which directions each carries, and one call of a kernel between them.

A pass carries eight directions of inputs that reach the same stages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conjoint.derivative.coordinates import Coordinates
from conjoint.derivative.edges import Bounds
from conjoint.lang.calls.driver import Run
from conjoint.lang.memory.layout import TANGENT, Buffer
from conjoint.lang.memory.realisation import TANGENTS
from conjoint.lang.threads.caller import heed
from conjoint.physics.derivative import directions
from conjoint.physics.derivative.directions import HEAD, NUMBER, PASS, UNBOUNDED
from conjoint.runtime.dual_run import PlainPass
from conjoint.runtime.dual_world import DualModel, DualWorld, reals_of, span_of
from conjoint.runtime.entry import entry

_turn_passes = entry(
    directions.turn_passes,
    "int[]", "out real[]", "real[]", "out real[]", "out real[]", "out real[]", "out real[]", "out real[]", "int",
)  # fmt: skip


@dataclass(frozen=True)
class Place:
    """Where a field lies.

    Attributes:
        of_model: whether it is a field of the model.
        number: its first number in the memory of values; 0 if that is elsewhere.
        tangent: its first number in the memory of tangents.
        count: how many numbers it has.
        coordinates: its directions.
        bounds: bounds of its numbers, if they have any.
    """

    of_model: bool
    number: int
    tangent: int
    count: int
    coordinates: Coordinates
    bounds: Bounds | None = None

    def directions(self) -> list[tuple[int, int, int]]:
        """Of each direction its number, or the first of its quaternion; the axis; where the value of either is."""
        found: list[Any] = [None] * self.coordinates.size
        for place, direction in zip(*self.coordinates.numbers, strict=True):
            found[direction] = self.tangent + place, NUMBER, self.number + place
        for place, first in zip(*self.coordinates.quaternions, strict=True):
            for axis in range(3):
                found[first + axis] = self.tangent + place, axis, self.number + place
        return found

    def limits(self) -> list[tuple[int, int]]:
        """Of each direction the place of its upper bound in the model, and whether it is a muscle's."""
        if self.bounds is None:
            return [(UNBOUNDED, 0)] * self.coordinates.size
        return list(zip(self.bounds.upper.tolist(), self.bounds.muscle.tolist(), strict=True))


@dataclass(frozen=True)
class Directions:
    """Directions that passes of the same stages carry.

    Attributes:
        run: the stages.
        inputs: their places.
        cleared: places of fields whose tangents must be zero at the start.
    """

    run: Run | PlainPass
    inputs: Sequence[Place]
    cleared: Sequence[Place]


class Passes:
    """All passes for derivatives of some fields by others, on the memory of a world in dual numbers.

    Args:
        world, model: the memory.
        groups: the inputs; their directions are the columns of the matrix, in this order, those of a pass from a
            multiple of eight on.
        outputs: places of the fields whose coordinates are the rows.
        moved: the pieces of memory that a step moves on.
        kept: the state before the step, of these pieces.
    """

    def __init__(
        self,
        world: DualWorld,
        model: DualModel,
        groups: Sequence[Directions],
        outputs: Sequence[Place],
        moved: Sequence[tuple[int, int]],
        kept: np.ndarray,
    ):
        table = Table()
        passes = [(group, chosen) for group in groups for chosen in chunks(group)]
        spans = [(False, *piece) for piece in moved]
        rows = [row for place in outputs for row in place.directions()]
        heads = table.head(len(passes), spans, rows)
        for head, (group, chosen) in zip(heads, passes, strict=True):
            cleared = {(place.of_model, place.tangent, place.count) for place in (*group.inputs, *group.cleared)}
            seeds = [(*where, k, *rest) for k, (where, rest) in enumerate(chosen)]
            table.fill(head, sorted(cleared), seeds)
        self.shape = len(rows), TANGENTS * len(passes)
        self.runs = [group.run for group, _ in passes]
        buffers = world.data, model.plan.model, world.tangents, model.tangents
        self._signs = np.ones(self.shape[1])
        self._arguments = np.array(table.numbers, np.int32), *map(reals_of, buffers), kept, self._signs

    def matrix(self, failed: Callable[[Run | PlainPass, int], None], side: float = 1.0) -> np.ndarray:
        """Derivatives at the values in memory, on a side where the inputs may move to both.

        `failed` is called with a run and what it answers if it stops.
        """
        self._signs[:] = side
        found, arguments = np.empty(self.shape), self._arguments
        number = 0
        for run in self.runs:
            heed()
            _turn_passes(*arguments, found, number)
            if answer := run.go(1):
                failed(run, answer)
            number += 1
        _turn_passes(*arguments, found, number)
        return found


def place_of(
    values: Buffer, tangents: Buffer, field: str, coordinates: Coordinates, bounds: Bounds | None = None
) -> Place:
    """Where a field lies (`d.qpos`); its values lie in a buffer, or in another one that is not needed."""
    start, count = span_of(tangents, TANGENT + field[2:])
    within = field[2:] in values.layout.index
    number = span_of(values, field[2:])[0] if within else 0
    return Place(field[0] == "m", number, start // TANGENTS, count // TANGENTS, coordinates, bounds)


def chunks(group: Directions) -> list[list[tuple[tuple[int, ...], tuple[int, ...]]]]:
    """Directions of a group, as many at once as a pass carries: what a seed says before and after its tangent."""
    every: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((place.of_model, number, axis), (value, *limit))
        for place in group.inputs
        for (number, axis, value), limit in zip(place.directions(), place.limits(), strict=True)
    ]
    return [every[k : k + TANGENTS] for k in range(0, len(every), TANGENTS)]


class Table:
    """The table of integers that the kernels of `physics.derivative.directions` read."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def head(self, count: int, spans: Sequence[Any], outputs: Sequence[Any]) -> list[int]:
        """The head, with room for `count` passes: the place of each."""
        self.numbers = [0] * (HEAD + PASS * count)
        self.numbers[:HEAD] = [count, self.add(spans), len(spans), self.add(outputs), len(outputs)]
        return [HEAD + PASS * k for k in range(count)]

    def fill(self, head: int, cleared: Sequence[Any], seeds: Sequence[Any]) -> None:
        """Describe the pass whose head is at a place."""
        self.numbers[head : head + PASS] = [self.add(cleared), len(cleared), self.add(seeds), len(seeds)]

    def add(self, rows: Sequence[Any]) -> int:
        """Append rows; where they begin."""
        start = len(self.numbers)
        for row in rows:
            self.numbers.extend(map(int, row))
        return start
