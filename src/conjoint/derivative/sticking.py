"""A warning where derivatives by forces vanish because dry friction holds what they push."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conjoint.api.functions.names import mj_id2name
from conjoint.api.objects.model import MjModel
from conjoint.lang.warn import warn
from conjoint.runtime.plan import Plan
from conjoint.runtime.world import World
from conjoint.schema.enums import mjtConstraint, mjtConstraintState, mjtObj, mjtTrn

DOF, TENDON = int(mjtConstraint.mjCNSTR_FRICTION_DOF), int(mjtConstraint.mjCNSTR_FRICTION_TENDON)
"""Types of the rows of dry friction."""

JOINTS = (mjtTrn.mjTRN_JOINT, mjtTrn.mjTRN_JOINTINPARENT)


class Sticking:
    """Columns that dry friction may make vanish, each of which is warned of once.

    Args:
        plan: the model as kernels see it.
    """

    def __init__(self, plan: Plan):
        self._plan = plan
        self._columns: dict[str, dict[int, tuple[int, int]]] = {"ctrl": {}, "qfrc_applied": {}}
        dofs = np.flatnonzero(plan.view("dof_frictionloss") > 0.0).tolist()
        tendons = np.flatnonzero(plan.view("tendon_frictionloss") > 0.0).tolist()
        if dofs or tendons:
            self._columns["qfrc_applied"] = {i: (DOF, i) for i in dofs}
            rows = {*((DOF, i) for i in dofs), *((TENDON, t) for t in tendons)}
            self._columns["ctrl"] = {control: row for control, row in self._driven() if row in rows}

    def _driven(self) -> Iterator[tuple[int, tuple[int, int]]]:
        """Of each control the row of dry friction that may hold what its actuator drives."""
        view = self._plan.view
        places = zip(
            view("actuator_ctrladr").tolist(), view("actuator_trntype").tolist(), view("actuator_trnid").tolist(),
            strict=True,
        )  # fmt: skip
        for control, kind, (target, _) in places:
            if control >= 0 and kind in JOINTS:
                yield control, (DOF, int(view("jnt_dofadr")[target]))
            elif control >= 0 and kind == mjtTrn.mjTRN_TENDON:
                yield control, (TENDON, target)

    def follow(self, m: MjModel, world: World, inputs: tuple[str, ...]) -> None:
        """Warn of columns of the inputs that friction holds at the values in a world."""
        columns = {name: self._columns[name] for name in inputs if self._columns.get(name)}
        if not columns:
            return
        n = int(world.view("nefc"))
        rows = zip(*(world.view(f"efc_{name}")[:n].tolist() for name in ("type", "id", "state")), strict=True)
        held = {(kind, i) for kind, i, state in rows if state == mjtConstraintState.mjCNSTRSTATE_QUADRATIC}
        for name, known in columns.items():
            for column in [column for column, row in known.items() if row in held]:
                warn(_text(m, self._plan, name, column, known.pop(column)))


def _text(m: MjModel, plan: Plan, name: str, column: int, row: tuple[int, int]) -> str:
    """The warning of a column."""
    kind, i = row
    if kind == DOF:
        joint = int(plan.view("dof_jntid")[i])
        what, loss = f"joint {_name(m, mjtObj.mjOBJ_JOINT, joint)}", plan.view("dof_frictionloss")[i]
    else:
        what, loss = f"tendon {_name(m, mjtObj.mjOBJ_TENDON, i)}", plan.view("tendon_frictionloss")[i]
    return (
        f"the derivative by {name}[{column}] is next to zero: dry friction (frictionloss {loss:g}) holds the {what}. "
        "Derivatives do not see that a larger force moves it: start where it slides, or replace frictionloss by "
        "damping while you optimize"
    )


def _name(m: MjModel, kind: mjtObj, i: int) -> str:
    """The name of an element in quotes, or its number."""
    name = mj_id2name(m, int(kind), i)
    return repr(name) if name else str(i)
