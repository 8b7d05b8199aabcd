"""A stage: one kernel of a documented function, the model features that it needs, and the features that it lacks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np

from conjoint.lang import Kernel, kernel
from conjoint.lang.language.name import Name, Work, kernel_of
from conjoint.lang.memory.layout import Buffer
from conjoint.once import made_alike
from conjoint.physics.collision.collider_table import is_native
from conjoint.physics.status import callback_requested
from conjoint.runtime.sleep import may_sleep
from conjoint.schema import enums, semantics
from conjoint.schema.enums import MjEnum, mjtEnableBit, mjtSensor, mjtSolver, mjtStage
from conjoint.schema.memory import has_islands
from conjoint.schema.model import ARRAY_FIELDS
from conjoint.schema.semantics import EDITIONS

KINDS = {
    mjtSensor: "sensor_type", enums.mjtWrap: "wrap_type", enums.mjtTrn: "actuator_trntype",
    enums.mjtDyn: "actuator_dyntype", enums.mjtGain: "actuator_gaintype", enums.mjtBias: "actuator_biastype",
    mjtSolver: "opt.solver", enums.mjtIntegrator: "opt.integrator", enums.mjtImpulse: "opt.solver",
}  # fmt: skip
"""Enumerations whose members a stage may require, and for each the model field that contains its members."""

NAMES = [
    (next((str(row.shape[0]) for row in ARRAY_FIELDS if row.name == field), ""), field, {int(x): x.name for x in kinds})
    for kinds, field in KINDS.items()
]
"""Model fields that contain members of the enumerations in `KINDS`.

An entry consists of the size of the field ("" for an option), its name, and the member names by number.
"""

ENABLED = [(int(bit), bit.name) for bit in mjtEnableBit]
"""Bits and names of the features that options may enable."""

OPTIONS = ("opt.density", "opt.viscosity", "opt.noslip_iterations")
"""Options that stages may require to be positive. Changes to these options are detected."""


SLEEP = mjtEnableBit.mjENBL_SLEEP
"""Enable flag for sleeping trees."""
NONLINEAR = "nonlinear dampers"
"""Requirement for running a stage: the model has nonlinear dampers, or actuators that add damping to joints."""

NATIVE, COMPRESSED_ROWS = "native pipeline", "compressed rows"
"""Requirements for running a stage: the native pipeline for convex collisions, and a Jacobian with compressed rows."""

BRANCHES = "branches of large trees"
"""Requirement for running a stage: worlds side by side factorize Hessians along the branches of kinematic trees."""

MOVING_SURFACES, ADHESION = "moving surfaces", "adhesion"
"""Requirements for running a stage: geoms or explicit pairs have a surface velocity, or have adhesion."""

ENCLOSED = "enclosed sensors"
"""Requirement for running a stage: the model has insidesite sensors with the attribute `enclosed`."""

EDITION_3, EDITION_4 = (f"edition {name}" for name in EDITIONS)
"""Requirements for running a stage: the edition of the physics is 3.3.5, or 4.0."""


@dataclass(frozen=True, slots=True)
class Without:
    """Requirement that a model lacks a feature, for stages that only clear results or process all moving elements."""

    need: str | MjEnum

    @property
    def name(self) -> str:
        """Text of the requirement in the output of `conjoint stages`."""
        return f"no {getattr(self.need, 'name', self.need)}"


NO_ACTUATORS, LINEAR, NO_STATIC_TREE = map(Without, ("nactuator", NONLINEAR, "nstatic"))
LEGACY, DENSE_ROWS = Without(NATIVE), Without(COMPRESSED_ROWS)
NO_ENERGY, NO_SLEEP = Without(mjtEnableBit.mjENBL_ENERGY), Without(SLEEP)
NO_BRANCHES, NO_DIAGONAL = Without(BRANCHES), Without(mjtEnableBit.mjENBL_DIAGEXACT)

Need = str | MjEnum | Without
"""Feature that a model must have, or must lack."""

Needs = tuple[Need | tuple[Need, ...], ...]
"""Alternative requirements: a model must meet one of them. A tuple among them is met if all its members are."""


def by_islands(solver: mjtSolver) -> str:
    """Return the name of the requirement that the given solver works island by island."""
    return f"{solver.name} by islands"


@dataclass(frozen=True, slots=True)
class Lack:
    """Limit of a stage: a feature that the stage does not support.

    Attributes:
        text: message for users; `{}` is replaced by each word that `requested` returns.
        asked: function that returns True if a model needs the missing feature, or a list of words that describe its
            needs.
        unless: flags, each of which disables the feature (mjtDisableBit).
    """

    text: str
    requested: Callable[[Any], Any] = lambda m: True
    unless: int = 0

    def lines(self, m: Any) -> list[str]:
        """Return a line for each unsupported feature that `m` uses."""
        found = not int(m.opt.disableflags) & self.unless and self.requested(m)
        if isinstance(found, list):
            return [self.text.format(word) for word in found]
        return [self.text] if found else []


@dataclass(frozen=True, slots=True)
class Stage:
    """One kernel of the pipeline.

    Attributes:
        name: the documented function that the stage belongs to.
        work: a kernel, or its name.
        needs: features of the model: one of them, or all of one tuple, must be present. A feature may be the name of a
            positive size or option, the type of a sensor, of a path element of tendons, or of a part of actuators. It
            may also be a pair of geom types that can touch or whose distance is measured. Other features are parts
            whose pairs a sweep finds ("nsweep"), parts that are tested against the tree of static geoms ("nmover"), and
            pairs that MuJoCo's sweep may miss. A feature may also be the native pipeline of convex bodies, the storage
            of rows, a solver, an integrator or an enable flag. The remaining features are the stage (mjtStage) of a
            user's sensor, the lack of actuators, and the edition (`schema.semantics`).
        stage: stage passed to a callback (mjtStage).
        lacks: features that the stage lacks; models that need them are rejected.
        only_for: fields that only this stage writes and no other stage reads. If none of them is requested, the stage
            can be left out.
        engine: kernel of the engine that a program's kernel replaces; None if it is not replaced.
    """

    name: str
    work: Work
    needs: Needs = ()
    stage: int = mjtStage.mjSTAGE_NONE
    lacks: tuple[Lack, ...] = ()
    only_for: tuple[str, ...] = ()
    engine: Work | None = None

    def __hash__(self) -> int:
        """Return the hash of the kernel alone: lookups are frequent, and hashing all attributes would be slow."""
        return hash(self.work)

    @property
    def kernel(self) -> Kernel:
        """The kernel itself; its module is imported if necessary."""
        return kernel_of(self.work)


@dataclass(frozen=True, slots=True)
class Only:
    """Stages of a function with a common requirement.

    Attributes:
        needs: requirements of all of them, in the format of `Stage.needs`.
        stages: the stages, in order.
    """

    needs: Needs
    stages: Stages


Stages = tuple[Stage | Only, ...]
"""Stages of a function, in order."""


def for_rows(name: str, kernels: tuple[Work, Work], *needs: Need, lacks: tuple[Lack, ...] = ()) -> tuple[Stage, ...]:
    """Return a stage that has a kernel for dense constraint rows and one for compressed rows.

    Args:
        name: the documented function that the stage belongs to.
        kernels: kernels for dense and for compressed rows.
        needs: features; the model must have at least one of them.
        lacks: unsupported features.
    """
    storages: tuple[Need, ...] = DENSE_ROWS, COMPRESSED_ROWS
    return tuple(
        Stage(name, work, tuple((need, rows) for need in needs) or (rows,), lacks=lacks)
        for work, rows in zip(kernels, storages, strict=True)
    )


def by_storage(
    name: str, work: Work, storages: Any, *needs: Need, lacks: tuple[Lack, ...] = (), suffix: str = ""
) -> tuple[Stage, ...]:
    """Return two stages that run `work` with a different third argument: a group for dense or for compressed rows."""
    # only single worlds have compressed rows
    dense, compressed = storages[0], storages[1]
    kernels = WITH_GROUP(work, dense, suffix), WITH_GROUP(work, compressed, f"{suffix}_sparse", True)
    return for_rows(name, kernels, *needs, lacks=lacks)


@made_alike
def with_group(work: Kernel, group: Any, suffix: str = "", single: bool = False) -> Kernel:
    """Specialize the kernel of a stage for its third argument, a group that is known at compile time.

    Args:
        work: a kernel of (m, d, group).
        group: its third argument.
        suffix: suffix that is appended to its name.
        single: True if a block must contain only one world, even if `work` does not require it.
    """

    @kernel(one_by_one=work.one_by_one, single=work.single or single)
    def stage(m, d):
        return work(m, d, group)

    stage.__name__ = work.__name__ + suffix
    stage.__doc__, stage.__module__ = work.__doc__, work.__module__
    return stage


WITH_GROUP = Name(__name__).with_group


def by_storage_and_edition(
    name: str, work: Work, groups: Any, *needs: Need, branched: bool = False
) -> tuple[Stage, ...]:
    """Return the stages of `by_storage` for each edition; names of kernels of the newer edition end in 4.

    Args:
        name: the documented function that the stages belong to.
        work: the kernel.
        groups: for each edition, the kernel's third argument for dense rows, compressed rows, and branches.
        needs: features; the model must have at least one of them.
        branched: True if the kernel also supports Hessians along branches.
    """
    found: list[Stage] = []
    for number, edition in enumerate((EDITION_3, EDITION_4)):
        suffix = ("", "_4")[number]
        rest = (edition, NO_BRANCHES) if branched else (edition,)
        for stage in by_storage(name, work, groups[number], *needs, suffix=suffix):
            both = tuple((*need, *rest) for need in stage.needs if isinstance(need, tuple))
            found.append(replace(stage, needs=both))
        if branched:
            along = WITH_GROUP(work, groups[number][2], f"_branched{suffix}")
            found.append(Stage(name, along, tuple((need, BRANCHES, edition) for need in needs)))
    return tuple(found)


def by_edition(name: str, kernels: tuple[Work, Work], *needs: Need | tuple[Need, ...]) -> tuple[Stage, ...]:
    """Return a stage that has a different kernel in each edition.

    Args:
        name: the documented function that the stage belongs to.
        kernels: kernels of edition 3.3.5 and of edition 4.0.
        needs: features; the model must have at least one of them.
    """
    wanted = [need if isinstance(need, tuple) else (need,) for need in needs or ((),)]
    return tuple(
        Stage(name, work, tuple((*need, edition) for need in wanted))
        for work, edition in zip(kernels, (EDITION_3, EDITION_4), strict=True)
    )


def in_editions(work: Work, groups: Any) -> tuple[Work, Work]:
    """Return the kernels of a stage in both editions, created from one kernel with different third arguments.

    Args:
        work: a kernel of (m, d, group).
        groups: third arguments in edition 3.3.5 and in edition 4.0.
    """
    return WITH_GROUP(work, groups[0]), WITH_GROUP(work, groups[1], "_4")


def sparing(
    name: str, work: Work, *needs: Need, whole: Work | None = None, lacks: tuple[Lack, ...] = ()
) -> tuple[Stage, Stage]:
    """Return two stages: one that processes all bodies, and one that processes only awake bodies.

    Args:
        name: the documented function that the stages belong to.
        work: a kernel that loops over the shares of the world.
        needs: features, all of which must be in the model.
        whole: a kernel that returns True for models that must be processed completely even if trees sleep.
        lacks: unsupported features.
    """
    awake = Name("conjoint.physics.sleep.awake").awake
    of_awake = awake(work, whole) if whole else awake(work)
    return Stage(name, work, ((*needs, NO_SLEEP),), lacks=lacks), Stage(name, of_awake, ((*needs, SLEEP),), lacks=lacks)


def with_dampers(work: Work, kind: Need) -> Work:
    """Specialize a kernel whose third argument is a set of dampers, for linear dampers or for dampers of any order."""
    laws = Name("conjoint.physics.integration.integrate").DAMPERS
    return WITH_GROUP(work, laws[1], "_nonlinear") if kind == NONLINEAR else WITH_GROUP(work, laws[0])


def callback(name: str, *needs: str | MjEnum, stage: int = mjtStage.mjSTAGE_NONE) -> tuple[Stage]:
    """Return the stage that calls the user's Python callback of this name, if one is installed."""
    return (Stage(name, callback_requested, needs, stage),)


def present(model: Buffer, lanes: int = 1, differentiated: Collection[str] = ()) -> set[str]:
    """Return the features of a model that stages may need: positive sizes and options, element types, the edition.

    Args:
        model: the model.
        lanes: number of worlds that are stepped at once.
        differentiated: model rows with respect to which derivatives are taken. Their features count as present even if
            the rows are zero.
    """
    view, sizes = model.view, model.layout.sizes

    def given(*rows: str) -> bool:
        return any(row in differentiated or np.count_nonzero(view(row)) for row in rows)

    found = set(compress(sizes, map((0).__lt__, sizes.values())))
    found.update(option for option in OPTIONS if option in differentiated or view(option).item() > 0)
    for size, field, names in NAMES:
        if not size or sizes[size]:
            found.update(names[number] for number in set(view(field).ravel().tolist()) if number in names)
    if mjtSensor.mjSENS_USER.name in found:
        users = view("sensor_type") == mjtSensor.mjSENS_USER
        found |= {mjtStage(stage).name for stage in set(view("sensor_needstage")[users].tolist())}
    newer = view("edition").item() == semantics.EDITION_4
    found.add(EDITION_4 if newer else EDITION_3)
    flags = view("opt.enableflags").item()
    found.update(name for bit, name in ENABLED if flags & bit)
    if mjtSensor.mjSENS_INSIDESITE.name in found:
        inside = view("sensor_type") == mjtSensor.mjSENS_INSIDESITE
        found |= {ENCLOSED} if view("sensor_intprm")[inside, 0].any() else set()
    found |= {NATIVE} if is_native(view("opt.disableflags").item()) else set()
    found |= {MOVING_SURFACES} if given("geom_surfacevel") else set()
    found |= {ADHESION} if given("geom_adhesion", "pair_adhesion") else set()
    if not may_sleep(model):
        found.discard(SLEEP.name)
    driven = sizes["njnt"] and np.count_nonzero(view("jnt_actuatorid") != -1)
    found |= {NONLINEAR} if driven or (sizes["nv"] and given("dof_dampingpoly")) else set()
    # as in MuJoCo: dual methods work on all rows together in edition 3.3.5
    islands, noslip = has_islands(model, lanes), "opt.noslip_iterations" in found
    apart = islands and (newer or not noslip)
    found |= {mjtEnableBit.mjENBL_ISLAND.name} if islands else set()
    if apart:
        for solver in (mjtSolver.mjSOL_CG, mjtSolver.mjSOL_NEWTON):
            if solver.name in found:
                found = (found - {solver.name}) | {by_islands(solver)}
    return found


def needed(stages: Sequence[Stage | Only], found: Set[str]) -> tuple[Stage, ...]:
    """Return the stages whose requirements a model meets."""

    def has(need: Need | tuple[Need, ...]) -> bool:
        if isinstance(need, tuple):
            return all(has(one) for one in need)
        if isinstance(need, Without):
            return not has(need.need)
        return getattr(need, "name", need) in found

    chosen: list[Stage] = []
    for item in stages:
        if not item.needs or any(map(has, item.needs)):
            chosen += [item] if isinstance(item, Stage) else needed(item.stages, found)
    return tuple(chosen)


def listed(stages: Sequence[Stage | Only]) -> Iterator[tuple[Stage, tuple[Needs, ...]]]:
    """Yield all stages of a function with their groups of requirements.

    A model must meet one requirement of each group.
    """
    for item in stages:
        needs = (item.needs,) if item.needs else ()
        if isinstance(item, Stage):
            yield item, needs
        else:
            yield from ((stage, needs + more) for stage, more in listed(item.stages))
