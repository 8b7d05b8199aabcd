"""Factorizations, band matrices, eigenvalues and box-constrained QPs (API reference, Decompositions)."""

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
from conjoint.lang import ArgumentError
from conjoint.physics.arrays import bands, box, factors
from conjoint.physics.official.principal_axes import principal_rotation
from conjoint.runtime.entry import entry
from conjoint.spec.rotation import quat_to_mat

principal_rotation = entry(principal_rotation, "mat3")

factorize = entry(factors.factorize, "out real[]", "int", "real")
solve_factor = entry(factors.solve, "out real[]", "real[]", "real[]", "int")
update_factor = entry(factors.update, "out real[]", "out real[]", "int", "real")
band_rows = entry(bands.write_band, "out real[]", "real[]", "int", "int", "int")
dense_rows = entry(bands.write_dense, "out real[]", "real[]", "int", "int", "int", "int")
products_of_band = entry(bands.write_products, "out real[]", "real[]", "real[]", "int", "int", "int", "int", "int")
factorize_band = entry(bands.factorize_band, "out real[]", "int", "int", "int", "real", "real")
solve_band = entry(bands.solve_band, "out real[]", "real[]", "real[]", "int", "int", "int")
solve_box = entry(box.solve_box, *["out real[]"] * 4, "out int[]", "real[]", "real[]", "real[]", "int")


@checked(mat="n, n")
def mju_cholFactor(mat: OutMatrix, mindiag: float) -> int:
    """Factorize mat = L L' in place. L is written to the lower triangle; the upper triangle is not used.

    Args:
        mat: symmetric positive definite matrix, n x n.
        mindiag: minimum of the pivots; smaller pivots are replaced by it.

    Returns:
        The rank: the number of pivots that were large enough.
    """
    return factorize(mat, len(mat), mindiag)


@checked(mat="n, n", res="n", vec="n")
def mju_cholSolve(res: OutVector, mat: Matrix, vec: Vector) -> None:
    """Solve L L' x = vec for x, and write x to res.

    Args:
        res: n elements, receives x.
        mat: L in its lower triangle, n x n, as computed by `mju_cholFactor`.
        vec: right-hand side, n elements.
    """
    solve_factor(res, mat, vec, len(mat))


@checked(mat="n, n", x="n")
def mju_cholUpdate(mat: OutMatrix, x: OutVector, flg_plus: int) -> int:
    """Update a Cholesky factor L by rank one: add x x' to L L', or subtract x x'.

    Args:
        mat: L in its lower triangle, n x n; it is changed in place.
        x: n elements, which are overwritten.
        flg_plus: nonzero to add x x', zero to subtract it.

    Returns:
        The rank: the number of pivots that were large enough.
    """
    return update_factor(mat, x, len(mat), 1.0 if flg_plus else -1.0)


# storage of a band matrix: rows of `nband` elements that end at the diagonal, then `ndense` rows of full length. The
# upper triangle is not stored


@checked
def mju_bandDiag(i: int, ntotal: int, nband: int, ndense: int) -> int:
    """Return the index of diagonal element i in the storage of a band matrix.

    Args:
        i: row of the element.
        ntotal: number of rows of the matrix, including the dense part.
        nband: width of the band, including the diagonal.
        ndense: number of rows of the dense part, which are the last rows.
    """
    sparse = ntotal - ndense
    return i * nband + nband - 1 if i < sparse else sparse * nband + (i - sparse) * ntotal + i


@checked(mat="ntotal, ntotal")
def mju_dense2Band(res: OutVector, mat: Matrix, ntotal: int, nband: int, ndense: int) -> None:
    """Convert a dense symmetric matrix to a band matrix.

    Args:
        res: receives the band, followed by the rows of the dense part.
        mat: the symmetric matrix, shape (ntotal, ntotal).
        ntotal: number of rows of the matrix, including the dense part.
        nband: width of the band, including the diagonal.
        ndense: number of rows of the dense part, which are the last rows.
    """
    _check_band("res", res, ntotal, nband, ndense)
    band_rows(res, mat, ntotal, nband, ndense)


@checked(res="ntotal, ntotal")
def mju_band2Dense(res: OutMatrix, mat: Vector, ntotal: int, nband: int, ndense: int, flg_sym: int) -> None:
    """Expand a band matrix to a dense matrix.

    Args:
        res: receives the matrix, shape (ntotal, ntotal).
        mat: the band matrix.
        ntotal: number of rows of the matrix, including the dense part.
        nband: width of the band, including the diagonal.
        ndense: number of rows of the dense part, which are the last rows.
        flg_sym: whether the upper triangle is filled in, too.
    """
    _check_band("mat", mat, ntotal, nband, ndense)
    dense_rows(res, mat, ntotal, nband, ndense, flg_sym)


@checked(vec="size ntotal * nvec", res="ntotal * nvec")
def mju_bandMulMatVec(
    res: OutVector, mat: Matrix, vec: Matrix, ntotal: int, nband: int, ndense: int, nvec: int, flg_sym: int
) -> None:
    """Compute res := the products of a band matrix with one or several vectors.

    Args:
        res: receives the products, one after another, nvec times ntotal numbers.
        mat: the band matrix.
        vec: the vectors, one after another, nvec times ntotal numbers.
        ntotal, nband, ndense: number of rows, width of the band and number of dense rows, as in `mju_bandDiag`.
        nvec: number of vectors.
        flg_sym: nonzero if the matrix is symmetric, zero if its upper triangle, which is not stored, is zero.
    """
    _check_band("mat", mat, ntotal, nband, ndense)
    products_of_band(res, mat, vec, ntotal, nband, ndense, nvec, flg_sym)


@checked
def mju_cholFactorBand(mat: OutVector, ntotal: int, nband: int, ndense: int, diagadd: float, diagmul: float) -> float:
    """Factorize a band matrix in place, after replacing its diagonal by mat_ii (1 + diagmul) + diagadd.

    Args:
        mat: the band matrix, which is replaced by its factor L.
        ntotal, nband, ndense: number of rows, width of the band and number of dense rows, as in `mju_bandDiag`.
        diagadd: number added to the diagonal.
        diagmul: relative increase of the diagonal: its elements are multiplied by 1 + diagmul.

    Returns:
        The smallest pivot, or 0 if the matrix is not positive definite.
    """
    _check_band("mat", mat, ntotal, nband, ndense)
    return factorize_band(mat, ntotal, nband, ndense, diagadd, diagmul)


@checked(res="ntotal", vec="ntotal")
def mju_cholSolveBand(res: OutVector, mat: Vector, vec: Vector, ntotal: int, nband: int, ndense: int) -> None:
    """Solve L L' x = vec for x, where L is a factor in band storage, and write x to res.

    Args:
        res: ntotal numbers, receives x.
        mat: the factor L, as computed by `mju_cholFactorBand`.
        vec: right-hand side, ntotal numbers.
        ntotal, nband, ndense: number of rows, width of the band and number of dense rows, as in `mju_bandDiag`.
    """
    _check_band("mat", mat, ntotal, nband, ndense)
    solve_band(res, mat, vec, ntotal, nband, ndense)


@checked
def mju_eig3(eigval: OutVector3, eigvec: OutVector9, quat: OutVector4, mat: Vector9) -> int:
    """Compute eigenvalues and eigenvectors of a symmetric 3x3 matrix by Jacobi rotations.

    Args:
        eigval: receives the eigenvalues, descending.
        eigvec: receives the eigenvectors as columns, nine elements in row-major order.
        quat: receives the rotation whose axes are the eigenvectors.
        mat: the matrix, nine elements in row-major order; only the upper triangle is read.

    Returns:
        The number of iterations.
    """
    axes, *values, rotations = principal_rotation([mat[k] for k in (0, 1, 2, 1, 4, 5, 2, 5, 8)])
    eigval[:], eigvec[:], quat[:] = values, quat_to_mat(axes), axes
    return int(rotations)


@checked(H="n, n", res="n", index="n", g="n", lower="n", upper="n")
def mju_boxQP(
    res: OutVector,
    R: OutMatrix,
    index: OutIntegers | None,
    H: Matrix,
    g: Vector,
    lower: Vector | None,
    upper: Vector | None,
) -> int:
    """Minimize x' H x / 2 + x' g subject to lower <= x <= upper, by projected Newton steps.

    Tassa, Mansard, Todorov, Control-limited differential dynamic programming, ICRA 2014.

    Args:
        res: initial guess, n elements, which is replaced by the solution.
        R: n rows of at least n + 7 elements, whose first elements receive the Cholesky factor of the free part of H.
        index: receives the indices of the free dimensions, n elements; None to skip them.
        H: symmetric positive definite matrix, n x n.
        g: linear term of the objective, n elements.
        lower: lower bounds, n elements; None for no bounds.
        upper: upper bounds, n elements; None for no bounds.

    Returns:
        The number of free dimensions, or -1 if the free part of H is not positive definite.

    Raises:
        FatalError: an upper bound is not above its lower bound.
    """
    n = len(H)
    require(R.shape[0] == n and R.shape[1] >= n + 7, "R should have n rows and at least n + 7 columns")
    low = np.full(n, -math.inf) if lower is None else lower
    high = np.full(n, math.inf) if upper is None else upper
    if (low >= high).any():
        raise ArgumentError("mju_boxQP: upper bounds must be strictly larger than lower bounds")
    free = np.empty(n, np.int32) if index is None else index
    # the search may fail; then `res` is unchanged
    x = res.copy()
    nfree = solve_box(x, R, np.empty(3 * n), np.empty(n), free, H, g, np.concatenate((low, high)), n)
    if nfree >= 0:
        res[:] = x
    return nfree


def _check_band(name: str, mat: np.ndarray, ntotal: int, nband: int, ndense: int) -> None:
    if not (0 < nband <= ntotal - ndense or ndense == ntotal) or ndense > ntotal:
        raise ArgumentError(f"a band of {nband} and {ndense} dense rows do not fit into {ntotal} rows")
    wanted = (ntotal - ndense) * nband + ndense * ntotal
    require(mat.size == wanted, f"{name} must have (ntotal-ndense)*nband + ndense*ntotal elements")
