"""The dual problem: forces f of the rows that minimise 1/2 f' (A + R) f + f' b within what each may be (Computation
chapter, Dual problem). What projected Gauss-Seidel and the noslip solver share.
"""

from dataclasses import dataclass, replace

from conjoint.lang import Group, Kernel, kernel, maximum, minimum, sqrt, where
from conjoint.lang.language.tile import TILE
from conjoint.physics.constraint.jacobian import transposed_times
from conjoint.physics.inertia_matrix.factors import solve_M
from conjoint.physics.row_storage import fullest, is_nonzero
from conjoint.solver.cost import (
    CONE,
    FIRST,
    LAST,
    LINEARNEG,
    LINEARPOS,
    NOTHING,
    QUADRATIC,
    SATISFIED,
    elliptic,
)
from conjoint.solver.linear.dense import add_block, clear, padded
from conjoint.solver.linear.half_rows import HALF_ROWS, LARGEST_CONE, HalfRows
from conjoint.solver.linear.project import dof_dot
from conjoint.solver.statistics import noted_scale, scale_of, store, store_counts

ROUNDING = 1e-10
"""An update that raises the cost by more than this is undone."""


@dataclass(frozen=True)
class DualMatrix(Group):
    """A + R = J M^-1 J' + R as a method has it.

    Attributes:
        rows: half a solve of the rows; None: the matrix is stored in `efc_AR`, and residuals are kept.
        scale: (m, d) what the drop of the cost is multiplied by to be compared with the tolerance.
        by_rules: whether rules of newer versions may say how it is swept over.
    """

    rows: HalfRows | None = None
    scale: Kernel = scale_of
    by_rules: bool = False


STORED = DualMatrix()
IN_ROWS = DualMatrix(HALF_ROWS[0]), DualMatrix(HALF_ROWS[1])
NEWER_IN_ROWS = tuple(replace(matrix, scale=noted_scale, by_rules=True) for matrix in IN_ROWS)
"""The matrix by rows, if those of J are dense, and if they are compressed; NEWER: with rules of newer versions."""


@kernel
def compute_residuals(m, d, n, count, matrix):
    """What residuals are known by, for the forces as they are, of `count` rows in each world."""
    if matrix.rows:
        clear(d.dual_motion, 0, padded(m.nv + 1))
        for r in range(n):
            matrix.rows.add(m, d, r, where(r < count, d.efc_force[r], 0.0), d.dual_motion)
    else:
        for r in range(n):
            d.dual_residual[r] = d.efc_b[r] + dof_dot(n, d.efc_AR, r * d.nefc_dual, d.efc_force)
        clear(d.dual_residual, n, padded(n) - n)


@kernel
def residual_of(m, d, r, matrix):
    """Residual of row r at efc_force: the derivative of the dual cost."""
    if matrix.rows:
        return d.efc_b[r] + d.efc_R[r] * d.efc_force[r] + matrix.rows.times(m, d, r, d.dual_motion)
    return d.dual_residual[r]


@kernel
def change_force(m, d, r, n, change, matrix):
    """Let residuals follow a change of the force of row r, which is made already."""
    if is_nonzero(change):
        if matrix.rows:
            matrix.rows.add(m, d, r, change, d.dual_motion)
        else:
            for block in range(0, n, TILE):
                add_block(change, d.efc_AR, r * d.nefc_dual + block, d.dual_residual, block)


@kernel
def element_of(d, r, j, matrix):
    """Element of A + R between row r and row r + j of its contact."""
    if matrix.rows:
        element = d.dual_block[LARGEST_CONE * r + j]
        return element + d.efc_R[r] if j == 0 else element
    return d.efc_AR[r * (d.nefc_dual + 1) + j]


@kernel
def limited(d, r, force):
    """Force of row r within what its kind admits: any, at most the friction loss, not negative."""
    loss = d.efc_frictionloss[r]
    dry = minimum(maximum(force, -loss), loss)
    return where(r < d.ne, force, where(r < d.ne + d.nf, dry, maximum(force, 0.0)))


@kernel
def load_block(d, r, size, A, old, matrix):
    """Block of A + R, and forces, of the rows from r on, `size` of them; rows of A are LARGEST_CONE apart."""
    for i in range(size):
        old[i] = d.efc_force[r + i]
        for j in range(size - i):
            element = element_of(d, r + i, j, matrix)
            A[i * LARGEST_CONE + i + j] = element
            A[(i + j) * LARGEST_CONE + i] = element


@kernel
def keep_if_cheaper(d, r, rows, size, live, A, residual, old):
    """By how much the cost drops from the forces `old` to those of the rows from r on, which are undone if it rises.

    Args:
        d: data.
        r: the first row.
        rows, size: how many in the largest block, and in each world where it is `live`.
        live: worlds that have a block here.
        A, residual, old: block of the matrix, residuals and forces before.
    """
    cost = 0.0
    for i in range(rows):
        s = 0.0
        for j in range(rows):
            s = s + where(live & (j < size), A[i * LARGEST_CONE + j] * (d.efc_force[r + j] - old[j]), 0.0)
        cost = cost + where(live & (i < size), (d.efc_force[r + i] - old[i]) * (0.5 * s + residual[i]), 0.0)
    if cost > ROUNDING:
        for i in range(rows):
            if i < size:
                d.efc_force[r + i] = old[i]
        return 0.0
    return -cost


@kernel
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


@kernel
def dual_states(m, d, count):
    """Store efc_state of the forces of the first `count` rows; the numbers of rows that push, and of rows that changed.

    A contact inside its cone counts as satisfied here, as officially.
    """
    pushing = 0
    changed = 0
    if elliptic(m):
        find_cone_states(d, fullest(count))
    for r in range(count):
        state = state_of_force(d, r, d.efc_force[r])
        if elliptic(m):
            state = where(d.solver_cone[r] == NOTHING, state, d.cone_state[r])
        pushing += where(state != SATISFIED, 1, 0)
        changed += where(state != d.efc_state[r], 1, 0)
        d.efc_state[r] = state
    return pushing, changed


@kernel
def record_sweep(m, d, count, iteration, improvement):
    """Store the statistics of a sweep over the first `count` rows, if there is room for it."""
    if iteration < m.nsolverstat:
        pushing, changed = dual_states(m, d, count)
        store_counts(d, iteration, pushing, changed, 0)
        store(d, iteration, improvement, 0.0, 0.0, 0)


@kernel
def find_cone_states(d, n):
    """cone_state of the rows of elliptic contacts, in coordinates in which the cones of their forces are circular."""
    mu = 1.0
    normal = 0.0
    square = 0.0
    for r in range(n):
        first = d.solver_cone[r] == FIRST
        scaled = d.efc_force[r] / where(d.solver_cone[r] == NOTHING, 1.0, d.cone_scale[r])
        mu = where(first, d.cone_scale[r], mu)
        normal = where(first, scaled, normal)
        square = where(first, 0.0, square + scaled * scaled)
        size = sqrt(square)
        state = where(normal + mu * size <= 0.0, QUADRATIC, CONE)
        d.cone_state[r] = where(mu * normal >= size, SATISFIED, state)
    # the last row knows it
    state = SATISFIED
    for r in range(n - 1, -1, -1):
        state = where(d.solver_cone[r] == LAST, d.cone_state[r], state)
        d.cone_state[r] = state


@kernel
def motion_of_forces(m, d, J):
    """qfrc_constraint and qacc from efc_force."""
    transposed_times(m, d, J, d.qfrc_constraint, d.efc_force)
    for i in range(m.nv):
        d.qacc[i] = d.qfrc_constraint[i]
    solve_M(m, d, d.qacc)
    for i in range(m.nv):
        d.qacc[i] = where(d.nefc > 0, d.qacc[i] + d.qacc_smooth[i], d.qacc_smooth[i])
