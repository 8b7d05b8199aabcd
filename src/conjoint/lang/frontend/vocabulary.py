"""Code generation for words of the kernel language: tiles, strips, values in arrays of reals, arrays on the stack."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from ..language.dual import value_of
from ..language.functions import where
from ..language.kernel_error import KernelError
from ..language.record import StructKind
from ..language.tile import FEW, TILE, Tile
from ..language.values import Value
from ..language.vocabulary import PANEL, STRIP, Width
from .arrays import Array, shown, stack_array
from .local_structs import LocalStructs, kind_name, stack_structs
from .machine import Extent, Machine, element, mangled
from .number import DualNumber, Number, kind_of, lifted, varies
from .places import SIZES
from .writer import Writer


def width_of(word: Width, machine: Machine) -> int:
    """Return the value of `STRIP`, `PANEL` or `TILES` on a machine."""
    if word is STRIP:
        return TILE if adds_neighbours(machine) else 1
    if word is PANEL:
        return TILE if machine.whole_tiles else FEW
    # registers of 32 bytes are those of AVX2, which has sixteen; there are twice as many of other sizes
    return 1 if machine.tangents or (machine.lanes > 1 and machine.lanes * SIZES[machine.scalars["real"]] == 32) else 2


def adds_neighbours(machine: Machine) -> bool:
    """Return True if sums over lists add eight neighboring numbers at a time.

    In kernels for worlds in a block they do not, because the sums must equal those computed in lanes.
    """
    return machine.whole_tiles and not machine.is_view


def _array(x: Any, word: str) -> Array:
    if not isinstance(x, Array):
        raise KernelError(f"{word} needs an array, not {shown(x)}")
    return x


def _tile(out: Writer, field: Any, at: Any = None, apart: Any = 1) -> Tile:
    if at is not None:
        return _array(field, "tile").tile(out, at, apart)
    x = lifted(out, field)
    if out.machine.whole_tiles:
        return Tile([x.to("real", Extent.TILE)])
    return Tile([x.to("real", max(x.extent, out.machine.several))] * TILE)


def _panel(out: Writer, field: Any, at: Any = None) -> Tile:
    count = width_of(PANEL, out.machine)
    return (
        _array(field, "panel").tile(out, at, count=count) if at is not None else Tile(_tile(out, field).parts[:count])
    )


def _strip(out: Writer, field: Any, at: Any = None) -> Any:
    if adds_neighbours(out.machine):
        return _tile(out, field, at)
    if at is not None:
        return _array(field, "strip").load(out, at)
    x = lifted(out, field)
    return x.to("real", max(x.extent, out.machine.state if out.machine.whole_tiles else out.machine.several))


def _load(out: Writer, kind: Any, field: Any, at: Any) -> Value:
    return _array(field, "load").load_value(out, kind_name(kind), at)


def _put(out: Writer, field: Any, at: Any, x: Any) -> None:
    array = _array(field, "put")
    if isinstance(x, Tile):
        if x.kind == "mask":
            raise KernelError("conditions are not numbers: write where(c, 1.0, 0.0)")
        array.store_tile(out, at, x)
    elif isinstance(x, Value):
        array.store_value(out, at, x)
    else:
        array.store(out, at, x)


def _total(out: Writer, t: Any) -> Number:
    if isinstance(t, Number):
        return t
    if not isinstance(t, Tile) or t.kind == "mask":
        raise KernelError(f"total needs a tile, not {shown(t)}")
    if len(t.parts) > 1:
        # in lanes, add the numbers pairwise as a tree
        a = list(t.parts)
        while len(a) > 1:
            a = [x + y for x, y in zip(a[::2], a[1::2], strict=True)]
        return a[0]
    (x,) = t.parts
    # in one vector, add its halves, or neighbors as in lanes, until one number is left
    text, scalar, count, step = x.text, element(x.type), TILE, 1 if adds_neighbours(out.machine) else 2
    while count > 1:
        wide, count = f"<{count} x {scalar}>", count // 2
        halves = [
            out.value(f"shufflevector {wide} {text}, {wide} poison, {elements(first, count, step)}")
            for first in (0, count if step == 1 else 1)
        ]
        text = out.value(f"fadd <{count} x {scalar}> {halves[0]}, {halves[1]}")
    return Number(out, out.value(f"extractelement <1 x {scalar}> {text}, i64 0"), "real", out.machine.state)


def elements(first: int, count: int, step: int = 1) -> str:
    """Return the LLVM shuffle mask of `count` vector elements, starting at `first`, with a stride of `step`."""
    return f"<{count} x i32> <{', '.join(f'i32 {first + step * k}' for k in range(count))}>"


def _real(out: Writer, x: Any) -> Number:
    number = lifted(out, x)
    return number.to("real", number.extent)


def _integer(out: Writer, x: Any) -> Number:
    number = value_of(_real(out, x))
    kind = out.machine.types["int", number.extent]
    name = f"llvm.fptosi.sat.{mangled(kind)}.{mangled(number.type)}"
    text = out.call(name, kind, [(number.type, number.text)])
    return Number(out, text, "int", number.extent)


def _uniform(out: Writer, x: Any) -> Any:
    if varies(x):
        raise KernelError(f"{x!r} must be the same in all worlds, but it differs between them")
    return x


def _tangent(out: Writer, x: Any, k: Any) -> Number:
    number = lifted(out, x)
    if not isinstance(number, DualNumber):
        return lifted(out, 0.0)
    place = lifted(out, k).to("int", Extent.ONE).text
    text = out.value(f"extractelement {number.tangent.type} {number.tangent.text}, i64 {place}")
    return Number(out, text, "real", Extent.ONE)


def _with_tangent(out: Writer, x: Any, k: Any, change: Any) -> Number:
    number = lifted(out, x)
    if not isinstance(number, DualNumber):
        return number
    more = _tangent(out, number, k) + value_of(lifted(out, change)).to("real", Extent.ONE)
    place, tangents = lifted(out, k).to("int", Extent.ONE).text, number.tangent
    text = out.value(f"insertelement {tangents.type} {tangents.text}, double {more.text}, i64 {place}")
    return number.dual(number.value, tangents.new(text))


def _local(out: Writer, kind: Any, count: Any) -> Array | LocalStructs:
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise KernelError("the size of a local array must be a constant of at least 1")
    return stack_structs(out, kind, count) if isinstance(kind, StructKind) else stack_array(out, kind_name(kind), count)


def _extreme(symbol: str, out: Writer, *numbers: Any) -> Any:
    """Emit code for the smallest or largest of several numbers, with the tie rule of Python's `min` and `max`.

    Return the result as a number.
    """
    for x in numbers:
        if not isinstance(x, (Number, int, float)) or kind_of(x) == "bool":
            raise KernelError(f"min and max take numbers, not {shown(x)}: write minimum or maximum for a tile")
    best = numbers[0]
    for x in numbers[1:]:
        further = value_of(COMPARED[symbol](x, best))
        best = where(further, x, best) if isinstance(further, Number) else x if further else best
    return best


COMPARED = {"<": operator.lt, ">": operator.gt}

WRITERS: dict[str, Callable[..., Any]] = {
    "tile": _tile, "panel": _panel, "strip": _strip, "load": _load, "put": _put, "total": _total, "real": _real,
    "local": _local, "integer": _integer, "uniform": _uniform, "tangent": _tangent, "with_tangent": _with_tangent,
    "min": partial(_extreme, "<"), "max": partial(_extreme, ">"),
}  # fmt: skip
"""Functions that emit the code for words of the kernel language, by name.

Their arguments are the function being generated and the arguments of the word.
"""
