"""Which edges of flexes have a row of the Jacobian of lengths, and how long each row is."""

from __future__ import annotations

from typing import Any

import numpy as np


def edge_plan(m: Any) -> dict[str, np.ndarray]:
    """Number of elements and first element of the rows of `flexedge_J`.

    Only edges that can be stretched, and along which a spring, a damper or a constraint acts, have any.

    Args:
        m: a model, or anything with its arrays as attributes.

    Returns:
        Arrays by field name of `schema.plan.PLAN_ROWS`.
    """
    acting = (
        (m.flex_edgeequality != 0) | (m.flex_edgestiffness != 0) | (m.flex_edgedamping != 0) | (m.flex_damping != 0)
    )
    used = acting & (m.flex_interp == 0) & (m.flex_rigid == 0)
    flex = np.repeat(np.arange(len(used)), m.flex_edgenum)
    vertices = m.flex_vertadr[flex][:, None] + m.flex_edge if len(flex) else np.zeros((0, 2), int)
    # dofs above either end: climb both chains side by side
    dof = _last_dofs(m)[m.flex_vertbodyid[vertices]] if len(flex) else vertices
    parent = np.append(np.asarray(m.dof_parentid), -1)
    count = np.zeros(len(flex), np.int32)
    while (live := dof.max(axis=1, initial=-1) >= 0).any():
        count += live
        dof = np.where(dof == dof.max(axis=1, initial=-1)[:, None], parent[dof], dof)
    count[~used[flex]] = 0
    return {"flexedge_J_rownnz": count, "flexedge_J_rowadr": (np.cumsum(count) - count).astype(np.int32)}


def _last_dofs(m: Any) -> np.ndarray:
    """Of the dofs that move each body the nearest to it; -1 if nothing moves it."""
    holder = np.asarray(m.body_weldid)
    last = m.body_dofadr + m.body_dofnum - 1
    return np.where(holder == 0, -1, last[holder])
