"""Dense linear algebra for kernels, eight columns at a time.

One world runs these loops on the CPU's vector registers, eight columns side by side; in lanes every one of the eight
sums is a register of its own. Rows are padded: their stride, a multiple of eight plus four, keeps equal columns of
different rows out of each other's way in the cache.
"""

from conjoint.lang import STRIP, TILES, kernel, local, multiply_add, put, real, tile
from conjoint.lang.tile import FEW, TILE
from conjoint.schema.constants import mjMINVAL

MINIMUM_PIVOT = mjMINVAL
"""Smallest pivot of a factorization."""


@kernel
def padded(n):
    """n rounded up to whole blocks."""
    return (n + TILE - 1) // TILE * TILE


@kernel
def stride_of(n):
    """Numbers from one row of n columns to the next."""
    return padded(n) + 4


@kernel
def add_rows(count, weight, first, step, rows, row, stride, sums, at):
    """sums[at + c] += sum over p < count of weight[first + p step] * rows[row + p stride + c], for eight columns c."""
    s = tile(sums, at)
    if STRIP > 1:
        # a world has registers for a second sum, which does not wait for the first
        t = tile(0.0)
        for p in range(0, count - 1, 2):
            s = multiply_add(weight[first + p * step], tile(rows, row + p * stride), s)
            t = multiply_add(weight[first + (p + 1) * step], tile(rows, row + (p + 1) * stride), t)
        if count % 2 == 1:
            p = count - 1
            s = multiply_add(weight[first + p * step], tile(rows, row + p * stride), s)
        s = s + t
    else:
        for p in range(count):
            s = multiply_add(weight[first + p * step], tile(rows, row + p * stride), s)
    put(sums, at, s)


@kernel
def add_listed_rows(count, listed, weight, rows, row, stride, sums, at):
    """sums[at + c] += sum over p < count of weight[p] * rows[row + listed[p] stride + c], for eight columns c."""
    s = tile(sums, at)
    for p in range(count):
        s = multiply_add(weight[p], tile(rows, row + listed[p] * stride), s)
    put(sums, at, s)


@kernel
def add_row(weight, rows, source, target):
    """rows[target + c] += weight * rows[source + c], for eight columns c of two rows."""
    put(rows, target, multiply_add(weight, tile(rows, source), tile(rows, target)))


@kernel
def multiply_columns(count, weight, rows, a, b, stride, sums, at, below):
    """Columns a and a + 1 of `rows` times its eight columns from b on: weighted sums over p < count of row p of both.

    They go to eight numbers of `sums`, those of column a at `at`, those of column a + 1 at `below`.
    """
    s = tile(0.0)
    t = tile(0.0)
    for p in range(count):
        o = p * stride
        z = tile(rows, o + b)
        s = multiply_add(weight[p] * rows[o + a], z, s)
        t = multiply_add(weight[p] * rows[o + a + 1], z, t)
    put(sums, at, s)
    put(sums, below, t)


@kernel
def multiply_few_columns(count, weight, rows, a, b, stride, sums, at, below):
    """`multiply_columns` for four columns, side by side: the sums for both columns a and a + 1 fit into registers."""
    s = local(real, 2 * FEW)
    for k in range(2 * FEW):
        s[k] = 0.0
    for p in range(count):
        o = p * stride
        x = weight[p] * rows[o + a]
        y = weight[p] * rows[o + a + 1]
        for k in range(FEW):
            s[k] = multiply_add(x, rows[o + b + k], s[k])
            s[FEW + k] = multiply_add(y, rows[o + b + k], s[FEW + k])
    for k in range(FEW):
        sums[at + k] = s[k]
        sums[below + k] = s[FEW + k]


@kernel
def add_rows_twice(count, weight, first, step, rows, row, stride, at, below):
    """add_rows onto the row at `at`, and with the next weight of every row onto the one at `below`, in one pass."""
    if TILES > 1:
        s = tile(rows, at)
        t = tile(rows, below)
        for p in range(count):
            w = first + p * step
            z = tile(rows, row + p * stride)
            s = multiply_add(weight[w], z, s)
            t = multiply_add(weight[w + 1], z, t)
        put(rows, at, s)
        put(rows, below, t)
    else:
        add_rows(count, weight, first, step, rows, row, stride, rows, at)
        add_rows(count, weight, first + 1, step, rows, row, stride, rows, below)


@kernel
def clear(field, at, count):
    """field[at .. at + count] := 0."""
    for k in range(at, at + count):
        field[k] = 0.0
