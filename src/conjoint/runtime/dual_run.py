"""A pass in dual numbers bound to memory, compiled or not."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.calls.driver import Run
from conjoint.runtime.dual_stages import Part, Pass, value_table
from conjoint.runtime.kernel_memory import KernelMemory
from conjoint.runtime.run import PlainRun, bound
from conjoint.runtime.stage import Stage
from conjoint.runtime.world import World


class PlainPass:
    """What `Run` does for a pass, with kernels as ordinary Python.

    Args:
        parts: what runs, in order.
        inputs: fields that have tangents at the start (`d.qpos`).
        model, world: memory with tangents.

    Attributes:
        position: of the kernel that stopped the last pass: (0, its place, 0).
    """

    def __init__(self, parts: Sequence[Part], inputs: Collection[str], model: KernelMemory, world: KernelMemory):
        self.parts, self.inputs, self.model, self.world = parts, tuple(inputs), model, world
        self.position = (0, 0, 0)

    def go(self, nstep: int = 1) -> int:
        """Run the pass once; 0, or the answer of the kernel that stopped it."""
        # which fields have tangents is found out by running
        m, d = (
            memory.plain({name[2:] for name in self.inputs if name[0] == role})
            for role, memory in (("m", self.model), ("d", self.world))
        )
        values = self.model.plain(), self.world.plain()
        with np.errstate(all="ignore"):
            for k, part in enumerate(self.parts):
                if answer := part.kernel(*values) if part.by_values else part.kernel(m, d):
                    self.position = (0, k, 0)
                    return int(answer)
        return 0


def value_run(stages: Sequence[Stage], plan: KernelMemory, world: World) -> Run | PlainRun:
    """Stages in ordinary numbers, ready to run on a model and a world in dual numbers."""
    if jit_enabled():
        return Run(value_table(stages), plan.address, world.address)
    return bound(tuple(stages), plan, world)


def dual_run(found: Pass, inputs: Collection[str], model: KernelMemory, world: KernelMemory) -> Run | PlainPass:
    """A pass, ready to run on a model and a world in dual numbers."""
    if jit_enabled():
        return Run(found.table, model.address, world.address)
    return PlainPass(found.parts, inputs, model, world)
