"""Tiles: eight numbers side by side; in lanes also panels, of four."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from ..language.tile import FEW
from .number import Number


class Tile:
    """Eight reals, or eight conditions: one vector in a single world, eight of them in lanes, or four."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Number]):
        self.parts = tuple(parts)

    def __repr__(self) -> str:
        return f"a {self.kind}"

    @property
    def kind(self) -> str:
        """ "tile" or "panel", or "mask" of conditions."""
        return "mask" if self.parts[0].kind == "bool" else "panel" if len(self.parts) == FEW else "tile"

    def columns(self, op: Callable[..., Number], *others: Any) -> Tile:
        """`op` on every column; a number is the same in all of them."""
        rows = [self.parts, *[o.parts if isinstance(o, Tile) else [o] * len(self.parts) for o in others]]
        return Tile([op(*column) for column in zip(*rows, strict=True)])

    def __radd__(self, other: Any) -> Tile:
        return self.columns(operator.add, other)

    def __rmul__(self, other: Any) -> Tile:
        return self.columns(operator.mul, other)

    def __rsub__(self, other: Any) -> Tile:
        return self.columns(lambda a, b: b - a, other)

    def __rtruediv__(self, other: Any) -> Tile:
        return self.columns(lambda a, b: b / a, other)


def _operator(name: str) -> Any:
    op = getattr(operator, name)
    return lambda self, *others: self.columns(op, *others)


for _name in ("neg", "add", "sub", "mul", "truediv", "and_", "or_", "xor", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Tile, f"__{_name.rstrip('_')}__", _operator(_name))
