"""Stages in dual numbers: a step, or a part of it, with its derivatives along eight directions at once.

Before they run, the step has run in ordinary numbers on the same memory, so every value is available. A stage is left
out if it does not depend on changed numbers, or if its results are not needed. For example, positions do not depend on
velocities, so derivatives with respect to velocities recompute no positions.

Runge-Kutta repeats forward dynamics within a step, and memory contains only the values of the last repetition; the
noslip solver overwrites the solution of the solver before it. In these cases, every stage runs again in each pass. It
runs in dual numbers, or with ordinary values if it does not depend on changed numbers or only makes choices.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from conjoint.lang import Kernel
from conjoint.lang.calls.compiled import jit_enabled, load, tangents_of
from conjoint.lang.calls.driver import table_of
from conjoint.lang.language.name import Name, Work, kernel_of, value_of
from conjoint.lang.memory.layout import INTEGERS, Lifetime, Role
from conjoint.lang.memory.realisation import WORLD, dual_world
from conjoint.lang.objects.cache_keys import write_keys
from conjoint.lang.objects.unit import Tangents, Unit
from conjoint.physics.collision.collider_table import (
    COLLIDER_NUMBERS,
    NARROWPHASE,
    contacts_name,
    convex_3,
    convex_4,
    convex_several_3,
    convex_several_4,
    hfield,
)
from conjoint.runtime.dual_world import DUAL_DATA, DUAL_MODEL
from conjoint.runtime.position_stages import CHOOSING, flex_contacts
from conjoint.runtime.stage import LINEAR, NONLINEAR, WITH_GROUP, Stage, in_editions, with_dampers
from conjoint.runtime.stages import NOSLIP_STAGES

physics = Name("conjoint.physics")
solver = Name("conjoint.solver")
finding = physics.collision.finding
begin_factor = physics.integration.derivative.begin_factor
place_static = physics.collision.static_tree.place_static
implicit = physics.integration.implicit
differentiate_lost_inertia = physics.integration.derivative.differentiate_lost_inertia
kinematics = physics.motion.kinematics.kinematics
kinematics_but_static = physics.motion.kinematics.kinematics_but_static
move_rigidly = physics.motion.rigid_changes.move_rigidly

FROZEN = frozenset({place_static, *CHOOSING})
"""Kernels that only choose which contacts exist. Derivatives use the choices made with ordinary numbers."""


def narrowphase(collider: Name) -> Name:
    """Return the narrow phase kernel of a collider."""
    return NARROWPHASE[contacts_name(COLLIDER_NUMBERS[collider])]


moving = physics.collision.derivative
COLLIDERS: dict[Work, Work] = {
    narrowphase(convex_3): moving.move_convex_3,
    narrowphase(convex_4): moving.move_convex_4,
    **{
        narrowphase(collider): finding.narrowphase_of(COLLIDER_NUMBERS[collider], substitute)
        for collider, substitute in (
            (convex_several_3, moving.moving_several_3),
            (convex_several_4, moving.moving_several_4),
            (hfield.hfield_convex_3, moving.moving_hfield_3),
            (hfield.hfield_convex_4, moving.moving_hfield_4),
        )
    },
    **dict(zip(flex_contacts, in_editions(moving.moving_flex_contacts, moving.MOVING_EDITIONS), strict=True)),
}
"""Colliders that search for contacts, each with its replacement for dual numbers."""

FOUND_BEFORE = frozenset({narrowphase(convex_3), narrowphase(convex_4)})
"""Colliders that must run before their replacements for dual numbers.

The replacements start from the results of the colliders. A collider is skipped if memory already contains its results.
"""

EULER: dict[Work, tuple[Work, ...]] = {
    with_dampers(physics.integration.integrate.euler, kind): (
        with_dampers(physics.integration.derivative.differentiate_damped_inertia, kind),
        with_dampers(physics.integration.derivative.differentiate_euler, kind),
    )
    for kind in (LINEAR, NONLINEAR)
}
"""Kernels of Euler's method, each with its replacements for dual numbers."""

SUBSTITUTES: dict[Work, tuple[Work, ...]] = {
    kinematics_but_static: (kinematics,),
    physics.actuation.forces.fwd_acceleration: (
        physics.actuation.forces.smooth_forces,
        physics.actuation.forces.smooth_acceleration,
    ),
    physics.derivative.bodies.fluid_slopes: (physics.derivative.bodies.moving_fluid_slopes,),
    **EULER,
    begin_factor: (),
    implicit.factor_implicit: (),
    implicit.factor_implicitfast: (),
    implicit.implicit: (differentiate_lost_inertia, physics.integration.derivative.differentiate_implicit),
    implicit.implicitfast: (differentiate_lost_inertia, physics.integration.derivative.differentiate_implicitfast),
    **{work: (substitute,) for work, substitute in COLLIDERS.items()},
}
"""Replacements of kernels for dual numbers: parts of the kernel, or the kernel without its factorization or search."""

QUICK: dict[Work, tuple[Work, frozenset[str]]] = {
    work: (move_rigidly, frozenset({"d.qpos"})) for work in (kinematics, kinematics_but_static)
}
"""For some kernels, a cheaper kernel with the same result, and the only fields that may have tangents when it runs.

The original kernel must have run once.
"""

LEFT_OUT = frozenset({"check", "mj_resetData", "warnings", "mj_checkPos", "mj_checkVel", "mj_checkAcc"})
"""Functions that do not affect differentiated values."""

COMPARISON = ("mj_compareFwdInv", "mj_inverse", "mj_invConstraint")
"""Functions that compare forward with inverse dynamics within a step, if that is enabled. No result depends on them."""

KEPT = frozenset(f"d.{field.name}" for field in DUAL_DATA if field.lifetime is Lifetime.KEPT)
"""Fields that persist beyond a step. The state is restored before each pass, and no output depends on counters."""

COUNTERS = frozenset(f"d.{f.name}" for f in DUAL_DATA if f.lifetime is Lifetime.KEPT and f.kind in INTEGERS)
"""Persistent integers, such as the counts of warnings. No derivative depends on them."""

SCRATCH = frozenset(f"d.{field.name}" for field in DUAL_DATA if field.role is Role.SCRATCH)

FACTOR = Stage("mj_fwdConstraint", solver.derivative.factor_solution)
SOLVER = "mj_fwdConstraint"
NOSLIP = {
    stage.work: WITH_GROUP(solver.method.noslip.solve_noslip, solver.method.noslip.MOVING_NOSLIP[k // 2])
    for k, stage in enumerate(NOSLIP_STAGES)
}
"""Kernels that replace the noslip solver in dual numbers.

The number of its sweeps is fixed, so they do not reach a fixed point and are differentiated directly. A row with zero
values may have nonzero derivatives.
"""

WHOLE_SWEEPS = frozenset(NOSLIP.values())

BEHIND = frozenset({*NOSLIP, solver.method.editions.restore_warmstart_4})
"""Kernels that follow a solver and belong to the same documented function."""


def value_stages(stages: Sequence[Stage]) -> list[Stage]:
    """Return the stages to run before derivatives: a step that also factorizes the Hessian after each solver.

    Before Euler's method, the factor of M replaces the factor of M with dampers.
    """
    compares = any(stage.name in COMPARISON[:1] for stage in stages)
    left_out = LEFT_OUT.union(COMPARISON if compares else ())
    kept = [stage for stage in stages if stage.name not in left_out]
    found: list[Stage] = []
    for stage, behind in zip(kept, (*kept[1:], None), strict=False):
        if stage.work in EULER:
            found.append(Stage(stage.name, begin_factor))
        found.append(stage)
        last = behind is None or behind.name != SOLVER or behind.work in BEHIND
        if stage.name == SOLVER and stage.work not in BEHIND and last:
            found.append(FACTOR)
    return found


@dataclass(frozen=True)
class Part:
    """A kernel of a step.

    Attributes:
        function: the documented function that the kernel belongs to.
        work: a kernel, or its name.
        by_values: True if it is never differentiated, because it makes a choice or its result is differentiated in
            another way.
    """

    function: str
    work: Work
    by_values: bool

    @property
    def kernel(self) -> Kernel:
        """The kernel itself; its module is imported if necessary."""
        return kernel_of(self.work)


def dual_stages(stages: Sequence[Stage]) -> list[Part]:
    """Return the parts of a step to differentiate. Each solver is followed by implicit derivatives of its solution."""
    found: list[Part] = []
    sweeps = [stage.work for stage in stages if stage.work in NOSLIP]
    for stage in value_stages(stages):
        chosen = stage.name in (SOLVER, "mj_island") or stage.work in FROZEN
        if stage.work in FOUND_BEFORE:
            found.append(Part(stage.name, stage.work, True))
        if stage.work in sweeps:
            found.append(Part(stage.name, NOSLIP[stage.work], False))
            continue
        for work in SUBSTITUTES.get(stage.work, (stage.work,)):
            found.append(Part(stage.name, work, chosen))
        if stage is FACTOR:
            found += [Part(stage.name, work, False) for work in value_of(solver.derivative.DIFFERENTIATED)]
            if sweeps:
                found.append(Part(stage.name, solver.derivative.find_offsets, False))
    return found


def overwrites(stages: Sequence[Part]) -> bool:
    """Return True if a step overwrites values that derivatives need, by repetition or by sweeps after a solver."""
    return len({part.work for part in stages}) < len(stages) or any(part.work in WHOLE_SWEEPS for part in stages)


@dataclass(frozen=True)
class Pass:
    """Sequence of kernels that computes derivatives with respect to given inputs.

    Attributes:
        table: table that the driver runs.
        active: fields that have tangents after the pass.
        cleared: fields whose tangents must be zero at the start.
        parts: kernels of the pass.
        units: compilation units of the kernels.
    """

    table: np.ndarray
    active: frozenset[str]
    cleared: tuple[str, ...]
    parts: tuple[Part, ...]
    units: tuple[Unit, ...]


@dataclass
class Step:
    """A kernel that may be part of a pass.

    Attributes:
        function: the documented function that the kernel belongs to.
        unit: the kernel.
        tangents: fields whose tangents the kernel reads and writes.
        wanted: True if the kernel is part of the pass and runs in dual numbers.
    """

    function: str
    unit: Unit
    tangents: Tangents
    wanted: bool


MOVED = ("qpos", "qvel", "act", "history", "plastic", "time")
"""Fields that a step changes and that are restored before each pass."""

PUT_BACK = frozenset(f"d.{name}" for name in MOVED)

NO_TANGENTS = Tangents([], [], [])


def pass_of(stages: Sequence[Part], inputs: Collection[str], outputs: Collection[str]) -> Pass:
    """Return the pass that computes derivatives of some fields with respect to others.

    Args:
        stages: parts of a step, in order.
        inputs: fields that have tangents at the start (`d.qpos`).
        outputs: fields whose tangents are needed.
    """
    again = overwrites(stages)
    kept: list[bool] = [False] * len(stages)
    known: list[bool] | None = None
    while kept != known:
        known = kept
        steps = reached(stages, inputs, kept)
        drop_unneeded(steps, set(outputs))
        # a kernel that is added for its values may pass on tangents
        if not again:
            include_writers(steps)
        kept = [step.wanted for step in steps]
    wanted = [step for step in steps if step.wanted]
    active = frozenset(inputs).union(*(step.tangents.active for step in wanted))
    cleared = (read_from_elsewhere(steps) | set(outputs)) & active - set(inputs)
    if again:
        last = max((i for i, step in enumerate(steps) if step.wanted), default=-1)
        wanted = [step if step.wanted else replace(step, unit=of_values(step.unit.work)) for step in steps[: last + 1]]
    # the choice of kernels depends on their source, even if they run uncompiled
    write_keys([step.unit for step in steps])
    units = tuple(step.unit for step in wanted)
    addresses = [found.address for found in load(units)] if jit_enabled() else []
    parts = tuple(Part(step.function, step.unit.work, not step.wanted) for step in wanted)
    return Pass(table_of(addresses, [1] * len(addresses)), active, tuple(sorted(cleared)), parts, units)


def quick_kernel(work: Work, names: Collection[str]) -> Work:
    """Return the cheaper kernel with the same result if the fields with tangents permit it, else the kernel itself."""
    quick, suited = QUICK.get(work, (work, frozenset()))
    return quick if suited.issuperset(mentioned(work, names)) else work


def reached(stages: Sequence[Part], inputs: Collection[str], kept: Sequence[bool]) -> list[Step]:
    """Return the steps of a pass. Steps that depend on the inputs, or are marked in `kept`, are selected (`wanted`)."""
    names, steps = tuple(sorted(inputs)), []
    # if stages repeat, a kernel may overwrite a field that has tangents from an earlier repetition
    again = overwrites(stages)
    for part, keep in zip(stages, kept, strict=True):
        if part.by_values:
            steps.append(Step(part.function, of_values(part.work), NO_TANGENTS, False))
            continue
        work = part.work if again else quick_kernel(part.work, names)
        unit = Unit(work, dual_world(mentioned(work, names)), DUAL_MODEL, DUAL_DATA)
        tangents = tangents_of(unit)
        changes = not set(tangents.active).isdisjoint(tangents.writes)
        touched = {*tangents.reads, *(tangents.writes if again else ())}
        wanted = keep or (changes and not touched.isdisjoint(names))
        if wanted:
            names = tuple(sorted({*names, *tangents.active}))
        steps.append(Step(part.function, unit, tangents, wanted))
    return steps


def mentioned(work: Work, names: Collection[str]) -> list[str]:
    """Return the fields among `names` that a kernel may read or write; its machine code accesses no others."""
    attributes = kernel_of(work).attributes
    return [name for name in names if attributes.issuperset(name.split(".")[1:])]


def include_writers(steps: Sequence[Step]) -> None:
    """Select kernels that write an input of a selected kernel if later kernels overwrite that input.

    Also select kernels that advance the state before a selected kernel reads it, because memory contains the state
    before the step. Scratch fields that a kernel writes itself are private to it, unless kernels of the same function
    share them.
    """
    changed = True
    while changed:
        changed = False
        for i, step in enumerate(steps):
            for name in step.tangents.reads if step.wanted else ():
                put_back = name in PUT_BACK
                if not put_back and (name in KEPT or not any(name in later.tangents.writes for later in steps[i:])):
                    continue
                own = name in SCRATCH and name in step.tangents.writes
                for before in steps[:i]:
                    alike = not own or before.function == step.function
                    if alike and not before.wanted and name in before.tangents.writes:
                        before.wanted = changed = True


def drop_unneeded(steps: Sequence[Step], requested: set[str]) -> None:
    """Deselect kernels whose results are not needed for the fields in `requested`."""
    for step in reversed(steps):
        step.wanted = step.wanted and not requested.isdisjoint(set(step.tangents.writes) - COUNTERS)
        if step.wanted:
            requested |= set(step.tangents.reads)


def of_values(work: Work) -> Unit:
    """Return the compilation unit of a kernel that runs with ordinary numbers on the memory of dual numbers."""
    return Unit(work, WORLD, DUAL_MODEL, DUAL_DATA)


def value_table(stages: Sequence[Stage]) -> np.ndarray:
    """Return the driver's table for stages that run with ordinary numbers."""
    found = load([of_values(stage.work) for stage in stages])
    return table_of([item.address for item in found], [1] * len(found))


def read_from_elsewhere(steps: Sequence[Step]) -> set[str]:
    """Return the fields that selected kernels read, but that another kernel may have overwritten without tangents."""
    # the state before the step is restored
    written = set(PUT_BACK)
    found: set[str] = set()
    for step in steps:
        if step.wanted:
            found |= written.intersection(step.tangents.reads)
        written |= set(step.tangents.writes) - set(step.tangents.active if step.wanted else ())
    return found
