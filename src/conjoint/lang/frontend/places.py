"""Memory locations of array elements, and the alias information for accesses to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import Any

from conjoint.once import derived

from ..language.kernel_error import KernelError
from ..memory.layout import ALIGNMENT, COMPONENTS
from ..objects.unit import SLOT_START, slot_symbol
from .machine import Extent, Machine
from .writer import INVARIANT, Writer

STORED = {"int": "i32", "byte": "i8", "bool": "i8", "char": "i8", "long": "i64", "float": "float"}
"""LLVM types of element types that are stored the same way in both precisions."""

SLOT_RANGE = "!6"
"""Metadata that marks slot symbols as small numbers, instead of addresses relative to the code."""

SIZES = {"i8": 1, "i32": 4, "i64": 8, "float": 4, "double": 8}
"""Size of an element in memory in bytes, by LLVM type."""


@dataclass(frozen=True, eq=False)
class Place:
    """Memory location of the elements of a field or of an array on the stack.

    Attributes:
        role: "m", "d", or "" for an array that is not a field.
        tag: number of the field in alias metadata.
        extent: extent of the numbers read.
        stride: number of worlds side by side.
        invariant: True if nothing writes to it while kernels run.
        uniform: True if a block of worlds stores a single copy.
        area: tag of the first field in the memory that the field shares with other groups; -1 if it shares no memory.
        group: tag of the first field in the field's own group; -1 if it shares no memory.
        tangent: place of the tangents of dual numbers, a vector for each number; None if there is no memory for them.
        scattered: True if the array has a different address in each lane.
    """

    role: str
    name: str
    kind: str
    shape: tuple[Any, ...]
    tag: int
    machine: Machine
    extent: Extent
    stride: int
    invariant: bool
    uniform: bool = False
    area: int = -1
    group: int = -1
    tangent: Place | None = None
    scattered: bool = False

    def __repr__(self) -> str:
        return f"{self.role}.{self.name}" if self.role else self.name

    @property
    def key(self) -> tuple[str, int]:
        """Type and length of an array on the stack."""
        return self.kind, self.shape[0]

    def is_like(self, other: Any) -> bool:
        """Return True if two arrays on the stack have the same type and length, with or without memory for tangents."""
        return isinstance(other, Place) and not (self.role or other.role) and self.key == other.key

    @derived
    def marks(self) -> str:
        """Alias metadata for an access. Fields overlap only with fields of other groups in the same area."""
        if not self.role:
            return ""
        if self.area < 0:
            return f", !tbaa !{node(self.tag)}"
        return f", !tbaa !{node(self.area)}, !alias.scope !{node(self.tag, 3)}, !noalias !{node(self.tag, 4)}"

    @derived
    def components(self) -> int:
        """Number of components of an element."""
        return COMPONENTS[self.kind]

    @derived
    def scalar(self) -> str:
        """LLVM type of one number in memory."""
        return STORED.get(self.kind) or self.machine.scalars["real"]

    @derived
    def width(self) -> int:
        """Count of numbers that one access reads."""
        return self.machine.widths[self.extent]

    @derived
    def type(self) -> str:
        """LLVM type of one access."""
        return self.scalar if self.width == 1 else f"<{self.width} x {self.scalar}>"

    @derived
    def stack_bytes(self) -> int:
        """Size in bytes of an array of fixed size on the stack: its numbers, then the tangents of all of them."""
        values = self.elements * self.width * SIZES[self.scalar]
        return values if self.tangent is None else self.tangent_offset + self.elements * self.tangent.width * 8

    @derived
    def tangent_offset(self) -> int:
        """Offset in bytes from the start of an array on the stack to the tangents of its numbers."""
        return -(-self.elements * SIZES[self.scalar] // ALIGNMENT) * ALIGNMENT

    @derived
    def elements(self) -> int:
        """Count of numbers in an array of fixed size."""
        return prod(self.shape) * self.components

    @derived
    def number(self) -> str:
        """Type of number that kernels see: "int" or "real"."""
        return "int" if self.scalar[0] == "i" else "real"

    def address(self, out: Writer) -> str:
        """Return the address of the first number in the current world's lane.

        It is loaded once, at the start of the function.
        """
        known = out.addresses.get(self)
        if known is None:
            out.fields.add(self)
            table = "m" if self.machine.threads else self.role
            entry = out.first(f"getelementptr inbounds i8, ptr %{table}, i64 {slot_offset(repr(self))}")
            if self.machine.threads:
                # both structs have one table of offsets, because a host does not know the addresses of a device
                offset = out.first(f"load i64, ptr {entry}, align 8, {INVARIANT}")
                # worlds have their own copies of varying model fields
                base = "d" if self.role == "d" or self.stride > self.width else "m"
                known = out.first(f"getelementptr inbounds i8, ptr %{base}, i64 {offset}")
            else:
                known = out.first(f"load ptr, ptr {entry}, align 8, {INVARIANT}")
            if self.stride > self.width:
                known = out.first(f"getelementptr inbounds {self.scalar}, ptr {known}, i64 %lane")
            out.addresses[self] = known
        return known

    def size(self, out: Writer, name: str) -> Any:
        """Return the size called `name` of the model or of the arena."""
        return out.size(name)

    def refuse_writing(self, out: Writer) -> None:
        """Raise an error if kernels must not write to this array or field.

        Raises:
            KernelError: kernels must not write to it.
        """
        if self.role == "m" and (self.invariant or not out.writes_model):
            raise KernelError("writes to the model; only @kernel(writes_model=True) may")
        if self.uniform and (self.machine.is_view or out.mask.partial):
            raise KernelError(f"{self} is shared by all worlds of a block, but only some of them write to it")


def slot_offset(field: str) -> str:
    """Return the byte offset of a field's slot in an address table, as a constant that the linker resolves."""
    return f'ptrtoint (ptr getelementptr (i8, ptr @"{slot_symbol(field)}", i64 -{SLOT_START}) to i64)'


def slots(fields: Iterable[Place]) -> list[str]:
    """Return the declarations of the fields' slot symbols, which are linked when the object is loaded."""
    return [f'@"{slot_symbol(repr(f))}" = external hidden global i8, !absolute_symbol {SLOT_RANGE}' for f in fields]


def node(tag: int, kind: int = 0) -> int:
    """Return the number of a metadata node of a field, or of the first field of an area or group.

    `kind` is 0 for the access, 1 for the type, 2 for the scope, and 3 for a list that contains only this scope. It is 4
    for a list of the scopes of the other fields in the group, and 5 for the domain of these scopes.
    """
    return 10 + 6 * tag + kind


def alias_information(fields: Iterable[Place]) -> list[str]:
    """Return the alias metadata of a module.

    Each field or area has a type, so that different fields or areas never overlap. Each field in an area also has a
    scope, so that fields of one group never overlap.
    """
    lines = ['!0 = !{!"conjoint"}', "!1 = !{}", f"{SLOT_RANGE} = !{{i64 0, i64 65536}}"]
    groups: dict[int, list[Place]] = {}
    kinds: dict[int, str] = {}
    for place in fields:
        if place.area >= 0:
            groups.setdefault(place.group, []).append(place)
        kinds.setdefault(place.tag if place.area < 0 else place.area, repr(place))
    for tag, name in kinds.items():
        lines.append(f'!{node(tag, 1)} = !{{!"{name}", !0, i64 0}}')
        lines.append(f"!{node(tag)} = !{{!{node(tag, 1)}, !{node(tag, 1)}, i64 0}}")
    for group, places in groups.items():
        lines.append(f"!{node(group, 5)} = distinct !{{!{node(group, 5)}}}")
        for place in places:
            scope, others = node(place.tag, 2), [f"!{node(other.tag, 2)}" for other in places if other is not place]
            lines.append(f"!{scope} = distinct !{{!{scope}, !{node(group, 5)}}}")
            lines.append(f"!{node(place.tag, 3)} = !{{!{scope}}}")
            lines.append(f"!{node(place.tag, 4)} = !{{{', '.join(others)}}}")
    return lines
