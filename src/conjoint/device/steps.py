"""Documented functions, such as `mj_step`, on a device: each stage is a kernel that is launched over all worlds.

Each world has three status words: the stage for which it waits (-1 if it is done), the number of steps that it has
left, and the status of the stage that stopped it. A launch skips worlds that wait for another stage. So a stopped world
resumes when its stage is launched again, and the other worlds continue without it.
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
"""Value of a world's stage word after its last step."""

WAITS, LEFT, ANSWER = range(3)
"""Indices of a world's status words: stage for which it waits, steps left, and status of the stage that stopped it."""

Attend = Callable[[int, int, np.ndarray], int]
"""Function that handles a stage's status in worlds of a group; it returns the stage at which these worlds resume.

Its arguments are the status, the index of the stage, and the numbers of the worlds.
"""


def compiled(
    device: Any, kernels: Iterable[Kernel], how: Realisation, model: tuple[Field, ...], data: tuple[Field, ...]
) -> dict[str, Any]:
    """Compile kernels for a device.

    Args:
        device: the device.
        kernels: kernels with the arguments `m` and `d`.
        how: compiled variant: precision and number of worlds in a group.
        model, data: fields that the kernels read as `m` and `d`.

    Returns:
        Compiled kernels, by name.
    """
    works = {work.__name__: work for work in kernels}
    return device.kernels({name: thread_module(work, how, model, data) for name, work in works.items()})


def launches(memory: DeviceMemory, kernels: Sequence[Any]) -> list[tuple[Any, tuple]]:
    """Return kernels, each with its launch arguments, such as the indices of its stage and of the next stage."""
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
    """Compile kernels for groups of a single world, each in the compiled variant of its unit, such as dual numbers.

    Args:
        device: the device.
        units: kernels with their compiled variants.
        model, data: fields that the kernels read as `m` and `d`.

    Returns:
        Compiled kernels, in the order of `units`.
    """
    texts = {
        unit: thread_module(unit.kernel, replace(unit.realisation, threads=True), model, data)
        for unit in dict.fromkeys(units)
    }
    made: dict[Unit, Any] = {}
    while len(made) < len(texts):
        # kernels are identified by name, so variants of the same kernel are compiled in separate calls
        some = {unit.kernel.__name__: unit for unit in texts if unit not in made}
        found = device.kernels({name: texts[unit] for name, unit in some.items()})
        made |= {unit: found[name] for name, unit in some.items()}
    return [made[unit] for unit in units]


class DeviceFunction:
    """Function of a world, such as `mj_step`, whose stages are compiled for a device.

    Args:
        device: device on which the stages run.
        stages: stages in order.
        precision: "float64" or "float32".
        rows: model fields that kernels read as `m`.
        width: number of worlds in a group.
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
        # memory for which the launches were recorded, and the function that runs them
        self._made: tuple[Any, Callable[[], None]] | None = None

    def go(self, memory: SimulatedMemory, nstep: int, chosen: np.ndarray | None, attend: Attend) -> None:
        """Run the function `nstep` times on the chosen worlds.

        Args:
            memory: memory of the worlds.
            nstep: number of times to run the function.
            chosen: numbers of the worlds; None for all.
            attend: function that handles the requests of stages; it may run another function on the same memory.
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
        """Return the function that launches all stages once; it is created again after memory has grown."""
        if self._made is None or self._made[0] is not memory.worlds:
            self._made = memory.worlds, self.device.sequence(launches(memory, self.kernels), memory.nworld)
        return self._made[1]

    def _attend(self, memory: SimulatedMemory, words: np.ndarray, attend: Attend) -> None:
        """Handle the statuses of stopped worlds, and update the stages at which they resume."""
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
        """End the step of worlds whose last stage was handled on the host."""
        words[worlds, LEFT] -= 1
        words[worlds, WAITS] = np.where(words[worlds, LEFT] == 0, DONE, 0)

    def _make_room(self, memory: SimulatedMemory, answer: int) -> None:
        """Enlarge the arenas of all worlds to the largest capacity that any world needs.

        Args:
            memory: memory of the worlds.
            answer: status of the stage whose memory was too small.
        """
        group = memory.group
        for name in [f.name for f in group.data.layout.fields if f.name.endswith("_needed")]:
            view = group.data.view(name)
            most = memory.read(name).max(axis=0)
            view[...] = most if memory.width == 1 else most[..., None]
        memory.grow(lambda: group.enlarge(answer))
