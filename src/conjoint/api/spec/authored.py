"""Which settings a file gave: `spec.authored` and `spec.compiler.authored`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conjoint.api.spec.fields import fields
from conjoint.api.spec.handle import Named
from conjoint.schema.enums_moved import official_bits
from conjoint.schema.mjcf.header import DISABLE_FLAGS, ENABLE_FLAGS
from conjoint.schema.option import VISUAL_GROUPS
from conjoint.schema.version import STANDS_FOR
from conjoint.spec import Spec


def numbered(kind: str, written: Iterable[str]) -> int:
    """Names of settings as bits, in the order of those that there are."""
    names = [name for name in fields(kind) if name != "name"]
    return sum(1 << names.index(name) for name in written if name in names)


class MjsAuthored(Named):
    """Settings that a file gave, as sums of bits, also where they are the default.

    Bits of `option` and of the groups of visual settings follow the order of their attributes; those of
    `disableflags`, `enableflags` and `disableactuator` are the flags and groups of actuators that the file names.
    """

    _spec: Spec

    def __init__(self, spec: Spec):
        """What the file of `spec` gave."""
        object.__setattr__(self, "_spec", spec)

    @property
    def option(self) -> int:
        """Options."""
        return numbered("option", self._spec.option.written)

    @property
    def disableflags(self) -> int:
        """Flags of what can be disabled (mjtDisableBit)."""
        return self._flags("disableflags", DISABLE_FLAGS)

    @property
    def enableflags(self) -> int:
        """Flags of what can be enabled (mjtEnableBit)."""
        return self._flags("enableflags", ENABLE_FLAGS)

    @property
    def disableactuator(self) -> int:
        """Groups of actuators."""
        option = self._spec.option
        return int(option.disableactuator) if "actuatorgroupdisable" in option.written else 0

    def _flags(self, name: str, bits: Mapping[str, int]) -> int:
        """Flags that were written, in the numbers of the version that is stood in for."""
        own = sum({bit for flag, bit in bits.items() if flag in self._spec.option.written})
        return official_bits(name, own) if STANDS_FOR.moved else own


def _group(kind: str) -> Any:
    """Attribute for a group of visual settings."""

    def read(authored: MjsAuthored) -> int:
        return numbered(kind, authored._spec.visual[kind].written)

    return property(read, doc=f"Visual settings: {kind}.")


for _kind in VISUAL_GROUPS:
    setattr(MjsAuthored, f"visual_{_kind}", _group(_kind))
