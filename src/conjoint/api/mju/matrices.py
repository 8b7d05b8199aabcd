"""Operations on dense and sparse matrices, which write results to their first argument (API reference, Sparse math)."""

from typing import TYPE_CHECKING, Any

import numpy as np

from conjoint.api.arguments import Integers, Matrix, OutIntegers, OutMatrix, OutVector, Vector, checked, require
from conjoint.api.mju.table import Row, define
from conjoint.lang import ArgumentError
from conjoint.physics.arrays import matrices
from conjoint.runtime.entry import entry

turned = entry(matrices.write_turned, "out vec3[]", "mat3[]", "vec3[]")
turned_back = entry(matrices.write_turned_back, "out vec3[]", "mat3[]", "vec3[]")
product = entry(matrices.write_product, "out real[]", "real[]", "real[]", "int", "int")
product_transposed = entry(matrices.write_transposed_product, "out real[]", "real[]", "real[]", "int", "int")
bilinear = entry(matrices.bilinear, "real[]", "real[]", "real[]", "int")
symmetric = entry(matrices.write_symmetric, "out real[]", "real[]", "int")
identity = entry(matrices.write_identity, "out real[]", "int")
compress = entry(matrices.compress, "out real[]", "real[]", "out int[]", "out int[]", "out int[]", "int", "int", "int")
expand = entry(matrices.expand, "out real[]", "real[]", "int[]", "int[]", "int[]", "int", "int", "int")

TABLE: dict[str, Row] = {
    "mju_mulMatVec3": (
        "out 3, 9, 3",
        lambda res, mat, vec: turned(res, mat, vec),
        "Compute res := mat vec, for a 3x3 matrix in row-major order.",
    ),
    "mju_mulMatTVec3": (
        "out 3, 9, 3",
        lambda res, mat, vec: turned_back(res, mat, vec),
        "Compute res := mat' vec, for a 3x3 matrix in row-major order.",
    ),
    "mju_mulMatVec": (
        "out rows, rows x columns, columns",
        lambda res, mat, vec: product(res, mat, vec, *mat.shape),
        "Compute res := mat vec.",
    ),
    "mju_mulMatTVec": (
        "out columns, rows x columns, rows",
        lambda res, mat, vec: product_transposed(res, mat, vec, *mat.shape),
        "Compute res := mat' vec.",
    ),
    "mju_mulVecMatVec": (
        "n, n x n, n -> real",
        lambda vec1, mat, vec2: bilinear(vec1, mat, vec2, len(vec1)),
        "Return vec1' mat vec2, for a square matrix.",
    ),
    "mju_transpose": (
        "out columns x rows, rows x columns",
        lambda res, mat: np.copyto(res, mat.T.copy()),
        "Compute res := mat'.",
    ),
    "mju_symmetrize": (
        "out n x n, n x n",
        lambda res, mat: symmetric(res, mat, len(mat)),
        "Compute res := (mat + mat') / 2.",
    ),
    "mju_eye": ("out n x n", lambda mat: identity(mat, len(mat)), "Compute mat := the identity matrix."),
    "mju_mulMatMat": (
        "out rows x columns, rows x inner, inner x columns",
        lambda res, mat1, mat2: multiply(mat1, mat2, res),
        "Compute res := mat1 mat2.",
    ),
    "mju_mulMatMatT": (
        "out rows x columns, rows x inner, columns x inner",
        lambda res, mat1, mat2: multiply(mat1, mat2.T, res),
        "Compute res := mat1 mat2'.",
    ),
    "mju_mulMatTMat": (
        "out rows x columns, inner x rows, inner x columns",
        lambda res, mat1, mat2: multiply(mat1.T, mat2, res),
        "Compute res := mat1' mat2.",
    ),
    "mju_sqrMatTD": (
        "out columns x columns, rows x columns, out rows?",
        lambda res, mat, diag: multiply(mat.T, mat, res, diag),
        "Compute res := mat' diag mat, or mat' mat if diag is None.",
    ),
}


def multiply(left: np.ndarray, right: np.ndarray, result: np.ndarray, diagonal: np.ndarray | None = None) -> None:
    """Write the product left diag(diagonal) right to `result`. As in C, overflow gives infinity without a warning."""
    with np.errstate(all="ignore"):
        np.matmul(left, right if diagonal is None else diagonal[:, np.newaxis] * right, out=result)


define(TABLE, globals())
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


@checked(mat="rows, columns", rownnz="rows", rowadr="rows", res="n", colind="n")
def mju_dense2sparse(res: OutVector, mat: Matrix, rownnz: OutIntegers, rowadr: OutIntegers, colind: OutIntegers) -> int:
    """Convert a dense matrix to compressed rows.

    Args:
        res: receives the nonzero elements, row by row.
        mat: the matrix.
        rownnz: receives the number of nonzero elements of each row.
        rowadr: receives the index in res of the first element of each row.
        colind: receives the column index of each element; the length is that of `res`.

    Returns:
        0, or 1 if res is too small for all nonzero elements.
    """
    return compress(res, mat, rownnz, rowadr, colind, *mat.shape, len(res))


@checked(res="rows, columns", rownnz="rows", rowadr="rows")
def mju_sparse2dense(res: OutMatrix, mat: Vector, rownnz: Integers, rowadr: Integers, colind: Integers) -> None:
    """Convert a matrix in compressed rows to a dense matrix.

    Args:
        res: receives the dense matrix.
        mat: the nonzero elements, row by row.
        rownnz: number of nonzero elements of each row.
        rowadr: index in mat of the first element of each row.
        colind: column index of each element.

    Raises:
        FatalError: rows extend beyond `mat` or `colind`, or column indices are out of range.
    """
    if expand(res, mat, rownnz, rowadr, colind, *res.shape, min(len(mat), len(colind))):
        raise ArgumentError("mju_sparse2dense: rownnz, rowadr or colind point outside of mat or res")


@checked
def mju_printMat(mat: Matrix) -> None:
    """Print a matrix, one row per line."""
    for row in mat:
        print("".join(f"{x:.8f} " for x in row))
    print()


@checked(rownnz="n", rowadr="n")
def mju_printMatSparse(mat: Vector, rownnz: Integers, rowadr: Integers, colind: Integers) -> None:
    """Print a matrix in compressed rows, with the indices of its elements.

    Args:
        mat, rownnz, rowadr, colind: as in `mju_sparse2dense`.
    """
    ends = rowadr.astype(int) + rownnz
    fits = (rowadr >= 0) & (rownnz >= 0) & (ends <= min(len(mat), len(colind)))
    require(bool(np.all(fits | (rownnz == 0))), "rows extend beyond the elements of mat and colind")
    for r, (start, count) in enumerate(zip(rowadr, rownnz, strict=True)):
        print("".join(f"({r} {colind[a]}): {mat[a]:9.6f}  " for a in range(start, start + count)))
    print()
