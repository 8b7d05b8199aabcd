"""Kinds of what variables and parameters hold, and how they are passed as LLVM values.

A signature is hashable: ("real", lanes), ("int", lanes), ("bool", lanes), ("vec3", lanes) and so on, ("tile", lanes), a
`Place` for an array, a `Struct`, or a kernel or formula, which is known while compiling.
"""

from __future__ import annotations

from typing import Any

from ..formula import Formula
from ..kernel import Kernel
from ..layout import COMPONENTS
from ..values import Value
from ..words import TILE
from .number import Number, lifted
from .places import Array, Place, Struct, Tile
from .writer import Machine, Writer

SCALARS = ("real", "int", "bool")
Signature = Any


def signature(x: Any) -> Signature:
    """What `x` is.

    Raises:
        TypeError: nothing that a variable can hold.
    """
    if isinstance(x, Number):
        return x.kind, x.lanes
    if isinstance(x, bool):
        return "bool", 1
    if isinstance(x, int):
        return "int", 1
    if isinstance(x, float):
        return "real", 1
    if isinstance(x, Tile):
        return "tile", x.parts[0].lanes
    if isinstance(x, Value):
        return x.kind, max(part.lanes for part in x.parts)
    if isinstance(x, Array):
        return x.place
    if isinstance(x, (Struct, Kernel, Formula)):
        return x
    raise TypeError(f"{x!r} cannot be held by a variable")


def join(a: Signature, b: Signature) -> Signature:
    """What a variable is that holds a or b: integers give way to reals, one number to lanes.

    Raises:
        TypeError: they have nothing in common.
    """
    if a == b:
        return a
    if isinstance(a, tuple) and isinstance(b, tuple):
        lanes = max(a[1], b[1])
        if a[0] == b[0]:
            return a[0], lanes
        if {a[0], b[0]} == {"int", "real"}:
            return "real", lanes
    raise TypeError(f"a variable never changes its kind: this was {shown(a)} and becomes {shown(b)}")


def shown(a: Signature) -> str:
    """A signature in an error."""
    return f"a {a[0]}" if isinstance(a, tuple) else repr(a)


def llvm_types(machine: Machine, a: Signature) -> list[str]:
    """LLVM types of the parts."""
    if isinstance(a, Place):
        return ["ptr"]
    if not isinstance(a, tuple):
        return []
    kind, lanes = a
    if kind in SCALARS:
        return [machine.type(kind, lanes)]
    if kind == "tile":
        return [machine.type("real", TILE)] if machine.lanes == 1 else [machine.type("real", machine.lanes)] * TILE
    return [machine.type("real", lanes)] * COMPONENTS[kind]


def parts_of(out: Writer, x: Any, a: Signature) -> list[str]:
    """LLVM values of `x` as `a`."""
    if isinstance(a, Place):
        return [x.address]
    if not isinstance(a, tuple):
        return []
    kind, lanes = a
    if kind in SCALARS:
        return [lifted(out, x).to(kind, lanes).text]
    return [lifted(out, part).to("real", lanes).text for part in x.parts]


def rebuilt(out: Writer, a: Signature, texts: list[str]) -> Any:
    """What has the LLVM values `texts`; the opposite of `parts_of`."""
    if isinstance(a, Place):
        return Array(a, texts[0])
    if not isinstance(a, tuple):
        return a
    kind, lanes = a
    if kind in SCALARS:
        return Number(out, texts[0], kind, lanes)
    numbers = [Number(out, text, "real", lanes) for text in texts]
    return Tile(numbers) if kind == "tile" else Value(kind, numbers)
