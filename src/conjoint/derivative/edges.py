"""Kinks of a step, where derivatives are one-sided: bounds of inputs, dead bands of springs, and sticking friction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from conjoint.api.functions.support import mj_id2name
from conjoint.api.objects.model import MjModel
from conjoint.lang.warn import warn
from conjoint.physics.derivative.directions import UNBOUNDED
from conjoint.runtime.dual_world import span_of
from conjoint.runtime.kernel_memory import KernelMemory
from conjoint.runtime.plan import Plan
from conjoint.schema.enums import mjtConstraint, mjtConstraintState, mjtDyn, mjtObj, mjtTrn

DOF, TENDON = int(mjtConstraint.mjCNSTR_FRICTION_DOF), int(mjtConstraint.mjCNSTR_FRICTION_TENDON)
"""Types of constraint rows for dry friction of dofs and of tendons."""

JOINTS = (mjtTrn.mjTRN_JOINT, mjtTrn.mjTRN_JOINTINPARENT)


@dataclass(frozen=True)
class Bounds:
    """Bounds of the components of an input.

    Attributes:
        upper: index of each upper bound in the memory of the model, or `UNBOUNDED`. The lower bound precedes it.
        muscle: True for components that belong to a muscle, which clips them to 0 and 1.
    """

    upper: np.ndarray
    muscle: np.ndarray

    def outward(self, model: np.ndarray, value: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Return a mask of the changes that would push a value beyond a bound that it has reached.

        `change` contains n changes of the value, shape (components, n). The mask has shape (n,).
        """
        low, high = self._limits(model)
        leaves = ((value >= high)[:, None] & (change > 0.0)) | ((value <= low)[:, None] & (change < 0.0))
        return np.asarray(leaves.any(axis=0))

    def free_sides(self, model: np.ndarray, values: np.ndarray, side: float) -> np.ndarray:
        """Return the signs of feasible changes: -1 at an upper bound, 1 at a lower bound, else `side`.

        Args:
            model: memory of the model.
            values: numbers of the input in n worlds, shape (n, size).
            side: 1 or -1.
        """
        low, high = self._limits(model)
        return np.where(values <= low, 1.0, np.where(values >= high, -1.0, side))

    def _limits(self, model: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and upper bounds of all components; infinite if there is none."""
        known = self.upper != UNBOUNDED
        high = np.where(known, model[self.upper], np.inf)
        low = np.where(known, model[self.upper - 1], -np.inf)
        return np.where(self.muscle, np.maximum(low, 0.0), low), np.where(self.muscle, np.minimum(high, 1.0), high)


def bounds_of(plan: Plan, name: str) -> Bounds | None:
    """Return the bounds of an input; None if it has none."""
    if name not in ("ctrl", "act"):
        return None
    view, muscles = plan.view, np.flatnonzero(plan.view("actuator_dyntype") == mjtDyn.mjDYN_MUSCLE)
    first, last = view("actuator_actadr"), view("actuator_actadr") + view("actuator_actnum") - 1
    if name == "ctrl":
        limited, of_muscles = np.flatnonzero(view("actuator_ctrllimited")), view("actuator_ctrladr")[muscles]
        limits = limited
        row, count = "actuator_ctrlrange", len(view("actuator_ctrllimited"))
    else:
        actuators = np.flatnonzero(view("actuator_actlimited") & (first >= 0))
        limited = np.concatenate([np.arange(0), *(np.arange(first[u], last[u] + 1) for u in actuators)])
        limits = np.repeat(actuators, (last - first + 1)[actuators])
        row, of_muscles, count = "actuator_actrange", last[muscles], plan.sizes["na"]
    upper, muscle = np.full(count, UNBOUNDED), np.zeros(count, bool)
    upper[limited] = span_of(plan.model, row)[0] + 2 * limits + 1
    muscle[of_muscles] = True
    return Bounds(upper, muscle)


class OpenEdges:
    """Dead bands of tendon springs, within which the springs exert no force.

    Args:
        plan: the model in the form that kernels use.
    """

    def __init__(self, plan: Plan):
        band, stiffness = plan.view("tendon_lengthspring"), plan.view("tendon_stiffness")
        curved = plan.view("tendon_stiffnesspoly").any(axis=1)
        self._tendons = np.flatnonzero((band[:, 0] < band[:, 1]) & ((stiffness != 0.0) | curved))
        self._band = band

    def are_met(self, lengths: np.ndarray) -> np.ndarray:
        """Return True, for each world, if a tendon's length is exactly at an end of its dead band.

        Args:
            lengths: `ten_length` of a world, or of several, shape (..., ntendon).
        """
        ends = lengths[..., self._tendons, None] == self._band[self._tendons]
        return np.asarray(ends.any(axis=(-2, -1)))


def steeper(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Merge two matrices column by column.

    Each column is taken from the matrix that has the larger absolute value at the element where the two columns differ
    most.
    """
    row = np.abs(one - other).argmax(axis=0)
    columns = np.arange(one.shape[1])
    return np.where(np.abs(one[row, columns]) >= np.abs(other[row, columns]), one, other)


class Sticking:
    """Warnings about columns of derivatives that vanish because dry friction sticks, issued once for each column.

    Args:
        plan: the model in the form that kernels use.
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
        """Yield the index of each control, and the dry friction row that may prevent its actuator from moving."""
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

    def follow(self, m: MjModel, world: KernelMemory, inputs: tuple[str, ...]) -> None:
        """Warn about derivatives that vanish because friction sticks, at the values of `world`."""
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
    """Return the warning that dry friction makes a column of derivatives vanish."""
    kind, i = row
    if kind == DOF:
        joint = int(plan.view("dof_jntid")[i])
        what, loss = f"joint {_name(m, mjtObj.mjOBJ_JOINT, joint)}", plan.view("dof_frictionloss")[i]
    else:
        what, loss = f"tendon {_name(m, mjtObj.mjOBJ_TENDON, i)}", plan.view("tendon_frictionloss")[i]
    return (
        f"the derivative with respect to {name}[{column}] is almost zero: frictionloss {loss:g} holds the {what}. "
        "Derivatives do not see that a larger force moves it: start where it slides, or replace frictionloss by "
        "damping while you optimize"
    )


def _name(m: MjModel, kind: mjtObj, i: int) -> str:
    """Return the name of an element in quotes, or its id."""
    name = mj_id2name(m, int(kind), i)
    return repr(name) if name else str(i)
