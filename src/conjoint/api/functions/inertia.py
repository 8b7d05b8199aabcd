"""The inertia matrix with vectors of the caller, and inverse dynamics by recursive Newton-Euler (API reference)."""

import numpy as np

from conjoint.api.arguments import Integers, Matrix, OutMatrix, OutVector, Vector, checked, require
from conjoint.api.functions.functions import run
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel


@checked
def mj_solveM(m: MjModel, d: MjData, x: OutMatrix, y: Matrix) -> None:
    """Rows of x := M^-1 times rows of y, with the factorization in qLD."""
    _check_rows(m, x, y)
    for source, target in zip(y, x, strict=True):
        target[:] = _operate(m, d, "mj_solveM", source, "advance_acc")


@checked
def mj_solveM2(m: MjModel, d: MjData, x: OutMatrix, y: Matrix, sqrtInvD: Matrix) -> None:
    """Half of a solve: rows of x := sqrtInvD L'^-1 times rows of y, with M = L' D L.

    Args:
        m: the model.
        d: the world, factorized.
        x: receives the results.
        y: right-hand sides.
        sqrtInvD: square roots of the inverse of the diagonal D, `sqrt(d.qLDiagInv)`.
    """
    _check_rows(m, x, y)
    require(sqrtInvD.size == m.nv, "the size of sqrtInvD should be nv")
    for source, target in zip(y, x, strict=True):
        target[:] = sqrtInvD.reshape(-1) * _operate(m, d, "mj_solveM2", source, "advance_acc")


@checked
def mj_mulM(m: MjModel, d: MjData, res: OutVector, vec: Vector) -> None:
    """res := M vec."""
    _check_vectors(m, res, vec)
    res[:] = _operate(m, d, "mj_mulM", vec, "stage_vel")


@checked
def mj_mulM2(m: MjModel, d: MjData, res: OutVector, vec: Vector) -> None:
    """res := D^1/2 L vec with M = L' D L, so that the squared length of res is vec' M vec."""
    _check_vectors(m, res, vec)
    res[:] = _operate(m, d, "mj_mulM2", vec, "stage_vel")


@checked
def mj_fullM(m: MjModel, dst: OutMatrix, M: Vector) -> None:
    """dst := the full symmetric matrix whose elements M has in the order of `qM`.

    Args:
        m: the model.
        dst: nv x nv matrix.
        M: nM elements: for each dof the diagonal, then those of its ancestors, nearest first.
    """
    require(len(M) == m.nM, "M should be of size nM")
    require(dst.shape == (m.nv, m.nv), "dst should be of shape (nv, nv)")
    dst[:] = 0.0
    parents, addresses = m.dof_parentid.tolist(), m.dof_Madr.tolist()
    for i in range(m.nv):
        j, a = i, addresses[i]
        while j >= 0:
            dst[i, j] = dst[j, i] = M[a]
            j, a = parents[j], a + 1


@checked
def mj_addM(m: MjModel, d: MjData, dst: OutVector, rownnz: Integers, rowadr: Integers, colind: Integers) -> None:
    """Add the inertia matrix to the lower triangle of a sparse matrix.

    Args:
        m: the model.
        d: the world.
        dst: nM elements, by compressed rows.
        rownnz: number of elements in each row of dst.
        rowadr: where each row starts.
        colind: column of each element.
    """
    require(len(dst) == m.nM, "dst should be of size nM")
    require(len(rownnz) == m.nv, "rownnz should be of size nv")
    require(len(rowadr) == m.nv, "rowadr should be of size nv")
    require(len(colind) == m.nM, "colind should be of size nM")
    for i in range(m.nv):
        start, count = rowadr[i], rownnz[i]
        own = slice(d.M_rowadr[i], d.M_rowadr[i] + d.M_rownnz[i])
        row = dict(zip(d.M_colind[own].tolist(), d.M[own].tolist(), strict=True))
        dst[start : start + count] += [row.get(j, 0.0) for j in colind[start : start + count].tolist()]


@checked
def mj_rne(m: MjModel, d: MjData, flg_acc: int, result: OutVector) -> None:
    """result := M(qpos) qacc + C(qpos, qvel), or C alone unless flg_acc; armatures are not in it."""
    require(len(result) == m.nv, "result should have length nv")
    if flg_acc:
        run(m, d, "mj_rne with acceleration")
        result[:] = d._world.data.view("advance_acc")
    else:
        # the stage writes to the field of forward dynamics
        kept = d.qfrc_bias.copy()
        run(m, d, "mj_rne")
        result[:] = d.qfrc_bias
        d.qfrc_bias[:] = kept


def _operate(m: MjModel, d: MjData, function: str, vector: np.ndarray, result: str) -> np.ndarray:
    """What the stages of `function` leave in the scratch field `result` for an operand."""
    data = d._world.data
    data.view("advance_acc")[...] = vector
    run(m, d, function)
    return data.view(result)


def _check_rows(m: MjModel, x: np.ndarray, y: np.ndarray) -> None:
    require(x.shape[0] == y.shape[0], "the first dimension of x and y should be of the same size")
    require(x.shape[1] == m.nv, "the last dimension of x should be of size nv")
    require(y.shape[1] == m.nv, "the last dimension of y should be of size nv")


def _check_vectors(m: MjModel, res: np.ndarray, vec: np.ndarray) -> None:
    require(len(res) == m.nv, "res should be of size nv")
    require(len(vec) == m.nv, "vec should be of size nv")
