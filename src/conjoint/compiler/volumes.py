"""Bounding volumes of bodies, meshes and flexes (fields `bvh_*`; MuJoCo Programming chapter, mjModel)."""

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise, product
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from conjoint.compiler.arrays import Columns
from conjoint.compiler.bounding import Nodes, Reals, Trees, bounding_trees, split_trees
from conjoint.compiler.draft import Draft
from conjoint.compiler.kernels import THIN
from conjoint.compiler.kinds import Body, Flex, Geom
from conjoint.lang.memory.layout import Buffer
from conjoint.once import MAKING
from conjoint.spec.meshes.triangles import Integers, cross
from conjoint.spec.rotation import IDENTITY, Quaternion, Vector, conj_quat, minus


class Box(NamedTuple):
    """Bounding box and position of a geom, in the inertial frame of its body."""

    low: Vector
    high: Vector
    position: Vector


def geom_box(geom: Geom, body: Body) -> Box:
    """Return the axis-aligned box around the bounding box of a geom, in the inertial frame of `body`."""
    box, pos, center = geom.aabb, geom.pos, body.ipos
    if geom.quat == IDENTITY and body.iquat == IDENTITY:
        (a, b, c, i, j, k), (p, q, r), (u, v, w) = box, pos, center
        low, high = (a - i + p - u, b - j + q - v, c - k + r - w), (a + i + p - u, b + j + q - v, c + k + r - w)
        return Box(low, high, (p - u, q - v, r - w))
    turn = conj_quat(body.iquat)
    position = _turned_point(minus(pos, center), turn)
    x, y, z = ((box[i] - box[3 + i], box[i] + box[3 + i]) for i in range(3))
    corners = [_turned_point(corner, geom.quat) for corner in product(x, y, z)]
    return Box(*_around([_turned_point(minus(_plus(corner, pos), center), turn) for corner in corners]), position)


def _plus(a: Sequence[float], b: Sequence[float]) -> Vector:
    """Return the sum of two 3-vectors."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _turned_point(point: Sequence[float], quat: Quaternion) -> Vector:
    """Rotate `point` by a unit quaternion with the same rounding as `_turned`: v + 2 q x (w v + q x v)."""
    x, y, z = point
    w, i, j, k = quat
    if i == j == k == 0:
        return x, y, z
    a, b, c = w * x + (j * z - k * y), w * y + (k * x - i * z), w * z + (i * y - j * x)
    return x + 2 * (j * c - k * b), y + 2 * (k * a - i * c), z + 2 * (i * b - j * a)


def _around(points: Sequence[Vector]) -> tuple[Vector, Vector]:
    """Return the lower and upper corner of the bounding box of points."""
    x, y, z = zip(*points, strict=True)
    return (min(x), min(y), min(z)), (max(x), max(y), max(z))


def finite(boxes: list[Box]) -> bool:
    """Return True if all numbers of the boxes are finite. If not, the array version must be used."""
    return all(isfinite(sum(box.low) + sum(box.high) + sum(box.position)) for box in boxes)


def few_trees(boxes: Sequence[Box], counts: Sequence[int]) -> tuple[Nodes, list[tuple[float, ...]]]:
    """Return the nodes of trees of boxes, and the nodes' centers and half sizes.

    `counts` are the numbers of boxes per tree.
    """
    several = max(counts) > 1
    places = [_places(values) for values in zip(*[box.position for box in boxes], strict=True)] if several else []
    nodes = split_trees([(*box.low, *box.high) for box in boxes], places, counts)
    return nodes, [_middle(corners) for corners in nodes.corners]


def _places(values: Sequence[float]) -> list[int]:
    """Return sort keys for values. Values within `THIN` of the next smaller value are tied, and ordered by index."""
    count = len(values)
    order = sorted(range(count), key=values.__getitem__)
    places, group = [0] * count, 0
    for before, here in pairwise([order[0], *order]):
        group += values[here] - values[before] > THIN
        places[here] = group * count + here
    return places


def _middle(corners: Sequence[float]) -> tuple[float, ...]:
    """Return the center and half sizes of a box, after thickening a flat box."""
    a, b, c, x, y, z = corners
    if abs(a - x) < THIN:
        a, x = a - THIN, x + THIN
    if abs(b - y) < THIN:
        b, y = b - THIN, y + THIN
    if abs(c - z) < THIN:
        c, z = c - THIN, z + THIN
    return (x + a) / 2, (y + b) / 2, (z + c) / 2, (x - a) / 2, (y - b) / 2, (z - c) / 2


CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))
"""Signs of the coordinates of the corners of a box."""
FEW = 16
"""Maximum number of geoms for which a loop is faster than arrays."""
VOLUME = 3
"""Dimension of flexes whose inner elements do not collide."""


def volume_sizes(draft: Draft) -> dict[str, int]:
    """Return the numbers of bounding volumes: `nbvh`, `nbvhstatic`, `nbvhdynamic`."""
    # as in MuJoCo, the spare volumes at the end are empty
    bodies = body_volumes(draft) + draft.spare_volumes
    meshes = sum(len(mesh.compiled.volumes.depth) for mesh in draft.meshes if mesh.compiled is not None)
    flexes = sum(_nodes(len(_active(flex))) for flex in draft.flexes)
    return {"nbvh": bodies + meshes + flexes, "nbvhstatic": bodies + meshes, "nbvhdynamic": flexes}


def body_volumes(draft: Draft) -> int:
    """Return the number of bounding volumes of bodies."""
    counts = (sum(map(collides, body.geoms)) for body in draft.bodies if body.geoms)
    return sum(map(_nodes, counts))


def collides(geom: Geom) -> bool:
    """Return True if the geom can have contacts. Only such geoms are in the bounding volume tree of their body."""
    return bool(geom.contype or geom.conaffinity)


def fill_volumes(draft: Draft, buffer: Buffer, columns: Columns) -> None:
    """Write the bounding volume trees of bodies, meshes and flexes, in this order."""
    geoms = [geom for geom in draft.geoms if collides(geom)]
    counts = [0] * len(draft.bodies)
    for geom in geoms:
        counts[geom.bodyid] += 1
    _add_addresses(columns, "body", 0, counts)
    at = sum(map(_nodes, counts))
    bodies = draft.bodies
    boxes = [geom_box(geom, bodies[geom.bodyid]) for geom in geoms] if len(geoms) <= FEW else []
    if boxes and finite(boxes):
        nodes, aabb = few_trees(boxes, counts)
        ids = [geom.id for geom in geoms]
        columns.add("bvh_depth", nodes.depth)
        columns.add("bvh_child", list(chain.from_iterable(nodes.child)))
        columns.add("bvh_nodeid", [ids[element] if element >= 0 else -1 for element in nodes.element])
        columns.add("bvh_aabb", list(chain.from_iterable(aabb)))
    elif geoms:
        _write(buffer, "body", 0, _many_trees(draft, geoms, counts))
    for owner, trees in (
        ("mesh", [mesh.compiled.volumes for mesh in draft.meshes]),
        ("flex", [_flex_trees(flex) for flex in draft.flexes]),
    ):
        if trees:
            _add_addresses(columns, owner, at, [(len(tree.depth) + 1) // 2 for tree in trees])
        for tree in trees:
            _write(buffer, owner, at, tree)
            at += len(tree.depth)


def _add_addresses(columns: Columns, owner: str, first: int, leaves: Sequence[int]) -> None:
    """Add addresses and sizes of consecutive trees with the given numbers of leaves. An empty tree has address -1."""
    counts = [max(0, 2 * count - 1) for count in leaves]
    ends = accumulate(counts, initial=first)
    columns.add(owner + "_bvhadr", [at if count else -1 for at, count in zip(ends, counts, strict=False)])
    columns.add(owner + "_bvhnum", counts)


def _write(buffer: Buffer, owner: str, at: int, trees: Trees) -> None:
    """Write the nodes of `trees`, starting at index `at`.

    Boxes of flexes are not written, because they are part of `MjData`.
    """
    end = at + len(trees.depth)
    buffer.view("bvh_depth")[at:end] = trees.depth
    buffer.view("bvh_child")[at:end] = trees.child
    buffer.view("bvh_nodeid")[at:end] = trees.element
    if owner != "flex":
        buffer.view("bvh_aabb")[at:end] = trees.aabb


def mesh_trees(vert: Reals, face: Integers) -> Trees:
    """Return the bounding volume tree of a mesh's faces.

    The position of a face is the center of its circumscribed circle.
    """
    with MAKING.held:
        from conjoint.compiler.many_trees import bounds_of

    boxes, position = bounds_of(vert, face)
    return bounding_trees(boxes[:, 0], boxes[:, 1], position, np.array([len(face)]), few=0)


def _many_trees(draft: Draft, geoms: list[Any], counts: list[int]) -> Trees:
    """Build the trees of geoms. `counts` are the numbers of geoms per body."""
    box = np.array([geom.aabb for geom in geoms]).reshape(-1, 6)
    pos = np.array([geom.pos for geom in geoms]).reshape(-1, 3)
    quat = np.array([geom.quat for geom in geoms]).reshape(-1, 4)
    owners = [draft.bodies[geom.bodyid] for geom in geoms]
    center = np.array([body.ipos for body in owners]).reshape(-1, 3)
    turn = np.array([body.iquat for body in owners]).reshape(-1, 4) * (1.0, -1.0, -1.0, -1.0)
    # all corners of all boxes, grouped by geom
    corners = (box[:, None, :3] + CORNERS * box[:, None, 3:]).reshape(-1, 3)
    quats, places, centers, turns = (np.repeat(rows, len(CORNERS), axis=0) for rows in (quat, pos, center, turn))
    points = _turned(_turned(corners, quats) + places - centers, turns).reshape(-1, len(CORNERS), 3)
    low, high = points.min(axis=1), points.max(axis=1)
    trees = bounding_trees(low, high, _turned(pos - center, turn), np.array(counts))
    trees.element = np.array([*(geom.id for geom in geoms), -1])[trees.element]
    return trees


def _turned(points: Reals, quat: Reals) -> Reals:
    """Rotate points, row by row, by unit quaternions: v + 2 q x (w v + q x v)."""
    axis = quat[:, 1:]
    return points + 2 * cross(axis, quat[:, :1] * points + cross(axis, points))


def _flex_trees(flex: Flex) -> Trees:
    """Return the tree of the elements of a flex in its initial state. Boxes are enlarged by the radius."""
    active = _active(flex)
    points = flex.points[flex.elements[active]]
    low, high = points.min(axis=1), points.max(axis=1)
    middle, half = (low + high) / 2, (high - low) / 2 + flex.radius
    trees = bounding_trees(middle - half, middle + half, middle, np.array([len(active)]))
    trees.element = np.append(active, -1)[trees.element]
    return trees


def _active(flex: Flex) -> np.ndarray:
    """Return the flex elements that may collide.

    In a solid, these are the elements in the active layers below the surface.
    """
    if flex.dim < VOLUME:
        return np.arange(len(flex.elements))
    return np.flatnonzero(np.asarray(flex.surface.layers) < flex.activelayers)


def _nodes(leaves: int) -> int:
    """Return the number of nodes of a binary tree with the given number of leaves."""
    return max(0, 2 * leaves - 1)
