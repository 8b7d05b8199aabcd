"""The noslip solver: friction without regularization, after any method (Modeling chapter, Solver settings).

It is a Gauss-Seidel method on the dual cost without R. It changes only friction forces: dry friction, friction of
elliptic contacts, and the distribution of force between opposite edges of a pyramid. Half a solve (`half_rows`) is
computed only for the friction rows; two opposite edges need one row, for their difference.
"""

from conjoint.lang import any, clip, kernel, local, maximum, real, where
from conjoint.physics.row_storage import fullest
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtConstraint
from conjoint.solver.cones import FIRST, INNER, LAST, elliptic, find_cones
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.half_rows import HALF_ROWS, LARGEST_CONE, WHOLE, half_column, multiply_blocks
from conjoint.solver.method.cone_forces import update_across
from conjoint.solver.method.dual import ROUNDING, motion_of_forces, replace_if_cheaper
from conjoint.solver.method.editions import EDITIONS
from conjoint.solver.method.projection import count_left
from conjoint.solver.method.sweeps import Sweeps, sweep_islands, sweep_world

PYRAMIDAL = mjtConstraint.mjCNSTR_CONTACT_PYRAMIDAL.value


@kernel
def solve_noslip(m, d, sweeps):
    """Compute forces that prevent slip, and the resulting accelerations (mj_fwdConstraint)."""
    n = fullest(d.nefc)
    if n > 0:
        find_cones(d, n, d.nefc)
        load_friction(m, d, n, d.nefc, sweeps.rows)
        if sweeps.edition.by_islands:
            sweep_alone(m, d, sweeps)
        else:
            sweep_world(m, d, d.nefc, update_friction, sweeps)
        motion_of_forces(m, d, sweeps.rows.J)


@kernel(one_by_one="worlds together run at 0.53 (humanoid), 0.87 (quadruped), 1.89 (pile) of the speed")
def sweep_alone(m, d, sweeps):
    """Compute forces that prevent slip, one world at a time instead of in lanes."""
    if d.nefc > 0:
        sweep_islands(m, d, update_friction, sweeps)


@kernel
def regularization(d, places):
    """Return the part of the cost that is due to regularization; removing this part counts as progress."""
    cost = 0.0
    for place in range(places.first, places.first + places.count):
        r = places.row(d, place)
        cost = cost + 0.5 * d.efc_force[r] * d.efc_force[r] * d.efc_R[r]
    return cost


@kernel
def limits(m):
    """Return the maximum number of sweeps, and the improvement of the cost below which sweeping ends."""
    return m.opt.noslip_iterations, m.opt.noslip_tolerance


@kernel(label="loading rows")
def load_friction(m, d, n, count, rows):
    """Load the friction rows, and compute `dual.left`, `dual.product` and `dual.offset` for them.

    The effect of all forces is stored in `dual.motion`.
    """
    rows.begin(m, d)
    odd = count < 0
    for r in range(n):
        taken = (r >= d.ne) & (r < d.ne + d.nf) & (r < count)
        paired = count < 0
        if elliptic(m):
            taken = taken | (d.cone.place[r] == INNER) | (d.cone.place[r] == LAST)
        else:
            # the first of two opposite edges
            edge = (d.efc_type[r] == PYRAMIDAL) & (r < count)
            paired = edge & (not odd)
            odd = paired
            taken = taken | paired
        rows.load(m, d, r, taken, paired)
        d.dual.left[r] = where(taken, 1, 0)
        d.dual.offset[r] = d.efc_b[r]
        if paired:
            d.dual.offset[r] = d.efc_b[r] - d.efc_b[r + 1]
    if elliptic(m):
        count_left(d, n)
    multiply_blocks(m, d, n, rows)
    # rows are added in whole tiles, so clear the padding too
    clear(d.dual.motion, 0, padded(m.nv + 1))
    for i in range(m.nv):
        d.dual.motion[1 + i] = d.qfrc_constraint[i]
    half_column(m, d, d.dual.motion)


@kernel
def update_friction(m, d, r, n, live, sweeps):
    """Minimize the cost without R over the friction of the constraint that begins at row r; see `sweep_world`."""
    gain = 0.0
    live = live & (d.dual.left[r] != 0)
    if elliptic(m):
        if r > 0:
            contact = live & (d.cone.place[r - 1] == FIRST)
            if any(contact):
                gain = sweep_contact(m, d, r, contact, sweeps.rows)
        live = live & (r < d.ne + d.nf)
    if live:
        gain = gain + sweep_row(m, d, r, sweeps.rows)
    return gain


@kernel
def sweep_row(m, d, r, rows):
    """Update the dry friction of row r, or the opposite pyramid edges of rows r and r + 1, whose sum is constant."""
    residual = d.dual.offset[r] + rows.times(m, d, r, d.dual.motion)
    curvature = d.dual.product[LARGEST_CONE * r]
    old = d.efc_force[r]
    loss = d.efc_frictionloss[r]
    positive = maximum(curvature, ROUNDING)
    force = clip(old - residual / positive, -loss, loss)
    change = force - old
    edges = d.efc_type[r] == PYRAMIDAL
    opposite = 0.0
    if edges:
        middle = 0.5 * (old + d.efc_force[r + 1])
        # a Newton step from half the current difference
        present = 0.5 * (old - d.efc_force[r + 1])
        difference = where(curvature >= mjMINVAL, clip(present - residual / curvature, -middle, middle), 0.0)
        change = difference - present
        force = middle + difference
        opposite = middle - difference
        positive = curvature
    cost = change * (0.5 * positive * change + residual)
    if not cost <= ROUNDING:
        return 0.0
    d.efc_force[r] = force
    if edges:
        d.efc_force[r + 1] = opposite
    rows.add(m, d, r, change, d.dual.motion)
    return -cost


@kernel
def sweep_contact(m, d, r, live, rows):
    """Update the friction of an elliptic contact whose tangential rows begin at r."""
    A = local(real, LARGEST_CONE * LARGEST_CONE)
    residual = local(real, LARGEST_CONE)
    old = local(real, LARGEST_CONE)
    size = where(live, d.dual.left[r], 0)
    most = fullest(size)
    for i in range(most):
        old[i] = d.efc_force[r + i]
        residual[i] = d.dual.offset[r + i] + rows.times(m, d, r + i, d.dual.motion)
        for j in range(most - i):
            element = d.dual.product[LARGEST_CONE * (r + i) + j]
            if j == 0:
                element = maximum(element, ROUNDING)
            A[i * LARGEST_CONE + i + j] = element
            A[(i + j) * LARGEST_CONE + i] = element
    update_across(d, r - 1, most + 1, size + 1, live, 1, A, residual, old)
    drop = replace_if_cheaper(d, r, most, size, live, A, residual, old)
    for i in range(most):
        inside = live & (i < size)
        rows.add(m, d, r + i, where(inside, d.efc_force[r + i] - old[i], 0.0), d.dual.motion)
    return where(live, drop, 0.0)


NOSLIP = tuple(
    tuple(Sweeps(edition, limits, rows, regularization, follows=True) for rows in HALF_ROWS) for edition in EDITIONS
)
"""Noslip sweeps by edition, with dense rows and with compressed rows (`runtime.stage.by_storage`)."""

MOVING_NOSLIP = tuple(Sweeps(edition, limits, WHOLE, regularization, follows=True) for edition in EDITIONS)
"""Noslip sweeps by edition in dual numbers, with all values of a row, because zeros may have nonzero derivatives."""
