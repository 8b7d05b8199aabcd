"""Derivatives of a step and of inverse dynamics by finite differences (API reference, Derivatives).

A derivative with respect to qpos is along the tangent space: there are nv of them. What a change does not influence is
not computed again: controls and activations leave velocities, velocities leave positions as they are.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from conjoint.api.arguments import OutMatrix, checked, require
from conjoint.api.functions.functions import mj_inverseSkip, run
from conjoint.api.functions.state import state_parts
from conjoint.api.functions.support import mj_differentiatePos, mj_integratePos
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import FatalError
from conjoint.runtime.functions import IMPLICIT_AGAIN, skipping
from conjoint.runtime.stages import IMPLICIT
from conjoint.schema.enums import mjtIntegrator, mjtStage, mjtState

RESTORED = mjtState.mjSTATE_FULLPHYSICS | mjtState.mjSTATE_CTRL | mjtState.mjSTATE_WARMSTART
"""Components of the state that a step changes, or a difference is taken of."""


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
    Differences(m, d, eps, bool(flg_centered), C is None and D is None).write((A, C), (B, D))


Columns = tuple[np.ndarray | None, np.ndarray | None]
"""Matrices whose columns belong to the same inputs: derivatives of the state and of sensors."""


class Differences:
    """Differences of the outcome of a step.

    Args:
        d: the world.
        eps: size of a change.
        centered: whether to change inputs in both directions.
        skipsensor: whether sensors need not be read.
    """

    def __init__(self, m: MjModel, d: MjData, eps: float, centered: bool, skipsensor: bool):
        self.m, self.d, self.eps, self.centered = m, d, eps, centered
        self.forward = [skipping("mj_forwardSkip", skipstage, skipsensor) for skipstage in range(mjtStage.mjSTAGE_ACC)]
        self.qpos, self.qvel, self.ctrl, self.act = d.qpos, d.qvel, d.ctrl, d.act
        self.results = [self.qvel, self.act, d.sensordata]
        self.start = [(part, part.copy()) for part in state_parts(d, RESTORED, "mjd_transitionFD")]
        self.base = self.outcome(mjtStage.mjSTAGE_NONE)

    def outcome(self, skipstage: int) -> tuple[np.ndarray, np.ndarray]:
        """One step from the state as it is, without the stages up to `skipstage`; the state is then put back.

        Returns qpos, and velocities, activations and sensors one after the other.
        """
        m, d = self.m, self.d
        run(m, d, self.forward[skipstage])
        if m.opt.integrator not in IMPLICIT:
            run(m, d, "mj_Euler")
        else:
            # as in the official package, derivatives of forces are those at the controls and activations of the start
            run(m, d, "mj_implicit" if skipstage < mjtStage.mjSTAGE_VEL else IMPLICIT_AGAIN)
        found = self.qpos.copy(), np.concatenate(self.results)
        for part, value in self.start:
            part[...] = value
        return found

    def write(self, by_state: Columns, by_control: Columns) -> None:
        """Fill in the matrices, one column at a time, in the order that leaves most stages valid."""
        m, both_ways = self.m, (True, self.centered)
        if any(matrix is not None for matrix in by_control):
            for i in range(m.nu):
                ways = self.control_range(i)
                self.column(by_control, i, partial(_shift, self.ctrl, i), mjtStage.mjSTAGE_VEL, ways)
                if by_control[1] is not None and all(ways):
                    # version 3.3.5 takes this difference the other way round
                    by_control[1][:, i] *= -1.0
        if any(matrix is not None for matrix in by_state):
            for i in range(m.na):
                shift = partial(_shift, self.act, i)
                self.column(by_state, 2 * m.nv + i, shift, mjtStage.mjSTAGE_VEL, both_ways)
            for i in range(m.nv):
                self.column(by_state, m.nv + i, partial(_shift, self.qvel, i), mjtStage.mjSTAGE_POS, both_ways)
            for i in range(m.nv):
                self.column(by_state, i, partial(_move, m, self.qpos, i), mjtStage.mjSTAGE_NONE, both_ways)

    def control_range(self, i: int) -> tuple[bool, bool]:
        """Whether control i can be changed up, and down."""
        if not self.m.actuator_ctrllimited[i]:
            return True, self.centered
        low, high = self.m.actuator_ctrlrange[i]
        now = self.ctrl[i]
        up = low <= now <= high and low <= now + self.eps <= high
        down = (self.centered or not up) and low <= now <= high and low <= now - self.eps <= high
        return up, down

    def column(
        self, matrices: Columns, i: int, nudge: Callable[[float], None], skipstage: int, ways: tuple[bool, bool]
    ) -> None:
        """Write column i of both matrices: derivatives with respect to what `nudge` changes, up and down."""
        m, h = self.m, 0.0
        ends = [self.base, self.base]
        for end, (allowed, sign) in enumerate(zip(ways, (1.0, -1.0), strict=True)):
            if allowed:
                nudge(sign * self.eps)
                ends[end] = self.outcome(skipstage)
                h += self.eps
        (qpos, others), (qpos_before, before) = ends
        of_state, of_sensors = matrices
        slopes = (others - before) / h if h > 0.0 else np.zeros_like(before)
        if of_state is not None:
            moved = np.zeros(m.nv)
            if h > 0.0:
                mj_differentiatePos(m, moved, h, qpos_before, qpos)
            of_state[: m.nv, i] = moved
            of_state[m.nv :, i] = slopes[: m.nv + m.na]
        if of_sensors is not None:
            of_sensors[:, i] = slopes[m.nv + m.na :]


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

    def outcome(skipstage: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        mj_inverseSkip(m, d, skipstage, int(skipsensor))
        force = d.qfrc_inverse.copy()
        if flg_actuation:
            run(m, d, "mj_fwdActuation")
            force -= d.qfrc_actuator
        return force, d.sensordata.copy(), d.qM.copy()

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
            if field is d.qpos:
                _move(m, field, i, eps)
            else:
                _shift(field, i, eps)
            found = outcome(skipstage)
            field[:] = start
            for matrix, after, before in zip(matrices, found, base, strict=True):
                if matrix is not None:
                    matrix[i] = (after - before) / eps
        # what later inputs leave valid is of the start again
        outcome(skipstage)


def _shift(field: np.ndarray, i: int, h: float) -> None:
    """Add to one element."""
    field[i] += h


def _move(m: MjModel, qpos: np.ndarray, i: int, h: float) -> None:
    """Move along dof i."""
    direction = np.zeros(m.nv)
    direction[i] = 1.0
    mj_integratePos(m, qpos, direction, h)
