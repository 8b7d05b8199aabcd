"""Bounding volumes of bodies, meshes and flexes (fields `bvh_*`; MuJoCo Programming chapter, mjModel)."""

from collections.abc import Sequence
from itertools import accumulate, chain, product
from typing import Any

import numpy as np

from conjoint.compiler.bounding import Reals, Trees, bounding_trees
from conjoint.compiler.columns import Columns
from conjoint.compiler.draft import Draft
from conjoint.compiler.few_volumes import few_trees, finite, geom_box
from conjoint.lang.memory.layout import Buffer
from conjoint.once import MAKING
from conjoint.spec.meshes.triangles import Integers, cross

CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))
"""Signs of the coordinates of the corners of a box."""
FEW = 16
"""So few geoms are faster one by one than as arrays."""
VOLUME = 3
"""Dimension of flexes whose inner elements do not collide."""


def volume_sizes(draft: Draft) -> dict[str, int]:
    """Numbers of bounding volumes: `nbvh`, `nbvhstatic`, `nbvhdynamic`."""
    # the last ones are empty, as in the official compiler
    bodies = body_volumes(draft) + draft.spare_volumes
    meshes = sum(len(mesh.compiled.volumes.depth) for mesh in draft.meshes if mesh.compiled is not None)
    flexes = sum(_nodes(len(_active(flex))) for flex in draft.flexes)
    return {"nbvh": bodies + meshes + flexes, "nbvhstatic": bodies + meshes, "nbvhdynamic": flexes}


def body_volumes(draft: Draft) -> int:
    """Number of bounding volumes of bodies."""
    counts = (sum(map(collides, body.geoms)) for body in draft.bodies if body.geoms)
    return sum(map(_nodes, counts))


def collides(geom: Any) -> bool:
    """True if contacts of the geom are possible: others are not in the tree of their body."""
    return bool(geom.contype or geom.conaffinity)


def fill_volumes(draft: Draft, buffer: Buffer, columns: Columns) -> None:
    """Write the trees of bodies, then those of meshes, then those of flexes."""
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
    """Where trees are that have so many leaves and come one after the other from `first` on; -1: an empty tree."""
    counts = [max(0, 2 * count - 1) for count in leaves]
    ends = accumulate(counts, initial=first)
    columns.add(owner + "_bvhadr", [at if count else -1 for at, count in zip(ends, counts, strict=False)])
    columns.add(owner + "_bvhnum", counts)


def _write(buffer: Buffer, owner: str, at: int, trees: Trees) -> None:
    """Write the nodes of `trees` from `at` on; boxes of flexes are those of the state."""
    end = at + len(trees.depth)
    buffer.view("bvh_depth")[at:end] = trees.depth
    buffer.view("bvh_child")[at:end] = trees.child
    buffer.view("bvh_nodeid")[at:end] = trees.element
    if owner != "flex":
        buffer.view("bvh_aabb")[at:end] = trees.aabb


def mesh_trees(vert: Reals, face: Integers) -> Trees:
    """Tree of the faces of a mesh, which are at the centers of their circumscribed circles."""
    with MAKING.held:
        from conjoint.compiler.many_trees import bounds_of

    boxes, position = bounds_of(vert, face)
    return bounding_trees(boxes[:, 0], boxes[:, 1], position, np.array([len(face)]), few=0)


def _many_trees(draft: Draft, geoms: list[Any], counts: list[int]) -> Trees:
    """Trees of geoms, of which each body has so many as `counts` says."""
    box = np.array([geom.aabb for geom in geoms]).reshape(-1, 6)
    pos = np.array([geom.pos for geom in geoms]).reshape(-1, 3)
    quat = np.array([geom.quat for geom in geoms]).reshape(-1, 4)
    owners = [draft.bodies[geom.bodyid] for geom in geoms]
    center = np.array([body.ipos for body in owners]).reshape(-1, 3)
    turn = np.array([body.iquat for body in owners]).reshape(-1, 4) * (1.0, -1.0, -1.0, -1.0)
    # all corners of all boxes, those of one geom side by side
    corners = (box[:, None, :3] + CORNERS * box[:, None, 3:]).reshape(-1, 3)
    quats, places, centers, turns = (np.repeat(rows, len(CORNERS), axis=0) for rows in (quat, pos, center, turn))
    points = _turned(_turned(corners, quats) + places - centers, turns).reshape(-1, len(CORNERS), 3)
    low, high = points.min(axis=1), points.max(axis=1)
    trees = bounding_trees(low, high, _turned(pos - center, turn), np.array(counts))
    trees.element = np.array([*(geom.id for geom in geoms), -1])[trees.element]
    return trees


def _turned(points: Reals, quat: Reals) -> Reals:
    """Points turned, row by row, by unit quaternions: v + 2 q x (w v + q x v)."""
    axis = quat[:, 1:]
    return points + 2 * cross(axis, quat[:, :1] * points + cross(axis, points))


def _flex_trees(flex: Any) -> Trees:
    """Tree of the elements of a flex in its initial state; boxes are made larger by the radius."""
    active = _active(flex)
    points = flex.points[flex.elements[active]]
    low, high = points.min(axis=1), points.max(axis=1)
    middle, half = (low + high) / 2, (high - low) / 2 + flex.radius
    trees = bounding_trees(middle - half, middle + half, middle, np.array([len(active)]))
    trees.element = np.append(active, -1)[trees.element]
    return trees


def _active(flex: Any) -> np.ndarray:
    """Elements that may collide: those of a solid are active up to some number of layers from its surface."""
    if flex.dim < VOLUME:
        return np.arange(len(flex.elements))
    return np.flatnonzero(np.asarray(flex.surface.layers) < flex.activelayers)


def _nodes(leaves: int) -> int:
    """Number of nodes of a binary tree."""
    return max(0, 2 * leaves - 1)
