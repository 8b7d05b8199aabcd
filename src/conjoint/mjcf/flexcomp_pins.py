"""Pinned points of flexcomp, which are fixed to the parent body (flexcomp/pin)."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from conjoint.mjcf.document import Misuse, Node

Pin = tuple[Node, dict[str, Any]]
"""Element <pin> and the values of its attributes."""


def pinned_points(pins: Iterable[Pin], points: int, grid: Sequence[int]) -> np.ndarray:
    """Return a mask of the pinned points.

    Args:
        pins: the pins.
        points: number of points.
        grid: number of points in each direction, if the last points form a grid; else empty.

    Raises:
        Misuse: a pinned point does not exist.
    """
    pinned = np.zeros(points, bool)
    for node, pin in pins:
        for first, last in [*((i, i) for i in pin.get("id", ())), *_groups(node, pin, "range", 2)]:
            if not (0 <= first < points and 0 <= last < points):
                name = "id" if first == last and "range" not in pin else "range"
                raise Misuse(f"there is no point {first if first == last else (first, last)}: "
                             f"pin points 0 to {points - 1}", name, node)  # fmt: skip
            pinned[first : last + 1] = True
        _pin_grid(node, pin, pinned, grid)
    return pinned


def _pin_grid(node: Node, pin: dict[str, Any], pinned: np.ndarray, grid: Sequence[int]) -> None:
    """Mark the points that a pin specifies by grid coordinates."""
    dim = len(grid)
    if dim < 2 and ("grid" in pin or "gridrange" in pin):
        name = "grid" if "grid" in pin else "gridrange"
        raise Misuse("pins by grid coordinates need the type grid, and dim 2 or 3: use id or range", name, node)
    boxes = [(*cell, *cell) for cell in _groups(node, pin, "grid", dim)]
    for box in [*boxes, *_groups(node, pin, "gridrange", 2 * dim)]:
        if any(not 0 <= box[i] < grid[i % dim] for i in range(2 * dim)):
            size = " x ".join(map(str, grid))
            raise Misuse(
                f"a point is outside the grid of {size} points", "grid" if "grid" in pin else "gridrange", node
            )
        part = tuple(slice(box[i], box[dim + i] + 1) for i in range(dim))
        pinned[len(pinned) - int(np.prod(grid)) :].reshape(grid)[part] = True


def _groups(node: Node, pin: dict[str, Any], name: str, size: int) -> list[tuple[int, ...]]:
    """Return the numbers of the attribute `name` in groups of `size`."""
    numbers = pin.get(name, ())
    if not numbers:
        return []
    if len(numbers) % size:
        raise Misuse(f"pin {name}: {len(numbers)} numbers, expected a multiple of {size}", name, node)
    return [tuple(numbers[i : i + size]) for i in range(0, len(numbers), size)]
