"""Cholesky factors L L' of matrices in the caller's arrays: L is in the lower triangle, the upper one is not used."""

from conjoint.lang import kernel, sqrt
from conjoint.schema.constants import mjMINVAL


@kernel
def factorize(mat, n, least):
    """Overwrite the lower triangle by its Cholesky factor L, and return the number of pivots of at least `least`.

    Smaller pivots are raised to `least`.
    """
    rank = n
    for j in range(n):
        pivot = mat[j * n + j] - row_product(mat, j * n, j * n, j)
        if pivot < least:
            pivot = least
            rank -= 1
        mat[j * n + j] = sqrt(pivot)
        for i in range(j + 1, n):
            mat[i * n + j] = (mat[i * n + j] - row_product(mat, i * n, j * n, j)) / mat[j * n + j]
    return rank


@kernel
def row_product(mat, a, b, count):
    """Return the scalar product of `count` elements that start at mat[a] and as many that start at mat[b]."""
    found = 0.0
    for k in range(count):
        found += mat[a + k] * mat[b + k]
    return found


@kernel
def solve(result, mat, v, n):
    """Write the solution x of L L' x = v to `result`."""
    for i in range(n):
        left = v[i]
        for k in range(i):
            left -= mat[i * n + k] * result[k]
        result[i] = left / mat[i * n + i]
    for i in range(n - 1, -1, -1):
        result[i] = result[i] / mat[i * n + i]
        for k in range(i):
            result[k] = result[k] - mat[i * n + k] * result[i]


@kernel
def update(mat, x, n, sign):
    """Update the Cholesky factor L of L L' to that of L L' + sign x x', and return the rank. Overwrite x.

    Plane rotations make x zero.
    """
    rank = n
    for k in range(n):
        if x[k] != 0.0:
            diagonal = mat[k * n + k]
            square = diagonal * diagonal + sign * x[k] * x[k]
            if square < mjMINVAL:
                square = mjMINVAL
                rank -= 1
            c = sqrt(square) / diagonal
            s = x[k] / diagonal
            mat[k * n + k] = sqrt(square)
            for i in range(k + 1, n):
                mat[i * n + k] = (mat[i * n + k] + sign * s * x[i]) / c
                x[i] = c * x[i] - s * mat[i * n + k]
    return rank
