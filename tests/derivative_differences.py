"""Central differences of steps, at the best of several step lengths, for comparison with exact derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import conjoint as mj
from conjoint.derivative import mjd_transition

STATE = mj.mjtState.mjSTATE_INTEGRATION
LENGTHS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
OUTPUTS = ("qpos", "qvel", "act", "sensordata")
"""Outputs that form the rows of transition matrices."""

Change = Callable[[mj.MjData, float], None]
"""Function that changes an input of the data by an amount."""


def tighten(m: mj.MjModel) -> mj.MjModel:
    """Set tolerances at which iterations end at their solutions, because differences need all digits; return the model."""
    m.opt.tolerance, m.opt.ls_tolerance, m.opt.iterations, m.opt.ls_iterations = 1e-15, 1e-8, 500, 200
    m.opt.ccd_tolerance, m.opt.ccd_iterations = 1e-13, 200
    if m.opt.solver != mj.mjtSolver.mjSOL_NEWTON:
        m.opt.iterations = 5000
    return m


def moved(m: mj.MjModel, nstep: int = 100, seed: int = 0) -> mj.MjData:
    """Return data after steps with random controls, from the first keyframe if there is one."""
    d, rng = mj.MjData(m), np.random.default_rng(seed)
    if m.nkey and nstep:
        mj.mj_resetDataKeyframe(m, d, 0)
    limited = m.actuator_ctrllimited[:, None] > 0
    low, high = np.where(limited, m.actuator_ctrlrange, [[-1.0, 1.0]]).T
    for k in range(nstep):
        if k % 10 == 0:
            d.ctrl[:] = low + (high - low) * rng.uniform(0.2, 0.8, m.nu)
        mj.mj_step(m, d)
    return d


@dataclass(frozen=True)
class Found:
    """Exact derivatives and differences with respect to some inputs.

    Attributes:
        exact: exact derivatives, with outputs in rows and inputs in columns.
        differences: central differences at the step length that is nearest to each exact element.
        edges: mask of columns whose differences differ between the two sides: the state is between two smooth pieces.
    """

    exact: np.ndarray
    differences: np.ndarray
    edges: np.ndarray

    def error(self, rows: slice, columns: slice) -> float:
        """Return the largest error of a block, relative to its largest element; elements at edges do not count."""
        a, b = self.exact[rows, columns], self.differences[rows, columns]
        if not a.size:
            return 0.0
        away = np.where(self.edges[rows, columns], 0.0, np.abs(a - b))
        return float(away.max() / max(np.abs(b).max(), 1e-10)) if np.isfinite(a).all() else np.inf


class Differences:
    """Finite differences of a function of the data.

    Args:
        m: model.
        d: data, which are not changed.
        function: function that is differentiated, called with model and data.
    """

    def __init__(self, m: mj.MjModel, d: mj.MjData, function: Callable[..., None] = mj.mj_step):
        self.m, self.function, self.world = m, function, mj.MjData(m)
        self.start = np.zeros(mj.mj_stateSize(m, STATE))
        mj.mj_getState(m, d, self.start, STATE)
        self.acceleration = d.qacc.copy()

    def at(self, change: Change, length: float, outputs: Sequence[str]) -> list[np.ndarray]:
        """Return the outputs after an input was changed by `length`."""
        mj.mj_setState(self.m, self.world, self.start, STATE)
        self.world.qacc[:] = self.acceleration
        change(self.world, length)
        self.function(self.m, self.world)
        return [np.array(getattr(self.world, name)).reshape(-1) for name in outputs]

    def between(self, outputs: Sequence[str], a: list[np.ndarray], b: list[np.ndarray]) -> np.ndarray:
        """Return b - a; differences of positions are in the tangent space."""
        parts = []
        for name, x, y in zip(outputs, a, b, strict=True):
            change = y - x
            if name == "qpos":
                change = np.zeros(self.m.nv)
                mj.mj_differentiatePos(self.m, change, 1.0, x, y)
            parts.append(change)
        return np.concatenate(parts)

    def nearest(
        self, exact: np.ndarray, change: Change, outputs: Sequence[str], lengths: Sequence[float] = LENGTHS
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the central differences nearest to each number of `exact`, and the differences between right and left slopes.

        The latter are the smallest at any of the step lengths.
        """
        central, apart = np.full(exact.shape, np.inf), np.full(exact.shape, np.inf)
        base = self.at(change, 0.0, outputs)
        for h in lengths:
            moved = {k: self.between(outputs, base, self.at(change, k * h, outputs)) for k in (-1, -0.5, 0.5, 1)}
            wide, narrow = (moved[1] - moved[-1]) / (2 * h), (moved[0.5] - moved[-0.5]) / h
            for found in (wide, narrow, (4 * narrow - wide) / 3):
                better = np.abs(found - exact) < np.abs(central - exact)
                central[better] = found[better]
            right, left = ((4 * moved[0.5 * sign] - moved[sign]) / (sign * h) for sign in (1, -1))
            apart = np.fmin(apart, np.abs(right - left))
        return central, apart


def changes(m: mj.MjModel) -> list[Change]:
    """Return functions that change state and controls, in the order of the columns of transition matrices."""

    def turn(i: int) -> Change:
        along = np.eye(m.nv)[i]
        return lambda d, length: mj.mj_integratePos(m, d.qpos, along, length)

    def number(name: str, i: int) -> Change:
        def change(d: mj.MjData, length: float) -> None:
            getattr(d, name)[i] += length

        return change

    numbers = [number(name, i) for name, n in (("qvel", m.nv), ("act", m.na), ("ctrl", m.nu)) for i in range(n)]
    return [turn(i) for i in range(m.nv)] + numbers


def compare(m: mj.MjModel, d: mj.MjData, most: int = 10**9, lengths: Sequence[float] = LENGTHS) -> list[float]:
    """Return the errors of the exact matrices A, B, C, D (see `found`)."""
    result, nx = found(m, d, most, lengths), 2 * m.nv + m.na
    parts = slice(0, nx), slice(nx, None)
    return [result.error(rows, columns) for rows in parts for columns in parts]


def found(m: mj.MjModel, d: mj.MjData, most: int = 10**9, lengths: Sequence[float] = LENGTHS) -> Found:
    """Return exact derivatives of next state and sensors with respect to state and controls, and central differences.

    Args:
        m, d: model and data.
        most: largest number of columns that are compared.
        lengths: step lengths of differences.
    """
    nx, nu, ns = 2 * m.nv + m.na, m.nu, m.nsensordata
    matrices = [np.zeros(shape) for shape in ((nx, nx), (nx, nu), (ns, nx), (ns, nu))]
    mjd_transition(m, d, *matrices)
    exact = np.block([matrices[:2], matrices[2:]])
    central, apart = exact.copy(), np.zeros(exact.shape)
    differences, all_changes = Differences(m, d), changes(m)
    chosen = range(nx + nu)
    if nx + nu > most:
        chosen = sorted(np.random.default_rng(0).choice(nx + nu, most, replace=False).tolist())
    for k in chosen:
        central[:, k], apart[:, k] = differences.nearest(exact[:, k], all_changes[k], OUTPUTS, lengths)
    scale = np.ones((nx + ns, 1))
    for rows in (slice(0, nx), slice(nx, None)):
        scale[rows] = np.abs(central[rows]).max(initial=1e-10)
    return Found(exact, central, np.broadcast_to((apart > 1e-5 * scale).any(axis=0), exact.shape))
