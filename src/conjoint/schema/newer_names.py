"""Names that MuJoCo added after 3.3.5: members of enumerations, fields, and bits with other numbers in newer versions.

Members have MuJoCo's number if it is free. All other members have a number that no other member of their class has, so
that all names can be used together. A program that requests a newer version gets MuJoCo's numbers of flags and states.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache

from conjoint.schema.enums import mjtDisableBit, mjtEnableBit, mjtState

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
"""Members of enumerations that MuJoCo added after 3.3.5, by their class."""

BUILT = frozenset({
    "mjDSBL_SPRING", "mjDSBL_DAMPER", "mjDSBL_ISLAND", "mjDSBL_MULTICCD", "mjSTATE_HISTORY", "mjSTATE_PLASTIC",
    "mjENBL_SLEEP", "mjENBL_DIAGEXACT", "mjEQ_FLEXSTRAIN", "mjCONDATA_LINVEL", "mjCONDATA_ANGVEL",
    "mjDYN_DCMOTOR", "mjDYN_PID", "mjGAIN_DCMOTOR", "mjGAIN_PID", "mjBIAS_DCMOTOR",
    "mjTRN_SO3", "mjGAIN_SO3", "mjBIAS_SO3",
    "mjMOUSE_MOVE_V_REL", "mjMOUSE_MOVE_H_REL", "mjMOUSE_TURN_V", "mjMOUSE_TURN_H",
})  # fmt: skip
"""New members that are implemented. A model that uses other new members is rejected."""

NOT_BUILT = frozenset(name for names in MEMBERS.values() for name in names.split()) - BUILT


@cache
def built(kinds: type[IntEnum]) -> list[int]:
    """Return the numbers of an enumeration's members that may occur in a model."""
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
"""Fields of models that were added after 3.3.5. `dir` lists them for programs that request a newer version."""

IN_MEMORY_OF_WORLDS = frozenset({"history", "qfrc_adhesion", "plastic"})
"""Fields of worlds that MuJoCo added after 3.3.5."""

BITS_IN_ORDER = {
    "disableflags": (
        "mjDSBL_CONSTRAINT", "mjDSBL_EQUALITY", "mjDSBL_FRICTIONLOSS", "mjDSBL_LIMIT", "mjDSBL_CONTACT",
        "mjDSBL_SPRING", "mjDSBL_DAMPER", "mjDSBL_GRAVITY", "mjDSBL_CLAMPCTRL", "mjDSBL_WARMSTART",
        "mjDSBL_FILTERPARENT", "mjDSBL_ACTUATION", "mjDSBL_REFSAFE", "mjDSBL_SENSOR", "mjDSBL_MIDPHASE",
        "mjDSBL_EULERDAMP", "mjDSBL_AUTORESET", "mjDSBL_NATIVECCD", "mjDSBL_ISLAND", "mjDSBL_MULTICCD",
    ),
    "enableflags": (
        "mjENBL_OVERRIDE", "mjENBL_ENERGY", "mjENBL_FWDINV", "mjENBL_INVDISCRETE", "mjENBL_SLEEP", "mjENBL_DIAGEXACT",
        "mjENBL_IPC", "mjENBL_SPECULATIVE",
    ),
    "state": (
        "mjSTATE_TIME", "mjSTATE_QPOS", "mjSTATE_QVEL", "mjSTATE_ACT", "mjSTATE_HISTORY", "mjSTATE_WARMSTART",
        "mjSTATE_CTRL", "mjSTATE_QFRC_APPLIED", "mjSTATE_XFRC_APPLIED", "mjSTATE_EQ_ACTIVE", "mjSTATE_MOCAP_POS",
        "mjSTATE_MOCAP_QUAT", "mjSTATE_USERDATA", "mjSTATE_PLUGIN", "mjSTATE_PLASTIC",
    ),
}  # fmt: skip
"""Names of flags, and of state components, in the order of their bits in 4.0.0.

In this package and in memory these bits have the numbers of `schema.enums`. Numbers that programs for a newer version
read and write are translated (`official_bits`, `own_bits`).
"""

BITS = {
    kind: tuple((int(own[name]), 1 << bit) for bit, name in enumerate(BITS_IN_ORDER[kind]) if name in own.__members__)
    for kind, own in (("disableflags", mjtDisableBit), ("enableflags", mjtEnableBit), ("state", mjtState))
}
"""Pairs of each bit's number in Conjoint and in MuJoCo 4.0.0."""

PASSIVE = int(mjtDisableBit.mjDSBL_PASSIVE)
"""Disable flag for both springs and dampers in MuJoCo 3.3.5, which newer versions replace by two flags."""

SPRINGS_AND_DAMPERS = int(mjtDisableBit.mjDSBL_SPRING | mjtDisableBit.mjDSBL_DAMPER)


def official_bits(kind: str, number: int) -> int:
    """Convert flags, or components of the state, to the numbers of MuJoCo 4.0.0.

    Args:
        kind: a key of `BITS`.
        number: sum of bits in the numbers of `schema.enums`.
    """
    if kind == "disableflags" and number & PASSIVE:
        number |= SPRINGS_AND_DAMPERS
    return sum(official for own, official in BITS[kind] if number & own)


def own_bits(kind: str, number: int, before: int = 0) -> int:
    """Convert flags, or components of the state, from the numbers of MuJoCo 4.0.0 to those of `schema.enums`.

    Args:
        kind: a key of `BITS`.
        number: sum of bits in the numbers of 4.0.0.
        before: previous result, for bits that 4.0.0 does not have.
    """
    known = sum(own for own, _ in BITS[kind])
    found = sum(own for own, official in BITS[kind] if number & official)
    return found if kind == "disableflags" else found | before & ~known
