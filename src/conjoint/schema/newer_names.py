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


_ADDED = (
    "nactuator nout nhistory actuator_ctrladr actuator_ctrlnum actuator_ctrlspec actuator_outadr actuator_outnum "
    "actuator_history actuator_historyadr actuator_delay actuator_damping actuator_dampingpoly actuator_armature "
    "sensor_history sensor_historyadr sensor_delay sensor_interval jnt_stiffnesspoly jnt_actuatorid dof_dampingpoly "
    "tendon_stiffnesspoly tendon_dampingpoly tendon_actuatorid opt.sleep_tolerance tree_sleep_policy site_dataid "
    "geom_adhesion pair_adhesion geom_surfacevel cam_output "
    "nplastic jnt_springyield jnt_plasticadr tendon_springyield tendon_plasticadr key_plastic"
)
IN_MEMORY_OF_MODELS = frozenset(_ADDED.split())
"""Fields of models that came after 3.3.5, which `dir` lists for programs that ask for a newer version."""

IN_MEMORY_OF_WORLDS = frozenset({"history", "qfrc_adhesion", "plastic"})
"""Fields of worlds that came after 3.3.5."""
