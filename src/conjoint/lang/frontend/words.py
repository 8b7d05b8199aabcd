"""What the words of the language write: tiles, strips, arrays on the stack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..formula import Formula
from ..words import TILE, Width
from .number import Number, lifted, mangled
from .places import Array, Tile, stack_array
from .writer import Machine, Writer


def width(word: Width, machine: Machine) -> int:
    """Elements in a strip."""
    return TILE if machine.lanes == 1 else 1


def _tile(out: Writer, field: Any, at: Any = None) -> Tile:
    if isinstance(field, Array):
        return field.tile(out, at)
    lanes = out.machine.lanes
    x = lifted(out, field)
    return Tile([x.to("real", TILE)]) if lanes == 1 else Tile([x.to("real", lanes)] * TILE)


def _strip(out: Writer, field: Any, at: Any = None) -> Any:
    if out.machine.lanes == 1:
        return _tile(out, field, at)
    return field.load(out, at) if isinstance(field, Array) else lifted(out, field).to("real", out.machine.lanes)


def _put(out: Writer, field: Array, at: Any, t: Any) -> None:
    (field.store_tile if isinstance(t, Tile) else field.store)(out, at, t)


def _total(out: Writer, t: Any) -> Number:
    if isinstance(t, Number):
        return t
    if len(t.parts) > 1:
        # in lanes: a tree of sums
        a = list(t.parts)
        while len(a) > 1:
            a = [x + y for x, y in zip(a[::2], a[1::2], strict=True)]
        return a[0]
    (x,) = t.parts
    scalar, zero = out.machine.scalars["real"], out.machine.constant(-0.0, "real", 1)
    name = f"llvm.vector.reduce.fadd.{mangled(x.type)}"
    out.intrinsics[name] = f"declare {scalar} @{name}({scalar}, {x.type})"
    return Number(out, out.value(f"call reassoc {scalar} @{name}({scalar} {zero}, {x.type} {x.text})"))


def _real(out: Writer, x: Any) -> Number:
    return lifted(out, x).to("real", getattr(x, "lanes", 1))


def _local(out: Writer, kind: Any, count: int) -> Array:
    if not isinstance(count, int):
        raise TypeError("the size of a local array is a constant")
    return stack_array(out, str(kind.result) if isinstance(kind, Formula) else kind.__name__, count)


WRITERS: dict[str, Callable[..., Any]] = {
    "tile": _tile, "strip": _strip, "put": _put, "total": _total, "real": _real, "local": _local,
}  # fmt: skip
"""What a word writes, by name; called with the function being written and the arguments."""
