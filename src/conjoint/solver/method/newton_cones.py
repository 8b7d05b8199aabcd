"""Newton's method in the space of dofs where few rows, elliptic contacts among them, act on many dofs.

The Hessian is M + J' C J. C is the stiffness of the rows as they act now: a diagonal, and for a contact that slides on
the surface of its cone a block that couples its rows (see `dofs.add_cones`). With C = G G' and A = J M^-1 J',

    (M + J' C J)^-1 = M^-1 - M^-1 J' G K^-1 G' J M^-1,    K = 1 + G' A G

(Sherman, Morrison and Woodbury; Golub and Van Loan, Matrix Computations, 2013, section 2.1.4): a factorization of the
size of the rows takes the place of one of the size of the dofs. A is computed once, into `solver_H`; K and its factor
are in `solver_L`. G is a band, as wide as the largest contact has rows: `cone_root[6 r + k]` is element r, r - k.
"""

from conjoint.lang import kernel, maximum, minimum, put, sqrt, tile, where
from conjoint.lang.language.tile import TILE
from conjoint.physics.inertia_matrix.factors import solve_lower, solve_transposed
from conjoint.physics.row_storage import fullest
from conjoint.solver.cost import FIRST, LAST, NOTHING
from conjoint.solver.linear.dense import clear, padded, stride_of
from conjoint.solver.linear.half_rows import LARGEST_CONE
from conjoint.solver.linear.hessian import DENSE
from conjoint.solver.linear.project import gram, half_solve, rows_times, transpose_rows, transposed_times
from conjoint.solver.method.acceleration_space import (
    begin,
    finish,
    gradient,
    is_balanced,
    load,
    move,
    products,
    residuals,
    take,
)
from conjoint.solver.method.descent import Space

ROUNDED = 0.01
"""Roundings of an element of C, below which what is left of it counts as none."""


@kernel
def load_projected(m, d, n, count, space):
    """The rows, what they cost, and A; see `Space`."""
    size = load(m, d, n, count, space)
    transpose_rows(m, d, n, count, d.solver_JT)
    half_solve(m, d, n, d.solver_JT, d.solver_half)
    gram(m, d, n, d.solver_half, d.solver_H, stride_of(n))
    return size


@kernel
def direction(m, d, n, iteration, active):
    """solver_search := minus the gradient over the Hessian; see `Space`."""
    width = widest_contact(d, n)
    find_roots(m, d, n, width)
    for i in range(m.nv):
        d.solver_search[i] = -d.solver_grad[i]
    solve_transposed(m, d.qLD, d.solver_search, 0, 0, m.nv)
    for i in range(m.nv):
        d.solver_Mv[i] = d.solver_search[i] * d.qLDiagInv[i]
    clear(d.solver_Jv, 0, padded(n))
    rows_times(m, n, d.solver_half, d.solver_Mv, d.solver_Jv)
    # G' J M^-1 times the gradient
    for r in range(n):
        s = 0.0
        for k in range(minimum(width, n - r)):
            s = s + d.cone_root[LARGEST_CONE * (r + k) + k] * d.solver_Jv[r + k]
        d.solver_step[r] = s
    fill_system(d, n, width)
    solve_system(d, n)
    clear(d.solver_rest, n, padded(n) - n)
    for r in range(n):
        s = 0.0
        for k in range(minimum(width, r + 1)):
            s = s + d.cone_root[LARGEST_CONE * r + k] * d.solver_step[r - k]
        d.solver_rest[r] = s
    transposed_times(m, n, d.solver_half, d.solver_rest, d.solver_Mv)
    for i in range(m.nv):
        d.solver_search[i] = (d.solver_search[i] - d.solver_Mv[i]) * d.qLDiagInv[i]
    solve_lower(m, d.qLD, d.solver_search, 0, 0, m.nv)


@kernel
def widest_contact(d, n):
    """Rows of the largest contact, in any world; 1 at least."""
    width = 1
    size = 0
    for r in range(n):
        size = where(d.solver_cone[r] == FIRST, 1, size + 1)
        if d.solver_cone[r] == LAST:
            width = maximum(width, size)
    return fullest(width)


@kernel
def find_roots(m, d, n, width):
    """cone_root := G, by Cholesky's method; C has no full rank."""
    # what couples the rows of a contact is known at its last one
    across = 0.0
    along = 0.0
    for r in range(n - 1, -1, -1):
        place = d.solver_cone[r]
        across = where(place == LAST, d.cone_weight[r], where(place == NOTHING, 0.0, across))
        along = where(place == LAST, -d.cone_normal[r] * d.cone_short[r], where(place == NOTHING, 0.0, along))
        d.solver_lambda[r] = across
        d.solver_smooth[r] = along
    mu = 0.0
    for r in range(n):
        first = d.solver_cone[r] == FIRST
        axis = d.cone_axis[r]
        mu = where(first, axis, mu)
        d.solver_warm[r] = where(first, axis, -mu * axis)
    for r in range(n):
        inside = (d.solver_cone[r] != NOTHING) & (d.solver_cone[r] != FIRST)
        # the couplings of the row, before the first of the contact none
        for k in range(1, minimum(width, r + 1)):
            element = d.solver_lambda[r] * d.solver_warm[r] * d.solver_warm[r - k]
            tangential = inside & (d.solver_cone[r - k] != FIRST)
            element = element + where(tangential, d.solver_smooth[r] * d.cone_axis[r] * d.cone_axis[r - k], 0.0)
            d.cone_root[LARGEST_CONE * r + k] = where(inside, element, 0.0)
            inside = tangential
        for k in range(minimum(width, r + 1) - 1, 0, -1):
            s = d.cone_root[LARGEST_CONE * r + k]
            for j in range(k + 1, minimum(width, r + 1)):
                s = s - d.cone_root[LARGEST_CONE * r + j] * d.cone_root[LARGEST_CONE * (r - k) + j - k]
            pivot = d.cone_root[LARGEST_CONE * (r - k)]
            d.cone_root[LARGEST_CONE * r + k] = where(pivot > 0.0, s / pivot, 0.0)
        diagonal = d.solver_active_D[r] + d.solver_lambda[r] * d.solver_warm[r] * d.solver_warm[r]
        axis = where(d.solver_cone[r] == FIRST, 0.0, d.cone_axis[r])
        diagonal = diagonal + d.solver_smooth[r] * axis * axis
        s = diagonal
        for k in range(1, minimum(width, r + 1)):
            s = s - d.cone_root[LARGEST_CONE * r + k] * d.cone_root[LARGEST_CONE * r + k]
        d.cone_root[LARGEST_CONE * r] = where(s > ROUNDED * m.epsilon * diagonal, sqrt(maximum(s, 0.0)), 0.0)


@kernel
def fill_system(d, n, width):
    """solver_L := K, not above its diagonal, row a at a * stride_of(n)."""
    stride = stride_of(n)
    for a in range(n):
        used = minimum(width, n - a)
        # row a of G' A
        for block in range(0, n, TILE):
            sums = tile(0.0)
            for k in range(used):
                root = d.cone_root[LARGEST_CONE * (a + k) + k]
                sums += root * tile(d.solver_H, (a + k) * stride + block)
            put(d.solver_column, block, sums)
        for b in range(a + 1):
            s = 1.0 if a == b else 0.0
            for k in range(minimum(width, n - b)):
                s = s + d.cone_root[LARGEST_CONE * (b + k) + k] * d.solver_column[b + k]
            d.solver_L[a * stride + b] = s


@kernel
def solve_system(d, n):
    """solver_step := K^-1 times itself; K = L D L' is factorized in place, with the inverse of D in `solver_pivot`."""
    stride = stride_of(n)
    for a in range(n):
        o = a * stride
        x = d.solver_step[a]
        pivot = d.solver_L[o + a]
        for b in range(a):
            s = d.solver_L[o + b]
            for c in range(b):
                s = s - d.solver_L[o + c] * d.solver_L[b * stride + c]
            # unscaled until the row is complete
            d.solver_L[o + b] = s
        for b in range(a):
            s = d.solver_L[o + b]
            scaled = s * d.solver_pivot[b]
            pivot = pivot - s * scaled
            x = x - scaled * d.solver_step[b]
            d.solver_L[o + b] = scaled
        d.solver_pivot[a] = 1.0 / pivot
        d.solver_step[a] = x
    for a in range(n):
        d.solver_step[a] = d.solver_step[a] * d.solver_pivot[a]
    for a in range(n - 1, -1, -1):
        x = d.solver_step[a]
        for b in range(a):
            d.solver_step[b] = d.solver_step[b] - d.solver_L[a * stride + b] * x


CONES = Space(
    load_projected, residuals, take, begin, direction, products, move, gradient, finish, DENSE.row, is_balanced, DENSE
)
