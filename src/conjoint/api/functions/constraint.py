"""Constraint forces for a residual that the caller gives (Computation chapter, Constraint model)."""

import math

import numpy as np

from conjoint.api.arguments import OutNumber, Vector, checked, require
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.schema.enums import mjtConstraint, mjtConstraintState

SATISFIED = mjtConstraintState.mjCNSTRSTATE_SATISFIED
SPRING = mjtConstraintState.mjCNSTRSTATE_QUADRATIC
LOWER = mjtConstraintState.mjCNSTRSTATE_LINEARNEG
UPPER = mjtConstraintState.mjCNSTRSTATE_LINEARPOS
CONE = mjtConstraintState.mjCNSTRSTATE_CONE


@checked
def mj_constraintUpdate(m: MjModel, d: MjData, jar: Vector, cost: OutNumber | None, flg_coneHessian: int) -> None:
    """efc_state, efc_force and qfrc_constraint for a residual (Computation chapter, Constraint model).

    Args:
        d: the world, after `mj_referenceConstraint`.
        jar: the residual J qacc - aref of every row.
        cost: receives the cost of the constraints; None to leave it out.
        flg_coneHessian: whether solvers need Hessians of cones: they compute their own here.
    """
    require(len(jar) == d.nefc, "jar should be of size nefc")
    total = 0.0
    row = 0
    while row < d.nefc:
        update = _update_cone if d.efc_type[row] == mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC else _update_row
        count, part = update(d, jar, row)
        row, total = row + count, total + part
    d.qfrc_constraint[:] = d.efc_J.reshape(d.nefc, m.nv).T @ d.efc_force
    if cost is not None:
        cost[0] = total


def _update_row(d: MjData, jar: np.ndarray, row: int) -> tuple[int, float]:
    """State and force of a row with a cost of its own; the number of rows, and the cost."""
    residual, stiffness = float(jar[row]), float(d.efc_D[row])
    loss = float(d.efc_frictionloss[row])
    reach = loss * float(d.efc_R[row])
    state, force, cost = SPRING, -stiffness * residual, 0.5 * stiffness * residual * residual
    if d.ne <= row < d.ne + d.nf:
        # dry friction: a constant force beyond a small displacement
        if residual <= -reach:
            state, force, cost = LOWER, loss, -0.5 * reach * loss - loss * residual
        elif residual >= reach:
            state, force, cost = UPPER, -loss, -0.5 * reach * loss + loss * residual
    elif row >= d.ne + d.nf and residual >= 0.0:
        # limits and contacts only push
        state, force, cost = SATISFIED, 0.0, 0.0
    d.efc_state[row], d.efc_force[row] = state, force
    return 1, cost


def _update_cone(d: MjData, jar: np.ndarray, row: int) -> tuple[int, float]:
    """States and forces of the rows of an elliptic contact; their number, and their cost."""
    contact = d.contact[int(d.efc_id[row])]
    dim, mu = contact.dim, contact.mu
    rows = slice(row, row + dim)
    # in coordinates in which the cone is circular
    scale = np.concatenate([[mu], contact.friction[: dim - 1]])
    U = jar[rows] * scale
    normal, tangent = float(U[0]), math.sqrt(float(U[1:] @ U[1:]))
    if normal >= mu * tangent or (tangent <= 0.0 and normal >= 0.0):
        # inside the dual cone: no force
        d.efc_state[rows], d.efc_force[rows] = SATISFIED, 0.0
        return dim, 0.0
    if mu * normal + tangent <= 0.0 or (tangent <= 0.0 and normal < 0.0):
        # inside the polar cone: all rows are springs
        d.efc_state[rows], d.efc_force[rows] = SPRING, -d.efc_D[rows] * jar[rows]
        return dim, 0.5 * float(d.efc_D[rows] @ jar[rows] ** 2)
    # between them: on the surface of the cone
    stiffness = float(d.efc_D[row]) / (mu * mu * (1.0 + mu * mu))
    distance = normal - mu * tangent
    push = -stiffness * distance * mu
    d.efc_state[rows] = CONE
    d.efc_force[row] = push
    d.efc_force[row + 1 : row + dim] = -push / tangent * U[1:] * scale[1:]
    return dim, 0.5 * stiffness * distance * distance
