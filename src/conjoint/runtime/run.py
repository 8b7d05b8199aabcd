"""Binding of stages to memory, for compiled and uncompiled kernels."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence

import numpy as np

from conjoint.lang.calls.compiled import jit_enabled, load, stage_addresses
from conjoint.lang.calls.driver import Run, table_of
from conjoint.lang.calls.entry import Entry, Memory
from conjoint.lang.language.plain_structs import PlainStruct
from conjoint.lang.memory.layout import Field
from conjoint.lang.memory.realisation import WORLD, Realisation
from conjoint.lang.objects.cache_keys import is_per_world
from conjoint.lang.objects.unit import Unit
from conjoint.lang.routines.driver_code import OFTEN, OFTEN_IN_BLOCKS
from conjoint.runtime.stage import Stage
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_ROWS


def stage_table(
    stages: Sequence[Stage],
    world: Realisation = WORLD,
    block: Realisation | None = None,
    rows: tuple[Field, ...] = MODEL_ROWS,
) -> np.ndarray:
    """Return the driver table: the machine code of each stage, and its number of lanes.

    Args:
        stages: stages, in order.
        world: compiled variant for kernels that branch per world.
        block: compiled variant for all other kernels; None for a single world.
        rows: rows that the kernels read as `m`.
    """
    kernels = [(s.work, world if block is None or is_per_world(s.work) else block) for s in stages]
    lanes = [world.stride if how is world else 1 for _, how in kernels]
    addresses = stage_addresses(kernels, rows, DATA_STRUCT)
    return table_of(addresses, lanes, OFTEN if block is None else OFTEN_IN_BLOCKS)


@functools.lru_cache(maxsize=256)
def prepare(stages: tuple[Stage, ...], entries: tuple[Entry, ...], realisation: Realisation) -> None:
    """Load all machine code for one world; compile missing stages in parallel."""
    if jit_enabled():
        units = [Unit(stage.work, realisation, MODEL_ROWS, DATA_STRUCT) for stage in stages]
        load([*units, *(entry.unit for entry in entries)])


@functools.lru_cache(maxsize=256)
def _world_table(stages: tuple[Stage, ...], realisation: Realisation) -> np.ndarray:
    return stage_table(stages, realisation)


Worlds = Callable[[], Sequence[PlainStruct]]
"""Function that returns the models, or the data, of several worlds at their current memory addresses."""


class PlainRun:
    """Counterpart of `Run` with uncompiled kernels."""

    def __init__(self, stages: Sequence[Stage], models: Worlds, worlds: Worlds):
        self.stages, self.models, self.worlds = stages, models, worlds
        self.position = (0, 0, 0)

    def go(self, nstep: int = 1) -> int:
        """Run the stages `nstep` times; return 0, or the status of the stage that stopped them."""
        step, first, lane = self.position
        # an arena may have been replaced since the last call
        models, worlds = self.models(), self.worlds()
        with np.errstate(all="ignore"):
            for s in range(step, nstep):
                for i in range(first, len(self.stages)):
                    for k in range(lane, len(worlds)):
                        answer = self.stages[i].kernel(models[k], worlds[k])
                        if answer:
                            self.position = (s, i, k)
                            return int(answer)
                    lane = 0
                first = 0
        self.position = (0, 0, 0)
        return 0


def bound(stages: tuple[Stage, ...], m: Memory, d: Memory, realisation: Realisation = WORLD) -> Run | PlainRun:
    """Bind stages to the memory of a model and of a world, and return an object that runs them."""
    if jit_enabled():
        return Run(_world_table(stages, realisation), m.address, d.address)
    # the world refers to its run, so the run must not refer to the world
    world = weakref.proxy(d)
    return PlainRun(stages, lambda: [m.plain()], lambda: [world.plain()])
