"""Two-sided skins of sheets: a vertex at every body, and optionally more by bicubic interpolation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from conjoint.mjcf.document import Misuse
from conjoint.spec import Element
from conjoint.spec.kinds import Skin
from conjoint.spec.rotation import Vector

if TYPE_CHECKING:
    from conjoint.mjcf.composite.macro import Macro

LEAST_NODES = 3
"""Minimum number of bodies in each direction for cubic interpolation."""
MOST_SUBGRID = 100
"""Maximum number of additional lines of vertices between neighboring bodies."""
MOST_VERTICES = 1_000_000
"""Maximum number of vertices on one side of a sheet."""

Weights = dict[int, float]
"""Weights of the bodies along a line, by index."""
CORNERS = ((0, 0), (1, 0), (0, 1), (1, 1))
"""Corners of a cell.

As orders of differentiation along x and y, they also stand for values, slopes along x and y, and mixed slopes.
"""
HERMITE = ((1, 0, 0, 0), (0, 0, 1, 0), (-3, 3, -2, -1), (2, -2, 1, 1))
"""Matrix that converts the values and slopes at 0 and 1 to the coefficients of a cubic polynomial."""


def new_skin(macro: Macro) -> Skin:
    """Return a new skin of `macro`, without vertices."""
    written = macro.written.skin or {}
    values = {"name": macro.prefix + "Skin", "rgba": (1.0, 1.0, 1.0, 1.0), "texcoord": ()}
    values.update({name: written[name] for name in ("material", "rgba", "group", "inflate") if name in written})
    skin = macro.element("skin", values)
    skin.directory = macro.spec.directory
    skin.bones = []
    return skin


def attach_sheet(
    macro: Macro, bodies: Sequence[Sequence[str]], bound: Sequence[Sequence[Vector]] | None = None
) -> Element:
    """Add a skin that covers bodies in rows and columns, and return the skin.

    Args:
        macro: the composite.
        bodies: names of the bodies, row by row.
        bound: bind positions of the bodies in the frame of the skin; None for a flat grid.
    """
    written = macro.written.skin or {}
    rows, columns, parts = len(bodies), len(bodies[0]), 1 + written.get("subgrid", 0)
    if parts > 1 and min(rows, columns) < LEAST_NODES:
        raise Misuse(f"a skin with subgrid needs counts of at least {LEAST_NODES}", "count")
    if parts > MOST_SUBGRID:
        raise Misuse(f"subgrid is larger than {MOST_SUBGRID}", "subgrid", macro.child("skin"))
    parts = max(parts, 1)
    nx, ny = (rows - 1) * parts + 1, (columns - 1) * parts + 1
    if nx * ny > MOST_VERTICES:
        raise Misuse(f"the skin has more than {MOST_VERTICES} vertices", "subgrid", macro.child("skin"))
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
    """Return, for each body, the vertices that it moves and their weights, cell by cell."""
    carried: dict[tuple[int, int], list[tuple[int, float]]] = {
        place: [] for place in product(range(rows), range(columns))
    }
    step, width = 1.0 / parts, (columns - 1) * parts + 1
    basis = {(i, j): _basis(i * step, j * step) for i, j in product(range(parts + 1), repeat=2)}
    for cell in product(range(rows - 1), range(columns - 1)):
        terms = _terms(cell, rows, columns)
        # the last cell of a line includes its end
        inside = (range(parts + (cell[k] == n - 2)) for k, n in enumerate((rows, columns)))
        for i, j in product(*inside):
            vertex = (cell[0] * parts + i) * width + cell[1] * parts + j
            weights: dict[tuple[int, int], float] = {}
            for weight, summands in zip(basis[i, j], terms, strict=True):
                for place, factor in summands:
                    weights[place] = weights.get(place, 0.0) + weight * factor
            for place, weight in weights.items():
                if weight:
                    carried[place].append((vertex, weight))
    return carried


def _basis(x: float, y: float) -> list[float]:
    """Return the weights at (x, y) of a cell's corner values, slopes along x, slopes along y, and mixed slopes.

    The polynomial is bicubic (Press et al., Numerical Recipes, 3.6). Operations are in the order of MuJoCo's compiler,
    because weights that are nonzero only due to rounding become part of the skin.
    """
    along, across = (1.0, x, x * x, x * x * x), (1.0, y, y * y, y * y * y)
    weights = []
    for (u, v), (i, j) in product(CORNERS, CORNERS):
        weight = 0.0
        for (p, left), (q, right) in product(enumerate(along), enumerate(across)):
            weight += left * right * (HERMITE[p][i + 2 * u] * HERMITE[q][j + 2 * v])
        weights.append(weight)
    return weights


def _stencils(node: int, nodes: int) -> tuple[Weights, Weights]:
    """Return the value and the slope at a node of a line, as weighted sums over the nodes."""
    if node == 0:
        return {0: 1.0}, {0: -1.0, 1: 1.0}
    if node == nodes - 1:
        return {node: 1.0}, {node - 1: -1.0, node: 1.0}
    return {node: 1.0}, {node - 1: -0.5, node + 1: 0.5}


def _terms(cell: tuple[int, int], rows: int, columns: int) -> list[list[tuple[tuple[int, int], float]]]:
    """Return the terms of a cell's bicubic polynomial, each as a weighted sum over bodies, in the order of `_basis`."""
    corners = [(_stencils(cell[0] + i, rows), _stencils(cell[1] + j, columns)) for i, j in CORNERS]
    return [
        [
            ((row, column), left * right)
            for (row, left), (column, right) in product(along[u].items(), across[v].items())
        ]
        for (u, v), (along, across) in product(CORNERS, corners)
    ]  # fmt: skip


def _faces(nx: int, ny: int) -> Iterator[int]:
    """Yield the triangles of a closed sheet of `nx` by `ny` points: top, bottom, and the four edges."""
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
