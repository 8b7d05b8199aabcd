"""Tiles of kernels that run uncompiled: eight numbers side by side."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

TILE = 8
"""Numbers in a tile."""

FEW = 4
"""Numbers of each of two rows that registers hold in any lanes."""


class PlainTile:
    """Eight reals, or eight conditions; operators work column by column, a number is the same in all of them."""

    __array_ufunc__ = None
    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Any]):
        self.parts = list(parts)

    def __radd__(self, other: Any) -> PlainTile:
        return columns(operator.add, other, self)

    def __rsub__(self, other: Any) -> PlainTile:
        return columns(operator.sub, other, self)

    def __rmul__(self, other: Any) -> PlainTile:
        return columns(operator.mul, other, self)

    def __rtruediv__(self, other: Any) -> PlainTile:
        return columns(operator.truediv, other, self)


def columns(op: Callable[..., Any], *args: Any) -> PlainTile:
    """`op` on every column of `args`, of which some are tiles."""
    rows = [a.parts if isinstance(a, PlainTile) else [a] * TILE for a in args]
    return PlainTile([op(*column) for column in zip(*rows, strict=True)])


def _operator(name: str) -> Any:
    op = getattr(operator, name)
    return lambda self, *others: columns(op, self, *others)


for _name in ("neg", "add", "sub", "mul", "truediv", "and_", "or_", "xor", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(PlainTile, f"__{_name.rstrip('_')}__", _operator(_name))
