"""Exact transition matrices of a step, for control."""

from __future__ import annotations

from conjoint.api.arguments import OutMatrix, checked
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.derivative.derivatives import pipeline_of
from conjoint.derivative.inputs_check import check_world
from conjoint.derivative.pipeline import DualPipeline


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
    given = (A, B, C, D)
    for name, matrix, shape in zip("ABCD", given, ((nx, nx), (nx, nu), (ns, nx), (ns, nu)), strict=True):
        if matrix is not None and matrix.shape != shape:
            raise TypeError(f"{name} should be of shape {shape}")
    pipeline = pipeline_of(m, "mj_step")
    pipeline.at(d)
    key = tuple(matrix is not None for matrix in given)
    pieces = pipeline.pieces
    if key not in pieces:
        pieces[key] = _pieces_of(pipeline, key)
    outputs, inputs, copied = pieces[key]
    found, _, _ = pipeline.matrix(outputs, inputs)
    for k, rows, to, columns in copied:
        given[k][:, to] = found[rows, columns]  # type: ignore[index]


Pieces = tuple[tuple[str, ...], tuple[str, ...], list[tuple[int, slice, slice, slice]]]
"""Outputs; inputs; which matrix receives, in which columns, what rows and columns of all derivatives."""


def _pieces_of(pipeline: DualPipeline, asked: tuple[bool, ...]) -> Pieces:
    """What the matrices A, B, C and D, of which some are asked for, are made of."""
    sizes = {name: pipeline.coordinates(name).size for name in ("qpos", "qvel", "act", "ctrl", "sensordata")}
    state = tuple(name for name in ("qpos", "qvel", "act") if sizes[name])
    by_state, by_control = state, ("ctrl",) if sizes["ctrl"] else ()
    sensors = ("sensordata",) if sizes["sensordata"] else ()
    blocks = (state, by_state), (state, by_control), (sensors, by_state), (sensors, by_control)
    wanted = [(k, *block) for k, block in enumerate(blocks) if asked[k] and all(block)]
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
