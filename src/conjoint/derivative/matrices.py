"""Matrices for control: derivatives of a step with respect to state and controls, and of inverse dynamics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conjoint.api.arguments import OutMatrix, checked
from conjoint.api.functions.derivative import INVERSE, TRANSITION
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.batch.batch import Batch
from conjoint.derivative.inputs_check import check_world
from conjoint.derivative.pipeline import DualPipeline
from conjoint.derivative.worlds import pipeline_of, stacked, worlds_at


def transition(
    model: MjModel | Batch, data: MjData | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the exact transition matrices of a step, for one world or for every world of a batch.

    The next state is x' = A x + B u, sensors are s = C x + D u. The state x is position in tangent coordinates,
    velocity and activation, 2 nv + na numbers; u are the controls.

    Args:
        model: the model; or a `Batch`, which takes no `data`.
        data: the world, which does not change.

    Returns:
        A, B, C and D, of shapes (nx, nx), (nx, nu), (nsensordata, nx) and (nsensordata, nu), where nx = 2 nv + na. For
        a batch, worlds are along the first axis.

    Raises:
        ArgumentError: a state is not finite.
        FatalError: the model cannot be differentiated.
        TypeError: the arguments are neither a model with its data nor a batch.
    """
    worlds = worlds_at(model, data, "mj_step")
    shapes = _shapes(model.model if isinstance(model, Batch) else model)

    def matrices(pipeline: DualPipeline, _: int) -> list[np.ndarray]:
        found = [np.zeros(shape) for shape in shapes]
        _fill(pipeline, found)
        return found

    every = worlds.each(matrices)
    a, b, c, d = (stacked(worlds, [one[k] for one in every], shape) for k, shape in enumerate(shapes))
    return a, b, c, d


@checked(**TRANSITION)
def mjd_transition(
    m: MjModel,
    d: MjData,
    A: OutMatrix | None,
    B: OutMatrix | None,
    C: OutMatrix | None,
    D: OutMatrix | None,
) -> None:
    """Compute exact derivatives of the next state x' and sensors s with respect to the state x and the controls u.

    The matrices are those of `mjd_transitionFD`, for every integrator. `conjoint.derivative.transition` returns them.

    Args:
        d: the world, which does not change.
        A: output: dx'/dx, 2 nv + na rows and columns; None to skip it.
        B: output: dx'/du, nu columns; None to skip it.
        C: output: ds/dx, nsensordata rows; None to skip it.
        D: output: ds/du, nsensordata rows, nu columns; None to skip it.

    Raises:
        TypeError: a matrix has the wrong shape.
        ArgumentError: the state is not finite.
        FatalError: the model cannot be differentiated.
    """
    check_world(m, d)
    given = (A, B, C, D)
    pipeline = pipeline_of(m, "mj_step")
    pipeline.at(d)
    _fill(pipeline, given)


def _shapes(m: MjModel) -> list[tuple[int, int]]:
    """Return the shapes of A, B, C and D."""
    nx, nu, ns = 2 * m.nv + m.na, m.nu, m.nsensordata
    return [(nx, nx), (nx, nu), (ns, nx), (ns, nu)]


def _fill(pipeline: DualPipeline, given: Sequence[np.ndarray | None]) -> None:
    """Fill in those of A, B, C and D that are not None, at the current values of a pipeline."""
    key = tuple(matrix is not None for matrix in given)
    pieces = pipeline.pieces
    if key not in pieces:
        pieces[key] = _pieces_of(pipeline, key)
    outputs, inputs, copied = pieces[key]
    found, _, _ = pipeline.matrix(outputs, inputs)
    for k, rows, to, columns in copied:
        given[k][:, to] = found[rows, columns]


Pieces = tuple[tuple[str, ...], tuple[str, ...], list[tuple[int, slice, slice, slice]]]
"""Plan for filling A, B, C and D: names of outputs, names of inputs, and copies.

A copy consists of the index of the target (0 to 3 for A to D), source rows, target columns, and source columns.
The source is the matrix of derivatives of all outputs with respect to all inputs.
"""


def _pieces_of(pipeline: DualPipeline, requested: tuple[bool, ...]) -> Pieces:
    """Return the outputs, inputs and copies for the requested matrices among A, B, C and D."""
    sizes = {name: pipeline.coordinates(name).size for name in ("qpos", "qvel", "act", "ctrl", "sensordata")}
    state = tuple(name for name in ("qpos", "qvel", "act") if sizes[name])
    by_state, by_control = state, ("ctrl",) if sizes["ctrl"] else ()
    sensors = ("sensordata",) if sizes["sensordata"] else ()
    blocks = (state, by_state), (state, by_control), (sensors, by_state), (sensors, by_control)
    wanted = [(k, *block) for k, block in enumerate(blocks) if requested[k] and all(block)]
    outputs = tuple(dict.fromkeys(name for _, names, _ in wanted for name in names))
    inputs = tuple(dict.fromkeys(name for _, _, names in wanted for name in names))
    _, rows, columns = pipeline.matrix(outputs, inputs)
    copied = []
    for k, names, by in wanted:
        place, mine = 0, slice(rows[names[0]].start, rows[names[-1]].stop)
        for name in by:
            copied.append((k, mine, slice(place, place + sizes[name]), columns[name]))
            place += sizes[name]
    return outputs, inputs, copied


@checked(**INVERSE, DmDq="m.nv, m.nM")
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
    """Compute exact derivatives of inverse dynamics, with one row for each dof.

    Row i contains derivatives with respect to the position, velocity or acceleration of dof i. The matrices are those
    of `mjd_inverseFD`, for every integrator, and also with the noslip solver.

    Args:
        d: the world, which does not change.
        flg_actuation: whether to subtract actuator forces from the force.
        DfDq: derivative of the force with respect to position, nv x nv. This and the other matrices may be None.
        DfDv: derivative of the force with respect to velocity.
        DfDa: derivative of the force with respect to acceleration.
        DsDq: derivative of sensors with respect to position, nv x nsensordata.
        DsDv: derivative of sensors with respect to velocity.
        DsDa: derivative of sensors with respect to acceleration.
        DmDq: derivative of the inertia matrix (`qM`) with respect to position, nv x nM.

    Raises:
        TypeError: a matrix has the wrong shape.
        FatalError: the model cannot be differentiated.
    """
    requested: dict[str, list[tuple[str, OutMatrix]]] = {}
    for output, matrices in (
        ("qfrc_inverse", (DfDq, DfDv, DfDa)),
        ("sensordata", (DsDq, DsDv, DsDa)),
        ("qM", (DmDq,)),
    ):
        for matrix, field in zip(matrices, ("qpos", "qvel", "qacc"), strict=False):
            if matrix is not None and matrix.size:
                requested.setdefault(field, []).append((output, matrix))
    pipeline = pipeline_of(m, "mj_inverse")
    if requested:
        pipeline.at(d)
    for field, wanted in requested.items():
        found = pipeline.jacobian(tuple(output for output, _ in wanted), (field,))
        for output, matrix in wanted:
            matrix[...] = found[output][field].T
    if flg_actuation:
        _subtract_actuation(m, d, {"qpos": DfDq, "qvel": DfDv})


def _subtract_actuation(m: MjModel, d: MjData, forces: dict[str, OutMatrix | None]) -> None:
    """Subtract the derivatives of actuator forces, which depend only on positions and velocities, from `forces`."""
    fields = tuple(field for field, matrix in forces.items() if matrix is not None)
    pipeline = pipeline_of(m, "mj_forward")
    pipeline.at(d)
    found: dict[str, np.ndarray] = pipeline.jacobian(("qfrc_actuator",), fields)["qfrc_actuator"]
    for field in fields:
        matrix = forces[field]
        if matrix is not None:
            matrix -= found[field].T
