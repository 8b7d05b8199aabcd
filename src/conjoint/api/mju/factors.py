"""Factorizations, band matrices, eigenvalues, quadratic programs with bounds (API reference, Decompositions)."""

import math

import numpy as np

from conjoint.api.arguments import (
    Matrix,
    OutIntegers,
    OutMatrix,
    OutVector,
    OutVector3,
    OutVector4,
    OutVector9,
    Vector,
    Vector9,
    checked,
    require,
)
from conjoint.lang import FatalError
from conjoint.physics.principal import principal_rotation
from conjoint.runtime.entry import entry
from conjoint.schema.constants import mjMINVAL
from conjoint.spec.rotation import quat_to_mat

_principal_rotation = entry(principal_rotation, "mat3")

MAXIMUM_ITERATIONS = 100
MINIMUM_STEP = 1e-22
GRADIENT_TOLERANCE = 1e-16
SUFFICIENT_DECREASE = 0.1
STEP_FACTOR = 0.5
"""Parameters of the quadratic program's projected Newton iteration (Tassa et al. 2014)."""


@checked
def mju_cholFactor(mat: OutMatrix, mindiag: float) -> int:
    """Factorize mat = L L' in place; L is the lower triangle, the upper one is not used.

    Args:
        mat: symmetric positive definite matrix.
        mindiag: smallest pivot; smaller ones are replaced.

    Returns:
        The rank: the number of pivots that were large enough.
    """
    n = _square("mat", mat)
    rank = n
    for j in range(n):
        pivot = mat[j, j] - mat[j, :j] @ mat[j, :j]
        if pivot < mindiag:
            pivot, rank = mindiag, rank - 1
        mat[j, j] = math.sqrt(pivot)
        mat[j + 1 :, j] = (mat[j + 1 :, j] - mat[j + 1 :, :j] @ mat[j, :j]) / mat[j, j]
    return rank


@checked
def mju_cholSolve(res: OutVector, mat: Matrix, vec: Vector) -> None:
    """res := the solution x of L L' x = vec, for the factor L in mat."""
    n = _square("mat", mat)
    require(len(res) == n, "size of res should equal the number of rows in mat")
    require(len(vec) == n, "size of vec should equal the number of rows in mat")
    x = vec.copy()
    for i in range(n):
        x[i] = (x[i] - mat[i, :i] @ x[:i]) / mat[i, i]
    for i in reversed(range(n)):
        x[i] = (x[i] - mat[i + 1 :, i] @ x[i + 1 :]) / mat[i, i]
    res[:] = x


@checked
def mju_cholUpdate(mat: OutMatrix, x: OutVector, flg_plus: int) -> int:
    """Change the factor L in mat so that L L' grows (flg_plus) or shrinks by x x'; returns the rank. Overwrites x."""
    n = _square("mat", mat)
    require(len(x) == n, "size of x should equal the number of rows in mat")
    sign = 1.0 if flg_plus else -1.0
    rank = n
    for k in range(n):
        if x[k] != 0.0:
            square = mat[k, k] ** 2 + sign * x[k] ** 2
            if square < mjMINVAL:
                square, rank = mjMINVAL, rank - 1
            root = math.sqrt(square)
            # a plane rotation, hyperbolic if shrinking, that makes x[k] zero
            c, s = root / mat[k, k], x[k] / mat[k, k]
            mat[k, k] = root
            mat[k + 1 :, k] = (mat[k + 1 :, k] + sign * s * x[k + 1 :]) / c
            x[k + 1 :] = c * x[k + 1 :] - s * mat[k + 1 :, k]
    return rank


# band matrices: rows of `nband` elements that end at the diagonal, then `ndense` rows of full length; nothing is kept
# above the diagonal


@checked
def mju_bandDiag(i: int, ntotal: int, nband: int, ndense: int) -> int:
    """Index of diagonal element i of a band matrix in its storage."""
    sparse = ntotal - ndense
    return i * nband + nband - 1 if i < sparse else sparse * nband + (i - sparse) * ntotal + i


@checked
def mju_dense2Band(res: OutVector, mat: Matrix, ntotal: int, nband: int, ndense: int) -> None:
    """res := the band of mat."""
    _check_band("res", res, ntotal, nband, ndense)
    require(mat.shape == (ntotal, ntotal), "mat should be square, with ntotal rows")
    for i in range(ntotal):
        first, count = _band_row(i, ntotal, nband, ndense)
        diagonal = mju_bandDiag(i, ntotal, nband, ndense)
        row = res[diagonal - (i - first) :][:count]
        row[:] = 0.0
        row[: i - first + 1] = mat[i, first : i + 1]


@checked
def mju_band2Dense(res: OutMatrix, mat: Vector, ntotal: int, nband: int, ndense: int, flg_sym: int) -> None:
    """res := the band matrix mat; its upper triangle too if flg_sym."""
    _check_band("mat", mat, ntotal, nband, ndense)
    require(res.shape == (ntotal, ntotal), "res should be square, with ntotal rows")
    res[:] = _dense_band(mat, ntotal, nband, ndense, bool(flg_sym))


@checked
def mju_bandMulMatVec(
    res: OutVector, mat: Matrix, vec: Matrix, ntotal: int, nband: int, ndense: int, nvec: int, flg_sym: int
) -> None:
    """res := the products of the band matrix mat with nvec vectors, one after another."""
    _check_band("mat", mat.reshape(-1), ntotal, nband, ndense)
    require(vec.size == ntotal * nvec, "vec should have ntotal elements for each of nvec vectors")
    require(res.size == ntotal * nvec, "res should have ntotal elements for each of nvec vectors")
    dense = _dense_band(mat.reshape(-1), ntotal, nband, ndense, bool(flg_sym))
    res[:] = (vec.reshape(nvec, ntotal) @ dense.T).ravel()


@checked
def mju_cholFactorBand(mat: OutVector, ntotal: int, nband: int, ndense: int, diagadd: float, diagmul: float) -> float:
    """Factorize a band matrix in place, with diagonal mat_ii (1 + diagmul) + diagadd.

    Returns:
        The least pivot, or 0 if the matrix is not positive definite.
    """
    _check_band("mat", mat, ntotal, nband, ndense)
    dense = _dense_band(mat, ntotal, nband, ndense, False)
    least = math.inf
    for j in range(ntotal):
        pivot = dense[j, j] * (1.0 + diagmul) + diagadd - dense[j, :j] @ dense[j, :j]
        if pivot < mjMINVAL:
            return 0.0
        least = min(least, pivot)
        dense[j, j] = math.sqrt(pivot)
        dense[j + 1 :, j] = (dense[j + 1 :, j] - dense[j + 1 :, :j] @ dense[j, :j]) / dense[j, j]
    mju_dense2Band(mat, dense, ntotal, nband, ndense)
    return least


@checked
def mju_cholSolveBand(res: OutVector, mat: Vector, vec: Vector, ntotal: int, nband: int, ndense: int) -> None:
    """res := the solution of L L' x = vec, for the banded factor L in mat."""
    _check_band("mat", mat, ntotal, nband, ndense)
    require(len(res) == ntotal, "size of res should equal ntotal")
    require(len(vec) == ntotal, "size of vec should equal ntotal")
    mju_cholSolve(res, _dense_band(mat, ntotal, nband, ndense, False), vec)


@checked
def mju_eig3(eigval: OutVector3, eigvec: OutVector9, quat: OutVector4, mat: Vector9) -> int:
    """Eigenvalues and eigenvectors of a symmetric 3x3 matrix by Jacobi rotations; the lower triangle is not used.

    Args:
        eigval: receives the eigenvalues, descending.
        eigvec: receives the eigenvectors as columns, nine numbers by rows.
        quat: receives the rotation whose axes are the eigenvectors.
        mat: nine numbers by rows.

    Returns:
        The number of iterations.
    """
    axes, *values, rotations = _principal_rotation([mat[k] for k in (0, 1, 2, 1, 4, 5, 2, 5, 8)])
    eigval[:], eigvec[:], quat[:] = values, quat_to_mat(axes), axes
    return int(rotations)


@checked
def mju_boxQP(
    res: OutVector,
    R: OutMatrix,
    index: OutIntegers | None,
    H: Matrix,
    g: Vector,
    lower: Vector | None,
    upper: Vector | None,
) -> int:
    """Minimize x' H x / 2 + x' g with lower <= x <= upper, by projected Newton steps.

    Tassa, Mansard, Todorov, Control-limited differential dynamic programming, ICRA 2014.

    Args:
        res: the start; receives the solution.
        R: n rows of at least n + 7 elements; its first elements receive the Cholesky factor of the free part of H.
        index: receives the free dimensions, or None.
        H: symmetric positive definite matrix.
        g: linear term.
        lower: lower bounds, or None.
        upper: upper bounds, or None.

    Returns:
        The number of free dimensions; -1 if H is not positive definite there.

    Raises:
        FatalError: an upper bound is not above its lower bound.
    """
    n = _square("H", H)
    require(len(res) == n, "size of res should equal the number of rows in H")
    require(R.shape[0] == n and R.shape[1] >= n + 7, "R should have n rows and at least n + 7 columns")
    require(index is None or len(index) == n, "size of index should equal the number of rows in H")
    require(len(g) == n, "size of g should equal the number of rows in H")
    for name, bound in (("lower", lower), ("upper", upper)):
        require(bound is None or len(bound) == n, f"size of {name} should equal the number of rows in H")
    low = np.full(n, -math.inf) if lower is None else lower
    high = np.full(n, math.inf) if upper is None else upper
    if (low >= high).any():
        raise FatalError("mju_boxQP: upper bounds must be strictly larger than lower bounds")
    symmetric = np.tril(H) + np.tril(H, -1).T
    x, free, factor = _solve_box(symmetric, g, low, high, np.clip(res, low, high))
    if factor is None:
        return -1
    res[:] = x
    nfree = len(free)
    R.reshape(-1)[: nfree * nfree].reshape(nfree, nfree)[np.tril_indices(nfree)] = factor[np.tril_indices(nfree)]
    if index is not None:
        index[:nfree] = free
    return nfree


def _solve_box(
    H: np.ndarray, g: np.ndarray, low: np.ndarray, high: np.ndarray, x: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Solution, free dimensions, and the factor of H in them; None instead of the factor if there is no solution."""
    value = 0.5 * x @ H @ x + x @ g
    free, factor = np.arange(0), np.zeros((0, 0))
    clamped_before: np.ndarray | None = None
    for _ in range(MAXIMUM_ITERATIONS):
        gradient = H @ x + g
        clamped = ((x == low) & (gradient > 0.0)) | ((x == high) & (gradient < 0.0))
        free = np.flatnonzero(~clamped)
        if clamped_before is None or (clamped != clamped_before).any():
            # the free part of H changed
            factor = np.ascontiguousarray(H[np.ix_(free, free)])
            if mju_cholFactor(factor, mjMINVAL) < len(free):
                return x, free, None
            clamped_before = clamped
        if gradient[free] @ gradient[free] < GRADIENT_TOLERANCE:
            break
        # Newton step in the free dimensions
        search = np.zeros(len(x))
        step = np.zeros(len(free))
        mju_cholSolve(step, factor, g[free] + H[np.ix_(free, np.flatnonzero(clamped))] @ x[clamped])
        search[free] = -step - x[free]
        slope = search @ gradient
        if slope >= 0.0:
            break
        moved = _line_search(H, g, low, high, x, search, value, slope)
        if moved is None:
            break
        x, value = moved
    return x, free, factor


def _line_search(
    H: np.ndarray,
    g: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    x: np.ndarray,
    search: np.ndarray,
    value: float,
    slope: float,
) -> tuple[np.ndarray, float] | None:
    """The first of ever smaller steps, clamped to the box, that decreases the objective enough (Armijo)."""
    scale = 1.0
    while scale > MINIMUM_STEP:
        candidate = np.clip(x + scale * search, low, high)
        found = 0.5 * candidate @ H @ candidate + candidate @ g
        if (value - found) / (-scale * slope) >= SUFFICIENT_DECREASE:
            return candidate, found
        scale *= STEP_FACTOR
    return None


def _dense_band(mat: np.ndarray, ntotal: int, nband: int, ndense: int, symmetric: bool) -> np.ndarray:
    """The band matrix with all its zeros."""
    dense = np.zeros((ntotal, ntotal))
    for i in range(ntotal):
        first, _ = _band_row(i, ntotal, nband, ndense)
        diagonal = mju_bandDiag(i, ntotal, nband, ndense)
        dense[i, first : i + 1] = mat[diagonal - (i - first) : diagonal + 1]
    return dense + np.tril(dense, -1).T if symmetric else dense


def _band_row(i: int, ntotal: int, nband: int, ndense: int) -> tuple[int, int]:
    """First column that row i of a band matrix stores, and the number of elements from there on."""
    first = max(0, i - nband + 1) if i < ntotal - ndense else 0
    return first, (i + 1 - first if i < ntotal - ndense else ntotal)


def _check_band(name: str, mat: np.ndarray, ntotal: int, nband: int, ndense: int) -> None:
    if not (0 < nband <= ntotal - ndense or ndense == ntotal) or ndense > ntotal:
        raise FatalError(f"a band of {nband} and {ndense} dense rows do not fit into {ntotal} rows")
    wanted = (ntotal - ndense) * nband + ndense * ntotal
    require(mat.size == wanted, f"{name} must have (ntotal-ndense)*nband + ndense*ntotal elements")


def _square(name: str, mat: np.ndarray) -> int:
    """Number of rows of a square matrix."""
    require(mat.shape[0] == mat.shape[1], f"{name} should be a square matrix")
    return len(mat)
