"""A stage: one kernel of a documented function, its needed features of a model, and its unsupported features."""

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
from conjoint.physics.status import callback_asked
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
"""Enumerations whose members a stage may need, and where a model has them."""

NAMES = [
    (next((str(row.shape[0]) for row in ARRAY_FIELDS if row.name == field), ""), field, {int(x): x.name for x in kinds})
    for kinds, field in KINDS.items()
]
"""The size of each such field, "" for an option, the field, and names of members by their numbers."""

ENABLED = [(int(bit), bit.name) for bit in mjtEnableBit]
"""Features that options may enable."""

OPTIONS = ("opt.density", "opt.viscosity", "opt.noslip_iterations")
"""Options that a stage may need to be positive; they are watched."""


SLEEP = mjtEnableBit.mjENBL_SLEEP
"""The flag of sleep."""
NONLINEAR = "nonlinear dampers"
"""Need of stages for dampers of higher order, and of motors."""

NATIVE, COMPRESSED_ROWS = "native pipeline", "compressed rows"
"""Needs of stages for the newer convex collisions, and for a Jacobian with compressed rows."""

BRANCHES = "branches of large trees"
"""Need of stages that factorize Hessians of worlds side by side along the branches of kinematic trees."""

MOVING_SURFACES, ADHESION = "surfaces that move", "adhesion"
"""Properties of geoms and explicit pairs."""

ENCLOSED = "sensors of what shall be enclosed"
"""Feature flag: `enclosed` of insidesite sensors."""

EDITION_3, EDITION_4 = (f"edition {name}" for name in EDITIONS)
"""Needs of stages for an edition."""


@dataclass(frozen=True, slots=True)
class Without:
    """Requirement that a model lacks a feature, for stages that only clear results or process all moving elements."""

    need: str | MjEnum

    @property
    def name(self) -> str:
        """Return the line that `conjoint stages` prints."""
        return f"no {getattr(self.need, 'name', self.need)}"


NO_ACTUATORS, LINEAR, NO_STATIC_TREE = map(Without, ("nactuator", NONLINEAR, "nstatic"))
LEGACY, DENSE_ROWS = Without(NATIVE), Without(COMPRESSED_ROWS)
NO_ENERGY, NO_SLEEP = Without(mjtEnableBit.mjENBL_ENERGY), Without(SLEEP)
NO_BRANCHES, NO_DIAGONAL = Without(BRANCHES), Without(mjtEnableBit.mjENBL_DIAGEXACT)

Need = str | MjEnum | Without
"""Something that a model may have, or lack."""

Needs = tuple[Need | tuple[Need, ...], ...]
"""Alternatives: a model must have one of them, or all of one tuple."""


def by_islands(solver: mjtSolver) -> str:
    """Return the requirement that the solver works island by island."""
    return f"{solver.name} by islands"


@dataclass(frozen=True, slots=True)
class Lack:
    """Limit of a stage.

    Attributes:
        text: what users read; `{}` stands for each of the words that the test gives.
        asked: True if a model needs it, or a list of words that name what it needs.
        unless: flags each of which disables it (mjtDisableBit).
    """

    text: str
    asked: Callable[[Any], Any] = lambda m: True
    unless: int = 0

    def lines(self, m: Any) -> list[str]:
        """Return a line for each unsupported feature that `m` uses."""
        found = not int(m.opt.disableflags) & self.unless and self.asked(m)
        if isinstance(found, list):
            return [self.text.format(word) for word in found]
        return [self.text] if found else []


@dataclass(frozen=True, slots=True)
class Stage:
    """One kernel of the pipeline.

    Attributes:
        name: the documented function it belongs to.
        work: a kernel, or its name.
        needs: features of the model: one of them, or all of one tuple, must be present. A feature may be the name of a
            positive size or option, the type of a sensor, of a path element of tendons or of an actuator's part. It may
            be a pair of types of geoms that can touch or whose distance is measured. Parts whose pairs a sweep finds
            ("nsweep"), or that go down the tree of static geoms ("nmover"), and pairs that only the official sweep
            decides about are features. So are the pipeline of convex bodies, the storage of rows, a solver, an
            integrator and an enable flag. The others are the stage (mjtStage) of a user's sensor, the lack of
            actuators, and the edition (`schema.semantics`).
        stage: stage passed to a callback (mjtStage).
        lacks: features that it lacks; models that need them are refused.
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
        """Return the hash of the kernel: lookups are frequent, and a hash of all parts would be slow."""
        return hash(self.work)

    @property
    def kernel(self) -> Kernel:
        """The kernel; its module is imported."""
        return kernel_of(self.work)


@dataclass(frozen=True, slots=True)
class Only:
    """Stages of a function with a common requirement.

    Attributes:
        needs: needs of all of them, as those of a stage.
        stages: in order.
    """

    needs: Needs
    stages: Stages


Stages = tuple[Stage | Only, ...]
"""The stages of a function, in order."""


def for_rows(name: str, kernels: tuple[Work, Work], *needs: Need, lacks: tuple[Lack, ...] = ()) -> tuple[Stage, ...]:
    """Return a stage that has a kernel for dense constraint rows and one for compressed rows.

    Args:
        name: the documented function it belongs to.
        kernels: for dense and for compressed rows.
        needs: one of these must be in the model.
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
    """Make stages from a kernel with a third argument: its group for dense rows, and its group for compressed rows."""
    # only single worlds have compressed rows
    dense, compressed = storages[0], storages[1]
    kernels = WITH_GROUP(work, dense, suffix), WITH_GROUP(work, compressed, f"{suffix}_sparse", True)
    return for_rows(name, kernels, *needs, lacks=lacks)


@made_alike
def with_group(work: Kernel, group: Any, suffix: str = "", single: bool = False) -> Kernel:
    """Specialize the kernel of a stage for its third argument, a group that is known at compile time.

    Args:
        work: a kernel of (m, d, group).
        group: its further argument.
        suffix: what its name gets at the end.
        single: whether a block must be one world, also where `work` does not say so.
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
    """Return the stages of `by_storage` for each edition; the names of the newer kernels end in 4.

    Args:
        name: the documented function it belongs to.
        work: the kernel.
        groups: what it works with in each edition: if rows are dense, if they are compressed, and along branches.
        needs: one of these must be in the model.
        branched: whether it works along branches, too.
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
        name: the documented function it belongs to.
        kernels: kernels of edition 3.3.5 and of 4.0.
        needs: one of these must be in the model.
    """
    wanted = [need if isinstance(need, tuple) else (need,) for need in needs or ((),)]
    return tuple(
        Stage(name, work, tuple((*need, edition) for need in wanted))
        for work, edition in zip(kernels, (EDITION_3, EDITION_4), strict=True)
    )


def in_editions(work: Work, groups: Any) -> tuple[Work, Work]:
    """Make the kernels of a stage in both editions, from a kernel whose third argument is the difference.

    Args:
        work: a kernel of (m, d, group).
        groups: arguments in edition 3.3.5 and in 4.0.
    """
    return WITH_GROUP(work, groups[0]), WITH_GROUP(work, groups[1], "_4")


def sparing(
    name: str, work: Work, *needs: Need, whole: Work | None = None, lacks: tuple[Lack, ...] = ()
) -> tuple[Stage, Stage]:
    """Return two stages: one works on all bodies, one on awake ones only.

    Args:
        name: the documented function it belongs to.
        work: a kernel that goes through the shares of the world.
        needs: all of these must be in the model.
        whole: a kernel that returns True for models that need all of it even if trees sleep.
        lacks: unsupported features.
    """
    awake = Name("conjoint.physics.sleep.awake").awake
    of_awake = awake(work, whole) if whole else awake(work)
    return Stage(name, work, ((*needs, NO_SLEEP),), lacks=lacks), Stage(name, of_awake, ((*needs, SLEEP),), lacks=lacks)


def with_dampers(work: Work, kind: Need) -> Work:
    """Specialize a kernel whose third argument is a set of dampers: linear, or of any order."""
    laws = Name("conjoint.physics.integration.integrate").DAMPERS
    return WITH_GROUP(work, laws[1], "_nonlinear") if kind == NONLINEAR else WITH_GROUP(work, laws[0])


def callback(name: str, *needs: str | MjEnum, stage: int = mjtStage.mjSTAGE_NONE) -> tuple[Stage]:
    """Return the stage that calls the user's Python callback of this name, if one is installed."""
    return (Stage(name, callback_asked, needs, stage),)


def present(model: Buffer, lanes: int = 1, differentiated: Collection[str] = ()) -> set[str]:
    """Find the features of a model that stages may need: positive sizes and options, types of elements, the edition.

    Args:
        model: the model.
        lanes: worlds that are stepped at once.
        differentiated: rows by which derivatives are taken: what they stand for counts as present where they are zero.
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
    """Yield all stages of a function with their requirements; the model must meet one of each group."""
    for item in stages:
        needs = (item.needs,) if item.needs else ()
        if isinstance(item, Stage):
            yield item, needs
        else:
            yield from ((stage, needs + more) for stage, more in listed(item.stages))
