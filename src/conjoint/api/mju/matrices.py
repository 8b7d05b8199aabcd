"""Matrices, dense and sparse (API reference, Sparse math): results go to the first argument."""

import numpy as np

from conjoint.api.arguments import (
    Integers,
    Matrix,
    OutIntegers,
    OutMatrix,
    OutVector,
    OutVector3,
    Vector,
    Vector3,
    Vector9,
    checked,
    require,
)


@checked
def mju_mulMatVec3(res: OutVector3, mat: Vector9, vec: Vector3) -> None:
    """res := mat vec, for a 3x3 matrix of nine numbers by rows."""
    res[:] = mat.reshape(3, 3) @ vec


@checked
def mju_mulMatTVec3(res: OutVector3, mat: Vector9, vec: Vector3) -> None:
    """res := mat' vec, for a 3x3 matrix of nine numbers by rows."""
    res[:] = mat.reshape(3, 3).T @ vec


@checked
def mju_mulMatVec(res: OutVector, mat: Matrix, vec: Vector) -> None:
    """res := mat vec."""
    require(len(res) == mat.shape[0], "size of res should equal the number of rows in mat")
    require(len(vec) == mat.shape[1], "size of vec should equal the number of columns in mat")
    res[:] = mat @ vec


@checked
def mju_mulMatTVec(res: OutVector, mat: Matrix, vec: Vector) -> None:
    """res := mat' vec."""
    require(len(res) == mat.shape[1], "size of res should equal the number of columns in mat")
    require(len(vec) == mat.shape[0], "size of vec should equal the number of rows in mat")
    res[:] = mat.T @ vec


@checked
def mju_mulVecMatVec(vec1: Vector, mat: Matrix, vec2: Vector) -> float:
    """vec1' mat vec2, for a square matrix."""
    require(len(vec1) == len(vec2), "size of vec1 should equal the size of vec2")
    require(mat.shape == (len(vec1), len(vec1)), "mat should be square, of the size of the vectors")
    return float(vec1 @ mat @ vec2)


@checked
def mju_transpose(res: OutMatrix, mat: Matrix) -> None:
    """res := mat'."""
    require(res.shape == mat.T.shape, "res should have the shape of the transposed mat")
    res[:] = mat.T.copy()


@checked
def mju_symmetrize(res: OutMatrix, mat: Matrix) -> None:
    """res := (mat + mat') / 2."""
    require(mat.shape[0] == mat.shape[1], "mat should be a square matrix")
    require(res.shape == mat.shape, "res and mat should have the same shape")
    res[:] = 0.5 * (mat + mat.T)


@checked
def mju_eye(mat: OutMatrix) -> None:
    """mat := the identity."""
    require(mat.shape[0] == mat.shape[1], "mat should be a square matrix")
    mat[:] = np.eye(len(mat))


@checked
def mju_mulMatMat(res: OutMatrix, mat1: Matrix, mat2: Matrix) -> None:
    """res := mat1 mat2."""
    _check_product(res, mat1, mat2)
    res[:] = mat1 @ mat2


@checked
def mju_mulMatMatT(res: OutMatrix, mat1: Matrix, mat2: Matrix) -> None:
    """res := mat1 mat2'."""
    _check_product(res, mat1, mat2.T)
    res[:] = mat1 @ mat2.T


@checked
def mju_mulMatTMat(res: OutMatrix, mat1: Matrix, mat2: Matrix) -> None:
    """res := mat1' mat2."""
    _check_product(res, mat1.T, mat2)
    res[:] = mat1.T @ mat2


@checked
def mju_sqrMatTD(res: OutMatrix, mat: Matrix, diag: OutVector | None) -> None:
    """res := mat' diag mat; without the diagonal matrix if it is None."""
    require(res.shape == (mat.shape[1], mat.shape[1]), "res should be square, with the number of columns in mat")
    require(diag is None or len(diag) == mat.shape[0], "size of diag should equal the number of rows in mat")
    res[:] = mat.T @ (mat if diag is None else diag[:, np.newaxis] * mat)


@checked
def mju_dense2sparse(res: OutVector, mat: Matrix, rownnz: OutIntegers, rowadr: OutIntegers, colind: OutIntegers) -> int:
    """Compress mat by rows; returns 0, or 1 if there is no room in res for all elements that are not zero."""
    nnz = min(len(res), len(colind))
    require(len(rownnz) == len(mat), "size of rownnz should equal the number of rows in mat")
    require(len(rowadr) == len(mat), "size of rowadr should equal the number of rows in mat")
    require(len(colind) == len(res), "size of colind should equal the size of res")
    rows, columns = np.nonzero(mat)
    rownnz[:] = np.bincount(rows, minlength=len(mat))
    rowadr[:] = np.cumsum(rownnz) - rownnz
    kept = min(len(rows), nnz)
    res[:kept], colind[:kept] = mat[rows[:kept], columns[:kept]], columns[:kept]
    return int(len(rows) > nnz)


@checked
def mju_sparse2dense(res: OutMatrix, mat: Vector, rownnz: Integers, rowadr: Integers, colind: Integers) -> None:
    """res := the matrix whose compressed rows are in mat."""
    require(len(rownnz) == len(res), "size of rownnz should equal the number of rows in res")
    require(len(rowadr) == len(res), "size of rowadr should equal the number of rows in res")
    res[:] = 0.0
    for row, start, count in zip(res, rowadr, rownnz, strict=True):
        row[colind[start : start + count]] = mat[start : start + count]


@checked
def mju_printMat(mat: Matrix) -> None:
    """Print a matrix, one row per line."""
    for row in mat:
        print("".join(f"{x:.8f} " for x in row))
    print()


@checked
def mju_printMatSparse(mat: Vector, rownnz: Integers, rowadr: Integers, colind: Integers) -> None:
    """Print a matrix in compressed rows, with the indices of its elements."""
    for r, (start, count) in enumerate(zip(rowadr, rownnz, strict=True)):
        print("".join(f"({r} {colind[a]}): {mat[a]:9.6f}  " for a in range(start, start + count)))
    print()


def _check_product(res: np.ndarray, left: np.ndarray, right: np.ndarray) -> None:
    """Refuse factors and a result that do not fit."""
    require(left.shape[1] == right.shape[0], f"matrices of shapes {left.shape} and {right.shape} cannot be multiplied")
    shape = (left.shape[0], right.shape[1])
    require(res.shape == shape, f"res should be of shape {shape}, not {res.shape}")
