"""Derivatives of a step and of inverse dynamics by finite differences (API reference, Derivatives).

A derivative with respect to qpos is along the tangent space: there are nv of them. What a change does not influence is
not computed again: controls and activations leave velocities, velocities leave positions as they are.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from conjoint.api.arguments import OutMatrix, checked, require
from conjoint.api.functions.functions import mj_forwardSkip, mj_inverseSkip, run
from conjoint.api.functions.state import mj_getState, mj_setState, mj_stateSize
from conjoint.api.functions.support import mj_differentiatePos, mj_integratePos
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import FatalError
from conjoint.runtime.stages import IMPLICIT, IMPLICIT_AGAIN
from conjoint.schema.enums import mjtIntegrator, mjtStage, mjtState

RESTORED = mjtState.mjSTATE_FULLPHYSICS | mjtState.mjSTATE_CTRL | mjtState.mjSTATE_WARMSTART
"""What a step changes, or a difference is taken of."""


@dataclass
class Outcome:
    """What is differentiated.

    Attributes:
        parts: quantities by name; `qpos` is compared in the tangent space.
    """

    parts: dict[str, np.ndarray]

    def slope(self, m: MjModel, other: "Outcome", h: float) -> dict[str, np.ndarray]:
        """Rate of change from here to `other`, which is h further."""
        slopes = {name: (other.parts[name] - value) / h for name, value in self.parts.items() if name != "qpos"}
        if "qpos" in self.parts:
            slopes["qpos"] = np.zeros(m.nv)
            mj_differentiatePos(m, slopes["qpos"], h, self.parts["qpos"], other.parts["qpos"])
        return slopes


Nudge = Callable[[int, float], None]
"""Changes element i of an input by a small number."""


@checked
def mjd_transitionFD(
    m: MjModel,
    d: MjData,
    eps: float,
    flg_centered: int,
    A: OutMatrix | None,
    B: OutMatrix | None,
    C: OutMatrix | None,
    D: OutMatrix | None,
) -> None:
    """Derivatives of one step: of the next state x' and of sensors s with respect to the state x and the controls u.

    The state is position in the tangent space, velocity, activation: 2 nv + na numbers. A control is changed towards
    the inside of its range.

    Args:
        d: the world; its state is left as it was.
        eps: size of the change.
        flg_centered: whether to change inputs in both directions.
        A: dx'/dx, 2 nv + na rows and columns; None to leave it out.
        B: dx'/du, nu columns; None to leave it out.
        C: ds/dx, nsensordata rows; None to leave it out.
        D: ds/du, nsensordata rows, nu columns; None to leave it out. As in version 3.3.5 of the official package, the
            sign is wrong where a control was changed in both directions.

    Raises:
        TypeError: a matrix has another shape.
        FatalError: the integrator is Runge-Kutta.
    """
    nx = 2 * m.nv + m.na
    shapes = {"A": (nx, nx), "B": (nx, m.nu), "C": (m.nsensordata, nx), "D": (m.nsensordata, m.nu)}
    for (name, shape), matrix in zip(shapes.items(), (A, B, C, D), strict=True):
        require(matrix is None or matrix.shape == shape, f"{name} should be of shape {shape}")
    if m.opt.integrator == mjtIntegrator.mjINT_RK4:
        raise FatalError("mjd_transitionFD: the RK4 integrator is not supported")
    Differences(m, d, eps, bool(flg_centered), C is None and D is None).write(A, B, C, D)


class Differences:
    """Differences of the outcome of a step.

    Args:
        d: the world.
        eps: size of a change.
        centered: whether to change inputs in both directions.
        skipsensor: whether sensors need not be read.
    """

    def __init__(self, m: MjModel, d: MjData, eps: float, centered: bool, skipsensor: bool):
        self.m, self.d, self.eps, self.centered, self.skipsensor = m, d, eps, centered, skipsensor
        self.start = np.zeros(mj_stateSize(m, RESTORED))
        mj_getState(m, d, self.start, RESTORED)
        self.base = self.outcome(mjtStage.mjSTAGE_NONE)

    def outcome(self, skipstage: int) -> Outcome:
        """One step from the state as it is, without the stages up to `skipstage`; the state is then put back."""
        m, d = self.m, self.d
        mj_forwardSkip(m, d, skipstage, int(self.skipsensor))
        if m.opt.integrator not in IMPLICIT:
            run(m, d, "mj_Euler")
        else:
            # as in the official package, derivatives of forces are those at the controls and activations of the start
            run(m, d, "mj_implicit" if skipstage < mjtStage.mjSTAGE_VEL else IMPLICIT_AGAIN)
        found = Outcome({name: getattr(d, name).copy() for name in ("qpos", "qvel", "act", "sensordata")})
        mj_setState(m, d, self.start, RESTORED)
        return found

    def write(self, A: np.ndarray | None, B: np.ndarray | None, C: np.ndarray | None, D: np.ndarray | None) -> None:
        """Fill in the matrices, one column at a time, in the order that leaves most stages valid."""
        m, d = self.m, self.d
        if B is not None or D is not None:
            for i in range(m.nu):
                ways = self.control_range(i)
                self.column(B, D, i, lambda i, h: _shift(d.ctrl, i, h), i, mjtStage.mjSTAGE_VEL, ways)
                if D is not None and all(ways):
                    # version 3.3.5 takes this difference the other way round
                    D[:, i] *= -1.0
        if A is not None or C is not None:
            for i in range(m.na):
                self.column(A, C, 2 * m.nv + i, lambda i, h: _shift(d.act, i, h), i, mjtStage.mjSTAGE_VEL)
            for i in range(m.nv):
                self.column(A, C, m.nv + i, lambda i, h: _shift(d.qvel, i, h), i, mjtStage.mjSTAGE_POS)
            for i in range(m.nv):
                self.column(A, C, i, self.move, i, mjtStage.mjSTAGE_NONE)

    def move(self, i: int, h: float) -> None:
        """Move along dof i."""
        direction = np.zeros(self.m.nv)
        direction[i] = 1.0
        mj_integratePos(self.m, self.d.qpos, direction, h)

    def control_range(self, i: int) -> tuple[bool, bool]:
        """Whether control i can be changed up, and down."""
        if not self.m.actuator_ctrllimited[i]:
            return True, self.centered
        low, high = self.m.actuator_ctrlrange[i]
        now = self.d.ctrl[i]
        up = low <= now <= high and low <= now + self.eps <= high
        down = (self.centered or not up) and low <= now <= high and low <= now - self.eps <= high
        return up, down

    def column(
        self,
        of_state: np.ndarray | None,
        of_sensors: np.ndarray | None,
        column: int,
        nudge: Nudge,
        i: int,
        skipstage: int,
        ways: tuple[bool, bool] | None = None,
    ) -> None:
        """Write the derivatives with respect to element i of an input."""
        up, down = ways or (True, self.centered)
        ends, h = [self.base, self.base], 0.0
        for end, (allowed, sign) in enumerate(((down, -1.0), (up, 1.0))):
            if allowed:
                nudge(i, sign * self.eps)
                ends[end] = self.outcome(skipstage)
                h += self.eps
        slopes = ends[0].slope(self.m, ends[1], h) if h > 0.0 else None
        if of_state is not None:
            of_state[:, column] = np.concatenate([slopes[k] for k in ("qpos", "qvel", "act")]) if slopes else 0.0
        if of_sensors is not None:
            of_sensors[:, column] = slopes["sensordata"] if slopes else 0.0


@checked
def mjd_inverseFD(
    m: MjModel,
    d: MjData,
    eps: float,
    flg_actuation: int,
    DfDq: OutMatrix | None,
    DfDv: OutMatrix | None,
    DfDa: OutMatrix | None,
    DsDq: OutMatrix | None,
    DsDv: OutMatrix | None,
    DsDa: OutMatrix | None,
    DmDq: OutMatrix | None,
) -> None:
    """Derivatives of inverse dynamics: rows are with respect to one dof's position, velocity or acceleration.

    Args:
        d: the world; its state is left as it was.
        eps: size of the change, in one direction.
        flg_actuation: whether to subtract actuator forces from the force.
        DfDq: force by position, nv x nv; None to leave it out, as for all others.
        DfDv: force by velocity.
        DfDa: force by acceleration.
        DsDq: sensors by position, nv x nsensordata.
        DsDv: sensors by velocity.
        DsDa: sensors by acceleration.
        DmDq: inertia matrix (`qM`) by position, nv x nM.

    Raises:
        TypeError: a matrix has another shape.
        FatalError: the integrator is Runge-Kutta, or a noslip solver runs.
    """
    forces, sensors = {"DfDq": DfDq, "DfDv": DfDv, "DfDa": DfDa}, {"DsDq": DsDq, "DsDv": DsDv, "DsDa": DsDa}
    for group, width in ((forces, m.nv), (sensors, m.nsensordata), ({"DmDq": DmDq}, m.nM)):
        for name, matrix in group.items():
            require(matrix is None or matrix.shape == (m.nv, width), f"{name} should be of shape {(m.nv, width)}")
    if m.opt.integrator == mjtIntegrator.mjINT_RK4:
        raise FatalError("mjd_inverseFD: the RK4 integrator is not supported")
    if m.opt.noslip_iterations:
        raise FatalError("mjd_inverseFD: the noslip solver is not supported")
    skipsensor = all(matrix is None for matrix in sensors.values())

    def outcome(skipstage: int) -> Outcome:
        mj_inverseSkip(m, d, skipstage, int(skipsensor))
        force = d.qfrc_inverse.copy()
        if flg_actuation:
            run(m, d, "mj_fwdActuation")
            force -= d.qfrc_actuator
        return Outcome({"force": force, "sensordata": d.sensordata.copy(), "qM": d.qM.copy()})

    base = outcome(mjtStage.mjSTAGE_NONE)
    inputs = (
        (d.qacc, mjtStage.mjSTAGE_VEL, (DfDa, DsDa, None)),
        (d.qvel, mjtStage.mjSTAGE_POS, (DfDv, DsDv, None)),
        (d.qpos, mjtStage.mjSTAGE_NONE, (DfDq, DsDq, DmDq)),
    )
    for field, skipstage, matrices in inputs:
        if all(matrix is None for matrix in matrices):
            continue
        start = field.copy()
        for i in range(m.nv):
            change = np.zeros(m.nv)
            change[i] = 1.0
            if field is d.qpos:
                mj_integratePos(m, field, change, eps)
            else:
                field[i] += eps
            slopes = base.slope(m, outcome(skipstage), eps)
            field[:] = start
            for matrix, name in zip(matrices, ("force", "sensordata", "qM"), strict=True):
                if matrix is not None:
                    matrix[i] = slopes[name]
        # what later inputs leave valid is of the start again
        outcome(skipstage)


def _shift(field: np.ndarray, i: int, h: float) -> None:
    field[i] += h
