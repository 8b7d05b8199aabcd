"""Storage layout of the constraint Jacobian: compressed rows, blocks of dofs of the Hessian, and rows of flex edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.lang.language.tile import TILE
from conjoint.physics.row_storage import compresses
from conjoint.schema.enums import mjtImpulse, mjtSolver

DUAL = tuple(int(solver) for solver in (mjtSolver.mjSOL_PGS, *mjtImpulse))
"""Solvers in the space of constraint forces, as plain integers, which compare faster than enum members."""

LEAST_SAVED = 3000
"""Minimum number of products that the use of branches must save in a factorization.

The 2,200 products that branches save for one humanoid are not worth the search for branches.
"""


def is_dual(m: Any) -> bool:
    """Return True if the solver uses the inverse inertia of the constraints."""
    return int(m.opt.solver) in DUAL or int(m.opt.noslip_iterations) > 0


def finds_forces(m: Any) -> bool:
    """Return True if the solver sweeps over constraint forces with J M^-1 J'."""
    return int(m.opt.solver) in (mjtSolver.mjSOL_PGS, mjtImpulse.mjIMP_COMPLEMENTARITY)


def is_complementary(m: Any) -> bool:
    """Return True if the solver needs a second matrix as large as the inverse inertia of the constraints."""
    return int(m.opt.solver) == mjtImpulse.mjIMP_COMPLEMENTARITY


def is_branched(m: Any) -> bool:
    """Return True if Hessians of worlds side by side are factorized along the branches of kinematic trees.

    The row of a dof with n dofs on its path to the root, including itself, needs n (n + 1) / 2 products. Trees without
    branches (such as loose bodies) are assumed to touch each other, so that they form one path.
    """
    if int(m.opt.solver) not in (mjtSolver.mjSOL_NEWTON, mjtSolver.mjSOL_CG):
        return False
    tree, parents = np.asarray(m.dof_treeid), np.asarray(m.dof_parentid).tolist()
    place = np.zeros(len(parents), int)
    for dof, parent in enumerate(parents):
        place[dof] = 1 if parent < 0 else place[parent] + 1
    deepest = np.zeros(len(parents), int)
    np.maximum.at(deepest, tree, place)
    straight = (deepest == np.bincount(tree, minlength=len(parents)))[tree]
    place[straight] = np.arange(1, np.count_nonzero(straight) + 1)
    whole = np.arange(1, len(parents) + 1)
    return bool((whole @ (whole + 1) - place @ (place + 1)) // 2 >= LEAST_SAVED)


def block_plan(m: Any, lanes: int) -> dict[str, np.ndarray]:
    """Return the plan rows that describe compressed constraint rows.

    Neighboring dofs of a kinematic tree form a block with at most as many dofs as a tile has elements.

    Args:
        m: a model, or any object with the model's arrays as attributes.
        lanes: number of worlds side by side. If there are several, rows are dense, because their columns would differ.

    Returns:
        Arrays by field name of `schema.plan.PLAN_ROWS`.
    """
    tree = np.asarray(m.dof_treeid)
    nv = len(tree)
    if lanes > 1 or nv == 0 or not compresses(int(m.opt.jacobian), nv):
        tree, nv = tree[:0], 0
    dof = np.arange(nv)
    begins = np.diff(tree, prepend=-1) != 0
    # index of each dof in its tree
    root = dof[begins][np.cumsum(begins) - 1]
    starts = (dof - root) % TILE == 0
    block = np.cumsum(starts) - 1
    rows = {
        "block_dof": np.append(dof[starts], nv) if nv else dof,
        "block_tree": block[root][starts],
        "dof_block": block,
    }
    found = {name: values.astype(np.int32) for name, values in rows.items()}
    return found | {"compressed": np.array(int(nv > 0)), "branched": np.array(int(lanes > 1 and is_branched(m)))}


def edge_plan(m: Any, differentiated: bool = False) -> dict[str, np.ndarray]:
    """Return the number of elements, and the index of the first element, of each row of `flexedge_J`.

    Only edges that can stretch, and along which a spring, a damper or a constraint acts, have elements.

    Args:
        m: a model, or any object with the model's arrays as attributes.
        differentiated: True if derivatives may be taken with respect to stiffnesses and dampings that are zero, so that
            edges with zero stiffness and damping need elements, too.

    Returns:
        Arrays by field name of `schema.plan.PLAN_ROWS`.
    """
    acting = (
        (m.flex_edgeequality != 0) | (m.flex_edgestiffness != 0) | (m.flex_edgedamping != 0) | (m.flex_damping != 0)
    )
    used = (acting | differentiated) & (m.flex_interp == 0) & (m.flex_rigid == 0)
    count = np.where(np.repeat(used, m.flex_edgenum), m.flexedge_dofnum, 0).astype(np.int32)
    return {"flexedge_J_rownnz": count, "flexedge_J_rowadr": (np.cumsum(count) - count).astype(np.int32)}
