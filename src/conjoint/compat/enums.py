"""Enumerations with the numbers of MuJoCo 4.0.0, for enumerations whose numbers changed after version 3.3.5.

Programs that select a newer version use these enumerations instead of those of 3.3.5.
"""

from enum import IntEnum
from typing import Any

from conjoint.schema import enums
from conjoint.schema.enums import MjEnum
from conjoint.schema.newer_names import BITS_IN_ORDER

NAMES = frozenset({"mjtDisableBit", "mjtEnableBit", "mjtState", "mjDISABLESTRING", "mjENABLESTRING"})
"""Names that this module defines."""


def _moved(own: type[IntEnum], kind: str, **others: int) -> Any:
    """Return a copy of the enumeration `own` with the bits of 4.0.0. `others` are members that are not single bits."""
    members = {name: 1 << bit for bit, name in enumerate(BITS_IN_ORDER[kind])}
    make: Any = MjEnum
    made = make(own.__name__, {**members, **others}, module=__name__)
    made.__doc__ = own.__doc__
    return made


mjtDisableBit = _moved(enums.mjtDisableBit, "disableflags", mjNDISABLE=20)
mjtEnableBit = _moved(enums.mjtEnableBit, "enableflags", mjNENABLE=8)
mjtState = _moved(
    enums.mjtState, "state", mjNSTATE=15, mjSTATE_PHYSICS=0x401E, mjSTATE_FULLPHYSICS=0x601F, mjSTATE_USER=0x1FC0,
    mjSTATE_INTEGRATION=0x7FFF,
)  # fmt: skip

mjDISABLESTRING = (
    "Constraint", "Equality", "Frictionloss", "Limit", "Contact", "Spring", "Damper", "Gravity", "Clampctrl",
    "Warmstart", "Filterparent", "Actuation", "Refsafe", "Sensor", "Midphase", "Eulerdamp", "AutoReset", "NativeCCD",
    "Island", "MultiCCD",
)  # fmt: skip
mjENABLESTRING = ("Override", "Energy", "Fwdinv", "InvDiscrete", "Sleep", "DiagExact", "IPC", "Speculative")
