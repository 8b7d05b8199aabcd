"""Length ranges of actuators: as written, from joint or tendon limits, or simulated (XML Reference, lengthrange)."""

from collections.abc import Iterable, Iterator
from time import monotonic

from conjoint.compiler.arrays import Arrays
from conjoint.compiler.draft import Draft
from conjoint.compiler.passes import declared
from conjoint.lang.errors import FatalError
from conjoint.lang.memory.layout import Buffer
from conjoint.once import MAKING
from conjoint.schema.enums import mjtBias, mjtDisableBit, mjtGain, mjtLRMode, mjtTrn

JOINTS = (mjtTrn.mjTRN_JOINT, mjtTrn.mjTRN_JOINTINPARENT)

# plain ints compare faster than enumeration members
MUSCLE_GAIN, USER_GAIN = int(mjtGain.mjGAIN_MUSCLE), int(mjtGain.mjGAIN_USER)
MUSCLE_BIAS, USER_BIAS = int(mjtBias.mjBIAS_MUSCLE), int(mjtBias.mjBIAS_USER)

DISABLED = (
    mjtDisableBit.mjDSBL_FRICTIONLOSS | mjtDisableBit.mjDSBL_CONTACT | mjtDisableBit.mjDSBL_PASSIVE
    | mjtDisableBit.mjDSBL_GRAVITY | mjtDisableBit.mjDSBL_ACTUATION | mjtDisableBit.mjDSBL_SENSOR
)  # fmt: skip
"""Features that are disabled in the simulation. Sensors are disabled because nothing reads them."""

REMEDY = (
    "give its joints or tendon limits, set inttotal, timestep, accel or tolrange of compiler/lengthrange, "
    "or write lengthrange"
)

PATIENCE = 1.0
"""Time (s) before a progress bar appears."""


def unknown_ranges(m: Arrays, actuators: Iterable[int], mode: int, useexisting: bool, uselimit: bool) -> list[int]:
    """Return the actuators whose length ranges require a simulation.

    Joint and tendon limits that serve as length ranges are written to the model.

    Args:
        m: the model.
        actuators: the actuators to consider.
        mode: which actuators have ranges (mjtLRMode).
        useexisting: whether to keep existing ranges.
        uselimit: whether to use limits of joints and tendons as ranges.
    """
    gains, biases = m.actuator_gaintype, m.actuator_biastype
    muscle = (gains == MUSCLE_GAIN) | (biases == MUSCLE_BIAS)
    mode = mjtLRMode(mode)
    if mode == mjtLRMode.mjLRMODE_NONE:
        chosen = muscle & False
    elif mode == mjtLRMode.mjLRMODE_MUSCLE:
        chosen = muscle
    elif mode == mjtLRMode.mjLRMODE_MUSCLEUSER:
        chosen = muscle | (gains == USER_GAIN) | (biases == USER_BIAS)
    else:
        chosen = muscle | True
    if not chosen.any():
        return []
    first = m.actuator_outadr
    ranges = m.actuator_lengthrange[first]
    if useexisting:
        chosen &= ~(ranges[:, 0] < ranges[:, 1])
    left = []
    for u in actuators:
        if not chosen[u]:
            continue
        target, kind = m.actuator_trnid[u, 0], m.actuator_trntype[u]
        if uselimit and kind in JOINTS and m.jnt_limited[target]:
            m.actuator_lengthrange[first[u]] = m.jnt_range[target]
        elif uselimit and kind == mjtTrn.mjTRN_TENDON and m.tendon_limited[target]:
            m.actuator_lengthrange[first[u]] = m.tendon_range[target]
        else:
            left.append(u)
    return left


@declared(
    reads="draft: arrays",
)
def search_ranges(draft: Draft) -> None:
    """Compute the unknown length ranges of actuators, in an otherwise complete model."""
    m = draft.arrays
    if not m.nactuator:
        return
    options = draft.spec.lengthrange
    unknown = unknown_ranges(m, range(m.nactuator), options.mode, bool(options.useexisting), bool(options.uselimit))
    if not unknown:
        return
    # import the simulation only for models that need it
    with MAKING.held:
        from conjoint.runtime.length_range import length_range
        from conjoint.runtime.plan import Plans
        from conjoint.runtime.structure import Structure
        from conjoint.runtime.world import World

    plans = Plans(Structure(_prepared(m.buffer, options.timestep)))
    world = World(plans.current)
    for u in _with_progress(unknown):
        try:
            m.actuator_lengthrange[m.actuator_outadr[u]] = length_range(world, plans, u, options)
        except FatalError as error:
            draft.problems.about(draft.actuators[u], f"{error}; {REMEDY}", "lengthrange")


def _prepared(buffer: Buffer, timestep: float) -> Buffer:
    """Return a copy of the model with the options for the length-range simulation."""
    copy = Buffer(buffer.layout)
    copy.bytes[...] = buffer.bytes
    if timestep > 0:
        copy.view("opt.timestep")[...] = timestep
    # the noslip solver works only on friction and contacts
    copy.view("opt.noslip_iterations")[...] = 0
    copy.view("opt.disableflags")[...] = DISABLED
    return copy


def _with_progress(actuators: list[int]) -> Iterator[int]:
    """Yield the actuators. After `PATIENCE` seconds, the terminal shows the number of remaining actuators."""
    start = monotonic()
    for i, actuator in enumerate(actuators):
        if monotonic() - start > PATIENCE:
            yield from _shown(actuators[i:], i, len(actuators))
            return
        yield actuator


def _shown(actuators: Iterable[int], done: int, total: int) -> Iterator[int]:
    """Yield the actuators, and show a progress bar on the terminal."""
    with MAKING.held:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("length ranges of actuators"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("ranges", total=total, completed=done)
        for actuator in actuators:
            yield actuator
            bar.advance(task)
