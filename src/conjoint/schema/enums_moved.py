"""Enumerations whose numbers moved after 3.3.5, with the numbers that they have in 4.0.0.

Programs that ask for a newer version get them under their names. Inside of this package, and in memory, flags and
states have the numbers of `schema.enums`: what programs read and write is translated (`own_bits`, `official_bits`).
"""

# fmt: off
from collections.abc import Iterable
from enum import IntEnum

from conjoint.schema import enums
from conjoint.schema.enums import MjEnum


class mjtDisableBit(MjEnum):
    """Features that can be disabled, as bits of `opt.disableflags`."""

    (mjDSBL_CONSTRAINT, mjDSBL_EQUALITY, mjDSBL_FRICTIONLOSS, mjDSBL_LIMIT, mjDSBL_CONTACT, mjDSBL_SPRING,
     mjDSBL_DAMPER, mjDSBL_GRAVITY, mjDSBL_CLAMPCTRL, mjDSBL_WARMSTART, mjDSBL_FILTERPARENT, mjDSBL_ACTUATION,
     mjDSBL_REFSAFE, mjDSBL_SENSOR, mjDSBL_MIDPHASE, mjDSBL_EULERDAMP, mjDSBL_AUTORESET, mjDSBL_NATIVECCD,
     mjDSBL_ISLAND, mjDSBL_MULTICCD) = (1 << bit for bit in range(20))
    mjNDISABLE = 20


class mjtEnableBit(MjEnum):
    """Features that can be enabled, as bits of `opt.enableflags`."""

    (mjENBL_OVERRIDE, mjENBL_ENERGY, mjENBL_FWDINV, mjENBL_INVDISCRETE, mjENBL_SLEEP, mjENBL_DIAGEXACT, mjENBL_IPC,
     mjENBL_SPECULATIVE) = (1 << bit for bit in range(8))
    mjNENABLE = 8


class mjtState(MjEnum):
    """Components of the state, as bits that can be combined."""

    (mjSTATE_TIME, mjSTATE_QPOS, mjSTATE_QVEL, mjSTATE_ACT, mjSTATE_HISTORY, mjSTATE_WARMSTART, mjSTATE_CTRL,
     mjSTATE_QFRC_APPLIED, mjSTATE_XFRC_APPLIED, mjSTATE_EQ_ACTIVE, mjSTATE_MOCAP_POS, mjSTATE_MOCAP_QUAT,
     mjSTATE_USERDATA, mjSTATE_PLUGIN, mjSTATE_PLASTIC) = (1 << bit for bit in range(15))
    mjNSTATE = 15
    mjSTATE_PHYSICS = 0x401E
    mjSTATE_FULLPHYSICS = 0x601F
    mjSTATE_USER = 0x1FC0
    mjSTATE_INTEGRATION = 0x7FFF


mjDISABLESTRING = (
    "Constraint", "Equality", "Frictionloss", "Limit", "Contact", "Spring", "Damper", "Gravity", "Clampctrl",
    "Warmstart", "Filterparent", "Actuation", "Refsafe", "Sensor", "Midphase", "Eulerdamp", "AutoReset", "NativeCCD",
    "Island", "MultiCCD",
)
mjENABLESTRING = ("Override", "Energy", "Fwdinv", "InvDiscrete", "Sleep", "DiagExact", "IPC", "Speculative")
# fmt: on

NAMES = frozenset({"mjtDisableBit", "mjtEnableBit", "mjtState", "mjDISABLESTRING", "mjENABLESTRING"})
"""What programs that ask for a newer version get from here."""


def _is_bit(member: IntEnum) -> bool:
    """Whether a member is a bit: counts of bits have names that begin with mjN, and sums several bits."""
    return member.bit_count() == 1 and not member.name.startswith("mjN")


def _pairs(own: Iterable[IntEnum], official: type[IntEnum]) -> tuple[tuple[int, int], ...]:
    """The bit in `schema.enums` and the official one of every member that both have."""
    return tuple((int(member), int(official[member.name])) for member in own if member.name in official.__members__)


BITS: dict[str, tuple[tuple[int, int], ...]] = {
    name: _pairs(filter(_is_bit, own), official)
    for name, own, official in (
        ("disableflags", enums.mjtDisableBit, mjtDisableBit),
        ("enableflags", enums.mjtEnableBit, mjtEnableBit),
        ("state", enums.mjtState, mjtState),
    )
}
"""Bits here and officially, by what they are bits of."""

PASSIVE = int(enums.mjtDisableBit.mjDSBL_PASSIVE)
"""What stands for springs and dampers together."""

SPRINGS_AND_DAMPERS = int(enums.mjtDisableBit.mjDSBL_SPRING | enums.mjtDisableBit.mjDSBL_DAMPER)


def official_bits(kind: str, number: int) -> int:
    """The official number of flags or components of the state that are `number` here."""
    if kind == "disableflags" and number & PASSIVE:
        number |= SPRINGS_AND_DAMPERS
    return sum(official for own, official in BITS[kind] if number & own)


def own_bits(kind: str, number: int, before: int = 0) -> int:
    """What an official number is here; bits without an official name are as `before`."""
    known = sum(own for own, _ in BITS[kind])
    found = sum(own for own, official in BITS[kind] if number & official)
    return found if kind == "disableflags" else found | before & ~known
