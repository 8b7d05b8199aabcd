"""Derivatives of a step and of inverse dynamics by finite differences (API reference, Derivatives).

Derivatives with respect to qpos are taken in the tangent space, of nv dimensions. Stages that a perturbation does not
affect are not recomputed: controls and activations do not change velocities, and velocities do not change positions.
"""

import numpy as np

from conjoint.api.arguments import OutMatrix, checked, require
from conjoint.api.functions.functions import mj_inverseSkip, run
from conjoint.api.functions.support import mj_integratePos
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import FatalError
from conjoint.runtime.sleep import check_awake
from conjoint.schema.enums import mjtIntegrator, mjtStage
from conjoint.schema.version import STANDS_FOR

STATE = "2 * m.nv + m.na"
"""Dimension of a state whose positions are in tangent space."""

TRANSITION = {
    "A": f"{STATE}, {STATE}",
    "B": f"{STATE}, m.nu",
    "C": f"m.nsensordata, {STATE}",
    "D": "m.nsensordata, m.nu",
}
"""Shapes of the derivatives of a step, by argument name."""

INVERSE = {
    **dict.fromkeys(("DfDq", "DfDv", "DfDa"), "m.nv, m.nv"),
    **dict.fromkeys(("DsDq", "DsDv", "DsDa"), "m.nv, m.nsensordata"),
}
"""Shapes of the derivatives of inverse dynamics, by argument name."""


@checked(**INVERSE)
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
    """Compute derivatives of inverse dynamics. Row i is with respect to position, velocity or acceleration of dof i.

    Args:
        d: the world; its state is restored.
        eps: size of the one-sided perturbation.
        flg_actuation: whether to subtract actuator forces from the inverse-dynamics force.
        DfDq: derivative of the force with respect to position, nv x nv. Each of the matrices may be None.
        DfDv: derivative of the force with respect to velocity, nv x nv.
        DfDa: derivative of the force with respect to acceleration, nv x nv.
        DsDq: derivative of the sensor readings with respect to position, nv x nsensordata.
        DsDv: derivative of the sensor readings with respect to velocity, nv x nsensordata.
        DsDa: derivative of the sensor readings with respect to acceleration, nv x nsensordata.
        DmDq: derivative of the inertia matrix with respect to position: of `qM` if the shape is nv x nM, of `M` (newer
            versions) if it is nv x nC.

    Raises:
        TypeError: a matrix has a different shape.
        FatalError: the integrator is Runge-Kutta, or a noslip solver runs.
    """
    reduced = DmDq is not None and DmDq.shape[1] == m.nC and (m.nC != m.nM or STANDS_FOR.moved)
    order, elements = (d.mapM2M, m.nC) if reduced else (slice(None), m.nM)
    shape = (m.nv, elements)
    require(DmDq is None or DmDq.shape == shape, f"mjd_inverseFD: DmDq must have shape {shape}")
    if m.opt.integrator == mjtIntegrator.mjINT_RK4:
        raise FatalError("mjd_inverseFD: the RK4 integrator is not supported")
    if m.opt.noslip_iterations:
        raise FatalError("mjd_inverseFD: the noslip solver is not supported")
    check_awake(m.memory, "mjd_inverseFD: ")
    skipsensor = DsDq is DsDv is DsDa is None

    def outcome(skipstage: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        mj_inverseSkip(m, d, skipstage, int(skipsensor))
        force = d.qfrc_inverse.copy()
        if flg_actuation:
            run(m, d, "mj_fwdActuation")
            force -= d.qfrc_actuator
        return force, d.sensordata.copy(), d.qM[order].copy()

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
        # restore the results that the remaining inputs do not affect
        outcome(skipstage)


def _shift(field: np.ndarray, i: int, h: float) -> None:
    """Add h to element i of a field."""
    field[i] += h


def _move(m: MjModel, qpos: np.ndarray, i: int, h: float) -> None:
    """Move `qpos` by h along dof i."""
    direction = np.zeros(m.nv)
    direction[i] = 1.0
    mj_integratePos(m, qpos, direction, h)
