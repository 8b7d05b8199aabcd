"""The dual problem: forces f of the rows that minimise 1/2 f' (A + R) f + f' b within what each may be (Computation
chapter, Dual problem). What projected Gauss-Seidel and the noslip solver share.
"""

from conjoint.lang import kernel, maximum, minimum, sqrt, where
from conjoint.physics.constraint.jacobian import transposed_times
from conjoint.physics.inertia_matrix.factors import solve_M
from conjoint.solver.cost import CONE, FIRST, LAST, LINEARNEG, LINEARPOS, NOTHING, QUADRATIC, SATISFIED
from conjoint.solver.linear.project import dof_dot
from conjoint.solver.statistics import store_dual

LARGEST_CONE = 6
"""Rows of a contact with all kinds of friction."""

ROUNDING = 1e-10
"""An update that raises the cost by more than this is undone."""


@kernel
def residual_of(d, r, n):
    """Residual of row r at efc_force: the derivative of the dual cost."""
    return d.efc_b[r] + dof_dot(n, d.efc_AR, r * d.nefc_dual, d.efc_force)


@kernel
def limited(d, r, force):
    """Force of row r within what its kind admits: any, at most the friction loss, not negative."""
    loss = d.efc_frictionloss[r]
    dry = minimum(maximum(force, -loss), loss)
    return where(r < d.ne, force, where(r < d.ne + d.nf, dry, maximum(force, 0.0)))


@kernel(per_world=True)
def load_block(d, r, size, A, old):
    """Block of efc_AR, and forces, of the rows from r on, `size` of them."""
    for i in range(size):
        old[i] = d.efc_force[r + i]
        for j in range(size):
            A[i * size + j] = d.efc_AR[(r + i) * d.nefc_dual + r + j]


@kernel(per_world=True)
def keep_if_cheaper(d, r, size, A, residual, old):
    """By how much the cost drops from the forces `old` to those of the rows from r on, which are undone if it rises."""
    cost = 0.0
    for i in range(size):
        s = 0.0
        for j in range(size):
            s = s + A[i * size + j] * (d.efc_force[r + j] - old[j])
        cost = cost + (d.efc_force[r + i] - old[i]) * (0.5 * s + residual[i])
    if cost > ROUNDING:
        for i in range(size):
            d.efc_force[r + i] = old[i]
        cost = 0.0
    return -cost


@kernel(per_world=True)
def size_of_cone(d, r):
    """Number of rows of the elliptic contact that begins at row r."""
    size = 1
    while d.solver_cone[r + size - 1] != LAST:
        size += 1
    return size


@kernel
def state_of_force(d, r, force):
    """State of row r (mjtConstraintState), which is of no cone, with this force."""
    loss = d.efc_frictionloss[r]
    dry = where(force <= -loss, LINEARPOS, where(force >= loss, LINEARNEG, QUADRATIC))
    single = where(force <= 0.0, SATISFIED, QUADRATIC)
    return where(r < d.ne, QUADRATIC, where(r < d.ne + d.nf, dry, single))


@kernel(per_world=True)
def dual_states(d, n):
    """Store efc_state of the forces; the numbers of rows that push, and of rows that changed.

    A contact inside its cone counts as satisfied here, as officially.
    """
    pushing = 0
    changed = 0
    state = SATISFIED
    for r in range(n):
        if d.solver_cone[r] == FIRST:
            state = cone_state(d, r)
        elif d.solver_cone[r] == NOTHING:
            state = state_of_force(d, r, d.efc_force[r])
        if state != SATISFIED:
            pushing += 1
        if state != d.efc_state[r]:
            changed += 1
        d.efc_state[r] = state
    return pushing, changed


@kernel(per_world=True)
def cone_state(d, r):
    """State of the contact that begins at row r, in coordinates in which the cone of its forces is circular."""
    mu = d.cone_scale[r]
    square = 0.0
    for j in range(1, size_of_cone(d, r)):
        tangential = d.efc_force[r + j] / d.cone_scale[r + j]
        square = square + tangential * tangential
    normal = d.efc_force[r] / mu
    if mu * normal >= sqrt(square):
        return SATISFIED
    if normal + mu * sqrt(square) <= 0.0:
        return QUADRATIC
    return CONE


@kernel(per_world=True)
def record_sweep(m, d, iteration, gain):
    """Store the statistics of a sweep that made the cost drop by `gain`, scaled."""
    pushing, changed = dual_states(d, d.nefc)
    store_dual(m, d, iteration, True, gain, 0.0, pushing, changed)


@kernel
def motion_of_forces(m, d, J):
    """qfrc_constraint and qacc from efc_force."""
    transposed_times(m, d, J, d.qfrc_constraint, d.efc_force)
    for i in range(m.nv):
        d.qacc[i] = d.qfrc_constraint[i]
    solve_M(m, d, d.qacc)
    for i in range(m.nv):
        d.qacc[i] = where(d.nefc > 0, d.qacc[i] + d.qacc_smooth[i], d.qacc_smooth[i])
