"""Stages in dual numbers: a step, or a part of it, with its derivatives along eight directions at once.

Before they run, the step has run in ordinary numbers on the same memory: every value is there. A stage that no changed
number reaches is left out, and so is one of whose results nothing is asked: positions do not depend on velocities, so
nothing of them is computed again for derivatives by velocities.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from conjoint.lang import Kernel
from conjoint.lang.calls.compiled import jit_enabled, load, tangents_of
from conjoint.lang.memory.layout import Lifetime, Role
from conjoint.lang.memory.realisation import WORLD, dual_world
from conjoint.lang.objects.unit import Tangents, Unit
from conjoint.physics.collision import finding
from conjoint.physics.collision.broadphase import broadphase
from conjoint.physics.collision.listing import list_side_by_side, select_touching
from conjoint.physics.collision.sweep import sweep
from conjoint.physics.official.sweep_misses import drop_missed_pairs
from conjoint.physics.official.visited_boxes import note_visits_due
from conjoint.runtime.dual_world import DUAL_DATA, DUAL_MODEL
from conjoint.runtime.stage import Stage
from conjoint.solver.derivative import differentiate_solution

FROZEN = frozenset({
    note_visits_due, broadphase, sweep, drop_missed_pairs, finding.separate_boxes, finding.separate_convex,
    select_touching, list_side_by_side,
})  # fmt: skip
"""Kernels that only choose which contacts there are: their choice stays that of the values."""

LEFT_OUT = frozenset({"check", "mj_resetData", "warnings", "mj_checkPos", "mj_checkVel", "mj_checkAcc", "mj_island"})
"""Functions that change nothing that is differentiated."""

KEPT = frozenset(f"d.{field.name}" for field in DUAL_DATA if field.lifetime is Lifetime.KEPT)
"""What outlasts a step: the state is put back before each pass, of counters nothing depends."""


SCRATCH = frozenset(f"d.{field.name}" for field in DUAL_DATA if field.role is Role.SCRATCH)


def dual_stages(stages: Sequence[Stage]) -> list[tuple[str, Kernel]]:
    """Functions and kernels of some stages of a step, with the derivative of the solution in the place of the solver."""
    found: list[tuple[str, Kernel]] = []
    for stage in stages:
        if stage.name == "mj_fwdConstraint":
            if differentiate_solution not in [kernel for _, kernel in found[-1:]]:
                found.append((stage.name, differentiate_solution))
        elif stage.name not in LEFT_OUT and stage.kernel not in FROZEN:
            found.append((stage.name, stage.kernel))
    return found


@dataclass(frozen=True)
class Pass:
    """What runs for derivatives by some inputs.

    Attributes:
        table: rows for the driver.
        active: fields that have tangents in the end.
        cleared: fields whose tangents must be zero at the start.
        kernels: what runs.
    """

    table: np.ndarray
    active: frozenset[str]
    cleared: tuple[str, ...]
    kernels: tuple[Kernel, ...]


@dataclass
class Step:
    """A kernel of the pass: the function it belongs to, its unit, what becomes of tangents, whether it is wanted."""

    function: str
    unit: Unit
    tangents: Tangents
    wanted: bool


def pass_of(stages: Sequence[tuple[str, Kernel]], inputs: Collection[str], outputs: Collection[str]) -> Pass:
    """What must run for derivatives of some fields by others.

    Args:
        stages: functions and kernels of a step, in order.
        inputs: fields that have tangents at the start (`d.qpos`).
        outputs: fields whose tangents are asked for.
    """
    if not jit_enabled():
        return plain_pass(stages, inputs, outputs)
    steps, kept = reached(stages, inputs, [False] * len(stages)), [True]
    # a kernel that joins for its values may pass tangents on
    while kept != [step.wanted for step in steps]:
        keep_writers(steps)
        kept = [step.wanted for step in steps]
        steps = reached(stages, inputs, kept)
    drop_unasked(steps, set(outputs))
    wanted = [step for step in steps if step.wanted]
    active = frozenset(inputs).union(*(step.tangents.active for step in wanted))
    elsewhere = {name for step in steps if not step.wanted for name in step.tangents.writes}
    cleared = (elsewhere | set(outputs)) & active - set(inputs)
    addresses = [found.address for found in load([step.unit for step in wanted])]
    kernels = tuple(step.unit.kernel for step in wanted)
    return Pass(rows(addresses), active, tuple(sorted(cleared)), kernels)


def plain_pass(stages: Sequence[tuple[str, Kernel]], inputs: Collection[str], outputs: Collection[str]) -> Pass:
    """The pass of uncompiled kernels, all of which run: which fields have tangents is found out by running them."""
    cleared = tuple(sorted(set(outputs) - set(inputs)))
    return Pass(rows([]), frozenset(inputs), cleared, tuple(kernel for _, kernel in stages))


def reached(stages: Sequence[tuple[str, Kernel]], inputs: Collection[str], kept: Sequence[bool]) -> list[Step]:
    """Which kernels changes of the inputs reach, and those that are kept anyway."""
    names, steps = tuple(sorted(inputs)), []
    for (function, kernel), keep in zip(stages, kept, strict=True):
        unit = Unit(kernel, dual_world(names if mentions(kernel, names) else ()), DUAL_MODEL, DUAL_DATA)
        tangents = tangents_of(unit)
        wanted = keep or not set(names).isdisjoint(tangents.reads)
        if wanted:
            names = tuple(sorted({*names, *tangents.active}))
        steps.append(Step(function, unit, tangents, wanted))
    return steps


def mentions(kernel: Kernel, names: Collection[str]) -> bool:
    """Whether a kernel may read one of these fields."""
    return any(kernel.attributes.issuperset(name.split(".")[1:]) for name in names)


def keep_writers(steps: Sequence[Step]) -> None:
    """Keep the kernels that write what a wanted one reads, where later ones write it, too: memory has what these left.

    Scratch that a kernel writes itself is its own, unless kernels of the same function share it.
    """
    changed = True
    while changed:
        changed = False
        for i, step in enumerate(steps):
            for name in step.tangents.reads if step.wanted else ():
                if name in KEPT or not any(name in later.tangents.writes for later in steps[i:]):
                    continue
                own = name in SCRATCH and name in step.tangents.writes
                for before in steps[:i]:
                    if not before.wanted and name in before.tangents.writes:
                        if not own or before.function == step.function:
                            before.wanted = changed = True


def drop_unasked(steps: Sequence[Step], asked: set[str]) -> None:
    """Leave out the kernels of whose results nothing is asked."""
    for step in reversed(steps):
        step.wanted = step.wanted and not asked.isdisjoint(step.tangents.writes)
        if step.wanted:
            asked |= set(step.tangents.reads)


def value_table(kernels: Sequence[Kernel]) -> np.ndarray:
    """Rows for the driver of kernels of ordinary numbers."""
    return rows([found.address for found in load([Unit(kernel, WORLD, DUAL_MODEL, DUAL_DATA) for kernel in kernels])])


def rows(addresses: Sequence[int]) -> np.ndarray:
    """A table of stages that run once in a step."""
    return np.array([(address, 1) for address in addresses], np.int64).reshape(-1, 2)
