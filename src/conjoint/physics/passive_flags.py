"""Which passive forces the flags of a model leave on.

The flag `passive` turns all of them off, and so do `spring` and `damper` together; one of these alone turns off springs
or dampers, of joints, tendons and flexes.
"""

from conjoint.lang import any, kernel
from conjoint.schema.enums import mjtDisableBit

PASSIVE = int(mjtDisableBit.mjDSBL_PASSIVE)
SPRING = int(mjtDisableBit.mjDSBL_SPRING)
DAMPER = int(mjtDisableBit.mjDSBL_DAMPER)
NO_SPRINGS = PASSIVE | SPRING
NO_DAMPERS = PASSIVE | DAMPER

NEVER = -1
"""All flags together, which no model has."""


def together(flag: int) -> int:
    """The flags that disable together what `flag` disables alone."""
    return SPRING | DAMPER if flag == PASSIVE else NEVER


@kernel
def has_springs(m):
    """Whether springs act."""
    return (m.opt.disableflags & NO_SPRINGS) == 0


@kernel
def has_dampers(m):
    """Whether dampers act."""
    return (m.opt.disableflags & NO_DAMPERS) == 0


@kernel
def has_passive(m):
    """Whether any passive forces act: those against gravity and of the medium too."""
    return has_springs(m) or has_dampers(m)


@kernel
def acts(parameter):
    """Return whether a parameter of a force has an effect: it is not zero, or derivatives by it are taken."""
    # of dual numbers `any` is true where one direction leads away from zero
    return any(parameter != 0.0)
