"""Structs on the stack, which consist of adjacent members of different types, read and written by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conjoint.once import made_once

from ..language.formula import Formula
from ..language.kernel_error import KernelError
from ..language.record import StructKind
from ..language.vocabulary import Word
from ..memory.layout import COMPONENTS
from .arrays import Array, refuse_index, shown, stack_place
from .gathers import moved
from .machine import Extent, Machine
from .places import Place
from .writer import Writer

ALIGNED = 64
"""Multiple to which the size of a struct is rounded up in lanes, in bytes; for a single world it is 8."""


@dataclass(frozen=True, eq=False)
class LocalPlace:
    """Memory layout of a struct: for each member, its byte offset, its `Place`, and True if it is an array.

    Attributes:
        count: number of adjacent structs; 0 for one struct that is a member or an element.
        size: size of one struct in bytes.
        dual: types and lengths of its arrays that include memory for tangents.
        scattered: True if each lane has its own address.
        viewer: machine of a function for a single world, if `machine` computes several worlds in lanes.
    """

    kind: StructKind
    machine: Machine
    count: int
    size: int
    members: dict[str, tuple[int, Place | LocalPlace, bool]]
    dual: frozenset[tuple[str, int]]
    scattered: bool = False
    viewer: Machine | None = None

    def inside(self) -> Iterator[Place]:
        """Yield the places of all members, including those of nested structs."""
        for _, place, _ in self.members.values():
            yield from place.inside() if isinstance(place, LocalPlace) else (place,)

    def is_like(self, other: Any) -> bool:
        """Return True if `other` describes structs of the same type and number, with or without memory for tangents."""
        return isinstance(other, LocalPlace) and (self.kind, self.count) == (other.kind, other.count)

    def __repr__(self) -> str:
        return f"local({self.kind.__name__}, {self.count})" if self.count else self.kind.__name__


@made_once
def local_place(machine: Machine, kind: StructKind, count: int, dual: frozenset[tuple[str, int]]) -> LocalPlace:
    """Return the memory layout of structs on the stack.

    Args:
        machine: machine that represents reals.
        kind: declaration of the struct.
        count: number of structs; 0 for a single struct that is a member or an element.
        dual: types and lengths of the arrays in it that include memory for tangents.
    """
    step, size = 8 if machine.whole_tiles else ALIGNED, 0
    members: dict[str, tuple[int, Place | LocalPlace, bool]] = {}
    for name, (member, n) in kind.members.items():
        if isinstance(member, StructKind):
            place: Place | LocalPlace = local_place(machine, member, n, dual)
            length = place.size * max(n, 1)
        else:
            key = kind_name(member), max(n, 1)
            place = stack_place(machine, *key, key in dual)
            if name in kind.uniform and machine.lanes > 1:
                place = dataclasses.replace(place, name=f"{kind.__name__}.{name}", extent=Extent.ONE, stride=1)
            length = place.stack_bytes
        members[name] = size, place, n > 0
        size += (length + step - 1) // step * step
    return LocalPlace(kind, machine, count, size, members, dual)


def keys_in(kind: StructKind) -> set[tuple[str, int]]:
    """Return the types and lengths of all members, including those of nested structs."""
    found: set[tuple[str, int]] = set()
    for member, n in kind.members.values():
        found |= keys_in(member) if isinstance(member, StructKind) else {(kind_name(member), max(n, 1))}
    return found


def kind_name(x: Any) -> str:
    """Return the name of the element type that an argument such as `int`, `real` or `vec3` stands for."""
    name = str(x.result) if isinstance(x, Formula) else getattr(x, "__name__", "")
    if not (isinstance(x, (Formula, Word)) or x is int) or name not in COMPONENTS:
        raise KernelError(f"{x!r} is not a kind of elements: write real, int, vec3, ...")
    return name


@dataclass(frozen=True, eq=False)
class LocalStructs:
    """Adjacent structs on the stack, or one of them."""

    place: LocalPlace
    address: str

    def __repr__(self) -> str:
        return f"the struct {self.place}"

    def load(self, out: Writer, i: Any) -> LocalStructs:
        """Return the struct with index i."""
        if not self.place.count:
            raise KernelError(f"{self} has no elements")
        refuse_index(i)
        place = self.place
        address, is_scattered = moved(out, self.address, place.scattered, i * place.size)
        one = local_place(place.machine, place.kind, 0, place.dual)
        if place.viewer:
            one = seen_by_one(one, place.viewer)
        return LocalStructs(scattered(one) if is_scattered else one, address)

    def store(self, out: Writer, i: Any, value: Any) -> None:
        """Copy another struct to the struct with index i."""
        if not isinstance(value, LocalStructs) or value.place.kind is not self.place.kind:
            raise KernelError(f"stored {shown(value)} in {self}")
        if value.place.dual != self.place.dual:
            # source and target of a copy must both have memory for tangents, or neither
            dual = value.place.dual | self.place.dual
            outgrown = {place for place in (*value.place.inside(), *self.place.inside()) if place.key in dual}
            out.outgrown |= {place for place in outgrown if place.tangent is None}
        target = self.load(out, i)
        places = target.place, value.place
        if out.mask.partial or any(place.scattered or place.viewer for place in places):
            copy_members(out, value, target)
            return
        given = [("ptr", target.address), ("ptr", value.address), ("i64", str(self.place.size)), ("i1", "false")]
        out.call("llvm.memmove.p0.p0.i64", "void", given)

    def member(self, out: Writer, name: str) -> Any:
        """Return the member `name`: an element, an array or a struct."""
        found = self.found(out, name)
        return found if isinstance(found, LocalStructs) or self.place.members[name][2] else found.load(out, 0)

    def assign(self, out: Writer, name: str, value: Any) -> None:
        """Write a member that is not an array."""
        found = self.found(out, name)
        if isinstance(found, LocalStructs) or self.place.members[name][2]:
            raise KernelError(f"{name} is an array: assign its elements")
        found.store(out, 0, value)

    def found(self, out: Writer, name: str) -> Array | LocalStructs:
        """Return a member at its address, as an array or as structs."""
        if self.place.count or name not in self.place.members:
            raise KernelError(f"{self} has no member {name}")
        offset, place, _ = self.place.members[name]
        address, is_scattered = moved(out, self.address, self.place.scattered, offset)
        place = scattered(place) if is_scattered else place
        if self.place.viewer and isinstance(place, Place) and place.stride > 1:
            address = out.value(f"getelementptr inbounds {place.scalar}, ptr {address}, i64 %lane")
        return LocalStructs(place, address) if isinstance(place, LocalPlace) else Array(place, address)


@made_once
def scattered(place: Any) -> Any:
    """Return the place of an array or struct with an address for each lane; places of fields stay unchanged."""
    return place if place.scattered or getattr(place, "role", "") else dataclasses.replace(place, scattered=True)


@made_once
def seen_by_one(place: Any, machine: Machine) -> Any:
    """Convert the place of an array or struct in a function for lanes to its place in a function for one world."""
    if isinstance(place, LocalPlace):
        members = {name: (at, seen_by_one(inner, machine), many) for name, (at, inner, many) in place.members.items()}
        return dataclasses.replace(place, members=members, scattered=False, viewer=machine)
    return dataclasses.replace(place, machine=machine, extent=Extent.ONE, scattered=False)


def copy_members(out: Writer, source: LocalStructs, target: LocalStructs) -> None:
    """Copy structs number by number, in the active lanes."""
    for name in source.place.members:
        a, b = source.found(out, name), target.found(out, name)
        if isinstance(a, Array) and isinstance(b, Array):
            for k in range(a.place.elements):
                b.store_numbers(out, k, a.numbers(out, k, 1))
        elif isinstance(a, LocalStructs) and isinstance(b, LocalStructs):
            count = a.place.count
            for x, y in [(a.load(out, k), b.load(out, k)) for k in range(count)] if count else [(a, b)]:
                copy_members(out, x, y)


def stack_structs(out: Writer, kind: StructKind, count: int) -> LocalStructs:
    """Allocate structs on the stack. They exist until the function returns."""
    place = local_place(out.machine, kind, count, out.dual_arrays & keys_in(kind))
    out.arrays.update(place.inside())
    return LocalStructs(place, out.first(f"alloca [{count * place.size} x i8], align 64"))
