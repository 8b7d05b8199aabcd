"""Constraint forces for a given residual, and the post-hoc dynamics of Todorov, Erez and Tassa (2012)."""

from typing import Annotated

from conjoint.api.argument_kinds import Real
from conjoint.api.arguments import OutNumber, Vector, checked
from conjoint.api.functions.functions import run
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.runtime.entry import entry
from conjoint.solver.inverse import constraint_update

Weight = Annotated[float, Real(0)]
"""Type of weight arguments: inertia that constraints add along their directions, at least 0 (kg, kg m^2)."""

_constraint_update = entry(constraint_update, "real[]")


@checked(jar="d.nefc")
def mj_constraintUpdate(m: MjModel, d: MjData, jar: Vector, cost: OutNumber | None, flg_coneHessian: int) -> None:
    """Compute efc_state, efc_force and qfrc_constraint for a residual (Computation chapter, Constraint model).

    Args:
        m: the model.
        d: the world, after `mj_referenceConstraint`.
        jar: residuals J qacc - a_ref of all rows, shape (nefc,).
        cost: receives the constraint cost; None to skip it.
        flg_coneHessian: ignored, because solvers compute cone Hessians themselves.
    """
    total = _constraint_update(m.plans.current, d.world, jar)
    if cost is not None:
        cost[0] = total


@checked
def mj_forwardPosthoc(m: MjModel, d: MjData, equality: Weight = 0.0, contact: Weight = 0.0) -> None:
    """Compute forward dynamics with constraint forces that do not depend on actuators and applied forces.

    Actuator and applied forces act last, on the inertia M + equality JE' JE + contact JC' JC. JE contains the Jacobian
    rows of equalities, JC those of contacts and limits (Todorov, Erez and Tassa 2012, section II.G). With any solver,
    `mj_inversePosthoc` recovers the forces if the weights are equal. `mj_Euler` advances the simulation by `qacc`.

    Args:
        d: the world.
        equality: inertia that equalities add along their directions, at least 0 (kg, kg m^2).
        contact: inertia that contacts and limits add along their directions, at least 0 (kg, kg m^2).

    Raises:
        FatalError: a weight is negative or not finite, or the model cannot be simulated.
    """
    _weigh(d, equality, contact)
    run(m, d, "mj_forwardPosthoc")


@checked
def mj_inversePosthoc(m: MjModel, d: MjData, equality: Weight = 0.0, contact: Weight = 0.0) -> None:
    """Compute `qfrc_inverse`, the forces with which `mj_forwardPosthoc` yields `qacc`, for any qpos, qvel and qacc.

    `efc_force` and `qfrc_constraint` are computed as if the forces `qfrc_inverse` did not act. The state does not
    change.

    Args:
        d: the world.
        equality, contact: weights, as in `mj_forwardPosthoc`.

    Raises:
        FatalError: a weight is negative or not finite, or the model cannot be simulated.
    """
    _weigh(d, equality, contact)
    run(m, d, "mj_inversePosthoc")


def _weigh(d: MjData, equality: float, contact: float) -> None:
    d.world.data.view("posthoc.equality")[...] = equality
    d.world.data.view("posthoc.contact")[...] = contact
