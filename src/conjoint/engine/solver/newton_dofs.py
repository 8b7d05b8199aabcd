"""Newton's method in the space of dofs, for problems with more rows than dofs (Computation chapter, Newton).

The Hessian is the inertia matrix plus the outer products of the scaled rows that act as springs (see `rows`).
"""

from conjoint.lang import abs, any, kernel, maximum, sqrt, where
from conjoint.lang.algebra import MINIMUM_VALUE
from conjoint.schema.enums import mjtDisableBit

from ..inertia import mul_M
from .blocks import BLOCK, back_substitute, factorize, padded, stride_of
from .linesearch import line_search
from .rows import bound_rows, clipped, cost_drop, is_spring, rows_cost, store_forces, store_states
from .newton_rows import ROUNDINGS
from .statistics import record, scale_of


@kernel
def newton_dofs(m, d, n):
    """Solve for qacc, efc_force and qfrc_constraint; n is the largest number of rows of any world."""
    bound_rows(d, n)
    scale_rows(m, d, n)
    dense_inertia(m, d)
    start(m, d, n)
    active = d.nefc > 0
    iterations = where(active, 0, 0)
    scale = scale_of(m)
    stride = stride_of(m.nv + 1)
    count, square = update(m, d, n)
    for iteration in range(m.opt.iterations):
        factorize(d, m.nv, stride, count)
        back_substitute(d, m.nv, stride, d.solver_search)
        slope, curvature, total, noise, length = search_products(m, d, n)
        active = active & (length > MINIMUM_VALUE) & (-total > ROUNDINGS * m.epsilon * noise)
        tolerance = maximum(m.opt.tolerance * m.opt.ls_tolerance * length / scale, 4.0 * m.epsilon * noise)
        alpha, final, evaluations = line_search(m, d, n, slope, curvature, tolerance, active)
        active = active & (alpha > 0.0)
        if not any(active):
            break
        alpha = where(active, alpha, 0.0)
        gain = move(m, d, n, alpha) - alpha * (slope + 0.5 * alpha * curvature)
        count, square = update(m, d, n)
        improvement = gain * scale
        gradient = sqrt(square) * scale
        record(m, d, n, iteration, active, improvement, gradient, final * scale / length, evaluations)
        iterations = iterations + where(active, 1, 0)
        active = active & (improvement >= m.opt.tolerance) & (gradient >= m.opt.tolerance)
        if not any(active):
            break
    d.solver_niter[0] = iterations
    store_forces(d, n)
    # what the gradient holds besides the inertial part
    for i in range(m.nv):
        d.qfrc_constraint[i] = (d.solver_Ma[i] - d.qfrc_smooth[i]) - d.solver_grad[i]


@kernel
def scale_rows(m, d, n):
    """solver_rows := efc_J with scaled rows; column 0, and the columns beyond the last dof, are zero."""
    stride = stride_of(m.nv + 1)
    for r in range(padded(n)):
        o = r * stride
        live = r < d.nefc
        scale = d.solver_scale[r]
        d.solver_rows[o] = 0.0
        if r < n:
            for i in range(m.nv):
                d.solver_rows[o + 1 + i] = where(live, d.efc_J[r * m.nv + i] * scale, 0.0)
        else:
            for i in range(m.nv):
                d.solver_rows[o + 1 + i] = 0.0
        for i in range(m.nv + 1, stride):
            d.solver_rows[o + i] = 0.0


@kernel
def dense_inertia(m, d):
    """solver_H := lower triangle of M, from column 1 on."""
    stride = stride_of(m.nv + 1)
    for i in range(m.nv):
        o = i * stride
        for c in range(padded(i + 2)):
            d.solver_H[o + c] = 0.0
        row = m.M_rowadr[i]
        for a in range(row, row + m.M_rownnz[i]):
            d.solver_H[o + 1 + m.M_colind[a]] = d.M[a] + 0.0


@kernel
def row_dot(d, o, count, x):
    """Product of the row at o of `solver_rows` with the vector in field x, whose last block is zero beyond its end."""
    s = 0.0
    for block in range(0, count, BLOCK):
        for c in range(block, block + BLOCK):
            s = s + d.solver_rows[o + c] * x[c]
    return s


@kernel
def times_rows(m, d, n, x, result):
    """result := J x for scaled rows, through a padded copy of x."""
    stride = stride_of(m.nv + 1)
    d.solver_column[0] = 0.0
    for i in range(m.nv):
        d.solver_column[1 + i] = x[i] + 0.0
    for i in range(m.nv + 1, stride):
        d.solver_column[i] = 0.0
    for r in range(padded(n)):
        result[r] = row_dot(d, r * stride, m.nv + 1, d.solver_column)


@kernel
def start(m, d, n):
    """Start from qacc_warmstart where it costs less than qacc_smooth: qacc, M qacc and the residuals."""
    times_rows(m, d, n, d.qacc_smooth, d.solver_jar)
    for r in range(padded(n)):
        live = r < d.nefc
        d.solver_jar[r] = d.solver_jar[r] - where(live, d.efc_aref[r] * d.solver_scale[r], 0.0)
        if r < n:
            d.efc_b[r] = d.solver_jar[r] * d.solver_scale[r] * d.efc_R[r]
    for i in range(m.nv):
        d.qacc[i] = d.qacc_smooth[i] + 0.0
        d.solver_Ma[i] = d.qfrc_smooth[i] + 0.0
    if (m.opt.disableflags & mjtDisableBit.mjDSBL_WARMSTART) == 0:
        times_rows(m, d, n, d.qacc_warmstart, d.solver_Jv)
        mul_M(m, d, d.solver_Mv, d.qacc_warmstart)
        inertial = 0.0
        for i in range(m.nv):
            inertial = inertial + (d.solver_Mv[i] - d.qfrc_smooth[i]) * (d.qacc_warmstart[i] - d.qacc_smooth[i])
        for r in range(padded(n)):
            live = r < d.nefc
            d.solver_Jv[r] = d.solver_Jv[r] - where(live, d.efc_aref[r] * d.solver_scale[r], 0.0)
        cheaper = rows_cost(d, n, d.solver_Jv) + 0.5 * inertial <= rows_cost(d, n, d.solver_jar)
        cheaper = cheaper & (d.nefc > 0)
        for r in range(padded(n)):
            d.solver_jar[r] = where(cheaper, d.solver_Jv[r], d.solver_jar[r])
        for i in range(m.nv):
            d.qacc[i] = where(cheaper, d.qacc_warmstart[i], d.qacc[i])
            d.solver_Ma[i] = where(cheaper, d.solver_Mv[i], d.solver_Ma[i])
    store_states(d, n)


@kernel
def update(m, d, n):
    """Gradient and springs at the current residuals.

    Returns:
        number of springs in `solver_spring`; squared length of the gradient.
    """
    stride = stride_of(m.nv + 1)
    for i in range(m.nv):
        d.solver_grad[i] = d.solver_Ma[i] - d.qfrc_smooth[i]
    count = 0
    for r in range(n):
        y = d.solver_jar[r]
        s = clipped(d, r, y)
        spring = is_spring(d, r, y)
        o = r * stride
        if any(s != 0.0):
            for i in range(m.nv):
                d.solver_grad[i] = d.solver_grad[i] + s * d.solver_rows[o + 1 + i]
        if any(spring):
            mask = where(spring, 1.0, 0.0)
            for c in range(padded(m.nv + 1)):
                d.solver_spring[count * stride + c] = mask * d.solver_rows[o + c]
            count += 1
    square = 0.0
    for i in range(m.nv):
        g = d.solver_grad[i]
        square = square + g * g
        d.solver_H[i * stride] = -g
    return count, square


@kernel
def search_products(m, d, n):
    """M and J times the search direction, and derivatives of the cost along it, at step 0.

    Returns:
        first and second derivative of the inertial part; first derivative of the cost; what rounding may contribute to it,
        over the relative rounding error; length of the direction.
    """
    mul_M(m, d, d.solver_Mv, d.solver_search)
    times_rows(m, d, n, d.solver_search, d.solver_Jv)
    slope = 0.0
    curvature = 0.0
    total = 0.0
    noise = 0.0
    square = 0.0
    for i in range(m.nv):
        x = d.solver_search[i]
        force = d.solver_Ma[i] - d.qfrc_smooth[i]
        slope = slope + x * force
        curvature = curvature + x * d.solver_Mv[i]
        total = total + x * d.solver_grad[i]
        noise = noise + abs(x) * (abs(force) + abs(d.solver_grad[i]))
        square = square + x * x
    return slope, curvature, total, noise, sqrt(square)


@kernel
def move(m, d, n, alpha):
    """Take the step; returns by how much the rows' cost drops."""
    gain = 0.0
    for block in range(0, n, BLOCK):
        for r in range(block, block + BLOCK):
            y = d.solver_jar[r]
            moved = y + alpha * d.solver_Jv[r]
            gain = gain + cost_drop(d, r, y, moved)
            d.solver_jar[r] = moved
    for i in range(m.nv):
        d.qacc[i] = d.qacc[i] + alpha * d.solver_search[i]
        d.solver_Ma[i] = d.solver_Ma[i] + alpha * d.solver_Mv[i]
    return gain
