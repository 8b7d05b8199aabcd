"""Array access with a different index or address in each lane, as one scalar access per lane.

Gather instructions are slower on current processors, which issue two scalar loads of prefetched memory per cycle.
Moreover, the lanes of one access are in one cache line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .machine import Extent
from .number import Number, lifted, varies
from .places import SIZES, Place
from .writer import Writer


def is_gather(place: Place, first: Any) -> bool:
    """Return True if each lane accesses element `first` of an array at its own address."""
    return place.scattered or varies(first)


def spread_address(out: Writer, address: str) -> str:
    """Return a vector that repeats an address in every lane."""
    vector = f"<{out.machine.lanes} x ptr>"
    one = out.value(f"insertelement {vector} poison, ptr {address}, i64 0")
    zero = f"<{out.machine.lanes} x i32> zeroinitializer"
    return out.value(f"shufflevector {vector} {one}, {vector} poison, {zero}")


def moved(out: Writer, address: str, scattered: bool, offset: Any) -> tuple[str, bool]:
    """Add an offset in bytes to an address. Return the sum, and True if the sum differs between lanes."""
    lanes = out.machine.lanes
    base = f"<{lanes} x ptr> {address}" if scattered else f"ptr {address}"
    if not isinstance(offset, Number):
        if offset == 0:
            return address, scattered
        return out.value(f"getelementptr inbounds i8, {base}, i64 {offset}"), scattered
    if offset.extent == Extent.LANES:
        out.note_varying("index")
    else:
        return out.value(f"getelementptr inbounds i8, {base}, i64 {offset.text}"), scattered
    index = out.mask.cleared(offset.type, offset.text)
    return out.value(f"getelementptr i8, {base}, {offset.type} {index}"), True


def spare(out: Writer, nbytes: int) -> str:
    """Return the address of scratch memory that inactive lanes may read and write."""
    size = 1 << max(nbytes - 1, 63).bit_length()
    known = out.singles.get(("spare", size))
    if known is None:
        known = out.singles["spare", size] = out.first(f"alloca [{size} x i8], align 64")
        out.prologue.append(f"  store [{size} x i8] zeroinitializer, ptr {known}")
    return str(known)


def lane_pointers(out: Writer, place: Place, address: str, first: Any, count: int, writes: bool) -> list[str]:
    """Return each lane's address of number `first`; the caller will access `count` numbers from there."""
    lanes, size = out.machine.lanes, SIZES[place.scalar]
    index = lifted(out, first).to("int", Extent.LANES)
    bases, offsets = f"ptr {address}", index.text
    out.note_varying("reference" if place.scattered else "index")
    if out.mask.partial and varies(first):
        offsets = out.mask.cleared(index.type, offsets)
    if place.width > 1:
        own = ", ".join(f"i32 {k}" for k in range(lanes))
        offsets = out.value(f"mul {index.type} {offsets}, splat (i32 {lanes})")
        offsets = out.value(f"add {index.type} {offsets}, <{own}>")
    elif place.stride > 1:
        offsets = out.value(f"mul {index.type} {offsets}, splat (i32 {place.stride})")
    vector = f"<{lanes} x ptr>"
    if place.scattered:
        bases = f"{vector} {address}"
    pointers = out.value(f"getelementptr {place.scalar}, {bases}, {index.type} {offsets}")
    if out.mask.partial and (place.scattered or (writes and out.mask.keeps)):
        room = spread_address(out, spare(out, (count * max(place.width, place.stride) + lanes) * size))
        pointers = out.mask.chosen(vector, pointers, room)
    return [out.value(f"extractelement {vector} {pointers}, i64 {k}") for k in range(lanes)]


def neighbours(out: Writer, place: Place, pointers: Sequence[str], number: int) -> list[str]:
    """Return the addresses of the numbers that are `number` elements after `pointers`."""
    step = number * max(place.width, place.stride)
    return [out.value(f"getelementptr {place.scalar}, ptr {p}, i64 {step}") if step else p for p in pointers]


def gathered(out: Writer, place: Place, address: str, first: Any, count: int) -> list[str]:
    """Load vectors of `count` consecutive numbers per lane, starting at index `first`, which differs between lanes."""
    wide, alias = f"<{out.machine.lanes} x {place.scalar}>", place.marks
    starts, found = lane_pointers(out, place, address, first, count, writes=False), []
    for c in range(count):
        text = "poison"
        for k, p in enumerate(neighbours(out, place, starts, c)):
            x = out.value(f"load {place.scalar}, ptr {p}, align {SIZES[place.scalar]}{alias}")
            text = out.value(f"insertelement {wide} {text}, {place.scalar} {x}, i64 {k}")
        found.append(text)
    return found


def scatter(out: Writer, place: Place, address: str, first: Any, texts: Sequence[str]) -> None:
    """Store vectors of consecutive numbers, starting at index `first`, in the active lanes."""
    wide, alias = f"<{out.machine.lanes} x {place.scalar}>", place.marks
    starts = lane_pointers(out, place, address, first, len(texts), writes=True)
    for c, text in enumerate(texts):
        for k, p in enumerate(neighbours(out, place, starts, c)):
            x = out.value(f"extractelement {wide} {text}, i64 {k}")
            out.do(f"store {place.scalar} {x}, ptr {p}, align {SIZES[place.scalar]}{alias}")
