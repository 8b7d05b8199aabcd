"""Which edges of flexes have a row of the Jacobian of lengths, and how long each row is."""

from __future__ import annotations

from typing import Any

import numpy as np


def edge_plan(m: Any, differentiated: bool = False) -> dict[str, np.ndarray]:
    """Number of elements and first element of the rows of `flexedge_J`.

    Only edges that can be stretched, and along which a spring, a damper or a constraint acts, have any.

    Args:
        m: a model, or anything with its arrays as attributes.
        differentiated: whether derivatives may be taken by springs and dampers that are zero: all edges have rows.

    Returns:
        Arrays by field name of `schema.plan.PLAN_ROWS`.
    """
    acting = (
        (m.flex_edgeequality != 0) | (m.flex_edgestiffness != 0) | (m.flex_edgedamping != 0) | (m.flex_damping != 0)
    )
    used = (acting | differentiated) & (m.flex_interp == 0) & (m.flex_rigid == 0)
    count = np.where(np.repeat(used, m.flex_edgenum), m.flexedge_dofnum, 0).astype(np.int32)
    return {"flexedge_J_rownnz": count, "flexedge_J_rowadr": (np.cumsum(count) - count).astype(np.int32)}
