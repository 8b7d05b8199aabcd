"""Constraint forces for a residual that the caller gives (Computation chapter, Constraint model)."""

from conjoint.api.arguments import OutNumber, Vector, checked, require
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.runtime.entry import entry
from conjoint.solver.inverse import constraint_update

_constraint_update = entry(constraint_update, "real[]")


@checked
def mj_constraintUpdate(m: MjModel, d: MjData, jar: Vector, cost: OutNumber | None, flg_coneHessian: int) -> None:
    """efc_state, efc_force and qfrc_constraint for a residual (Computation chapter, Constraint model).

    Args:
        m: the model.
        d: the world, after `mj_referenceConstraint`.
        jar: the residual J qacc - aref of every row.
        cost: receives the cost of the constraints; None to leave it out.
        flg_coneHessian: whether solvers need Hessians of cones: they compute their own here.
    """
    require(len(jar) == d.nefc, "jar should be of size nefc")
    total = _constraint_update(m.plans.current, d.world, jar)
    if cost is not None:
        cost[0] = total
