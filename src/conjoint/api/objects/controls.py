"""Ranges and names of controls."""

from typing import Any

import numpy as np

from conjoint.schema.enums_newer import mjtCtrlInput
from conjoint.spec.actuator_size import INPUTS

NAMES = {**INPUTS, "pressure": int(mjtCtrlInput.mjINPUT_PRESSURE)}
"""Words for all inputs."""


def control_range(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest control of every control, (nu,) each; -1 and 1 where the model sets no limits.

    Args:
        model: an MjModel, or anything with its arrays as attributes.
    """
    limited = np.asarray(model.actuator_ctrllimited, bool)
    low, high = (np.where(limited, model.actuator_ctrlrange[:, k], free) for k, free in enumerate((-1.0, 1.0)))
    return low, high


def names_of_controls(model: Any) -> list[tuple[int, str]]:
    """For each control its actuator, and what to call it: several controls of one actuator by their inputs, too."""
    found = []
    for u, count in enumerate(model.actuator_ctrlnum.tolist()):
        name = model.actuator(u).name or f"actuator {u}"
        found += [(u, f"{name} {inputs_of(model, u)[k]}" if count > 1 else name) for k in range(count)]
    return found


def inputs_of(model: Any, u: int) -> list[str]:
    """Words for the inputs of an actuator, in order; none if nothing is said of them."""
    return [word for word, bit in NAMES.items() if int(model.actuator_ctrlspec[u]) & bit]
