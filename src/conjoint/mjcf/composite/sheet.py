"""Skins of sheets: two-sided, with a vertex at every body, or more between them by bicubic interpolation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from conjoint.mjcf.misuse import Misuse
from conjoint.spec import Element
from conjoint.spec.rotation import Vector

if TYPE_CHECKING:
    from conjoint.mjcf.composite.macro import Macro

LEAST_NODES = 3
"""Bodies in each direction that cubic interpolation needs."""
MOST_SUBGRID = 100
"""Lines between bodies."""

Weights = dict[int, float]
"""How much the bodies of one line count at a point on it."""


def new_skin(macro: Macro) -> Element:
    """A skin of `macro`, yet without vertices."""
    written = macro.written.skin or {}
    values = {"name": macro.prefix + "Skin", "rgba": (1.0, 1.0, 1.0, 1.0), "texcoord": ()}
    values.update({name: written[name] for name in ("material", "rgba", "group", "inflate") if name in written})
    skin = macro.element("skin", values)
    skin.directory = macro.spec.directory
    skin.bones = []
    return skin


def attach_sheet(
    macro: Macro,
    bodies: Sequence[Sequence[str]],
    bound: Sequence[Sequence[Vector]] | None = None,
) -> Element:
    """Add a skin over bodies in rows and columns, which is returned.

    Args:
        bodies: names, row by row.
        bound: positions of the bodies that carry vertices, in the frame of the skin; None: a flat grid.
    """
    written = macro.written.skin or {}
    rows, columns, parts = len(bodies), len(bodies[0]), 1 + written.get("subgrid", 0)
    if parts > 1 and min(rows, columns) < LEAST_NODES:
        raise Misuse(f"a skin with subgrid needs counts of at least {LEAST_NODES}", "count")
    if parts > MOST_SUBGRID:
        raise Misuse(f"subgrid is larger than {MOST_SUBGRID}", "subgrid", macro.child("skin"))
    parts = max(parts, 1)
    nx, ny = (rows - 1) * parts + 1, (columns - 1) * parts + 1
    skin = new_skin(macro)
    skin.vert = (0.0,) * (6 * nx * ny)
    if bound is None:
        step = macro.spacing if parts > 1 else 0.0
        bound = [[(i * step, j * step, 0.0) for j in range(columns)] for i in range(rows)]
        flat = [x for i, j in product(range(nx), range(ny)) for x in (i * step / parts, j * step / parts, 0.0)]
        skin.vert = tuple(2 * flat)
    if written.get("texcoord"):
        skin.texcoord = tuple(2 * [x for i, j in product(range(nx), range(ny)) for x in (i / (nx - 1), j / (ny - 1))])
    skin.face = tuple(_faces(nx, ny))
    carried = _carried(rows, columns, parts)
    for i, j in product(range(rows), range(columns)):
        vertices = [(vertex + back, weight) for vertex, weight in carried[i, j] for back in (0, nx * ny)]
        found = {"vertid": tuple(vertex for vertex, _ in vertices), "vertweight": tuple(w for _, w in vertices)}
        skin.bones.append(macro.element("bone", {"bodyname": bodies[i][j], "bindpos": bound[i][j], **found}))
    macro.spec.skins.append(skin)
    return skin


def _carried(rows: int, columns: int, parts: int) -> dict[tuple[int, int], list[tuple[int, float]]]:
    """Vertices that each body carries, cell by cell, and how much each follows it."""
    carried: dict[tuple[int, int], list[tuple[int, float]]] = {
        place: [] for place in product(range(rows), range(columns))
    }
    along, across = _line(rows, parts), _line(columns, parts)
    for cell in product(range(rows - 1), range(columns - 1)):
        for i, j in product(_inside(cell[0], rows, parts), _inside(cell[1], columns, parts)):
            for (row, u), (column, v) in product(along[i].items(), across[j].items()):
                carried[row, column].append((i * len(across) + j, u * v))
    return carried


def _inside(cell: int, nodes: int, parts: int) -> range:
    """Points of one cell of a line: its start and those inside, in the last cell also its end."""
    return range(cell * parts, (cell + 1) * parts + (cell == nodes - 2))


def _line(nodes: int, parts: int) -> list[Weights]:
    """Weights of the nodes at every point of a line that is cut into `parts` between nodes.

    Cubic interpolation with slopes from the neighbours (Catmull & Rom 1974); beyond its ends the line goes on straight.
    """
    result: list[Weights] = []
    for point in range((nodes - 1) * parts + 1):
        cell = min(point // parts, nodes - 2)
        t = (point - cell * parts) / parts
        if t in (0.0, 1.0):
            result.append({cell + int(t): 1.0})
            continue
        before, after = 0.5 * (-t + 2 * t * t - t * t * t), 0.5 * (t * t * t - t * t)
        first = 1 + 0.5 * (-5 * t * t + 3 * t * t * t)
        weights = {cell - 1: before, cell: first, cell + 1: 1 - before - after - first, cell + 2: after}
        for outside, end, inner in ((-1, 0, 1), (nodes, nodes - 1, nodes - 2)):
            beyond = weights.pop(outside, 0.0)
            weights[end] = weights.get(end, 0.0) + 2 * beyond
            weights[inner] = weights.get(inner, 0.0) - beyond
        result.append({node: weight for node, weight in weights.items() if weight})
    return result


def _faces(nx: int, ny: int) -> Iterator[int]:
    """Triangles of a closed sheet of `nx` by `ny` points: top, bottom, and the four edges."""
    back = nx * ny
    cells = list(product(range(nx - 1), range(ny - 1)))
    for i, j in cells:
        a, b = i * ny + j, (i + 1) * ny + j
        yield from (a, b, b + 1, a, b + 1, a + 1)
    for i, j in cells:
        a, b = back + i * ny + j, back + (i + 1) * ny + j
        yield from (a, b + 1, b, a, a + 1, b + 1)
    for first, step, count, outward in (
        (0, ny, nx, False), (ny - 1, ny, nx, True), (0, 1, ny, True), ((nx - 1) * ny, 1, ny, False)
    ):  # fmt: skip
        for a in range(first, first + step * (count - 1), step):
            b = a + step
            if outward:
                yield from (a, b, b + back, a, b + back, a + back)
            else:
                yield from (a, b + back, b, a, a + back, b + back)
