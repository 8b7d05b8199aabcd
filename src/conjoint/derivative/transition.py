"""Exact transition matrices of a step, for control."""

from __future__ import annotations

from conjoint.api.arguments import OutMatrix, checked, require
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.derivative.derivatives import pipeline_of
from conjoint.derivative.inputs_check import check_world


@checked
def mjd_transition(
    m: MjModel,
    d: MjData,
    A: OutMatrix | None,
    B: OutMatrix | None,
    C: OutMatrix | None,
    D: OutMatrix | None,
) -> None:
    """Exact derivatives of one step: of the next state x' and of sensors s by the state x and the controls.

    The state is position in the tangent space, velocity, activation: 2 nv + na numbers. The matrices are those of
    `mjd_transitionFD`; every integrator has them.

    Args:
        d: the world, which stays as it is.
        A: dx'/dx, 2 nv + na rows and columns; None to leave it out.
        B: dx'/du, nu columns; None to leave it out.
        C: ds/dx, nsensordata rows; None to leave it out.
        D: ds/du, nsensordata rows, nu columns; None to leave it out.

    Raises:
        TypeError: a matrix has another shape.
        FatalError: the state is not finite, or the model cannot be differentiated.
    """
    check_world(m, d)
    nu, ns = m.nu, m.nsensordata
    nx = 2 * m.nv + m.na
    require(A is None or A.shape == (nx, nx), f"A should be of shape {(nx, nx)}")
    require(B is None or B.shape == (nx, nu), f"B should be of shape {(nx, nu)}")
    require(C is None or C.shape == (ns, nx), f"C should be of shape {(ns, nx)}")
    require(D is None or D.shape == (ns, nu), f"D should be of shape {(ns, nu)}")
    state = [name for name, size in (("qpos", m.nv), ("qvel", m.nv), ("act", m.na)) if size]
    inputs = (
        *(state if A is not None or C is not None else ()),
        *(("ctrl",) if B is not None or D is not None else ()),
    )
    outputs = (*(state if A is not None or B is not None else ()),)
    outputs += ("sensordata",) if (C is not None or D is not None) and ns else ()
    pipeline = pipeline_of(m, "mj_step")
    pipeline.at(d)
    found, rows, columns = pipeline.matrix(outputs, inputs)
    for matrix, names, by in (
        (A, state, state),
        (B, state, ("ctrl",)),
        (C, ("sensordata",), state),
        (D, ("sensordata",), ("ctrl",)),
    ):
        if matrix is not None and matrix.size:
            place, mine = 0, slice(rows[names[0]].start, rows[names[-1]].stop)
            for name in by:
                size = columns[name].stop - columns[name].start
                matrix[:, place : place + size] = found[mine, columns[name]]
                place += size
