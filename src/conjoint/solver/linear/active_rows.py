"""The system of the active rows, (A + R) x = b with A = J M^-1 J', for Newton's method in the space of rows.

Active are the rows whose force follows the residual; they are listed in `solver_row`. A + R is factorized into
L' D^-1 L, from the last listed row to the first, into `solver_L`: its row a holds the eliminated right-hand side in
column 0 and the unscaled row of L in columns 1 .. a + 1; `solver_pivot` holds -1 / D. A row that is not active in some
world of the lanes gets the pivot 0 there: it adds nothing to others, and its x is zero.
"""

from conjoint.lang import PANEL, jam, kernel, maximum, multiply_add, panel, put, where
from conjoint.solver.linear.dense import MINIMUM_PIVOT, stride_of


@kernel
def solve_active(d, n, active, beta, x):
    """x := solution for the first `active` rows of `solver_row`, out of n rows."""
    stride = stride_of(active + 1)
    a = active - 1
    while a >= 0:
        # two rows at a time: what is below both meets both
        rows = 2 if a > 0 else 1
        for r in range(a, a - rows, -1):
            begin_row(d, n, r, stride, beta)
        for p in range(a + 1, active):
            for r in range(a, a - rows, -1):
                d.solver_weight[2 * p + a - r] = d.solver_L[p * stride + 1 + r] * d.solver_pivot[p]
        for c in range(0, a + 2, PANEL):
            for k in jam(range(rows)):
                o = (a - k) * stride + c
                sums = panel(d.solver_L, o)
                for p in range(active - 1, a, -1):
                    sums = multiply_add(d.solver_weight[2 * p + k], panel(d.solver_L, p * stride + c), sums)
                put(d.solver_L, o, sums)
        finish_row(d, a, stride)
        if rows == 2:
            weight = d.solver_L[a * stride + a] * d.solver_pivot[a]
            for c in range(0, a + 1, PANEL):
                o = (a - 1) * stride + c
                put(d.solver_L, o, multiply_add(weight, panel(d.solver_L, o + stride), panel(d.solver_L, o)))
            finish_row(d, a - 1, stride)
        a -= rows
    for a in jam(range(active)):
        sum = -d.solver_L[a * stride]
        for b in range(a):
            sum = sum + d.solver_L[a * stride + 1 + b] * x[b]
        x[a] = sum * d.solver_pivot[a]


@kernel
def begin_row(d, n, a, stride, beta):
    """The right-hand side and the row of A + R of the listed row a.

    `solver_Jv` has what rows that are not active contribute to residuals.
    """
    r = d.solver_row[a]
    o = a * stride
    rest = beta * d.solver_warm[r] - d.efc_R[r] * d.solver_rest[r] - d.solver_Jv[r]
    # what a world has beyond its last row may be anything
    d.solver_L[o] = where(d.solver_active_D[r] != 0.0, rest, 0.0)
    for b in range(a + 1):
        d.solver_L[o + 1 + b] = d.solver_A[r * stride_of(n) + d.solver_row[b]]
    d.solver_L[o + 1 + a] = d.solver_L[o + 1 + a] + d.efc_R[r]


@kernel
def finish_row(d, a, stride):
    """solver_pivot of the listed row a; 0 in worlds where the row is not active."""
    pivot = -1.0 / maximum(d.solver_L[a * stride + 1 + a], MINIMUM_PIVOT)
    d.solver_pivot[a] = where(d.solver_active_D[d.solver_row[a]] != 0.0, pivot, 0.0)
