"""Exact derivatives of inverse dynamics."""

from __future__ import annotations

import numpy as np

from conjoint.api.arguments import OutMatrix, checked, require
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.derivative.derivatives import pipeline_of


@checked
def mjd_inverse(
    m: MjModel,
    d: MjData,
    flg_actuation: int,
    DfDq: OutMatrix | None,
    DfDv: OutMatrix | None,
    DfDa: OutMatrix | None,
    DsDq: OutMatrix | None,
    DsDv: OutMatrix | None,
    DsDa: OutMatrix | None,
    DmDq: OutMatrix | None,
) -> None:
    """Exact derivatives of inverse dynamics: rows are by one dof's position, velocity or acceleration.

    The matrices are those of `mjd_inverseFD`; every integrator and the noslip solver have them.

    Args:
        d: the world, which stays as it is.
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
        FatalError: the model cannot be differentiated.
    """
    asked: dict[str, list[tuple[str, OutMatrix]]] = {}
    for output, width, matrices in (
        ("qfrc_inverse", m.nv, {"DfDq": DfDq, "DfDv": DfDv, "DfDa": DfDa}),
        ("sensordata", m.nsensordata, {"DsDq": DsDq, "DsDv": DsDv, "DsDa": DsDa}),
        ("qM", m.nM, {"DmDq": DmDq}),
    ):
        for (name, matrix), field in zip(matrices.items(), ("qpos", "qvel", "qacc"), strict=False):
            require(matrix is None or matrix.shape == (m.nv, width), f"{name} should be of shape {(m.nv, width)}")
            if matrix is not None and matrix.size:
                asked.setdefault(field, []).append((output, matrix))
    pipeline = pipeline_of(m, "mj_inverse")
    if asked:
        pipeline.at(d)
    for field, wanted in asked.items():
        found = pipeline.jacobian(tuple(output for output, _ in wanted), (field,))
        for output, matrix in wanted:
            matrix[...] = found[output][field].T
    if flg_actuation:
        _subtract_actuation(m, d, {"qpos": DfDq, "qvel": DfDv})


def _subtract_actuation(m: MjModel, d: MjData, forces: dict[str, OutMatrix | None]) -> None:
    """Subtract derivatives of actuator forces, which depend on positions and velocities alone."""
    fields = tuple(field for field, matrix in forces.items() if matrix is not None)
    pipeline = pipeline_of(m, "mj_forward")
    pipeline.at(d)
    found: dict[str, np.ndarray] = pipeline.jacobian(("qfrc_actuator",), fields)["qfrc_actuator"]
    for field in fields:
        matrix = forces[field]
        if matrix is not None:
            matrix -= found[field].T
