"""Arrays in compiled code: fields, arrays on the stack and NumPy arrays, with access by element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from conjoint.once import made_once

from ..language.dual import value_of
from ..language.kernel_error import KernelError
from ..language.tile import TILE, Tile
from ..language.values import Value
from ..memory.layout import ALIGNMENT, COMPONENTS, INTEGERS
from .gathers import gathered, is_gather, scatter
from .machine import Extent, Literal, Machine
from .number import DualNumber, Number, lifted, shown, varies
from .places import SIZES, Place
from .writer import INVARIANT, Writer


@dataclass(frozen=True, eq=False)
class Array:
    """An array whose elements kernels access by index."""

    place: Place
    address: str

    def __repr__(self) -> str:
        return f"the array {self.place}"

    # ---- elements

    def single(self, out: Writer) -> Any:
        """Return the single element of a field without dimensions.

        Fields of the model are read once, at the start of the function.
        """
        if not self.place.invariant:
            return self.load(out, 0)
        known = out.singles.get(self.place)
        if known is None:
            with out.at_the_start():
                known = out.singles[self.place] = self.load(out, 0)
        return known

    def load(self, out: Writer, i: Any) -> Any:
        """Return element i."""
        count = self.place.components
        numbers = self.numbers(out, self.first(out, i), count)
        return numbers[0] if count == 1 else Value(self.place.kind, numbers)

    def store(self, out: Writer, i: Any, value: Any) -> None:
        """Write element i.

        Raises:
            KernelError: the value has another type, or the kernel may not write to this array.
        """
        place = self.place
        if place.components > 1:
            if not (isinstance(value, Value) and value.kind == place.kind):
                raise KernelError(f"stored {shown(value)} in an array of {place.kind}")
            self.store_numbers(out, self.first(out, i), value.parts)
        elif isinstance(value, (Number, bool, int, float)):
            self.store_numbers(out, self.first(out, i), [value])
        else:
            raise KernelError(f"stored {shown(value)} in an array of {place.kind}")

    def load_value(self, out: Writer, kind: str, at: Any) -> Any:
        """Return a value of type `kind`, read from consecutive numbers that start at element `at`."""
        self.refuse_parts()
        return Value(kind, self.numbers(out, self.first(out, at), COMPONENTS[kind]))

    def store_value(self, out: Writer, at: Any, value: Value) -> None:
        """Write the components of a value to consecutive numbers that start at element `at`."""
        self.refuse_parts()
        self.store_numbers(out, self.first(out, at), value.parts)

    def refuse_parts(self) -> None:
        """Raise an error unless this is an array of reals, because only such arrays can contain tiles and values."""
        if self.place.components != 1 or self.place.number != "real":
            raise KernelError(f"{self.place} is an array of {self.place.kind}, not of reals")

    # ---- addresses

    def first(self, out: Writer, i: Any) -> Any:
        """Return the index of the first number of element i, where i is one index or a tuple with one per dimension."""
        place = self.place
        indices = i if isinstance(i, tuple) else (i,)
        for k in indices:
            refuse_index(k)
        flat = indices[0]
        if isinstance(i, tuple):
            if len(i) != len(place.shape):
                raise KernelError(f"{place} has {len(place.shape)} dimensions, not {len(i)}")
            for n, k in zip(place.shape[1:], i[1:], strict=True):
                flat = flat * (place.size(out, n) if isinstance(n, str) else n) + k
        return flat * place.components if place.components > 1 else flat

    def pointers(self, out: Writer, first: Any, count: int) -> list[str]:
        """Return the addresses of `count` numbers, starting at number `first`."""
        place = self.place
        # units are accesses: lanes step by whole vectors, a view of one world by its stride
        step = place.stride if place.width == 1 else 1
        start, known = self.address, 0
        if isinstance(first, int):
            known = first
        else:
            offset = first * step if step != 1 else first
            start = out.value(f"getelementptr inbounds {place.type}, ptr {start}, i64 {offset.text}")
        offsets = [(known + k) * step for k in range(count)]
        return [
            out.value(f"getelementptr inbounds {place.type}, ptr {start}, i64 {k}") if k else start for k in offsets
        ]

    def marks(self, out: Writer) -> str:
        """Return the alignment and alias metadata for an access to this array."""
        place = self.place
        text = f", align {min(SIZES[place.scalar] * place.width, ALIGNMENT)}"
        return text + place.marks + (", " + INVARIANT if place.invariant else "")

    # ---- numbers

    def numbers(self, out: Writer, first: Any, count: int) -> list[Number]:
        """Read `count` numbers, starting at number `first`."""
        place, type, marks = self.place, self.place.type, self.marks(out)
        if place.role:
            out.reads.add(repr(place))
        if is_gather(place, first):
            texts = gathered(out, place, self.address, first, count)
            return [self.widened(out, text, Extent.LANES) for text in texts]
        texts = [out.value(f"load {type}, ptr {pointer}{marks}") for pointer in self.pointers(out, first, count)]
        found = [self.widened(out, text, place.extent) for text in texts]
        if place.tangent is None or not out.schema.is_active(place):
            return found
        tangents = self.tangents(out, place.tangent).numbers(out, first, count)
        return [DualNumber(x, t.fusing()) for x, t in zip(found, tangents, strict=True)]

    def tangents(self, out: Writer, place: Place) -> Array:
        """Return the array of the numbers' tangents, one vector for each number."""
        if place.role:
            return Array(place, place.address(out))
        text = out.value(f"getelementptr inbounds i8, ptr {self.address}, i64 {self.place.tangent_offset}")
        return Array(place, text)

    def forms(self, out: Writer, extent: Extent) -> tuple[int, str, str]:
        """Return the count of numbers in one access of this extent, and their LLVM types in memory and in kernels."""
        width, scalar = out.machine.widths[extent], self.place.scalar
        stored = scalar if width == 1 else f"<{width} x {scalar}>"
        return width, stored, out.machine.types[self.place.number, extent]

    def widened(self, out: Writer, text: str, extent: Extent) -> Number:
        """Convert a stored number to the type that kernels use."""
        place, (_, stored, wide) = self.place, self.forms(out, extent)
        if extent == Extent.LANES and place.number == "real" and not place.role:
            # memory of fields is zero from the start, but the stack is not initialized
            text = out.mask.cleared(stored, text)
        if wide != stored:
            word = "trunc" if place.kind == "long" else "zext" if place.kind in ("byte", "bool", "char") else "sext"
            text = out.value(f"{'fpext' if place.number == 'real' else word} {stored} {text} to {wide}")
        return Number(out, text, place.number, extent)

    def store_numbers(self, out: Writer, first: Any, numbers: Sequence[Any]) -> None:
        """Write numbers, starting at number `first`."""
        self.place.refuse_writing(out)
        place, type, marks = self.place, self.place.type, self.marks(out)
        if place.role:
            out.writes.add(repr(place))
        if place.width == 1 and out.machine.lanes > 1:
            if is_gather(place, first) or any(map(varies, numbers)):
                raise KernelError(f"{place} is shared by all worlds of a block, but the value differs between them")
            if not place.role and out.mask.narrow and out.mask.keeps:
                raise KernelError(f"{place} is shared by all worlds of a block, but only some of them write to it")
        if is_gather(place, first):
            scatter(out, place, self.address, first, [self.narrowed(out, number, Extent.LANES) for number in numbers])
            return
        if out.machine.tangents:
            self.store_tangents(out, first, numbers)
            numbers = [value_of(x) for x in numbers]
        for pointer, number in zip(self.pointers(out, first, len(numbers)), numbers, strict=True):
            text = self.narrowed(out, number, place.extent)
            if place.width > 1 and out.mask.partial and out.mask.keeps:
                text = out.mask.chosen(type, text, out.value(f"load {type}, ptr {pointer}{marks}"))
            if place.width > 1 or place.number == "real":
                text = whole(out, type, text)
            out.do(f"store {type} {text}, ptr {pointer}{marks}")

    def store_tangents(self, out: Writer, first: Any, numbers: Sequence[Any]) -> None:
        """Write the tangents of numbers, starting at number `first`, if memory is reserved for them.

        A field that receives nonzero tangents for the first time is active from now on (`Schema.is_active`).
        """
        place, given = self.place.tangent, any(isinstance(x, DualNumber) for x in numbers)
        if place is None and given and self.place.kind not in INTEGERS:
            if self.place.role:
                raise KernelError(f"stored a real with tangents in {self.place}, which has no space for tangents")
            out.outgrown.add(self.place)
        if place is None or not out.schema.takes_tangents(self.place, given):
            return
        parts = [lifted(out, x).to("real", Extent.DUAL).tangent for x in numbers]  # type: ignore[attr-defined]
        self.tangents(out, place).store_numbers(out, first, parts)

    def narrowed(self, out: Writer, part: Any, extent: Extent) -> str:
        """Convert a number to the type in which memory stores it."""
        place, (width, stored, wide) = self.place, self.forms(out, extent)
        text = lifted(out, part).to(place.number, extent).text
        if wide == stored:
            return text
        if place.number == "real":
            return out.value(f"fptrunc {wide} {text} to {stored}")
        if isinstance(text, Literal) and width == 1:
            return str(int(text.number) & 255 if stored == "i8" else int(text.number))
        wider = SIZES[place.scalar] > (8 if width == 1 else 4)
        return out.value(f"{'sext' if wider else 'trunc'} {wide} {text} to {stored}")

    # ---- tiles

    def contiguous(self, out: Writer) -> bool:
        """Return True if one memory access can read a whole tile, as for contiguous reals of a single world."""
        place = self.place
        alone = out.machine.whole_tiles and place.width == place.stride == 1
        return alone and place.scalar == out.machine.scalars["real"]

    def tile(self, out: Writer, at: Any, apart: Any = 1, count: int = TILE) -> Tile:
        """Read a tile of eight numbers (`count` in lanes), starting at element `at`.

        The stride between the numbers is `apart` elements.
        """
        self.refuse_parts()
        first = self.first(out, at)
        neighbours = isinstance(apart, int) and apart == 1
        if neighbours and self.contiguous(out):
            (pointer,) = self.pointers(out, first, 1)
            text = out.value(f"load {out.machine.types['real', Extent.TILE]}, ptr {pointer}{self.marks(out)}")
            return Tile([Number(out, text, "real", Extent.TILE)])
        if neighbours:
            numbers = self.numbers(out, first, count)
        else:
            refuse_index(apart)
            numbers = [self.numbers(out, first + k * apart, 1)[0] for k in range(TILE)]
        if not out.machine.whole_tiles:
            return Tile([x.to("real", max(x.extent, out.machine.several)) for x in numbers])
        wide, text = out.machine.types["real", Extent.TILE], "poison"
        for k, x in enumerate(numbers):
            text = out.value(f"insertelement {wide} {text}, {x.type} {x.text}, i64 {k}")
        return Tile([Number(out, text, "real", Extent.TILE)])

    def store_tile(self, out: Writer, at: Any, tile: Tile) -> None:
        """Write the numbers of a tile, starting at element `at`."""
        self.refuse_parts()
        first, parts = self.first(out, at), list(tile.parts)
        if self.contiguous(out):
            self.place.refuse_writing(out)
            (pointer,) = self.pointers(out, first, 1)
            text = whole(out, parts[0].type, parts[0].text)
            out.do(f"store {parts[0].type} {text}, ptr {pointer}{self.marks(out)}")
            return
        if len(parts) == 1:
            (x,) = parts
            texts = [out.value(f"extractelement {x.type} {x.text}, i64 {k}") for k in range(TILE)]
            parts = [Number(out, text, "real", out.machine.state) for text in texts]
        self.store_numbers(out, first, parts)


def refuse_index(i: Any) -> None:
    """Raise an error if an index is not an integer, or if it is a negative constant."""
    if isinstance(i, Number):
        if i.kind != "int":
            raise KernelError(f"an index must be an integer, not {i!r}")
    elif isinstance(i, bool) or not isinstance(i, int):
        raise KernelError(f"an index must be an integer, not {shown(i)}")
    elif i < 0:
        raise KernelError(f"negative index {i}")


def whole(out: Writer, type: str, text: str) -> str:
    """Apply LLVM's `freeze` to a number before it is stored.

    Without this, LLVM turns selects between the number and the old value into masked stores, which take dozens of
    cycles on AMD processors without AVX-512.
    """
    return out.value(f"freeze {type} {text}")


def stack_array(out: Writer, kind: str, count: int) -> Array:
    """Allocate an array of `count` elements on the stack. It exists until the function returns."""
    place = stack_place(out.machine, kind, count, (kind, count) in out.dual_arrays)
    out.arrays.add(place)
    room = f"{count * place.components} x {place.type}" if place.tangent is None else f"{place.stack_bytes} x i8"
    return Array(place, out.first(f"alloca [{room}], align 64"))


@made_once
def stack_place(machine: Machine, kind: str, count: int, dual: bool) -> Place:
    """Return the `Place` of an array on the stack; if `dual`, it includes memory for tangents."""
    name, tangent = f"local({kind}, {count})", None
    if dual:
        tangent = Place("", f"tangents of {name}", "real", (count,), 0, machine, Extent.TILE, TILE, False)
    return Place("", name, kind, (count,), 0, machine, machine.state, machine.lanes, False, tangent=tangent)
