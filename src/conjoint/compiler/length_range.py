"""Ranges of actuator lengths: as written, those of limits, or found by simulation (XML Reference, lengthrange)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.lang.errors import FatalError
from conjoint.lang.layout import Buffer
from conjoint.schema.enums import mjtBias, mjtDisableBit, mjtGain, mjtIntegrator, mjtTrn

NONE, MUSCLES, MUSCLES_AND_USER, ALL = range(4)
"""lengthrange mode: which actuators get a length range."""

JOINTS = (mjtTrn.mjTRN_JOINT, mjtTrn.mjTRN_JOINTINPARENT)

DISABLED = (
    mjtDisableBit.mjDSBL_FRICTIONLOSS | mjtDisableBit.mjDSBL_CONTACT | mjtDisableBit.mjDSBL_PASSIVE
    | mjtDisableBit.mjDSBL_GRAVITY | mjtDisableBit.mjDSBL_ACTUATION | mjtDisableBit.mjDSBL_SENSOR
)  # fmt: skip
"""What plays no part in the simulation; sensors are left out because nobody reads them."""

REMEDY = (
    "give its joints or tendon limits, set inttotal, timestep, accel or tolrange of compiler/lengthrange, "
    "or write lengthrange"
)

PATIENCE = 1.0
"""Seconds before progress is shown."""


def choose_range(draft: Draft, actuator: Any) -> None:
    """Keep the range that is written, or take that of a limit; else `actuator.searched` asks for simulation."""
    actuator.searched = False
    wanted = draft.spec.lengthrange
    muscle = actuator.gaintype == mjtGain.mjGAIN_MUSCLE or actuator.biastype == mjtBias.mjBIAS_MUSCLE
    user = actuator.gaintype == mjtGain.mjGAIN_USER or actuator.biastype == mjtBias.mjBIAS_USER
    chosen = {NONE: False, MUSCLES: muscle, MUSCLES_AND_USER: muscle or user, ALL: True}[wanted.mode]
    low, high = actuator.lengthrange
    if not chosen or (wanted.useexisting and low < high) or actuator.trnid[0] < 0:
        return
    target = None
    if wanted.uselimit and actuator.trntype in JOINTS:
        target = draft.joints[actuator.trnid[0]]
    elif wanted.uselimit and actuator.trntype == mjtTrn.mjTRN_TENDON:
        target = draft.tendons[actuator.trnid[0]]
    if target is not None and target.limited:
        actuator.lengthrange = target.range
    else:
        actuator.searched = True


def search_ranges(draft: Draft, buffer: Buffer) -> None:
    """Find the ranges that are asked for by simulation, and write them to the model, which is otherwise complete."""
    searched = [actuator for actuator in draft.actuators if actuator.searched]
    if not searched:
        return
    # only models that need it load what runs a simulation
    from conjoint.engine.length_range import Search, length_range
    from conjoint.engine.plan import Plan
    from conjoint.engine.world import World

    options = draft.spec.lengthrange
    names = ("accel", "maxforce", "timeconst", "inttotal", "interval", "tolrange")
    search = Search(*(getattr(options, name) for name in names))
    plan = Plan(_prepared(buffer, options.timestep))
    world = World(plan)
    ranges = buffer.view("actuator_lengthrange")
    for actuator in _with_progress(searched):
        try:
            ranges[actuator.id] = length_range(world, plan, actuator.id, search)
        except FatalError as error:
            draft.problems.about(actuator, f"{error}; {REMEDY}", "lengthrange")


def _prepared(buffer: Buffer, timestep: float) -> Buffer:
    """A copy of the model with the options of the simulation."""
    copy = Buffer(buffer.layout)
    copy.bytes[...] = buffer.bytes
    disabled = DISABLED
    if timestep > 0:
        copy.view("opt.timestep")[...] = timestep
    # friction and contacts are what the noslip solver works on
    copy.view("opt.noslip_iterations")[...] = 0
    if copy.view("opt.integrator") == mjtIntegrator.mjINT_IMPLICITFAST:
        # no force is left that depends on velocity
        copy.view("opt.integrator")[...] = mjtIntegrator.mjINT_EULER
        disabled |= mjtDisableBit.mjDSBL_EULERDAMP
    copy.view("opt.disableflags")[...] = disabled
    return copy


def _with_progress(actuators: list[Any]) -> Iterator[Any]:
    """The actuators; after a while, the terminal shows how many are left."""
    start = monotonic()
    for i, actuator in enumerate(actuators):
        if monotonic() - start > PATIENCE:
            yield from _shown(actuators[i:], i, len(actuators))
            return
        yield actuator


def _shown(actuators: Iterable[Any], done: int, total: int) -> Iterator[Any]:
    """The actuators, with a bar on the terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("length ranges of actuators"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("ranges", total=total, completed=done)
        for actuator in actuators:
            yield actuator
            bar.advance(task)
