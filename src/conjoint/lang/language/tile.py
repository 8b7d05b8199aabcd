"""Tiles: vectors of eight numbers on which kernels operate. In lanes there are also panels, vectors of four numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from .kernel_error import KernelError

TILE = 8
"""Number of elements in a tile."""

FEW = 4
"""Number of columns of a panel in lanes, chosen so that registers can hold two rows."""


class Tile:
    """Eight reals, or eight conditions. Operators are applied column by column; a plain number is used in all columns.

    Attributes:
        parts: in uncompiled code, the numbers. In compiled code, one vector for a single world; in lanes, eight vectors
            for a tile or four for a panel.
    """

    __array_ufunc__ = None
    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Any]):
        self.parts = tuple(parts)

    def __repr__(self) -> str:
        return f"a {self.kind}"

    @property
    def kind(self) -> str:
        """Type in compiled code: "tile" or "panel", or "mask" if the elements are conditions."""
        mask = getattr(self.parts[0], "kind", "") == "bool"
        return "mask" if mask else "panel" if len(self.parts) == FEW else "tile"


def columns(op: Callable[..., Any], *args: Any) -> Any:
    """Apply `op` to every column of `args`, some of which are tiles; return a tile, or a tuple of tiles.

    Raises:
        KernelError: one argument is a tile, and another a panel, which has fewer columns.
    """
    counts = {len(a.parts) for a in args if isinstance(a, Tile)}
    if len(counts) > 1:
        raise KernelError("a tile and a panel cannot be combined")
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
