"""Operations on row-major matrices in the caller's arrays; results are written to the first argument."""

from conjoint.lang import kernel


@kernel
def write_turned(result, R, v):
    """Compute result := R v, with a 3x3 matrix R."""
    result[0] = R[0] @ v[0]


@kernel
def write_turned_back(result, R, v):
    """Compute result := R' v, with a 3x3 matrix R."""
    result[0] = R[0].T @ v[0]


@kernel
def write_product(result, mat, v, rows, columns):
    """Compute result := mat v."""
    for r in range(rows):
        found = 0.0
        for c in range(columns):
            found += mat[r * columns + c] * v[c]
        result[r] = found


@kernel
def write_transposed_product(result, mat, v, rows, columns):
    """Compute result := mat' v."""
    for c in range(columns):
        result[c] = 0.0
    for r in range(rows):
        for c in range(columns):
            result[c] = result[c] + mat[r * columns + c] * v[r]


@kernel
def bilinear(a, mat, b, n):
    """Return a' mat b."""
    found = 0.0
    for r in range(n):
        row = 0.0
        for c in range(n):
            row += mat[r * n + c] * b[c]
        found += a[r] * row
    return found


@kernel
def write_symmetric(result, mat, n):
    """Compute result := (mat + mat') / 2; result may be mat."""
    for r in range(n):
        for c in range(r + 1):
            mean = 0.5 * (mat[r * n + c] + mat[c * n + r])
            result[r * n + c] = mean
            result[c * n + r] = mean


@kernel
def write_identity(result, n):
    """Set result to the n x n identity matrix."""
    for k in range(n * n):
        result[k] = 0.0
    for r in range(n):
        result[r * n + r] = 1.0


@kernel
def compress(result, mat, rownnz, rowadr, colind, rows, columns, room):
    """Convert mat to compressed sparse rows; return 1 if it has more than `room` nonzero elements, else 0.

    `result`, `rownnz`, `rowadr` and `colind` receive the elements, the row lengths, the row addresses and the columns.
    """
    count = 0
    for r in range(rows):
        rowadr[r] = count
        for c in range(columns):
            if mat[r * columns + c] != 0.0:
                if count < room:
                    result[count] = mat[r * columns + c]
                    colind[count] = c
                count += 1
        rownnz[r] = count - rowadr[r]
    return 1 if count > room else 0


@kernel
def expand(result, mat, rownnz, rowadr, colind, rows, columns, count):
    """Expand a matrix of compressed sparse rows to a full matrix; return 1 if an index is out of range, else 0.

    Element addresses must be below `count`, and column indices below `columns`.
    """
    for k in range(rows * columns):
        result[k] = 0.0
    for r in range(rows):
        first, end = rowadr[r], rowadr[r] + rownnz[r]
        if first < 0 or end > count:
            return 1
        for a in range(first, end):
            if colind[a] < 0 or colind[a] >= columns:
                return 1
            result[r * columns + colind[a]] = mat[a]
    return 0
