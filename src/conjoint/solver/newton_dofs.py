"""Newton's method in the space of dofs, for problems with more rows than dofs (Computation chapter, Newton).

The Hessian is the inertia matrix plus the outer products of the scaled rows that act as springs (see `rows`).
"""

from conjoint.lang import (
    STRIP,
    abs,
    any,
    kernel,
    lanes_max,
    maximum,
    multiply_add,
    put,
    sqrt,
    strip,
    tile,
    total,
    where,
)
from conjoint.lang.algebra import MINIMUM_VALUE
from conjoint.physics.inertia import mul_M
from conjoint.schema.enums import mjtDisableBit
from conjoint.solver.blocks import clear, padded, stride_of
from conjoint.solver.hessian import (
    add_block,
    add_outer_product,
    begin_hessian,
    block_count,
    factorize_hessian,
    substitute_hessian,
)
from conjoint.solver.linesearch import line_search
from conjoint.solver.newton_rows import ROUNDINGS
from conjoint.solver.rows import (
    NO_SOLUTION,
    UNBOUNDED,
    bound_rows,
    clipped,
    cost_drop,
    is_sound,
    is_spring,
    rows_cost,
    store_forces,
    store_states,
)
from conjoint.solver.statistics import record, scale_of


@kernel
def newton_dofs(m, d, count):
    """Solve for qacc, efc_force and qfrc_constraint in the worlds where `count`, their number of rows, is not zero."""
    n = lanes_max(count)
    bound_rows(d, n, count)
    sound = is_sound(m, d, scale_rows(m, d, n, count))
    begin_hessian(m, d)
    start(m, d, n, count)
    active = sound & (count > 0)
    iterations = where(active, 0, 0)
    scale = scale_of(m)
    square, size = update(m, d, n)
    for iteration in range(m.opt.iterations):
        factorize_hessian(m, d)
        substitute_hessian(m, d)
        slope, curvature, whole, noise, length = search_products(m, d, n)
        active = active & (length > MINIMUM_VALUE) & (length < UNBOUNDED) & (-whole > ROUNDINGS * m.epsilon * noise)
        tolerance = maximum(m.opt.tolerance * m.opt.ls_tolerance * length / scale, 4.0 * m.epsilon * noise)
        alpha, final, evaluations = line_search(m, d, n, slope, curvature, tolerance, active)
        active = active & (alpha > 0.0)
        if not any(active):
            break
        alpha = where(active, alpha, 0.0)
        gain = move(m, d, n, alpha, active) - alpha * (slope + 0.5 * alpha * curvature)
        square, size = update(m, d, n)
        improvement = gain * scale
        gradient = sqrt(square) * scale
        record(m, d, n, count, iteration, active, improvement, gradient, final * scale / length, evaluations)
        iterations = iterations + where(active, 1, 0)
        active = active & (improvement >= m.opt.tolerance) & (gradient >= m.opt.tolerance)
        active = active & (square > m.epsilon * m.epsilon * size)
        if not any(active):
            break
    d.solver_niter[0] = where(count > 0, iterations, d.solver_niter[0])
    store_forces(d, n, count)
    for i in range(m.nv):
        # what the gradient holds besides the inertial part
        push = (d.solver_Ma[i] - d.qfrc_smooth[i]) - d.solver_grad[i]
        d.qfrc_constraint[i] = where(count > 0, push, d.qfrc_constraint[i])
        d.qacc[i] = where(sound | (count == 0), d.qacc[i], NO_SOLUTION)


@kernel
def scale_rows(m, d, n, count):
    """solver_rows := efc_J with scaled rows, from column 1 on, zero elsewhere; solver_block := the blocks that are
    not zero. Returns the sum of what was read."""
    stride = stride_of(m.nv + 1)
    blocks = block_count(m)
    size = 0.0
    for r in range(n):
        o = r * stride
        live = r < count
        scale = d.solver_scale[r]
        d.solver_rows[o] = 0.0
        for i in range(m.nv):
            scaled = where(live, d.efc_J[r * m.nv + i] * scale, 0.0)
            size = size + abs(scaled)
            d.solver_rows[o + 1 + i] = scaled
        clear(d.solver_rows, o + m.nv + 1, stride - m.nv - 1)
        used = 0
        for block in range(blocks):
            row = tile(d.solver_rows, o + 8 * block)
            if any(total(abs(row)) != 0.0):
                d.solver_block[r * blocks + used] = block
                used += 1
        d.solver_nblock[r] = used
        d.solver_mask[r] = 0.0
    return size


@kernel
def times_rows(m, d, n, x, result):
    """result := J x for scaled rows."""
    stride = stride_of(m.nv + 1)
    blocks = block_count(m)
    # aligned with the columns
    clear(d.solver_column, 0, stride)
    for i in range(m.nv):
        d.solver_column[1 + i] = x[i] + 0.0
    for r in range(n):
        s = tile(0.0)
        for p in range(lanes_max(d.solver_nblock[r])):
            c = 8 * lanes_max(d.solver_block[r * blocks + p])
            s = multiply_add(tile(d.solver_rows, r * stride + c), tile(d.solver_column, c), s)
        result[r] = total(s)
    clear(result, n, padded(n) - n)


@kernel
def start(m, d, n, count):
    """Start from qacc_warmstart where it costs less than qacc_smooth: qacc, M qacc and the residuals."""
    times_rows(m, d, n, d.qacc_smooth, d.solver_jar)
    for r in range(padded(n)):
        live = r < count
        d.solver_jar[r] = d.solver_jar[r] - where(live, d.efc_aref[r] * d.solver_scale[r], 0.0)
        if r < n:
            d.efc_b[r] = where(live, d.solver_jar[r] * d.solver_scale[r] * d.efc_R[r], d.efc_b[r])
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
            live = r < count
            d.solver_Jv[r] = d.solver_Jv[r] - where(live, d.efc_aref[r] * d.solver_scale[r], 0.0)
        cheaper = rows_cost(d, n, d.solver_Jv) + 0.5 * inertial <= rows_cost(d, n, d.solver_jar)
        cheaper = cheaper & (count > 0)
        for r in range(padded(n)):
            d.solver_jar[r] = where(cheaper, d.solver_Jv[r], d.solver_jar[r])
        for i in range(m.nv):
            d.qacc[i] = where(cheaper, d.qacc_warmstart[i], d.qacc[i])
            d.solver_Ma[i] = where(cheaper, d.solver_Mv[i], d.solver_Ma[i])
    store_states(d, n, count)


@kernel
def update(m, d, n):
    """Gradient at the current residuals, and Hessian with the rows that are springs now.

    Returns:
        squared length of the gradient; squared length of the forces that cancel in it.
    """
    stride = stride_of(m.nv + 1)
    blocks = block_count(m)
    # sum of forces, aligned with the columns
    clear(d.solver_column, 0, stride)
    for r in range(n):
        y = d.solver_jar[r]
        s = clipped(d, r, y)
        if any(s != 0.0):
            for p in range(lanes_max(d.solver_nblock[r])):
                block = 8 * lanes_max(d.solver_block[r * blocks + p])
                add_block(s, d.solver_rows, r * stride + block, d.solver_column, block)
        mask = where(is_spring(d, r, y), 1.0, 0.0)
        change = mask - d.solver_mask[r]
        if any(change != 0.0):
            d.solver_mask[r] = mask
            add_outer_product(m, d, r, change)
    square = 0.0
    size = 0.0
    for i in range(m.nv):
        force = d.solver_Ma[i] - d.qfrc_smooth[i]
        g = force + d.solver_column[1 + i]
        d.solver_grad[i] = g
        square = square + g * g
        size = size + d.solver_Ma[i] * d.solver_Ma[i] + d.qfrc_smooth[i] * d.qfrc_smooth[i]
    return square, size


@kernel
def search_products(m, d, n):
    """M and J times the search direction, and derivatives of the cost along it, at step 0.

    Returns:
        first and second derivative of the inertial part; first derivative of the cost; what rounding may contribute to
        it, over the relative rounding error; length of the direction.
    """
    mul_M(m, d, d.solver_Mv, d.solver_search)
    times_rows(m, d, n, d.solver_search, d.solver_Jv)
    slope = 0.0
    curvature = 0.0
    whole = 0.0
    noise = 0.0
    square = 0.0
    for i in range(m.nv):
        x = d.solver_search[i]
        force = d.solver_Ma[i] - d.qfrc_smooth[i]
        slope = slope + x * force
        curvature = curvature + x * d.solver_Mv[i]
        whole = whole + x * d.solver_grad[i]
        noise = noise + abs(x) * (abs(d.solver_Ma[i]) + abs(d.qfrc_smooth[i]))
        square = square + x * x
    return slope, curvature, whole, noise, sqrt(square)


@kernel
def move(m, d, n, alpha, active):
    """Take the step in the active worlds; returns by how much the rows' cost drops."""
    gain = strip(0.0)
    for r in range(0, n, STRIP):
        y = strip(d.solver_jar, r)
        moved = where(active, y + alpha * strip(d.solver_Jv, r), y)
        gain = gain + cost_drop(d, r, y, moved)
        put(d.solver_jar, r, moved)
    for i in range(m.nv):
        d.qacc[i] = where(active, d.qacc[i] + alpha * d.solver_search[i], d.qacc[i])
        d.solver_Ma[i] = where(active, d.solver_Ma[i] + alpha * d.solver_Mv[i], d.solver_Ma[i])
    return total(gain)
