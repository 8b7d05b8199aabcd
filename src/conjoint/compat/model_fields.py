"""Fields of `MjModel` in newer versions only. Most describe the structure of matrices, trees and flexes."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.objects.tendons import dofs_that_move
from conjoint.api.objects.textures import content_types
from conjoint.compat.field_rows import constant, made, packed_rows, starts
from conjoint.runtime.sleep import dof_lengths
from conjoint.schema.enums import mjtWrap
from conjoint.schema.enums_newer import mjtTendon
from conjoint.spec.rotation import IDENTITY, mul_quat, place

DIRECTIONS = np.array([(k // 9 - 1, k // 3 % 3 - 1, k % 3 - 1) for k in range(27)], float)
"""Directions for which `mesh_extrema` lists the farthest vertices. Their components are -1, 0 and 1."""


def structure(m: Any, name: str) -> np.ndarray:
    """Return an array of the model's plan that describes the structure of a matrix."""
    return m.plans.current.view(name)


def _places(m: Any, matrix: str) -> dict[tuple[int, int], int]:
    """Return the addresses of the elements of matrix M or D, by row and column."""
    rows = np.repeat(np.arange(m.nv), structure(m, matrix + "_rownnz")).tolist()
    return {place: k for k, place in enumerate(zip(rows, structure(m, matrix + "_colind").tolist(), strict=True))}


def _map_to_D(m: Any) -> list[int]:
    lower = _places(m, "M")
    return [lower.get((max(i, j), min(i, j)), -1) for i, j in _places(m, "D")]


def _map_to_M(m: Any) -> list[int]:
    both = _places(m, "D")
    return [both.get(place, -1) for place in _places(m, "M")]


def _edge_dofs(m: Any) -> list[int]:
    """Return, for each flex edge, the dofs that move one of its ends, concatenated."""
    found: list[int] = []
    number = m.flexedge_J_rownnz
    for f in range(m.nflex):
        for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
            bodies = m.flex_vertbodyid[m.flex_vertadr[f] + m.flex_edge[e]]
            dofs = (
                sorted(dofs_that_move(m, int(bodies[0])) | dofs_that_move(m, int(bodies[1])))
                if (bodies >= 0).all()
                else []
            )
            found += dofs[: number[e]]
    return found


def _tendon_trees(m: Any) -> list[list[int]]:
    """Return, for each tendon, the kinematic trees along its path, in order."""
    found: list[list[int]] = []
    for t in range(m.ntendon):
        trees: list[int] = []
        for w in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
            kind, what = int(m.wrap_type[w]), int(m.wrap_objid[w])
            if kind == mjtWrap.mjWRAP_PULLEY:
                continue
            owners = {mjtWrap.mjWRAP_JOINT: m.jnt_bodyid, mjtWrap.mjWRAP_SITE: m.site_bodyid}
            tree = int(m.body_treeid[owners.get(mjtWrap(kind), m.geom_bodyid)[what]])
            trees += [tree] if tree >= 0 and tree not in trees else []
        found.append(trees)
    return found


def _tree_starts(m: Any, trees: np.ndarray) -> list[int]:
    """Return the index of the first element in each kinematic tree. `trees` contains the tree of each element."""
    return [int(np.argmax(trees == tree)) for tree in range(m.ntree)]


def _tree_counts(m: Any, trees: np.ndarray) -> np.ndarray:
    return np.bincount(trees[trees >= 0], minlength=m.ntree)


def _extrema(m: Any) -> np.ndarray:
    """Return, for each mesh, the vertices that are farthest in each of the 27 `DIRECTIONS`."""
    found = np.zeros((m.nmesh, 27), np.int32)
    for mesh in range(m.nmesh):
        first = int(m.mesh_vertadr[mesh])
        vertices = m.mesh_vert[first : first + m.mesh_vertnum[mesh]].astype(float)
        found[mesh] = np.argmax(vertices @ DIRECTIONS.T, axis=0)
    return found


def _given(m: Any, matrix: np.ndarray, part: str) -> list[int]:
    """Return the address of each flex's parameters in `matrix`, or -1 if they are all zero.

    The matrix has one row per `part`, such as an element or edge, of all flexes.
    """
    starts, counts = (getattr(m, f"flex_{part}{what}").tolist() for what in ("adr", "num"))
    spans = [(first, first + count) for first, count in zip(starts, counts, strict=True)]
    return [first * matrix.shape[1] if matrix[first:end].any() else -1 for first, end in spans]


def _size_given(matrix: np.ndarray) -> int:
    return matrix.size if matrix.any() else 0


def _most_neighbors(m: Any) -> int:
    """Return the largest number of neighbors of any vertex in the graphs of all convex hulls."""
    most = 0
    for first in m.mesh_graphadr[m.mesh_graphadr >= 0].tolist():
        vertices, faces = m.mesh_graph[first : first + 2].tolist()
        edges = m.mesh_graph[first + 2 + 2 * vertices : first + 2 + 3 * vertices + 3 * faces]
        ends = np.flatnonzero(edges == -1)
        most = max(most, int(np.diff(np.concatenate(([-1], ends))).max(initial=1)) - 1)
    return most


def _flex_sizes(m: Any) -> list[np.ndarray]:
    """Return the half sizes of the bounding boxes of all flexes at qpos0, along the world axes."""
    poses: list[tuple[Any, Any]] = [((0.0, 0.0, 0.0), IDENTITY)]
    for parent, pos, quat in zip(*(a[1:].tolist() for a in (m.body_parentid, m.body_pos, m.body_quat)), strict=True):
        origin, turn = poses[parent]
        poses.append((place(origin, turn, pos), mul_quat(turn, quat)))
    found = []
    for f in range(m.nflex):
        # vertices that are interpolated between nodes remain within the bounding box of the nodes
        kind = "node" if m.flex_interp[f] else "vert"
        first = getattr(m, f"flex_{kind}adr")[f]
        span = slice(first, first + getattr(m, f"flex_{kind}num")[f])
        bodies, local = getattr(m, f"flex_{kind}bodyid")[span], getattr(m, f"flex_{kind}")[span]
        if m.flex_centered[f]:
            local = np.zeros((len(bodies), 3))
        placed = zip(bodies.tolist(), local.tolist(), strict=True)
        found.append(np.ptp([place(poses[body][0], poses[body][1], point) for body, point in placed], axis=0) / 2)
    return found


def _tendon_types(m: Any) -> np.ndarray:
    fixed = m.wrap_type[m.tendon_adr] == mjtWrap.mjWRAP_JOINT
    return np.where(fixed, mjtTendon.mjTENDON_FIXED, mjtTendon.mjTENDON_SPATIAL)


SIZES = (
    made("long nJten: number of elements of ten_J with compressed rows", lambda m: structure(m, "ten_J_rownnz").sum()),
    made("long nJfe: number of elements of flexedge_J with compressed rows", lambda m: m.flexedge_J_rownnz.sum()),
    made("long nflexbending: number of bending parameters of all flexes; 0 if no flex resists bending",
         lambda m: _size_given(m.flex_bending)),
    made("long nflexstiffness: number of stiffness parameters of all flexes", lambda m: _size_given(m.flex_stiffness)),
    made("long nmeshdegmax: largest number of neighbors of a hull vertex", _most_neighbors),
    made("long npolygonmax: largest number of vertices of a hull polygon",
         lambda m: m.mesh_polyvertnum.max(initial=0)),
    *constant(0, "long nefm0L, long nefm0dof, long nefmCvert, long nJfv"),
)  # fmt: skip
"""Size attributes of `MjModel` in newer versions."""

STRUCTURE = (
    "M_rownnz", "M_rowadr", "M_colind", "D_rownnz", "D_rowadr", "D_diag", "D_colind", "B_rownnz", "B_rowadr",
    "B_colind", "mapM2M",
)  # fmt: skip
"""Array attributes of `MjData` that describe the structure of the model. In newer versions, `MjModel` has them, too."""

ARRAYS = (
    made("int mapM2D nD: address in M of each element of D; -1: none", _map_to_D),
    made("int mapD2M nC: address in D of each element of M", _map_to_M),
    made("int ten_J_rownnz ntendon: number of dofs that can move each tendon", lambda m: structure(m, "ten_J_rownnz")),
    made("int ten_J_rowadr ntendon: index of the first dof of each tendon in ten_J_colind",
         lambda m: starts(structure(m, "ten_J_rownnz"))),
    made("int ten_J_colind nJten: dofs that can move each tendon, ascending",
         lambda m: packed_rows(structure(m, "ten_J_rownnz"), structure(m, "ten_J_colind"))),
    made("int flexedge_J_rownnz nflexedge: number of dofs that can move each edge of a flex",
         lambda m: structure(m, "flexedge_dofnum")),
    made("int flexedge_J_rowadr nflexedge: index of the first dof of each edge in flexedge_J_colind",
         lambda m: starts(m.flexedge_J_rownnz)),
    made("int flexedge_J_colind nJfe: dofs that can move each edge of a flex, ascending", _edge_dofs),
    made("int tendon_type ntendon: type of each tendon (mjtTendon)", _tendon_types),
    made("int tendon_treenum ntendon: number of trees along the path of each tendon",
         lambda m: [*map(len, _tendon_trees(m))]),
    made("int tendon_treeid ntendon 2: first two trees along the path of each tendon; -1: none",
         lambda m: [[*trees, -1, -1][:2] for trees in _tendon_trees(m)]),
    made("int cam_projection ncam: projection of each camera (mjtProjection)", lambda m: m.cam_orthographic),
    made("int tree_bodyadr ntree: first body of each tree", lambda m: _tree_starts(m, m.body_treeid)),
    made("int tree_bodynum ntree: number of bodies of each tree", lambda m: _tree_counts(m, m.body_treeid)),
    made("int tree_dofadr ntree: first dof of each tree", lambda m: _tree_starts(m, m.dof_treeid)),
    made("int tree_dofnum ntree: number of dofs of each tree", lambda m: _tree_counts(m, m.dof_treeid)),
    made("int mesh_extrema nmesh 27: farthest hull vertices in the 27 directions with components -1, 0 and 1",
         _extrema),
    made("int flex_bendingadr nflex: first bending parameter of each flex; -1: the flex does not resist bending",
         lambda m: _given(m, m.flex_bending, "edge")),
    made("int flex_stiffnessadr nflex: first stiffness parameter of each flex; -1: none",
         lambda m: _given(m, m.flex_stiffness, "elem")),
    made("int tex_contenttypeadr ntex: address in `paths` of the content type of each texture; -1: none",
         content_types),
    made("real dof_length nv: 1 for translations; for rotations, approximate reach of the body from the joint",
         dof_lengths),
    made("real flex_size nflex 3: half sizes of the box around the vertices of each flex at qpos0", _flex_sizes),
    *constant(-1, "int flex_plasticadr nflex, int flex_vertcell nflexvert"),
    *constant(0, """int flex_cellnum nflex 3, int flex_passive nflex, int flex_plasticmode nflex,
        real flex_yield nflex 2, int flex_bandwidth nflex, int flex_vertedge nflexedge 2,
        int flex_vertedgeadr nflexvert, int flex_vertedgenum nflexvert, real flex_vertmetric nflexvert 4,
        int flexvert_J_colind nJfv 2,
        int flexvert_J_rowadr nflexvert 2, int flexvert_J_rownnz nflexvert 2, real efm0_L nefm0L,
        int efm0_L_colind nefm0L, int efm0_L_rowadr nefm0dof, int efm0_L_rownnz nefm0dof, int efm0_dofid nefm0dof,
        int efmC_perm nefmCvert"""),
    *constant(1, "bool geom_castshadow ngeom"),
    *constant(0.2, "float light_softness nlight"),
)  # fmt: skip
"""Array attributes of `MjModel` in newer versions."""

FLAGS = (
    made("bool flg_gravcomp: 1: at least one body has gravity compensation", lambda m: m.ngravcomp > 0),
    made(
        "bool flg_adhesion: 1: at least one geom or pair has adhesion",
        lambda m: m.geom_adhesion.any() or m.pair_adhesion.any(),
    ),
    made("bool flg_surfacevel: 1: at least one geom has a surface velocity", lambda m: m.geom_surfacevel.any()),
)
"""Flag attributes of `MjModel` in newer versions, which programs may set."""
