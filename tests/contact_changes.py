"""Directional derivatives of contacts, exact and by finite differences."""

from __future__ import annotations

import copy

import numpy as np

import conjoint as mj
from conjoint.derivative import jvp

FIELDS = {"contact_dist": 1, "contact_pos": 3, "contact_frame": 9}
"""Contact fields that are compared, with their numbers of elements per contact."""

WEIGHTS = {1: 45 / 60, 2: -9 / 60, 3: 1 / 60}
"""Weights of a sixth-order difference, by the distance in steps (Fornberg, Mathematics of Computation 51, 1988)."""


def moved(m: mj.MjModel, d: mj.MjData, way: np.ndarray, step: float) -> mj.MjData:
    """Return data with the contacts after a displacement of the positions along a direction."""
    e = copy.copy(d)
    mj.mj_integratePos(m, e.qpos, way, step)
    mj.mj_kinematics(m, e)
    mj.mj_comPos(m, e)
    mj.mj_flex(m, e)
    mj.mj_collision(m, e)
    return e


def exact_change(m: mj.MjModel, d: mj.MjData, way: np.ndarray) -> dict[str, np.ndarray]:
    """Return exact derivatives of contact fields along a direction, with one row per contact."""
    found = jvp(m, d, {"qpos": way}, tuple(FIELDS), "mj_forward")
    return {name: value.reshape(-1, FIELDS[name])[: d.ncon] for name, value in found.items()}
