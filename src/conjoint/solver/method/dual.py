"""The dual problem: find row forces f that minimize 1/2 f' (A + R) f + f' b within their limits.

See the Computation chapter, Dual problem. Projected Gauss-Seidel and the noslip solver share this module.

In kernels with the argument `matrix`, `matrix.rows` represents the matrix A + R = J M^-1 J' + R by half a solve of the
rows. If it is None, the matrix is stored in `efc_AR`, and residuals are stored too.
"""

from conjoint.lang import group, kernel, maximum, minimum, record, sqrt, where
from conjoint.lang.language.tile import TILE
from conjoint.physics.constraint.jacobian import transposed_times
from conjoint.physics.inertia_matrix.factors import solve_M
from conjoint.physics.row_storage import fullest, is_nonzero
from conjoint.solver.cones import CONE, FIRST, LAST, NOTHING, QUADRATIC, SATISFIED, elliptic
from conjoint.solver.cost import LINEARNEG, LINEARPOS
from conjoint.solver.linear.dense import add_block, clear, padded
from conjoint.solver.linear.half_rows import LARGEST_CONE
from conjoint.solver.linear.project import dof_dot

ROUNDING = 1e-10
"""Largest increase of the cost at which an update is still accepted."""


@group
def Places(first, count, row):
    """Range of rows of a world or an island that are solved together.

    The range has `count` indices, starting at `first`. The kernel `row(d, place)` returns the row at index `place`.
    """


@kernel
def row_of_islands(d, place):
    """Return the row at an index in the order of islands."""
    return d.map_iefc2efc[place]


@kernel
def compute_residuals(m, d, n, places, matrix):
    """Compute residuals for the current forces, or the vector Z' f if the matrix is represented by half a solve.

    The residuals follow from Z' f. The number of rows of the whole world is n.
    """
    most = fullest(places.count)
    if matrix.rows:
        clear(d.dual.motion, 0, padded(m.nv + 1))
        for k in range(most):
            r = places.row(d, places.first + k)
            matrix.rows.add(m, d, r, where(k < places.count, d.efc_force[r], 0.0), d.dual.motion)
    else:
        for k in range(most):
            r = places.row(d, places.first + k)
            d.dual.residual[r] = d.efc_b[r] + dof_dot(n, d.efc_AR, r * d.nefc_dual, d.efc_force)
        clear(d.dual.residual, n, padded(n) - n)


@kernel
def residual_of(m, d, r, matrix):
    """Return the residual of row r at efc_force, which is the derivative of the dual cost."""
    if matrix.rows:
        return d.efc_b[r] + d.efc_R[r] * d.efc_force[r] + matrix.rows.times(m, d, r, d.dual.motion)
    return d.dual.residual[r]


@kernel
def change_force(m, d, r, n, change, matrix):
    """Update residuals after a change in the force of row r."""
    if is_nonzero(change):
        if matrix.rows:
            matrix.rows.add(m, d, r, change, d.dual.motion)
        else:
            for block in range(0, n, TILE):
                add_block(change, d.efc_AR, r * d.nefc_dual + block, d.dual.residual, block)


@kernel
def move_force(m, d, r, n, force, matrix):
    """Set the force of row r, and update residuals."""
    change = force - d.efc_force[r]
    d.efc_force[r] = force
    change_force(m, d, r, n, change, matrix)


@kernel
def element_of(d, r, j, matrix):
    """Return the element of A + R for row r and row r + j of its contact."""
    if matrix.rows:
        element = d.dual.product[LARGEST_CONE * r + j]
        return element + d.efc_R[r] if j == 0 else element
    return d.efc_AR[r * (d.nefc_dual + 1) + j]


@kernel
def limited(d, r, force):
    """Return the force, clipped to the limits of row r.

    Equalities have no limits, dry friction is limited to plus and minus the friction loss, and other forces are at
    least zero.
    """
    loss = d.efc_frictionloss[r]
    dry = minimum(maximum(force, -loss), loss)
    return where(r < d.ne, force, where(r < d.ne + d.nf, dry, maximum(force, 0.0)))


@kernel
def replace_if_cheaper(d, r, rows, size, live, A, residual, old):
    """Undo a change in the forces of a block of rows if it raises the cost; return the decrease of the cost.

    Args:
        d: data.
        r: first row of the block.
        rows, size: number of rows of the largest block at r over the worlds, and of the block of each `live` world.
        live: True in worlds that have a block at r.
        A, residual, old: block of the matrix; residuals and forces before the change.
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
def begins_block(m, d, r):
    """Return True if row r begins a block: an elliptic contact, or a single row that acts alone."""
    if elliptic(m):
        return (d.cone.place[r] == NOTHING) | (d.cone.place[r] == FIRST)
    return r >= 0


@kernel
def size_of_block(m, d, r):
    """Return the number of rows of the block that begins at row r."""
    if elliptic(m) and d.cone.place[r] == FIRST:
        return size_of_cone(d, r)
    return 1


@kernel
def size_of_cone(d, r):
    """Return the number of rows of the elliptic contact that begins at row r."""
    size = 1
    while d.cone.place[r + size - 1] != LAST:
        size += 1
    return size


@kernel
def state_of_force(d, r, force):
    """Return the state (mjtConstraintState) of row r at the given force; the row belongs to no cone."""
    loss = d.efc_frictionloss[r]
    dry = where(force <= -loss, LINEARPOS, where(force >= loss, LINEARNEG, QUADRATIC))
    single = where(force <= 0.0, SATISFIED, QUADRATIC)
    return where(r < d.ne, QUADRATIC, where(r < d.ne + d.nf, dry, single))


@kernel
def dual_states(m, d, places):
    """Store efc_state for the forces of the rows in `places`.

    Return the number of rows with a force, and the number of rows whose state changed. A contact inside its cone counts
    as satisfied here, as in MuJoCo.
    """
    pushing = 0
    changed = 0
    if elliptic(m):
        find_cone_states(d, places)
    for k in range(places.count):
        r = places.row(d, places.first + k)
        state = state_of_force(d, r, d.efc_force[r])
        if elliptic(m):
            state = where(d.cone.place[r] == NOTHING, state, d.cone.state[r])
        pushing += where(state != SATISFIED, 1, 0)
        changed += where(state != d.efc_state[r], 1, 0)
        d.efc_state[r] = state
    return pushing, changed


@record
def Contact(mu, N, UU):
    """Intermediate values of a loop over the rows of a contact.

    Attributes:
        mu: factor of the normal row.
        N: scaled value of the normal row.
        UU: sum of squares of the scaled tangential values.
    """


@kernel
def with_row(contact, begins, scale, u):
    """Return the intermediate values of a contact after one more row, which has the scaled value u.

    If `begins`, the row starts a new contact.
    """
    mu = where(begins, scale, contact.mu)
    return Contact(mu, where(begins, u, contact.N), where(begins, 0.0, contact.UU + u * u))


@kernel
def scatter_back(d, places, field):
    """Copy a field's value at the last row of each contact to all rows of that contact; `places` selects the rows."""
    value = field[places.row(d, places.first)]
    for k in range(fullest(places.count) - 1, -1, -1):
        r = places.row(d, places.first + k)
        value = where(d.cone.place[r] == LAST, field[r], value)
        field[r] = value


@kernel
def find_cone_states(d, places):
    """Set cone.state of the rows of elliptic contacts, in coordinates in which force cones are circular."""
    contact = Contact(0.0, 0.0, 0.0)
    for k in range(fullest(places.count)):
        r = places.row(d, places.first + k)
        scale = where(d.cone.place[r] == NOTHING, 1.0, d.cone_scale[r])
        contact = with_row(contact, d.cone.place[r] == FIRST, scale, d.efc_force[r] / scale)
        d.cone.state[r] = where(contact.mu * contact.N >= sqrt(contact.UU), SATISFIED, CONE)
    scatter_back(d, places, d.cone.state)


@kernel
def motion_of_forces(m, d, J):
    """Compute qfrc_constraint and qacc from efc_force."""
    transposed_times(m, d, J, d.qfrc_constraint, d.efc_force)
    for i in range(m.nv):
        d.qacc[i] = d.qfrc_constraint[i]
    solve_M(m, d, d.qacc)
    for i in range(m.nv):
        d.qacc[i] = where(d.nefc > 0, d.qacc[i] + d.qacc_smooth[i], d.qacc_smooth[i])
