"""Warnings that are counted per world, and their reports."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from conjoint.lang.errors import DivergenceWarning, SimulationWarning
from conjoint.lang.warn import warn
from conjoint.runtime.block_memory import BlockMemory
from conjoint.schema.constants import mjNWARNING
from conjoint.schema.enums import mjtWarning

WARNING_TEXTS = {
    mjtWarning.mjWARN_INERTIA: (
        "the inertia matrix is too close to singular at dof {}: check the masses and armatures of the model"
    ),
    mjtWarning.mjWARN_CONTACTFULL: "more than {} contacts: the others are discarded; increase size/nconmax",
    mjtWarning.mjWARN_CNSTRFULL: "more than {} constraint rows: the others are discarded; increase size/njmax",
    mjtWarning.mjWARN_VGEOMFULL: "the scene is full: it has space for {} visual geoms; increase its maxgeom",
    mjtWarning.mjWARN_BADQPOS: "NaN, infinite or huge value in qpos at coordinate {}: the simulation is unstable",
    mjtWarning.mjWARN_BADQVEL: "NaN, infinite or huge value in qvel at dof {}: the simulation is unstable",
    mjtWarning.mjWARN_BADQACC: "NaN, infinite or huge value in qacc at dof {}: the simulation is unstable",
    mjtWarning.mjWARN_BADCTRL: "NaN, infinite or huge value in ctrl at actuator {}: all controls were set to zero",
}
"""Message for each warning type, formatted with the `lastinfo` of the warning."""

BAD_VALUES = (
    mjtWarning.mjWARN_BADQPOS, mjtWarning.mjWARN_BADQVEL, mjtWarning.mjWARN_BADQACC, mjtWarning.mjWARN_BADCTRL
)  # fmt: skip


def category_of(kind: int) -> type[SimulationWarning]:
    """Return the Python warning class for a warning type (mjtWarning)."""
    return DivergenceWarning if kind in BAD_VALUES else SimulationWarning


handler: Callable[[int, int, float], None] | None = None
"""Handler of a single world's warnings; None issues Python warnings.

Its arguments are the warning type (mjtWarning), the information and the time (s).
"""


def text_of(kind: int, info: int, when: str) -> str:
    """Return the message of a warning, with the given time."""
    return f"{WARNING_TEXTS[mjtWarning(kind)].format(info)} ({when})"


def kinds_of(bits: int) -> list[int]:
    """Return the warning types (mjtWarning) whose bits are set, in order."""
    return [kind for kind in range(mjNWARNING) if bits >> kind & 1]


def note_divergence(memory: BlockMemory) -> None:
    """Store the times at which worlds that are about to be reset diverged, if the warning is not reported yet."""
    view = memory.data.view
    marks, reported, times = (view(name).reshape(-1) for name in ("was_reset", "warning_reported", "time"))
    for lane in np.flatnonzero(marks).tolist():
        kind = int(marks[lane]) - 1
        if kind not in kinds_of(int(reported[lane])):
            memory.diverged[lane, kind] = float(times[lane])


def fresh_warnings(memory: BlockMemory, elapsed: float | np.ndarray) -> list[tuple[int, int, int, float]]:
    """Return lane, type, information and time (s) of the warnings that were not reported since their last reset.

    Args:
        memory: memory of the worlds that counted the warnings; the warnings are marked as reported.
        elapsed: time (s) by which each world has advanced since the warnings were counted.
    """
    data = memory.data
    numbers, infos = (data.view(f"warning.{name}").reshape(mjNWARNING, -1) for name in ("number", "lastinfo"))
    reported, times = data.view("warning_reported").reshape(-1), data.view("time").reshape(-1) - elapsed
    counted = np.tensordot(1 << np.arange(mjNWARNING), numbers > 0, 1)
    found = []
    for lane in np.flatnonzero(counted & ~reported).tolist():
        for kind in kinds_of(int(counted[lane] & ~reported[lane])):
            time = memory.diverged.pop((lane, kind), float(times[lane]))
            found.append((lane, kind, int(infos[kind, lane]), time))
    reported[...] = counted
    return found


def report_warnings(world: BlockMemory, elapsed: float = 0.0) -> None:
    """Report each warning type that a world has counted since its last reset (see `fresh_warnings`)."""
    for _, kind, info, time in fresh_warnings(world, elapsed):
        if handler is not None:
            handler(kind, info, time)
        else:
            warn(text_of(kind, info, f"time = {time:g} s"), category_of(kind))
