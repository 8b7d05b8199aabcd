"""Band matrices: rows of `nband` elements that end at the diagonal, then `ndense` rows of `ntotal` elements.

Elements above the diagonal are zero in dense rows, and not stored in the other rows.
"""

from conjoint.lang import kernel, maximum, minimum, sqrt
from conjoint.schema.constants import mjMINVAL


@kernel
def band_diagonal(i, ntotal, nband, ndense):
    """Return the address of diagonal element i."""
    sparse = ntotal - ndense
    if i < sparse:
        return i * nband + nband - 1
    return sparse * nband + (i - sparse) * ntotal + i


@kernel
def band_first(i, ntotal, nband, ndense):
    """Return the first stored column of row i."""
    if i < ntotal - ndense:
        return maximum(0, i - nband + 1)
    return 0


@kernel
def write_band(result, mat, ntotal, nband, ndense):
    """Write the band of a full matrix in band storage to `result`."""
    for i in range(ntotal):
        diagonal = band_diagonal(i, ntotal, nband, ndense)
        for j in range(band_first(i, ntotal, nband, ndense), i + 1):
            result[diagonal - i + j] = mat[i * ntotal + j]
        if i >= ntotal - ndense:
            for j in range(i + 1, ntotal):
                result[diagonal - i + j] = 0.0


@kernel
def write_dense(result, mat, ntotal, nband, ndense, symmetric):
    """Write a band matrix as a full matrix, with its upper triangle if it is symmetric, else with zeros there."""
    for k in range(ntotal * ntotal):
        result[k] = 0.0
    for i in range(ntotal):
        diagonal = band_diagonal(i, ntotal, nband, ndense)
        for j in range(band_first(i, ntotal, nband, ndense), i + 1):
            result[i * ntotal + j] = mat[diagonal - i + j]
            if symmetric:
                result[j * ntotal + i] = mat[diagonal - i + j]


@kernel
def write_products(result, mat, vectors, ntotal, nband, ndense, nvec, symmetric):
    """Compute result := the products of the band matrix with `nvec` consecutive vectors."""
    for v in range(nvec):
        first = v * ntotal
        for i in range(ntotal):
            result[first + i] = 0.0
        for i in range(ntotal):
            diagonal = band_diagonal(i, ntotal, nband, ndense)
            for j in range(band_first(i, ntotal, nband, ndense), i + 1):
                element = mat[diagonal - i + j]
                result[first + i] = result[first + i] + element * vectors[first + j]
                if symmetric and j < i:
                    result[first + j] = result[first + j] + element * vectors[first + i]


@kernel
def factorize_band(mat, ntotal, nband, ndense, diagadd, diagmul):
    """Overwrite a band matrix by its Cholesky factor L, and return the least pivot, or 0 on failure.

    Diagonal elements are first changed to mat_ii (1 + diagmul) + diagadd.
    """
    least = 0.0
    sparse = ntotal - ndense
    for j in range(ntotal):
        diagonal = band_diagonal(j, ntotal, nband, ndense)
        pivot = mat[diagonal] * (1.0 + diagmul) + diagadd - band_product(mat, j, j, ntotal, nband, ndense)
        if pivot < mjMINVAL:
            return 0.0
        least = pivot if j == 0 or pivot < least else least
        mat[diagonal] = sqrt(pivot)
        if j < sparse:
            for i in range(j + 1, minimum(j + nband, sparse)):
                reduce_element(mat, i, j, ntotal, nband, ndense)
        for i in range(maximum(j + 1, sparse), ntotal):
            reduce_element(mat, i, j, ntotal, nband, ndense)
    return least


@kernel
def reduce_element(mat, i, j, ntotal, nband, ndense):
    """Compute element i, j of L from the columns before column j."""
    at = band_diagonal(i, ntotal, nband, ndense) - i + j
    rest = mat[at] - band_product(mat, i, j, ntotal, nband, ndense)
    mat[at] = rest / mat[band_diagonal(j, ntotal, nband, ndense)]


@kernel
def band_product(mat, i, j, ntotal, nband, ndense):
    """Return the scalar product of rows i and j over the columns before column j, where j <= i."""
    row = band_diagonal(i, ntotal, nband, ndense) - i
    other = band_diagonal(j, ntotal, nband, ndense) - j
    found = 0.0
    for k in range(maximum(band_first(i, ntotal, nband, ndense), band_first(j, ntotal, nband, ndense)), j):
        found += mat[row + k] * mat[other + k]
    return found


@kernel
def solve_band(result, mat, v, ntotal, nband, ndense):
    """Solve L L' x = v for x."""
    for i in range(ntotal):
        diagonal = band_diagonal(i, ntotal, nband, ndense)
        left = v[i]
        for k in range(band_first(i, ntotal, nband, ndense), i):
            left -= mat[diagonal - i + k] * result[k]
        result[i] = left / mat[diagonal]
    for i in range(ntotal - 1, -1, -1):
        diagonal = band_diagonal(i, ntotal, nband, ndense)
        result[i] = result[i] / mat[diagonal]
        for k in range(band_first(i, ntotal, nband, ndense), i):
            result[k] = result[k] - mat[diagonal - i + k] * result[i]
