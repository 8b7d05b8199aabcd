"""Passes that compute a matrix of derivatives. Each pass handles up to eight directions of inputs in the same group.

Inputs belong to the same group if the same stages depend on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conjoint.derivative.coordinates import Coordinates
from conjoint.derivative.edges import Bounds
from conjoint.lang import Kernel
from conjoint.lang.calls.driver import Run
from conjoint.lang.memory.layout import TANGENT, Buffer
from conjoint.lang.memory.realisation import TANGENTS
from conjoint.lang.objects.unit import Unit
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
    """Location of a field in memory.

    Attributes:
        name: name of the field.
        of_model: True for fields of the model.
        number: index of its first number in the memory of values; 0 if its values are stored elsewhere.
        tangent: index of its first number in the memory of tangents.
        count: number of its components.
        coordinates: its tangent coordinates.
        bounds: bounds of its numbers, if any.
    """

    name: str
    of_model: bool
    number: int
    tangent: int
    count: int
    coordinates: Coordinates
    bounds: Bounds | None = None

    def directions(self) -> list[tuple[int, int, int]]:
        """Return three integers for each direction: tangent index, axis, and value index.

        For a quaternion, the indices are those of its first number. For other numbers, the axis is `NUMBER`.
        """
        found: list[Any] = [None] * self.coordinates.size
        for place, direction in zip(*self.coordinates.numbers, strict=True):
            found[direction] = self.tangent + place, NUMBER, self.number + place
        for place, first in zip(*self.coordinates.quaternions, strict=True):
            for axis in range(3):
                found[first + axis] = self.tangent + place, axis, self.number + place
        return found

    def limits(self) -> list[tuple[int, int]]:
        """Return, for each direction, the index of its upper bound in the model, and 1 if a muscle clips it, else 0."""
        if self.bounds is None:
            return [(UNBOUNDED, 0)] * self.coordinates.size
        return list(zip(self.bounds.upper.tolist(), self.bounds.muscle.tolist(), strict=True))


@dataclass(frozen=True)
class Group:
    """Group of inputs on which the same stages depend.

    Attributes:
        inputs: locations of the inputs.
        run: the stages, bound to memory.
        cleared: locations of fields whose tangents must be zero at the start.
        kernels: kernels of the stages.
        units: compilation units of the kernels.
    """

    inputs: Sequence[Place]
    run: Any
    cleared: Sequence[Place]
    kernels: tuple[Kernel, ...]
    units: tuple[Unit, ...]


class Passes:
    """All passes for derivatives of some fields with respect to others, bound to the memory of a dual-number world.

    Args:
        world, model: the memory.
        groups: the inputs. Their directions are the columns of the matrix, in this order; each pass starts at a
            multiple of eight.
        outputs: locations of the output fields; their coordinates are the rows.
        moved: ranges of memory that a step advances.
        kept: contents of these ranges before the step.
    """

    def __init__(
        self,
        world: DualWorld,
        model: DualModel,
        groups: Sequence[Group],
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
            cleared = {
                (place.of_model, place.tangent, place.count) for place in (*group.inputs, *group.cleared, *outputs)
            }
            seeds = [(*where, k, *rest) for k, (where, rest) in enumerate(chosen)]
            table.fill(head, sorted(cleared), seeds)
        self.shape = len(rows), TANGENTS * len(passes)
        self.runs: list[Run | PlainPass] = [group.run for group, _ in passes]
        buffers = world.data, model.plan.model, world.tangents, model.tangents
        self._signs = np.ones(self.shape[1])
        self._arguments = np.array(table.numbers, np.int32), *map(reals_of, buffers), kept, self._signs

    def matrix(self, failed: Callable[[Run | PlainPass, int], None], side: float = 1.0) -> np.ndarray:
        """Return the derivatives at the values in memory.

        Args:
            failed: function that is called with a run and its status if the run stops early.
            side: 1 or -1, the direction of one-sided derivatives for inputs that may move in both directions.
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
    """Return the location of a field (`d.qpos`) in the buffers of values and tangents.

    If `values` does not contain the field, the index of its first value is 0.
    """
    start, count = span_of(tangents, TANGENT + field[2:])
    within = field[2:] in values.layout.index
    number = span_of(values, field[2:])[0] if within else 0
    return Place(field[2:], field[0] == "m", number, start // TANGENTS, count // TANGENTS, coordinates, bounds)


def chunks(group: Group) -> list[list[tuple[tuple[int, ...], tuple[int, ...]]]]:
    """Split the directions of a group into passes of at most eight directions.

    Returns:
        For each direction of each pass, the integers that precede the index of its tangent memory in the table, and the
        integers that follow that index.
    """
    every: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((place.of_model, number, axis), (value, *limit))
        for place in group.inputs
        for (number, axis, value), limit in zip(place.directions(), place.limits(), strict=True)
    ]
    return [every[k : k + TANGENTS] for k in range(0, len(every), TANGENTS)]


class Table:
    """Builder of the table of integers that the kernels of `physics.derivative.directions` read."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def head(self, count: int, spans: Sequence[Any], outputs: Sequence[Any]) -> list[int]:
        """Write the header, with space for `count` passes; return the index of each pass in the table."""
        self.numbers = [0] * (HEAD + PASS * count)
        self.numbers[:HEAD] = [count, self.add(spans), len(spans), self.add(outputs), len(outputs)]
        return [HEAD + PASS * k for k in range(count)]

    def fill(self, head: int, cleared: Sequence[Any], seeds: Sequence[Any]) -> None:
        """Write the description of a pass at index `head`."""
        self.numbers[head : head + PASS] = [self.add(cleared), len(cleared), self.add(seeds), len(seeds)]

    def add(self, rows: Sequence[Any]) -> int:
        """Append rows to the table; return the index of the first appended row."""
        start = len(self.numbers)
        for row in rows:
            self.numbers.extend(map(int, row))
        return start
