"""Fields of `MjData` in newer versions only: orientations, sleeping and awake trees, islands of trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.compat.field_rows import constant, made, starts
from conjoint.runtime.sleep import body_states, sleep_states
from conjoint.schema.enums_newer import mjtSleepState


def _product(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the products of two lists of quaternions, row by row."""
    w, x, y, z = first.T
    a, b, c, d = second.T
    return np.stack((
        w * a - x * b - y * c - z * d, w * b + x * a + y * d - z * c,
        w * c - x * d + y * a + z * b, w * d + x * c - y * b + z * a,
    ), axis=-1)  # fmt: skip


def _tree_islands(d: Any) -> np.ndarray:
    """Return the island of each tree, which is the island of its first dof, or -1 if it has no island."""
    m = d.model
    if d.nisland == 0:
        return np.full(m.ntree, -1, np.int32)
    return np.array([d.dof_island[first] for first in m.tree_dofadr], np.int32)


def _tree_order(d: Any) -> np.ndarray:
    """Return the indices of all trees, sorted by island. Trees without an island come last."""
    islands = _tree_islands(d)
    return np.argsort(np.where(islands < 0, d.nisland, islands), kind="stable")


def _island_trees(d: Any) -> np.ndarray:
    islands = _tree_islands(d)
    return np.bincount(islands[islands >= 0], minlength=d.nisland).astype(np.int32)


def _tree_awake(d: Any) -> np.ndarray:
    return sleep_states(d.world) < 0


def _body_awake(d: Any) -> np.ndarray:
    """Return the sleep state of each body: static, asleep or awake. Mocap bodies are awake."""
    return body_states(d.model, _tree_awake(d))


def _dofs_awake(d: Any) -> np.ndarray:
    return np.flatnonzero(_tree_awake(d)[d.model.dof_treeid])


def _bodies_awake(d: Any) -> np.ndarray:
    return np.flatnonzero(_body_awake(d) != mjtSleepState.mjS_ASLEEP)


def _parents_awake(d: Any) -> np.ndarray:
    """Return the ids of the bodies whose parent is awake or static, except the world body."""
    parents = _body_awake(d)[d.model.body_parentid]
    return np.flatnonzero((parents != mjtSleepState.mjS_ASLEEP) & (np.arange(d.model.nbody) > 0))


def _filled(found: np.ndarray, count: int) -> np.ndarray:
    """Return `found`, padded with zeros to `count` elements."""
    return np.concatenate((found, np.zeros(count - len(found), int)))


SIZES = (
    made("long nbody_awake: number of bodies that are awake or static", lambda d: len(_bodies_awake(d))),
    made("long ntree_awake: number of trees that are awake", lambda d: _tree_awake(d).sum()),
    made("long nv_awake: number of dofs that are awake", lambda d: len(_dofs_awake(d))),
    made("long nparent_awake: number of bodies whose parent is awake or static", lambda d: len(_parents_awake(d))),
    *constant(
        0, "long nY, long nefmA, long nefmK, long nefmL, long nefmT, long nefmcon, long nefmdof, long efm_active"
    ),
)
"""Size attributes of `MjData` in newer versions."""

FLAGS = constant(0, "bool flg_energypos, bool flg_energyvel, bool flg_rnepost, bool flg_subtreevel")
"""Flag attributes of `MjData` in newer versions."""

ARRAYS = (
    made("quat xiquat nbody: orientation of each body's principal axes of inertia, world frame (w, x, y, z)",
         lambda d: _product(d.xquat, d.model.body_iquat)),
    made("quat geom_xquat ngeom: orientation of each geom, world frame (w, x, y, z)",
         lambda d: _product(d.xquat[d.model.geom_bodyid], d.model.geom_quat)),
    made("quat site_xquat nsite: orientation of each site, world frame (w, x, y, z)",
         lambda d: _product(d.xquat[d.model.site_bodyid], d.model.site_quat)),
    made("int body_awake nbody: sleep state of each body (mjtSleepState); -1: static", _body_awake),
    made("int body_awake_ind nbody: bodies that are awake or static, then zeros",
         lambda d: _filled(_bodies_awake(d), d.model.nbody)),
    made("int parent_awake_ind nbody: bodies whose parent is awake or static, then zeros",
         lambda d: _filled(_parents_awake(d), d.model.nbody)),
    made("int dof_awake_ind nv: dofs that are awake, then zeros", lambda d: _filled(_dofs_awake(d), d.model.nv)),
    made("int tree_island ntree: island of each tree; -1: none", _tree_islands),
    made("int island_ntree nisland: number of trees of each island", _island_trees),
    made("int island_itreeadr nisland: index of the first tree of each island in map_itree2tree",
         lambda d: starts(_island_trees(d))),
    made("int map_itree2tree ntree: trees, sorted by island", _tree_order),
    made("real efc_diagA nefc: approximate diagonal of J M^-1 J', as efc_diagApprox",
         lambda d: d.efc_diagApprox),
    made("int tree_awake ntree: 1: the tree is awake, 0: asleep", _tree_awake),
    made("int tree_asleep ntree: negative: the tree is awake, -1: ready to sleep; else the next tree of the cycle",
         lambda d: sleep_states(d.world)),
    *constant(0, """real flexvert_J nJfv 2, real flexvert_length nflexvert 2, real efc_Y nY, int efc_Y_colind nY,
        int efc_Y_rowadr nefc, int efc_Y_rownnz nefc, real efm_K_val nefmK, int efm_K_colind nefmK, int efm_K_rowadr nv,
        int efm_K_rownnz nv, real efm_L nefmL, int efm_L_colind nefmL, int efm_L_rowadr nefmdof,
        int efm_L_rownnz nefmdof, real efm_ak nactuator, real efm_as nactuator, int efm_aid nactuator, real efm_c nv,
        real efm_ca nv, real efm_ck nv, real efm_diag nv, real efm_sdiag nv, real efm_con_val nefmcon,
        int efm_con_ind nefmcon, int efm_dofid nefmdof, real efm_fluid nC, real efm_tk ntendon, real efm_ts ntendon,
        int efm_tid ntendon, real flexedge_hessian nflexedge 9, real flexelem_krot nflexstiffness,
        real flexvert_hessian nflexvert 6, real flexvert_lambda nflexvert, int flexvert_conage nflexvert,
        bool flex_hessian_valid nflex"""),
)  # fmt: skip
"""Array attributes of `MjData` in newer versions."""
