"""Tests of the disable flags for passive forces.

The flag `passive` disables all of them, and so do `spring` and `damper` together. One of these alone disables the
springs or dampers of joints, tendons and flexes.
"""

from conjoint.lang import any, kernel
from conjoint.schema.enums import mjtDisableBit

PASSIVE = int(mjtDisableBit.mjDSBL_PASSIVE)
SPRING = int(mjtDisableBit.mjDSBL_SPRING)
DAMPER = int(mjtDisableBit.mjDSBL_DAMPER)
NO_SPRINGS = PASSIVE | SPRING
NO_DAMPERS = PASSIVE | DAMPER

NEVER = -1
"""All flags together, a combination that no model has."""


def together(flag: int) -> int:
    """Return the flags that together disable the same forces as `flag` alone."""
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
    """Return True if any passive forces are enabled; gravity compensation and fluid forces are enabled then."""
    return has_springs(m) or has_dampers(m)


@kernel
def acts(parameter):
    """Return True if a force parameter has an effect: it is not zero, or derivatives by it are computed."""
    # for dual numbers `any` is true if one direction leads away from zero
    return any(parameter != 0.0)
