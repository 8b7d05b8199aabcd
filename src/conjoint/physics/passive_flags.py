"""Tests of the disable flags of passive forces.

The flag `passive` disables all passive forces, as do `spring` and `damper` together. Each of the latter two alone
disables the springs or the dampers of joints, tendons and flexes.
"""

from conjoint.lang import any, kernel
from conjoint.schema.enums import mjtDisableBit

PASSIVE = int(mjtDisableBit.mjDSBL_PASSIVE)
SPRING = int(mjtDisableBit.mjDSBL_SPRING)
DAMPER = int(mjtDisableBit.mjDSBL_DAMPER)
NO_SPRINGS = PASSIVE | SPRING
NO_DAMPERS = PASSIVE | DAMPER

NEVER = -1
"""Combination of all flags, which no model has."""


def together(flag: int) -> int:
    """Return the flags that in combination disable the same forces as `flag` alone, or NEVER if there are none."""
    return SPRING | DAMPER if flag == PASSIVE else NEVER


@kernel
def has_springs(m):
    """Return True if springs are enabled."""
    return (m.opt.disableflags & NO_SPRINGS) == 0


@kernel
def has_dampers(m):
    """Return True if dampers are enabled."""
    return (m.opt.disableflags & NO_DAMPERS) == 0


@kernel
def has_passive(m):
    """Return True if any passive forces are enabled; this includes gravity compensation and fluid forces."""
    return has_springs(m) or has_dampers(m)


@kernel
def acts(parameter):
    """Return True if a force parameter has an effect: it is not zero, or its derivatives are computed."""
    # for dual numbers, `any` is also true if one of the derivatives is not zero
    return any(parameter != 0.0)
