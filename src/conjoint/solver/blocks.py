"""Dense linear algebra for kernels, eight columns at a time.

One world runs these loops on the CPU's vector registers, eight columns side by side; in lanes every one of the eight
sums is a register of its own. Rows are padded: their stride, a multiple of eight plus four, keeps equal columns of
different rows out of each other's way in the cache.
"""

from conjoint.lang import kernel, maximum, multiply_add

BLOCK = 8
"""Columns that are computed together."""

MINIMUM_PIVOT = 1e-15
"""Smallest pivot of a factorization (mjMINVAL)."""


@kernel
def padded(n):
    """n rounded up to whole blocks."""
    return (n + 7) // 8 * 8


@kernel
def stride_of(n):
    """Numbers from one row of n columns to the next."""
    return padded(n) + 4


@kernel
def add_rows(count, weight, first, step, rows, row, stride, sums, at):
    """sums[at + c] += sum over p < count of weight[first + p step] * rows[row + p stride + c], for eight columns c."""
    s0 = sums[at]
    s1 = sums[at + 1]
    s2 = sums[at + 2]
    s3 = sums[at + 3]
    s4 = sums[at + 4]
    s5 = sums[at + 5]
    s6 = sums[at + 6]
    s7 = sums[at + 7]
    for p in range(count):
        w = weight[first + p * step]
        o = row + p * stride
        s0 = multiply_add(w, rows[o], s0)
        s1 = multiply_add(w, rows[o + 1], s1)
        s2 = multiply_add(w, rows[o + 2], s2)
        s3 = multiply_add(w, rows[o + 3], s3)
        s4 = multiply_add(w, rows[o + 4], s4)
        s5 = multiply_add(w, rows[o + 5], s5)
        s6 = multiply_add(w, rows[o + 6], s6)
        s7 = multiply_add(w, rows[o + 7], s7)
    sums[at] = s0
    sums[at + 1] = s1
    sums[at + 2] = s2
    sums[at + 3] = s3
    sums[at + 4] = s4
    sums[at + 5] = s5
    sums[at + 6] = s6
    sums[at + 7] = s7


@kernel
def add_row(weight, rows, source, target):
    """rows[target + c] += weight * rows[source + c], for eight columns c of two rows."""
    s0 = multiply_add(weight, rows[source], rows[target])
    s1 = multiply_add(weight, rows[source + 1], rows[target + 1])
    s2 = multiply_add(weight, rows[source + 2], rows[target + 2])
    s3 = multiply_add(weight, rows[source + 3], rows[target + 3])
    s4 = multiply_add(weight, rows[source + 4], rows[target + 4])
    s5 = multiply_add(weight, rows[source + 5], rows[target + 5])
    s6 = multiply_add(weight, rows[source + 6], rows[target + 6])
    s7 = multiply_add(weight, rows[source + 7], rows[target + 7])
    rows[target] = s0
    rows[target + 1] = s1
    rows[target + 2] = s2
    rows[target + 3] = s3
    rows[target + 4] = s4
    rows[target + 5] = s5
    rows[target + 6] = s6
    rows[target + 7] = s7


@kernel
def multiply_columns(count, rows, a, b, stride, sums, at, below):
    """Columns a and a + 1 of `rows` times its eight columns from b on: sums over p < count of row p of both.

    They go to eight numbers of `sums`, those of column a at `at`, those of column a + 1 at `below`.
    """
    s0 = 0.0
    s1 = 0.0
    s2 = 0.0
    s3 = 0.0
    s4 = 0.0
    s5 = 0.0
    s6 = 0.0
    s7 = 0.0
    t0 = 0.0
    t1 = 0.0
    t2 = 0.0
    t3 = 0.0
    t4 = 0.0
    t5 = 0.0
    t6 = 0.0
    t7 = 0.0
    for p in range(count):
        o = p * stride
        x = rows[o + a]
        y = rows[o + a + 1]
        o += b
        z = rows[o]
        s0 = multiply_add(x, z, s0)
        t0 = multiply_add(y, z, t0)
        z = rows[o + 1]
        s1 = multiply_add(x, z, s1)
        t1 = multiply_add(y, z, t1)
        z = rows[o + 2]
        s2 = multiply_add(x, z, s2)
        t2 = multiply_add(y, z, t2)
        z = rows[o + 3]
        s3 = multiply_add(x, z, s3)
        t3 = multiply_add(y, z, t3)
        z = rows[o + 4]
        s4 = multiply_add(x, z, s4)
        t4 = multiply_add(y, z, t4)
        z = rows[o + 5]
        s5 = multiply_add(x, z, s5)
        t5 = multiply_add(y, z, t5)
        z = rows[o + 6]
        s6 = multiply_add(x, z, s6)
        t6 = multiply_add(y, z, t6)
        z = rows[o + 7]
        s7 = multiply_add(x, z, s7)
        t7 = multiply_add(y, z, t7)
    sums[at] = s0
    sums[at + 1] = s1
    sums[at + 2] = s2
    sums[at + 3] = s3
    sums[at + 4] = s4
    sums[at + 5] = s5
    sums[at + 6] = s6
    sums[at + 7] = s7
    sums[below] = t0
    sums[below + 1] = t1
    sums[below + 2] = t2
    sums[below + 3] = t3
    sums[below + 4] = t4
    sums[below + 5] = t5
    sums[below + 6] = t6
    sums[below + 7] = t7


@kernel
def add_rows_twice(count, weight, first, step, rows, row, stride, at, below):
    """add_rows onto the row at `at`, and with the next weight of every row onto the one at `below`, in one pass."""
    s0 = rows[at]
    s1 = rows[at + 1]
    s2 = rows[at + 2]
    s3 = rows[at + 3]
    s4 = rows[at + 4]
    s5 = rows[at + 5]
    s6 = rows[at + 6]
    s7 = rows[at + 7]
    t0 = rows[below]
    t1 = rows[below + 1]
    t2 = rows[below + 2]
    t3 = rows[below + 3]
    t4 = rows[below + 4]
    t5 = rows[below + 5]
    t6 = rows[below + 6]
    t7 = rows[below + 7]
    for p in range(count):
        x = weight[first + p * step]
        y = weight[first + p * step + 1]
        o = row + p * stride
        z = rows[o]
        s0 = multiply_add(x, z, s0)
        t0 = multiply_add(y, z, t0)
        z = rows[o + 1]
        s1 = multiply_add(x, z, s1)
        t1 = multiply_add(y, z, t1)
        z = rows[o + 2]
        s2 = multiply_add(x, z, s2)
        t2 = multiply_add(y, z, t2)
        z = rows[o + 3]
        s3 = multiply_add(x, z, s3)
        t3 = multiply_add(y, z, t3)
        z = rows[o + 4]
        s4 = multiply_add(x, z, s4)
        t4 = multiply_add(y, z, t4)
        z = rows[o + 5]
        s5 = multiply_add(x, z, s5)
        t5 = multiply_add(y, z, t5)
        z = rows[o + 6]
        s6 = multiply_add(x, z, s6)
        t6 = multiply_add(y, z, t6)
        z = rows[o + 7]
        s7 = multiply_add(x, z, s7)
        t7 = multiply_add(y, z, t7)
    rows[at] = s0
    rows[at + 1] = s1
    rows[at + 2] = s2
    rows[at + 3] = s3
    rows[at + 4] = s4
    rows[at + 5] = s5
    rows[at + 6] = s6
    rows[at + 7] = s7
    rows[below] = t0
    rows[below + 1] = t1
    rows[below + 2] = t2
    rows[below + 3] = t3
    rows[below + 4] = t4
    rows[below + 5] = t5
    rows[below + 6] = t6
    rows[below + 7] = t7


@kernel
def clear(field, at, count):
    """field[at .. at + count] := 0."""
    for k in range(at, at + count):
        field[k] = 0.0


@kernel
def factorize(d, n, stride):
    """Factorize the symmetric matrix in `solver_H`, with a right-hand side, into `solver_L` and `solver_pivot`.

    Row i holds the right-hand side in column 0 and the lower triangle in columns 1 .. i + 1. Elimination goes from the
    last row to the first, H = L' D^-1 L; row i of solver_L gets the eliminated right-hand side and the unscaled row of
    L, solver_pivot[i] gets -1 / D_i.
    """
    for i in range(n - 1, -1, -1):
        # column i of the rows below, over their pivots
        below = n - 1 - i
        for p in range(below):
            k = i + 1 + p
            d.solver_column[p] = d.solver_L[k * stride + 1 + i] * d.solver_pivot[k]
        for block in range(0, i + 2, BLOCK):
            o = i * stride + block
            for c in range(o, o + BLOCK):
                d.solver_L[c] = d.solver_H[c] + 0.0
            add_rows(below, d.solver_column, 0, 1, d.solver_L, o + stride, stride, d.solver_L, o)
        d.solver_pivot[i] = -1.0 / maximum(d.solver_L[i * stride + 1 + i], MINIMUM_PIVOT)


@kernel
def back_substitute(d, n, stride, x):
    """x := solution of the system that `factorize` eliminated."""
    for i in range(n):
        o = i * stride + 1
        s = -d.solver_L[o - 1]
        for j in range(i):
            s = s + d.solver_L[o + j] * x[j]
        x[i] = s * d.solver_pivot[i]
