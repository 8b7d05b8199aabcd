"""Cholesky factors L L' of matrices in the caller's arrays; L is the lower triangle, the upper one is not used."""

from conjoint.lang import kernel, sqrt
from conjoint.schema.constants import mjMINVAL


@kernel
def factorize(mat, n, least):
    """Overwrite the lower triangle by L; raise pivots below `least` to it. Return the number of other pivots."""
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
    """Return the scalar product of two pieces of rows, from mat[a] and from mat[b] on."""
    found = 0.0
    for k in range(count):
        found += mat[a + k] * mat[b + k]
    return found


@kernel
def solve(result, mat, v, n):
    """Compute result := x, the solution of L L' x = v."""
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
    """Add sign x x' to L L' by plane rotations that make x zero, and return the rank. Overwrites x."""
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
