"""What names of versions after 3.3.5 stand for, and which of them have another number in those versions.

Members whose official number is free have it. The others have one that no other member of their class has, so that all
names can be used together; a program that asks for a newer version gets the official numbers of flags and states
(`OFFICIAL_BITS`), which are then read and written as such.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache

MEMBERS: dict[str, str] = {
    "mjtBias": "mjBIAS_SO3 mjBIAS_DCMOTOR",
    "mjtConDataField": "mjCONDATA_LINVEL mjCONDATA_ANGVEL",
    "mjtDisableBit": "mjDSBL_SPRING mjDSBL_DAMPER mjDSBL_ISLAND mjDSBL_MULTICCD",
    "mjtDyn": "mjDYN_DCMOTOR mjDYN_PID",
    "mjtEnableBit": "mjENBL_SLEEP mjENBL_DIAGEXACT mjENBL_IPC mjENBL_SPECULATIVE",
    "mjtEq": "mjEQ_FLEXVERT mjEQ_FLEXSTRAIN",
    "mjtGain": "mjGAIN_DCMOTOR mjGAIN_SO3 mjGAIN_PID",
    "mjtIntegrator": "mjINT_DISCRETE",
    "mjtMeshBuiltin": "mjMESH_BUILTIN_GRID mjMESH_BUILTIN_BOX mjMESH_BUILTIN_CYLINDER mjMESH_BUILTIN_ELLIPSOID "
    "mjMESH_BUILTIN_SQUARE mjMESH_BUILTIN_DISC",
    "mjtMouse": "mjMOUSE_MOVE_V_REL mjMOUSE_MOVE_H_REL mjMOUSE_TURN_V mjMOUSE_TURN_H",
    "mjtState": "mjSTATE_HISTORY mjSTATE_PLASTIC",
    "mjtTrn": "mjTRN_SO3",
}
"""Members that came after 3.3.5, by their class."""

BUILT = frozenset({
    "mjDSBL_SPRING", "mjDSBL_DAMPER", "mjDSBL_ISLAND", "mjDSBL_MULTICCD", "mjSTATE_HISTORY", "mjSTATE_PLASTIC",
    "mjENBL_SLEEP", "mjENBL_DIAGEXACT", "mjEQ_FLEXSTRAIN", "mjCONDATA_LINVEL", "mjCONDATA_ANGVEL",
    "mjDYN_DCMOTOR", "mjDYN_PID", "mjGAIN_DCMOTOR", "mjGAIN_PID", "mjBIAS_DCMOTOR",
    "mjTRN_SO3", "mjGAIN_SO3", "mjBIAS_SO3",
    "mjMOUSE_MOVE_V_REL", "mjMOUSE_MOVE_H_REL", "mjMOUSE_TURN_V", "mjMOUSE_TURN_H",
})  # fmt: skip
"""Those that can be used; a model with any of the others is refused."""

NOT_BUILT = frozenset(name for names in MEMBERS.values() for name in names.split()) - BUILT


@cache
def built(kinds: type[IntEnum]) -> list[int]:
    """The numbers of those members of an enumeration that a model may have."""
    return [int(kind) for kind in kinds if kind.name not in NOT_BUILT]
