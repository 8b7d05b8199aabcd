"""Debugging aid: with CONJOINT_POISON=1, what a step must compute anew holds NaN and impossible integers before it.

A step that reads what an earlier step left then gives other results, or ends the process.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from conjoint.lang.memory.layout import Field, Lifetime, Role
from conjoint.physics.status import poison_asked
from conjoint.runtime.kernel_memory import KernelMemory
from conjoint.runtime.reset import is_open
from conjoint.runtime.stage import Stage

VARIABLE = "CONJOINT_POISON"
"""Variable of the environment that switches it on."""

BEGINNINGS = ("mj_step", "mj_step1", "mj_inverse")
"""Functions that begin from the state: names with additions, such as those of batches, count.

A step that resets a diverged world runs mj_forward in its middle.
"""

INTEGER = 0x7EADBEEF
"""Outside every list: as an index it is far beyond any array, and no plan has it as its version."""

POISON = (Stage("poison", poison_asked),)


def with_poison(name: str, stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """Return the stages of a function, with one in front of them that asks for poison if the process wants it."""
    begins = name.split(",")[0] in BEGINNINGS
    return (*(POISON if begins and os.environ.get(VARIABLE) == "1" else ()), *stages)


def poison(memory: KernelMemory) -> None:
    """Fill what a step computes in the data and the arena of a world or a block."""
    for buffer in memory.buffers:
        for start, end, dtype in buffer.layout.spans(is_open):
            numbers = buffer.bytes[start:end].view(dtype)
            numbers[...] = np.nan if dtype.kind == "f" else INTEGER & np.iinfo(dtype).max
        for start, end, _ in buffer.layout.spans(_begins_at_zero):
            buffer.bytes[start:end] = 0


def _begins_at_zero(field: Field) -> bool:
    """Return True for a result that is zero where no stage of the model writes it."""
    computed = field.role in (Role.SCRATCH, Role.RESULT) and field.lifetime is not Lifetime.KEPT
    return computed and field.default is not None
