"""The system of the constraint rows that act as springs, (A + R) x = b with A = J M^-1 J', for Newton's method in the
space of rows.

The rows are listed in `solver_row`. A + R is factorized into L' D^-1 L, from the last listed row to the first, into
`solver_L`: its row a holds the eliminated right-hand side in column 0 and the unscaled row of L in columns 1 .. a;
`solver_pivot` holds -1 / D. Three rows meet three columns at a time, whose nine sums stay in registers. A row that is
no spring in some world of the lanes gets the pivot 0 there: it adds nothing to others, and its x is zero.
"""

from conjoint.lang import kernel, load, maximum, multiply_add, put, vec3, where
from conjoint.solver.linear.dense import MINIMUM_PIVOT, stride_of


@kernel
def solve_springs(d, n, springs, beta, x):
    """x := solution for the first `springs` rows of `solver_row`, out of n rows."""
    stride = stride_of(springs + 1)
    # one row at a time until whole groups of three are left
    whole = springs // 3 * 3
    for a in range(springs - 1, whole - 1, -1):
        eliminate_row(d, n, a, springs, stride, beta)
    for a in range(whole - 3, -1, -3):
        eliminate_three(d, n, a, springs, stride, beta)
    for a in range(0, whole, 3):
        solve_three(d, a, stride, x)
    for a in range(whole, springs):
        solve_row(d, a, stride, x)


@kernel
def rest_of(d, a, beta):
    """Right-hand side of the listed row a; `solver_Jv` has what rows that are no springs contribute to residuals."""
    r = d.solver_row[a]
    rest = beta * d.solver_warm[r] - d.efc_R[r] * d.solver_rest[r] - d.solver_Jv[r]
    # what a world has beyond its last row may be anything
    return where(d.solver_spring[r] != 0.0, rest, 0.0)


@kernel
def elements(d, n, a, c):
    """A at the listed row a and the listed rows from c to c + 2."""
    o = d.solver_row[a] * stride_of(n)
    return vec3(
        d.solver_A[o + d.solver_row[c]], d.solver_A[o + d.solver_row[c + 1]], d.solver_A[o + d.solver_row[c + 2]]
    )


@kernel
def plus(sums, weight, row):
    """sums + weight * row, each rounded once."""
    return vec3(
        multiply_add(weight, row.x, sums.x), multiply_add(weight, row.y, sums.y), multiply_add(weight, row.z, sums.z)
    )


@kernel
def pivot_of(d, a, sum):
    """Keep and return -1 over the pivot of the listed row a; 0 in worlds where the row is no spring."""
    pivot = where(d.solver_spring[d.solver_row[a]] != 0.0, -1.0 / maximum(sum, MINIMUM_PIVOT), 0.0)
    d.solver_pivot[a] = pivot
    return pivot


@kernel
def eliminate_row(d, n, a, springs, stride, beta):
    """Row a of the factor, one of the last two."""
    o = a * stride
    r = d.solver_row[a]
    d.solver_L[o] = rest_of(d, a, beta)
    for b in range(a + 1):
        d.solver_L[o + 1 + b] = d.solver_A[r * stride_of(n) + d.solver_row[b]]
    sum = d.solver_L[o + 1 + a] + d.efc_R[r]
    for p in range(a + 1, springs):
        below = d.solver_L[p * stride + 1 + a]
        weight = below * d.solver_pivot[p]
        for c in range(a + 1):
            d.solver_L[o + c] = multiply_add(weight, d.solver_L[p * stride + c], d.solver_L[o + c])
        sum = multiply_add(weight, below, sum)
    pivot_of(d, a, sum)


@kernel
def eliminate_three(d, n, a, springs, stride, beta):
    """Rows a, a + 1 and a + 2 of the factor."""
    # right-hand sides, and the block on the diagonal: one whole column, then what is below the diagonal
    rest = vec3(rest_of(d, a, beta), rest_of(d, a + 1, beta), rest_of(d, a + 2, beta))
    first = elements(d, n, a, a)
    second = elements(d, n, a + 1, a)
    third = elements(d, n, a + 2, a)
    column = vec3(first.x + d.efc_R[d.solver_row[a]], second.x, third.x)
    s11 = second.y + d.efc_R[d.solver_row[a + 1]]
    s21 = third.y
    s22 = third.z + d.efc_R[d.solver_row[a + 2]]
    # the rows below come in their order of elimination: the newest pivot, which is still being divided by, last
    for p in range(springs - 1, a + 2, -1):
        below = load(vec3, d.solver_L, p * stride + 1 + a)
        weight = d.solver_pivot[p] * below
        put(d.solver_weight, 3 * p, weight)
        rest = plus(rest, d.solver_L[p * stride], weight)
        column = plus(column, below.x, weight)
        s11 = multiply_add(weight.y, below.y, s11)
        s21 = multiply_add(weight.z, below.y, s21)
        s22 = multiply_add(weight.z, below.z, s22)
    # each of the three for those before it
    pivot = pivot_of(d, a + 2, s22)
    w20 = column.z * pivot
    w21 = s21 * pivot
    pivot = pivot_of(d, a + 1, multiply_add(w21, s21, s11))
    s10 = multiply_add(w21, column.z, column.y)
    w10 = s10 * pivot
    pivot_of(d, a, multiply_add(w10, s10, multiply_add(w20, column.z, column.x)))
    y = multiply_add(w21, rest.z, rest.y)
    o = a * stride
    d.solver_L[o] = multiply_add(w10, y, multiply_add(w20, rest.z, rest.x))
    d.solver_L[o + stride] = y
    d.solver_L[o + 2 * stride] = rest.z
    d.solver_L[o + stride + 1 + a] = s10
    d.solver_L[o + 2 * stride + 1 + a] = column.z
    d.solver_L[o + 2 * stride + 2 + a] = s21
    for c in range(0, a, 3):
        eliminate_block(d, n, a, c, springs, stride, w10, w20, w21)


@kernel
def eliminate_block(d, n, a, c, springs, stride, w10, w20, w21):
    """Columns c, c + 1 and c + 2 of rows a, a + 1 and a + 2, whose weights for one another are given."""
    first = elements(d, n, a, c)
    second = elements(d, n, a + 1, c)
    third = elements(d, n, a + 2, c)
    for p in range(springs - 1, a + 2, -1):
        row = load(vec3, d.solver_L, p * stride + 1 + c)
        weight = load(vec3, d.solver_weight, 3 * p)
        first = plus(first, weight.x, row)
        second = plus(second, weight.y, row)
        third = plus(third, weight.z, row)
    second = plus(second, w21, third)
    o = a * stride + 1 + c
    put(d.solver_L, o, plus(plus(first, w20, third), w10, second))
    put(d.solver_L, o + stride, second)
    put(d.solver_L, o + 2 * stride, third)


@kernel
def solve_row(d, a, stride, x):
    """x of row a, from those of the rows before it."""
    o = a * stride + 1
    s = -d.solver_L[o - 1]
    for b in range(a):
        s = s + d.solver_L[o + b] * x[b]
    x[a] = s * d.solver_pivot[a]


@kernel
def solve_three(d, a, stride, x):
    """x of rows a, a + 1 and a + 2."""
    o = a * stride
    p = o + stride
    q = p + stride
    s = vec3(-d.solver_L[o], -d.solver_L[p], -d.solver_L[q])
    for b in range(1, a + 1):
        s = s + x[b - 1] * vec3(d.solver_L[o + b], d.solver_L[p + b], d.solver_L[q + b])
    first = s.x * d.solver_pivot[a]
    second = (s.y + d.solver_L[p + 1 + a] * first) * d.solver_pivot[a + 1]
    third = (s.z + d.solver_L[q + 1 + a] * first + d.solver_L[q + 2 + a] * second) * d.solver_pivot[a + 2]
    put(x, a, vec3(first, second, third))
