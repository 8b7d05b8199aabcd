"""A documented function on a device: its stages as kernels, one launch after the other, over all worlds.

A world has three words: the stage that it waits for (-1: it is done), the steps that it has left, and the answer of the
stage that stopped it. A launch leaves worlds alone that wait for another stage. So a world that was stopped goes on
when its stage comes again, and no world waits for another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conjoint.device.memory import DeviceMemory, SimulatedMemory
from conjoint.lang import Kernel
from conjoint.lang.frontend.threads import thread_module
from conjoint.lang.memory.layout import Field
from conjoint.lang.memory.realisation import Realisation, threads
from conjoint.lang.objects.unit import Unit
from conjoint.runtime.functions import beginning
from conjoint.runtime.pipeline import AGAIN, FULL
from conjoint.runtime.stage import Stage
from conjoint.schema.memory import DATA_STRUCT

DONE = -1
"""The stage that a world waits for which has no steps left."""

WAITS, LEFT, ANSWER = range(3)
"""Words of a world."""

Attend = Callable[[int, int, np.ndarray], int]
"""Handles the answer of a stage in some worlds of a group; the stage that they wait for then."""


def compiled(
    device: Any, kernels: Iterable[Kernel], how: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]
) -> dict[str, Any]:
    """Return kernels compiled for a device, by name.

    Args:
        device: the device.
        kernels: kernels of a model and of the data of a world.
        how: precision, and layout of groups.
        model, data: fields that the kernels read as `m` and `d`.
    """
    works = {work.__name__: work for work in kernels}
    return device.kernels({name: thread_module(work, how, model, data) for name, work in works.items()})


def launches(memory: DeviceMemory, kernels: Sequence[Any]) -> list[tuple[Any, tuple]]:
    """Return the launches of kernels in order, with their arguments: memory, sizes, and the number of the stage."""
    n, sizes = len(kernels), (np.int64(memory.nbytes), np.int64(memory.nworld))
    return [
        (kernel, (memory.model, memory.worlds, *sizes, memory.words, np.int32(k), np.int32((k + 1) % n)))
        for k, kernel in enumerate(kernels)
    ]


def runner(memory: DeviceMemory, kernels: Sequence[Any]) -> Callable[[], np.ndarray]:
    """Return a function that runs kernels once in all worlds, and returns the status of each world."""
    words = np.zeros((memory.nworld, 3), np.int32)
    run = memory.device.sequence(launches(memory, kernels), memory.nworld)

    def run_once() -> np.ndarray:
        words[:] = 0
        words[:, LEFT] = 1
        memory.device.write(memory.words, words.reshape(1, -1).view(np.uint8))
        run()
        memory.device.read(memory.words, words.reshape(1, -1).view(np.uint8))
        return words[:, ANSWER]

    return run_once


def compiled_units(device: Any, units: Sequence[Unit], model: tuple[Field, ...], data: tuple[Field, ...]) -> list[Any]:
    """Return kernels of single worlds, each in its own compiled variant, such as dual numbers."""
    texts = {
        unit: thread_module(unit.kernel, replace(unit.realisation, threads=True), model, data)
        for unit in dict.fromkeys(units)
    }
    made: dict[Unit, Any] = {}
    while len(made) < len(texts):
        # kernels are found by name, so variants of a kernel are compiled one after another
        some = {unit.kernel.__name__: unit for unit in texts if unit not in made}
        found = device.kernels({name: texts[unit] for name, unit in some.items()})
        made |= {unit: found[name] for name, unit in some.items()}
    return [made[unit] for unit in units]


class DeviceFunction:
    """Stages of a function, compiled for a device.

    Args:
        device: what they run on.
        stages: in order.
        precision: "float64" or "float32".
        rows: model fields that kernels read as `m`.
        width: worlds in a group.
        data: fields that kernels read as `d`.
    """

    def __init__(
        self,
        device: Any,
        stages: Sequence[Stage],
        precision: str,
        rows: tuple[Field, ...],
        width: int,
        data: tuple[Field, ...] = DATA_STRUCT,
    ):
        self.device, self.stages = device, stages
        made = compiled(device, [stage.kernel for stage in stages], threads(precision, width), rows, data)
        self.kernels = [made[stage.kernel.__name__] for stage in stages]
        # the memory of the worlds, and the launches on it
        self._made: tuple[Any, Callable[[], None]] | None = None

    def go(self, memory: SimulatedMemory, nstep: int, chosen: np.ndarray | None, attend: Attend) -> None:
        """Run the function `nstep` times on all worlds, or on those chosen.

        Args:
            memory: of the worlds.
            nstep: how often.
            chosen: numbers of worlds; all if None.
            attend: handles what stages ask for; it may run another function.
        """
        words = np.zeros((memory.nworld, 3), np.int32)
        words[:, WAITS] = DONE
        words[slice(None) if chosen is None else chosen, WAITS] = 0
        words[:, LEFT] = nstep
        while (words[:, WAITS] != DONE).any():
            due = words[words[:, WAITS] != DONE, LEFT].max()
            words[:, ANSWER] = 0
            self.device.write(memory.words, words.reshape(1, -1).view(np.uint8))
            step = self._step(memory)
            for _ in range(due):
                step()
            self.device.read(memory.words, words.reshape(1, -1).view(np.uint8))
            self._attend(memory, words, attend)

    def _step(self, memory: SimulatedMemory) -> Callable[[], None]:
        """Return the function that launches all stages once; it is made again after memory has grown."""
        if self._made is None or self._made[0] is not memory.worlds:
            self._made = memory.worlds, self.device.sequence(launches(memory, self.kernels), memory.nworld)
        return self._made[1]

    def _attend(self, memory: SimulatedMemory, words: np.ndarray, attend: Attend) -> None:
        """Handle the answers of worlds that were stopped."""
        stopped = np.flatnonzero(words[:, ANSWER])
        full = stopped[np.isin(words[stopped, ANSWER], FULL)]
        for answer in sorted(set(words[full, ANSWER].tolist())):
            self._make_room(memory, answer)
        for world in full[np.isin(words[full, ANSWER], AGAIN)].tolist():
            words[world, WAITS] = beginning(self.stages, int(words[world, WAITS]))
        rest = np.setdiff1d(stopped, full)
        groups = rest // memory.width
        kinds = sorted(set(zip(groups.tolist(), *words[rest][:, [ANSWER, WAITS]].T.tolist(), strict=True)))
        for group, answer, stage in kinds:
            same = (groups == group) & (words[rest, ANSWER] == answer) & (words[rest, WAITS] == stage)
            goes_on = attend(answer, stage, rest[same])
            words[rest[same], WAITS] = goes_on
            if goes_on == len(self.stages):
                self._end_step(words, rest[same])

    def _end_step(self, words: np.ndarray, worlds: np.ndarray) -> None:
        """End a step whose last stage was handled here."""
        words[worlds, LEFT] -= 1
        words[worlds, WAITS] = np.where(words[worlds, LEFT] == 0, DONE, 0)

    def _make_room(self, memory: SimulatedMemory, answer: int) -> None:
        """Enlarge the arena for the world that needs most."""
        group = memory.group
        for name in [f.name for f in group.data.layout.fields if f.name.endswith("_needed")]:
            view = group.data.view(name)
            most = memory.read(name).max(axis=0)
            view[...] = most if memory.width == 1 else most[..., None]
        memory.grow(lambda: group.enlarge(answer))
