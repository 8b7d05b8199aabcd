"""LLVM types of reals, integers and conditions in one compiled variant, and the instructions for them.

This is the only module that defines how reals are represented. Another representation is another machine. A dual
number is a real number in one world with a vector of its tangents; `language/dual.py` has its differentiation rules. A
GPU thread is a machine of one lane whose worlds are stored side by side (`threads.py`).
"""

from __future__ import annotations

import dataclasses
import enum
import struct
from dataclasses import asdict, dataclass

from conjoint.once import derived, made_once

from ..language.kernel_error import KernelError
from ..language.tile import TILE
from ..memory.realisation import Realisation, world_view


class Extent(enum.IntEnum):
    """Number of machine values that represent one number of the language."""

    ONE = 1
    """A single number, shared by all worlds."""
    LANES = 2
    """A vector with one number for each of the worlds in lanes."""
    TILE = 3
    """A vector of eight neighboring numbers of one world, or of the tangents of a dual number."""
    DUAL = 4
    """A single number with its tangents: a dual number."""


class Literal(str):
    """A constant in LLVM's syntax.

    Attributes:
        number: the constant as a Python number; for vectors, the value of every element.
    """

    __slots__ = ("number",)
    number: float

    def __new__(cls, text: str, number: float) -> Literal:
        made = super().__new__(cls, text)
        made.number = number
        return made


REAL = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
INTEGER = {name: name for name in ("add", "sub", "mul", "and", "or", "xor", "shl")} | {"shr": "ashr"}
COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}


@dataclass(frozen=True)
class Machine(Realisation):
    """A compiled variant, and the LLVM types of its numbers."""

    @classmethod
    def of(cls, realisation: Realisation) -> Machine:
        """Return the machine of a compiled variant."""
        return cls(**asdict(realisation))

    @derived
    def state(self) -> Extent:
        """Extent of numbers read from fields of `d`."""
        return Extent.LANES if self.lanes > 1 else Extent.ONE

    @derived
    def is_view(self) -> bool:
        """True if the machine processes one world of a block of several."""
        return self.stride > self.lanes and not self.threads

    @derived
    def for_each_world(self) -> Machine:
        """The machine that processes a single one of the worlds in lanes."""
        view = world_view(self.base, self.lanes)
        return Machine.of(dataclasses.replace(view, exact=self.exact, profiled=self.profiled))

    @derived
    def whole_tiles(self) -> bool:
        """True if a tile is one vector; otherwise it is a list of numbers."""
        return self.lanes == 1 and not self.tangents and not self.threads

    @derived
    def several(self) -> Extent:
        """Extent of each number in a tile that is represented as a list of numbers."""
        return Extent.ONE if self.lanes == 1 else Extent.LANES

    @derived
    def widths(self) -> dict[Extent, int]:
        """Count of numbers in one LLVM value, by extent."""
        return {Extent.ONE: 1, Extent.LANES: self.lanes, Extent.TILE: TILE}

    @derived
    def scalars(self) -> dict[str, str]:
        """LLVM types of a single real and of a single condition."""
        return {"real": "double" if self.base == "float64" else "float", "bool": "i1"}

    @derived
    def types(self) -> dict[tuple[str, Extent], str]:
        """LLVM types of numbers, by kind and extent; integers have 64 bits, or 32 in lanes."""
        found = {}
        for extent, width in self.widths.items():
            for kind, scalar in {**self.scalars, "int": "i64" if width == 1 else "i32"}.items():
                found[kind, extent] = scalar if width == 1 else f"<{width} x {scalar}>"
        return found

    def constant(self, number: float, kind: str, extent: Extent) -> Literal:
        """Return a constant, repeated in every lane.

        Raises:
            KernelError: an integer is too large for its type.
        """
        if kind == "int" and not -(most := 1 << (int(element(self.types[kind, extent])[1:]) - 1)) <= number < most:
            raise KernelError(f"the integer {number} is too large")
        if kind == "real":
            text = real_literal(float(number), self.base)
        elif kind == "bool":
            text = "true" if number else "false"
        else:
            text = str(int(number))
        return self.repeated(Literal(text, number), kind, extent)

    def repeated(self, constant: Literal, kind: str, extent: Extent) -> Literal:
        """Repeat a constant in every lane."""
        wide = self.types[kind, extent]
        return Literal(f"splat ({element(wide)} {constant})", constant.number) if wide[0] == "<" else constant

    def arithmetic(self, name: str, kind: str, extent: Extent, a: str, b: str) -> str:
        """Return the instruction for an arithmetic operation on two numbers of the same type.

        Raises:
            KernelError: the kind has no such operation.
        """
        known = REAL if kind == "real" else INTEGER
        if name not in known:
            raise KernelError(f"there is no {name} of two {kind}s")
        wraps = kind == "real" or name not in REAL or self.widths[extent] > 1
        return f"{known[name]} {'' if wraps else 'nsw '}{self.types[kind, extent]} {a}, {b}"

    def comparison(self, symbol: str, kind: str, extent: Extent, a: str, b: str) -> str:
        """Return the instruction for a comparison of two numbers of the same type."""
        name = COMPARISONS[symbol]
        if kind == "real":
            name = "fcmp " + ("u" if name == "ne" else "o") + name
        else:
            name = "icmp " + (name if name in ("eq", "ne") else "s" + name)
        return f"{name} {self.types[kind, extent]} {a}, {b}"


def element(llvm: str) -> str:
    """Return the LLVM type of one element of a vector."""
    return llvm.split(" x ")[1][:-1] if llvm[0] == "<" else llvm


def mangled(llvm: str) -> str:
    """Return the type suffix in the name of an overloaded LLVM intrinsic."""
    scalar = element(llvm)
    short = {"double": "f64", "float": "f32"}.get(scalar, scalar)
    return short if scalar == llvm else f"v{llvm[1:].split(' x ')[0]}{short}"


@made_once
def real_literal(number: float, base: str) -> str:
    """Return LLVM's spelling of a number: the bits of a double, which for float32 is first rounded to float32."""
    if base == "float32":
        try:
            number = struct.unpack("f", struct.pack("f", number))[0]
        except OverflowError:
            number = float("inf") if number > 0 else float("-inf")
    return f"0x{struct.unpack('Q', struct.pack('d', number))[0]:016X}"
