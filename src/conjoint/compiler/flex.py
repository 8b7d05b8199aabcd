"""Flexes: vertices, edges, layers and elasticity, and their arrays (XML Reference, deformable/flex)."""

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np

from conjoint.compiler.draft import Draft
from conjoint.compiler.inertia import CONDIMS
from conjoint.compiler.kinds import Flex
from conjoint.lang.memory.layout import Buffer
from conjoint.physics.flex.elasticity import bending, stiffness, strain_modes, trilinear_stiffness
from conjoint.physics.flex.simplices import EDGES, edges, flaps
from conjoint.schema.enums import mjtEq
from conjoint.schema.mjcf.deformable import EDGE_EQUALITIES
from conjoint.schema.sizes import STRAIN_MODES
from conjoint.schema.version import STANDS_FOR
from conjoint.spec.rotation import Quaternion, mul_quat, place, unit_quat

SIDES = {1: ((0,), (1,)), 2: ((0, 1), (1, 2), (2, 0)), 3: ((0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2))}
"""Sides of an element (ends, edges or faces), by dimension. Faces are right-handed seen from outside."""


def orient(elements: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return right-handed tetrahedra. The second and third vertex are swapped if faces would point inwards."""
    first, second, third, fourth = (points[elements[:, i]] for i in range(4))
    normal = np.cross(second - first, third - first)
    wrong = np.einsum("ij,ij->i", normal, fourth - first) > 0
    result = elements.copy()
    result[wrong, 1], result[wrong, 2] = elements[wrong, 2], elements[wrong, 1]
    return result


class Surface:
    """Vertices and elements on the surface of a flex.

    Attributes:
        shell: (nshell, dim) vertices of the sides that belong to only one element.
        pairs: (npair, 2) pairs of an element and the opposite vertex of a neighboring element, if one of the two
            elements is on the surface; for lines and triangles only.
        layers: (nelem,) number of elements between each element and the surface; for tetrahedra only.
    """

    def __init__(self, elements: np.ndarray, dim: int):
        sides = elements[:, SIDES[dim]].reshape(-1, dim)
        owner = np.repeat(np.arange(len(elements)), len(SIDES[dim]))
        across = elements[:, [_opposite(side, dim) for side in SIDES[dim]]].ravel()
        key = np.sort(sides, axis=1)
        order = np.lexsort((owner, *key.T[::-1]))
        key, sides, owner, across = key[order], sides[order], owner[order], across[order]
        same = (key[1:] == key[:-1]).all(axis=1)
        before, after = np.concatenate([[False], same]), np.concatenate([same, [False]])
        self.shell = sides[~before & ~after]
        on_surface = np.zeros(len(elements), bool)
        on_surface[owner[~before & ~after]] = True
        first = np.flatnonzero(same)
        left, right = owner[first], owner[first + 1]
        self.layers = _layers(on_surface, left, right) if dim == 3 else np.zeros(len(elements), int)
        near = on_surface[left] | on_surface[right]
        pairs = np.stack([right, across[first], left, across[first + 1]], axis=1)[near].reshape(-1, 2)
        self.pairs = pairs if dim < 3 else np.zeros((0, 2), int)


def _opposite(side: Sequence[int], dim: int) -> int:
    """Return the index of the element's vertex that is opposite to a side."""
    (left,) = set(range(dim + 1)) - set(side)
    return left


def _layers(on_surface: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the number of sides between each element and the surface. Elements not connected to the surface get 0."""
    layers = np.where(on_surface, 0, -1)
    for layer in count():
        near = np.zeros(len(layers), bool)
        near[right[layers[left] == layer]] = True
        near[left[layers[right] == layer]] = True
        near &= layers < 0
        if not near.any():
            break
        layers[near] = layer + 1
    return np.maximum(layers, 0)


NODES = 8
FLAT = 1e-14
"""Minimum thickness of a box (m). A thinner box is extended by this amount."""
FLEX, STRAIN = int(mjtEq.mjEQ_FLEX), int(mjtEq.mjEQ_FLEXSTRAIN)
FREE_JOINTS = 3
"""Number of joints of a body that can translate in all directions but cannot rotate."""
_, BEND, STRETCH, BOTH = range(4)
"""Values of elastic2d: elastic forces in a shell resist bending, stretching or both."""


def resolve_flexes(draft: Draft) -> None:
    """Compile every flex, using the body poses in the initial configuration."""
    poses = _poses(draft)
    for flex in draft.flexes:
        try:
            _resolve(draft, flex, poses)
            _warn_of_condim(draft, flex)
            _warn_of_loose(draft, flex)
        except ValueError as error:
            draft.problems.about(flex, str(error))


def _poses(draft: Draft) -> list[tuple[Any, Quaternion]]:
    """Return the position and orientation of every body in the world."""
    poses: list[tuple[Any, Quaternion]] = []
    for body in draft.bodies:
        if body.id == 0:
            poses.append(((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)))
            continue
        pos, quat = poses[body.parentid]
        poses.append((place(pos, quat, body.pos), unit_quat(mul_quat(quat, body.quat))))
    return poses


def _resolve(draft: Draft, flex: Flex, poses: list[tuple[Any, Quaternion]]) -> None:
    """Compile one flex. Raises ValueError if it is invalid."""
    _check(flex)
    flex.matid = draft.find("material", flex.material, flex) if flex.material else -1
    flex.bodyids = np.array([draft.find("body", name, flex, "body") for name in flex.vertbody], int)
    flex.nodeids = np.array([draft.find("body", name, flex, "node") for name in flex.nodebody], int)
    flex.interp = int(bool(flex.nodebody))
    elements = np.array(flex.elem, int).reshape(-1, flex.dim + 1)
    flex.nvert = len(flex.vert) // 3 if flex.vert else len(flex.vertbody)
    if flex.nvert < flex.dim + 1:
        raise ValueError(f"{flex.nvert} vertices are not enough")
    if elements.min() < 0 or elements.max() >= flex.nvert:
        raise ValueError(f"an element has a vertex outside the {flex.nvert} vertices")
    if (np.diff(np.sort(elements, axis=1), axis=1) == 0).any():
        raise ValueError("an element has the same vertex twice")
    if not flex.interp and len(flex.vertbody) not in (1, flex.nvert):
        raise ValueError(f"{len(flex.vertbody)} bodies for {flex.nvert} vertices: one, or one for each, is needed")
    _vertices(flex, poses)
    flex.elements = orient(elements, flex.points) if flex.dim == 3 else elements
    _texcoord(flex, elements)
    flex.edges, flex.element_edges = edges(flex.elements, flex.dim)
    flex.surface = Surface(flex.elements, flex.dim)
    colliding = flex.elements[flex.surface.layers < max(1, flex.activelayers)]
    flex.vert0 = _in_box(flex.points, colliding if len(colliding) else flex.elements, flex.radius)
    _elasticity(draft, flex)


def _check(flex: Flex) -> None:
    """Check the numbers of a flex. Raises ValueError if they contradict each other."""
    if flex.dim not in (1, 2, 3):
        raise ValueError(f"dim {flex.dim} is not 1, 2 or 3")
    if not flex.elem or len(flex.elem) % (flex.dim + 1):
        raise ValueError(f"element has {len(flex.elem)} numbers: a positive multiple of {flex.dim + 1} is needed")
    if len(flex.vert) % 3:
        raise ValueError(f"vertex has {len(flex.vert)} numbers: a multiple of 3 is needed")
    if not flex.vertbody and not flex.nodebody:
        raise ValueError("bodies or nodes must be given")
    if flex.edgestiffness > 0 and flex.dim > 1:
        raise ValueError("edge stiffness is only for dim 1; use elasticity")
    if flex.nodebody and len(flex.nodebody) != NODES:
        raise ValueError(f"{len(flex.nodebody)} nodes: {NODES} are needed")
    nodes = flex.__dict__.get("node", ())
    if len(nodes) not in (0, 3 * len(flex.nodebody)):
        raise ValueError(f"node has {len(nodes)} numbers: three for each of the {len(flex.nodebody)} nodes are needed")
    if flex.nodebody and (flex.selfcollide or flex.internal):
        raise ValueError("a flex with nodes cannot collide with itself: set selfcollide='none' and internal='false'")
    if flex.condim > CONDIMS[-1]:
        raise ValueError(f"condim {flex.condim} is not 1, 3, 4 or 6")
    if flex.young > 0 and not 0 <= flex.poisson < 0.5:
        raise ValueError("poisson must be at least 0 and below 0.5")


def _warn_of_condim(draft: Draft, flex: Flex) -> None:
    """Warn about an undocumented value of condim, which MuJoCo rejects for geoms but not for flexes."""
    if flex.condim not in CONDIMS:
        meant = "1 is used" if flex.condim < 1 else f"contacts have {flex.condim} dimensions"
        message = f"condim {flex.condim} is not 1, 3, 4 or 6; {meant} unless what the flex touches has more"
        draft.problems.warn(f"<flex>: {message}", flex.place, "condim")


def _warn_of_loose(draft: Draft, flex: Flex) -> None:
    """Warn if no force or constraint holds the vertices together. Newer versions of MuJoCo also warn."""
    held = flex.rigid or flex.young > 0 or flex.edgestiffness > 0 or flex.edgedamping > 0
    tied = any(
        equality.type in (FLEX, STRAIN) and flex.name in (equality.name1, equality.name2)
        for equality in draft.equalities
    )
    if STANDS_FOR.moved and not (held or tied):
        message = f"flex '{flex.name}' is not rigid and has no equality constraints or passive forces"
        draft.problems.warn(f"<flex>: {message}", flex.place)


def _vertices(flex: Flex, poses: list[tuple[Any, Quaternion]]) -> None:
    """Compute vertices in body and world coordinates. Set flags for rigid flexes, and for vertices at body centers."""
    nodes = flex.__dict__.get("node", ())
    flex.local = np.array(flex.vert, float).reshape(-1, 3) if flex.vert else np.zeros((flex.nvert, 3))
    flex.node_local = np.array(nodes, float).reshape(-1, 3) if nodes else np.zeros((len(flex.nodeids), 3))
    bodies = np.broadcast_to(flex.bodyids if len(flex.bodyids) else 0, flex.nvert)
    # vertices of a trilinear flex start in their bodies, but move with the nodes
    flex.bodyids = np.full(flex.nvert, -1) if flex.interp else bodies
    flex.rigid = not flex.interp and bool((flex.bodyids == flex.bodyids[0]).all())
    flex.centered = not (flex.node_local if flex.interp else flex.local).any()
    flex.points = _placed(poses, bodies, flex.local)
    flex.nodes = _placed(poses, flex.nodeids, flex.node_local)


def _placed(poses: list[tuple[Any, Quaternion]], bodies: np.ndarray, local: np.ndarray) -> np.ndarray:
    """Convert points from the coordinates of their bodies to world coordinates."""
    rows = []
    for body, point in zip(bodies.tolist(), local.tolist(), strict=True):
        pos, quat = poses[body]
        rows.append(place(pos, quat, point))
    return np.array(rows).reshape(-1, 3)


def _in_box(points: np.ndarray, elements: np.ndarray, radius: float) -> np.ndarray:
    """Return coordinates of points relative to the bounding box of the colliding `elements`, from 0 to 1.

    The box is the root box of the bounding volume tree without the radius, computed with the same order of operations.
    If all points have the same coordinate in a direction, the box size in this direction is zero or a rounding error.
    A size of zero makes the coordinates NaN.
    """
    corners = points[elements]
    low, high = corners.min(axis=1), corners.max(axis=1)
    center, half = 0.5 * (high + low), 0.5 * (high - low) + radius
    low, high = (center - half).min(axis=0), (center + half).max(axis=0)
    flat = np.where(high - low < FLAT, FLAT, 0.0)
    low, high = low - flat, high + flat
    half = 0.5 * (high - low) - radius
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((points - 0.5 * (low + high)) / (2 * half) + 0.5)


def _texcoord(flex: Flex, elements: np.ndarray) -> None:
    """Set texture coordinates by vertex (always for solids), or with separate ids for every element.

    If no ids are written, MuJoCo's compiler stores three ids for every element. Without coordinates, it stores all ids.
    """
    flex.coordinates = np.array(flex.texcoord, float)
    # ignore ids without coordinates
    ids = np.array(flex.elemtexcoord if len(flex.coordinates) else (), int)
    ids, count = ids[: elements.size], len(flex.coordinates) // 2
    # -1 is an element corner without coordinates in a file
    wrong = ids[(ids < -1) | (ids >= count)]
    if len(wrong):
        raise ValueError(f"an element has texture coordinates {wrong[0]}: there are {count}")
    if len(ids) and flex.dim == 3:
        rows = np.zeros((flex.nvert, 2))
        rows[elements.ravel()[: len(ids)]] = flex.coordinates.reshape(-1, 2)[ids]
        flex.coordinates, ids = rows.ravel(), ids[:0]
    if len(flex.coordinates) and len(flex.coordinates) != 2 * flex.nvert and not len(ids):
        raise ValueError(f"{len(flex.coordinates)} texture coordinates: two for each vertex are needed")
    if not len(ids):
        ids = elements.ravel()[: 3 * len(elements)] if len(flex.coordinates) else flex.elements.ravel()
    flex.coordinates = flex.coordinates.reshape(-1, 2)
    flex.coordinate_ids = ids


def _elasticity(draft: Draft, flex: Flex) -> None:
    """Compute the stiffness of elements and the bending stiffness of edges."""
    flex.edgeflap = np.full((len(flex.edges), 2), -1)
    flex.stiffness = np.zeros((len(flex.elements), 21))
    flex.bending = np.zeros((len(flex.edges), 16))
    shell = flex.dim == 2
    if shell and flex.elastic2d in (BEND, BOTH):
        _bending(draft, flex)
    flex.strain = np.zeros((len(flex.nodeids), 3 * STRAIN_MODES))
    if flex.interp and any(one.type == STRAIN and one.name1 == flex.name for one in draft.equalities):
        flex.strain[:] = strain_modes(flex.nodes, flex.points[flex.elements])
    if flex.young <= 0:
        return
    if flex.interp:
        numbers = trilinear_stiffness(flex.nodes, flex.young, flex.poisson).ravel()
        if flex.stiffness.size < numbers.size:
            raise ValueError("too few elements for the stiffness of trilinear elements")
        flex.stiffness.ravel()[: numbers.size] = numbers
    elif flex.dim == 3:
        flex.stiffness[:] = stiffness(flex.points[flex.elements], flex.young, flex.poisson)
    elif shell and flex.elastic2d in (STRETCH, BOTH) and flex.thickness > 0:
        flex.stiffness[:, :6] = stiffness(flex.points[flex.elements], flex.young, flex.poisson, flex.thickness)


def _bending(draft: Draft, flex: Flex) -> None:
    """Find the two triangles that share each edge, and the stiffness of the angle between them."""
    free = all(body >= 0 and len(draft.bodies[body].joints) == FREE_JOINTS for body in flex.bodyids)
    if not free:
        raise ValueError(f"bending needs bodies with {FREE_JOINTS} joints: remove pins, or set elastic2d='stretch'")
    flex.edgeflap = flaps(flex.elements, flex.element_edges, len(flex.edges))
    if flex.young <= 0:
        return
    if flex.thickness < 0:
        raise ValueError("bending needs a thickness that is not negative")
    inside = flex.edgeflap[:, 1] >= 0
    # as in MuJoCo, every edge has the direction of its first triangle
    _, first = np.unique(flex.element_edges, return_index=True)
    directed = flex.elements[:, EDGES[2]].reshape(-1, 2)[first]
    stencil = np.concatenate([directed, flex.edgeflap], axis=1)[inside]
    flex.bending[inside] = bending(flex.points[stencil], flex.young, flex.poisson, flex.thickness)


COPIED = (
    "contype", "conaffinity", "condim", "priority", "solmix", "solref", "solimp", "friction", "margin", "gap",
    "internal", "selfcollide", "activelayers", "dim", "matid", "group", "interp", "radius", "damping",
    "edgestiffness", "edgedamping", "rigid", "centered", "flatskin", "rgba",
)  # fmt: skip
"""Flex fields that are copied from the elements."""


NUMBERED = ("node", "vert", "edge", "elem", "evpair")
"""Parts of a flex whose count is stored in a field."""


def flex_sizes(draft: Draft) -> dict[str, int]:
    """Return the model sizes that count parts of flexes."""
    parts = [_parts(flex) for flex in draft.flexes]
    return {"nflex" + name: sum(len(part[name]) for part in parts) for name in parts[0]}


def fill_flexes(draft: Draft, buffer: Buffer) -> None:
    """Write the fields of flexes."""
    flexes = draft.flexes
    for name in COPIED:
        buffer.view("flex_" + name)[...] = [flex.__dict__[name] for flex in flexes]
    welded = np.array([body.weldid for body in draft.bodies])
    lists = [_lists(flex, welded) for flex in flexes]
    for name in lists[0]:
        view = buffer.view(name)
        view[...] = np.concatenate([np.asarray(values[name]).reshape(-1, *view.shape[1:]) for values in lists])
    parts = [_parts(flex) for flex in flexes]
    for name in parts[0]:
        counts = [len(part[name]) for part in parts]
        starts = np.cumsum([0, *counts[:-1]])
        # in these fields, an empty part has no address
        missing = name in ("shelldata", "evpair", "texcoord")
        buffer.view(f"flex_{name}adr")[:] = np.where(np.array(counts) == 0, -1, starts) if missing else starts
        if name in NUMBERED:
            buffer.view(f"flex_{name}num")[:] = counts
    buffer.view("flex_shellnum")[:] = [len(flex.surface.shell) for flex in flexes]
    numbers = {mjtEq.mjEQ_FLEX: 1, mjtEq.mjEQ_FLEXSTRAIN: EDGE_EQUALITIES["strain"]}
    constrained = {equality.name1: numbers.get(mjtEq(equality.type), 0) for equality in draft.equalities}
    buffer.view("flex_edgeequality")[:] = [constrained.get(flex.name, 0) for flex in flexes]


def _lists(flex: Flex, welded: np.ndarray) -> dict[str, Any]:
    """Return the rows that a flex adds to flex fields. `welded` maps each body to the body to which it is fixed."""
    return {
        "flex_nodebodyid": flex.nodeids, "flex_vertbodyid": flex.bodyids, "flex_edge": flex.edges,
        "flex_edgeflap": flex.edgeflap, "flex_elem": flex.elements, "flex_elemtexcoord": _ids(flex),
        "flex_elemedge": flex.element_edges, "flex_elemlayer": flex.surface.layers, "flex_shell": flex.surface.shell,
        "flex_evpair": flex.surface.pairs, "flex_vert": flex.local, "flex_vert0": flex.vert0,
        "flex_node": flex.node_local, "flex_node0": flex.nodes, "flex_stiffness": flex.stiffness,
        "flexnode_strain": flex.strain, "flex_bending": flex.bending, "flex_texcoord": flex.coordinates,
        "flexedge_rigid": _rigid_edges(flex, welded),
    }  # fmt: skip


def _parts(flex: Flex) -> dict[str, Any]:
    """Return the arrays of a flex whose rows are counted, by the name that size and address fields use for them."""
    return {
        "node": flex.nodeids, "vert": flex.local, "edge": flex.edges, "elem": flex.elements,
        "elemdata": flex.elements.ravel(), "elemedge": flex.element_edges.ravel(),
        "shelldata": flex.surface.shell.ravel(), "evpair": flex.surface.pairs, "texcoord": flex.coordinates,
    }  # fmt: skip


def _ids(flex: Flex) -> np.ndarray:
    """Return the ids of texture coordinates at the corners of elements. Without coordinates, these are vertex ids."""
    ids = np.zeros(flex.elements.size, int)
    count = min(len(ids), len(flex.coordinate_ids))
    ids[:count] = flex.coordinate_ids[:count]
    return ids


def _rigid_edges(flex: Flex, welded: np.ndarray) -> np.ndarray:
    """Return a mask of the edges between vertices that cannot move relative to each other."""
    if flex.interp:
        return np.zeros(len(flex.edges), bool)
    first, second = welded[np.asarray(flex.bodyids)[flex.edges]].T
    return np.asarray(first == second)
