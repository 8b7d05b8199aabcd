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
    without_warnings,
)
from conjoint.lang import ArgumentError
from conjoint.physics.arrays import matrices
from conjoint.runtime.entry import entry

_turned = entry(matrices.write_turned, "out vec3[]", "mat3[]", "vec3[]")
_turned_back = entry(matrices.write_turned_back, "out vec3[]", "mat3[]", "vec3[]")
_product = entry(matrices.write_product, "out real[]", "real[]", "real[]", "int", "int")
_transposed_product = entry(matrices.write_transposed_product, "out real[]", "real[]", "real[]", "int", "int")
_bilinear = entry(matrices.bilinear, "real[]", "real[]", "real[]", "int")
_symmetric = entry(matrices.write_symmetric, "out real[]", "real[]", "int")
_identity = entry(matrices.write_identity, "out real[]", "int")
_compress = entry(matrices.compress, "out real[]", "real[]", "out int[]", "out int[]", "out int[]", "int", "int", "int")
_expand = entry(matrices.expand, "out real[]", "real[]", "int[]", "int[]", "int[]", "int", "int", "int")


@checked
def mju_mulMatVec3(res: OutVector3, mat: Vector9, vec: Vector3) -> None:
    """res := mat vec, for a 3x3 matrix of nine numbers by rows."""
    _turned(res, mat, vec)


@checked
def mju_mulMatTVec3(res: OutVector3, mat: Vector9, vec: Vector3) -> None:
    """res := mat' vec, for a 3x3 matrix of nine numbers by rows."""
    _turned_back(res, mat, vec)


@checked
def mju_mulMatVec(res: OutVector, mat: Matrix, vec: Vector) -> None:
    """res := mat vec."""
    require(len(res) == mat.shape[0], "size of res should equal the number of rows in mat")
    require(len(vec) == mat.shape[1], "size of vec should equal the number of columns in mat")
    _product(res, mat, vec, *mat.shape)


@checked
def mju_mulMatTVec(res: OutVector, mat: Matrix, vec: Vector) -> None:
    """res := mat' vec."""
    require(len(res) == mat.shape[1], "size of res should equal the number of columns in mat")
    require(len(vec) == mat.shape[0], "size of vec should equal the number of rows in mat")
    _transposed_product(res, mat, vec, *mat.shape)


@checked
def mju_mulVecMatVec(vec1: Vector, mat: Matrix, vec2: Vector) -> float:
    """vec1' mat vec2, for a square matrix."""
    require(len(vec1) == len(vec2), "size of vec1 should equal the size of vec2")
    require(mat.shape == (len(vec1), len(vec1)), "mat should be square, of the size of the vectors")
    return _bilinear(vec1, mat, vec2, len(vec1))


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
    _symmetric(res, mat, len(mat))


@checked
def mju_eye(mat: OutMatrix) -> None:
    """mat := the identity."""
    require(mat.shape[0] == mat.shape[1], "mat should be a square matrix")
    _identity(mat, len(mat))


@checked
@without_warnings
def mju_mulMatMat(res: OutMatrix, mat1: Matrix, mat2: Matrix) -> None:
    """res := mat1 mat2."""
    _check_product(res, mat1, mat2)
    np.matmul(mat1, mat2, out=res)


@checked
@without_warnings
def mju_mulMatMatT(res: OutMatrix, mat1: Matrix, mat2: Matrix) -> None:
    """res := mat1 mat2'."""
    _check_product(res, mat1, mat2.T)
    np.matmul(mat1, mat2.T, out=res)


@checked
@without_warnings
def mju_mulMatTMat(res: OutMatrix, mat1: Matrix, mat2: Matrix) -> None:
    """res := mat1' mat2."""
    _check_product(res, mat1.T, mat2)
    np.matmul(mat1.T, mat2, out=res)


@checked
@without_warnings
def mju_sqrMatTD(res: OutMatrix, mat: Matrix, diag: OutVector | None) -> None:
    """res := mat' diag mat; without the diagonal matrix if it is None."""
    require(res.shape == (mat.shape[1], mat.shape[1]), "res should be square, with the number of columns in mat")
    require(diag is None or len(diag) == mat.shape[0], "size of diag should equal the number of rows in mat")
    np.matmul(mat.T, mat if diag is None else diag[:, np.newaxis] * mat, out=res)


@checked
def mju_dense2sparse(res: OutVector, mat: Matrix, rownnz: OutIntegers, rowadr: OutIntegers, colind: OutIntegers) -> int:
    """Compress a matrix by rows.

    Args:
        res: receives the elements that are not zero, row by row.
        mat: the matrix.
        rownnz: receives the number of elements of each row.
        rowadr: receives the place in res of the first element of each row.
        colind: receives the column of each element; as long as res.

    Returns:
        0; or 1 if res has no room for all elements that are not zero.
    """
    require(len(rownnz) == len(mat), "size of rownnz should equal the number of rows in mat")
    require(len(rowadr) == len(mat), "size of rowadr should equal the number of rows in mat")
    require(len(colind) == len(res), "size of colind should equal the size of res")
    return _compress(res, mat, rownnz, rowadr, colind, *mat.shape, len(res))


@checked
def mju_sparse2dense(res: OutMatrix, mat: Vector, rownnz: Integers, rowadr: Integers, colind: Integers) -> None:
    """res := the matrix whose compressed rows are in mat.

    Args:
        res: receives the matrix.
        mat: the elements.
        rownnz: number of elements of each row.
        rowadr: place in mat of the first element of each row.
        colind: column of each element.

    Raises:
        FatalError: rows or columns lie outside of the arrays.
    """
    require(len(rownnz) == len(res), "size of rownnz should equal the number of rows in res")
    require(len(rowadr) == len(res), "size of rowadr should equal the number of rows in res")
    if _expand(res, mat, rownnz, rowadr, colind, *res.shape, min(len(mat), len(colind))):
        raise ArgumentError("mju_sparse2dense: rownnz, rowadr or colind point outside of mat or res")


@checked
def mju_printMat(mat: Matrix) -> None:
    """Print a matrix, one row per line."""
    for row in mat:
        print("".join(f"{x:.8f} " for x in row))
    print()


@checked
def mju_printMatSparse(mat: Vector, rownnz: Integers, rowadr: Integers, colind: Integers) -> None:
    """Print a matrix in compressed rows, with the indices of its elements.

    Args:
        mat, rownnz, rowadr, colind: as of `mju_sparse2dense`.
    """
    require(len(rownnz) == len(rowadr), "rownnz and rowadr should have the same length: a number for each row")
    ends = rowadr.astype(int) + rownnz
    fits = (rowadr >= 0) & (rownnz >= 0) & (ends <= min(len(mat), len(colind)))
    require(bool(np.all(fits | (rownnz == 0))), "rows reach beyond the elements of mat and colind")
    for r, (start, count) in enumerate(zip(rowadr, rownnz, strict=True)):
        print("".join(f"({r} {colind[a]}): {mat[a]:9.6f}  " for a in range(start, start + count)))
    print()


def _check_product(res: np.ndarray, left: np.ndarray, right: np.ndarray) -> None:
    """Refuse factors and a result that do not fit."""
    require(left.shape[1] == right.shape[0], f"matrices of shapes {left.shape} and {right.shape} cannot be multiplied")
    shape = (left.shape[0], right.shape[1])
    require(res.shape == shape, f"res should be of shape {shape}, not {res.shape}")
