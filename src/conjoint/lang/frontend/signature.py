"""Types of variables and parameters, called signatures, and the LLVM values that represent objects of these types.

A signature is hashable. The signatures of numbers and values are ("real", extent), ("int", extent), ("bool", extent),
("vec3", extent) and so on; those of tiles are ("tile", TILE) and ("mask", TILE). The signature of an array is its
`Place`, that of a struct its `Struct`. A kernel, formula, part or group, which is known at compile time, is its own
signature.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..language.formula import Formula
from ..language.group import Group, unfolded
from ..language.kernel import Kernel
from ..language.kernel_error import KernelError
from ..language.shared_work import Pieces
from ..language.tile import FEW, TILE, Tile
from ..language.values import Value
from ..language.world_part import Part
from ..memory.layout import COMPONENTS
from .arrays import Array
from .gathers import spread_address
from .local_structs import LocalPlace, LocalStructs, local_place, scattered
from .machine import Extent, Machine
from .number import Number, kind_of, lifted, number_of
from .places import Place
from .structs import Struct
from .writer import Writer

SCALARS = ("real", "int", "bool")
TILES = {"tile": ("real", TILE), "panel": ("real", FEW), "mask": ("bool", TILE)}
"""Tile types, each with its element type and its number of columns in lanes."""
WRITTEN = (Number, Value, Array, LocalStructs)
"""Types of objects whose values are not known at compile time."""

Signature = Any


@dataclass(frozen=True)
class Made:
    """Signature of a group that is created in a kernel: its class, and the signatures of its members."""

    group: type[Group]
    members: tuple[Signature, ...]


def signature(x: Any) -> Signature:
    """Return the signature of `x`.

    Raises:
        KernelError: `x` cannot be the value of a variable.
    """
    if isinstance(x, Number):
        return x.kind, x.extent
    if isinstance(x, (bool, int, float)):
        return kind_of(x), Extent.ONE
    if isinstance(x, Tile):
        return x.kind, max(Extent.TILE, *(part.extent for part in x.parts))
    if isinstance(x, Value):
        return x.kind, max(part.extent for part in x.parts)
    if isinstance(x, (Array, LocalStructs)):
        return x.place
    if isinstance(x, Pieces) or (isinstance(x, Group) and any(isinstance(v, WRITTEN) for v in unfolded([x]))):
        return Made(type(x), tuple(signature(v) for v in x.members.values()))
    if isinstance(x, (Struct, Kernel, Formula, Part, Group)):
        return x
    if x is None:
        raise KernelError("a kernel that returns nothing has no value")
    raise KernelError(f"{'a tuple' if isinstance(x, tuple) else repr(x)} cannot be the value of a variable")


def join(a: Signature, b: Signature) -> Signature:
    """Return the signature of a variable that may have signature a or signature b.

    An integer becomes a real, and a single number becomes one number per lane.

    Raises:
        KernelError: no variable can have both signatures.
    """
    if a == b:
        return a
    if isinstance(a, Made) and isinstance(b, Made) and a.group is b.group:
        return Made(a.group, tuple(join(*both) for both in zip(a.members, b.members, strict=True)))
    if isinstance(a, (Place, LocalPlace)) and a.is_like(b):
        if a.machine.lanes > 1:
            return scattered(a)
        if a.machine.tangents:
            return with_room(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        extent = max(a[1], b[1])
        if a[0] == b[0]:
            return a[0], extent
        if {a[0], b[0]} == {"int", "real"}:
            return "real", extent
    raise KernelError(f"a variable cannot change its kind: it was {shown(a)}, and is now {shown(b)}")


def in_lanes(a: Signature) -> Signature:
    """Return signature `a` with one value for each lane. Signatures of fields and compile-time values do not change."""
    if isinstance(a, Made):
        return Made(a.group, tuple(in_lanes(member) for member in a.members))
    if isinstance(a, (Place, LocalPlace)):
        return scattered(a)
    return (a[0], max(a[1], Extent.LANES)) if isinstance(a, tuple) else a


def with_room(a: Any, b: Any) -> Place | LocalPlace:
    """Return the place of two similar arrays or structs on the stack, with memory for tangents if either one has it."""
    if isinstance(a, Place):
        return b if a.tangent is None else a
    return local_place(a.machine, a.kind, a.count, a.dual | b.dual)


def shown(a: Signature) -> str:
    """Return a description of a signature for error messages."""
    return f"a {a[0]}" if isinstance(a, tuple) else f"the array {a}" if isinstance(a, Place) else repr(a)


def llvm_types(machine: Machine, a: Signature) -> list[str]:
    """Return the LLVM types of the values that represent an object with this signature."""
    if isinstance(a, (Place, LocalPlace)):
        return [f"<{machine.lanes} x ptr>" if a.scattered else "ptr"]
    if isinstance(a, Made):
        return [t for member in a.members for t in llvm_types(machine, member)]
    if not isinstance(a, tuple):
        return []
    kind, extent, count = numbers_of(machine, *a)
    if extent == Extent.DUAL:
        return [machine.types[kind, Extent.ONE], machine.types[kind, Extent.TILE]] * count
    return [machine.types[kind, extent]] * count


def numbers_of(machine: Machine, kind: str, extent: Extent) -> tuple[str, Extent, int]:
    """Return the type, extent and count of the numbers that make up a number, value or tile."""
    if kind in SCALARS:
        return kind, extent, 1
    if kind not in TILES:
        return "real", extent, COMPONENTS[kind]
    numbers, count = TILES[kind]
    if machine.whole_tiles:
        return numbers, extent, 1
    return numbers, extent if extent == Extent.DUAL else machine.several, count


def parts_of(out: Writer, x: Any, a: Signature) -> list[str]:
    """Return the LLVM values that represent `x`, converted to signature `a`."""
    if isinstance(a, (Place, LocalPlace)):
        if a.scattered and not x.place.scattered:
            return [spread_address(out, x.address)]
        if x.place is not a:
            request_capacity(out, x.place, a)
        return [x.address]
    if isinstance(a, Made):
        both = zip(x.members.values(), a.members, strict=True)
        return [part for v, member in both for part in parts_of(out, v, member)]
    if not isinstance(a, tuple):
        return []
    kind, extent, _ = numbers_of(out.machine, *a)
    parts = x.parts if isinstance(x, (Value, Tile)) else (x,)
    return [text for part in parts for text in lifted(out, part).to(kind, extent).texts]


def request_capacity(out: Writer, place: Any, a: Any) -> None:
    """Record that an array or struct on the stack needs memory for tangents if its replacement `a` has such memory."""
    pairs = zip(place.inside(), a.inside(), strict=True) if isinstance(a, LocalPlace) else [(place, a)]
    out.outgrown |= {mine for mine, other in pairs if mine.tangent is None and other.tangent is not None}


def merged(out: Writer, kinds: Sequence[Signature], ways: Sequence[tuple[Sequence[str], str]]) -> list[Any]:
    """Begin a block where several control paths meet, and merge the values computed on them.

    Args:
        out: the function being generated.
        kinds: signatures of the values.
        ways: for each path, the LLVM values and the label of the block in which it ends.
    """
    texts = [
        out.value(f"phi {t} " + ", ".join(f"[ {parts[k]}, %{block} ]" for parts, block in ways))
        for k, t in enumerate([t for kind in kinds for t in llvm_types(out.machine, kind)])
    ]
    left = iter(texts)
    return [rebuilt(out, kind, left) for kind in kinds]


def passed(out: Writer, x: Any, a: Signature) -> list[str]:
    """Return the LLVM values that represent `x` with signature `a`, each preceded by its type."""
    return [f"{t} {part}" for t, part in zip(llvm_types(out.machine, a), parts_of(out, x, a), strict=True)]


def rebuilt(out: Writer, a: Signature, texts: Iterator[str]) -> Any:
    """Return the object that the next LLVM values of `texts` represent; the inverse of `parts_of`."""
    if isinstance(a, Place):
        return Array(a, next(texts))
    if isinstance(a, LocalPlace):
        return LocalStructs(a, next(texts))
    if isinstance(a, Made):
        return a.group(*[rebuilt(out, member, texts) for member in a.members])
    if not isinstance(a, tuple):
        return a
    numbers, extent, count = numbers_of(out.machine, *a)
    parts = [number_of(out, texts, numbers, extent) for _ in range(count)]
    if a[0] in SCALARS:
        return parts[0]
    return Tile(parts) if a[0] in TILES else Value(a[0], parts)
