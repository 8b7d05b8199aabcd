"""Upper bounds of controls and activations, at which derivatives are those of the side below."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conjoint.physics.derivative.directions import UNBOUNDED
from conjoint.runtime.dual_world import span_of
from conjoint.runtime.plan import Plan
from conjoint.schema.enums import mjtDyn


@dataclass(frozen=True)
class Bounds:
    """Bounds of the numbers of an input.

    Attributes:
        upper: places of their upper bounds in the memory of the model, each behind that of the lower one; or
            `UNBOUNDED`.
        muscle: whether they belong to a muscle, which keeps them within 0 and 1.
    """

    upper: np.ndarray
    muscle: np.ndarray

    def outward(self, model: np.ndarray, value: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Return, for each of n changes (numbers, n), whether it pushes a value beyond the bound on which it lies."""
        known = self.upper != UNBOUNDED
        high = np.where(known, model[self.upper], np.inf)
        low = np.where(known, model[self.upper - 1], -np.inf)
        high, low = np.where(self.muscle, np.minimum(high, 1.0), high), np.where(self.muscle, np.maximum(low, 0.0), low)
        leaves = ((value >= high)[:, None] & (change > 0.0)) | ((value <= low)[:, None] & (change < 0.0))
        return np.asarray(leaves.any(axis=0))


def bounds_of(plan: Plan, name: str) -> Bounds | None:
    """Find the bounds of an input; None if its numbers have none."""
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
