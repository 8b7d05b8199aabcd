"""Tiles: vectors of eight numbers on which kernels operate; in lanes also panels of four."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from .kernel_error import KernelError

TILE = 8
"""Numbers in a tile."""

FEW = 4
"""Numbers of each of two rows that registers hold in any lanes."""


class Tile:
    """Eight reals, or eight conditions; operators work column by column, a number is the same in all of them.

    Attributes:
        parts: uncompiled the numbers; in compiled code one vector in a single world, eight of them in lanes, or four.
    """

    __array_ufunc__ = None
    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Any]):
        self.parts = tuple(parts)

    def __repr__(self) -> str:
        return f"a {self.kind}"

    @property
    def kind(self) -> str:
        """In compiled code "tile" or "panel", or "mask" of conditions."""
        mask = getattr(self.parts[0], "kind", "") == "bool"
        return "mask" if mask else "panel" if len(self.parts) == FEW else "tile"


def columns(op: Callable[..., Any], *args: Any) -> Any:
    """Apply `op` to every column of `args`, some of them tiles; return a tile, or one for each result.

    Raises:
        KernelError: one is a tile, another a panel of fewer columns.
    """
    counts = {len(a.parts) for a in args if isinstance(a, Tile)}
    if len(counts) > 1:
        raise KernelError("a tile and a panel do not go together")
    (count,) = counts
    rows = [a.parts if isinstance(a, Tile) else [a] * count for a in args]
    found = [op(*column) for column in zip(*rows, strict=True)]
    return tuple(map(Tile, zip(*found, strict=True))) if isinstance(found[0], tuple) else Tile(found)


def _operator(name: str, turned: bool = False) -> Any:
    op = getattr(operator, name)
    return lambda self, *other: columns(op, *other, self) if turned else columns(op, self, *other)


for _name in ("neg", "abs", "add", "sub", "mul", "truediv", "and_", "or_", "xor", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Tile, f"__{_name.rstrip('_')}__", _operator(_name))
for _name in ("add", "sub", "mul", "truediv"):
    setattr(Tile, f"__r{_name}__", _operator(_name, turned=True))
