"""Ranges of controls."""

from typing import Any

import numpy as np


def control_range(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest control of every actuator, (nu,) each; -1 and 1 where the model sets no limits.

    Args:
        model: an MjModel, or anything with its arrays as attributes.
    """
    limited = np.asarray(model.actuator_ctrllimited, bool)
    low, high = (np.where(limited, model.actuator_ctrlrange[:, k], free) for k, free in enumerate((-1.0, 1.0)))
    return low, high
