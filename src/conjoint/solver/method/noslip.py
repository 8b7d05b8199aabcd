"""The noslip solver: friction without regularization, after any method (Modeling chapter, Solver settings).

A Gauss-Seidel method on the dual cost without R that changes forces of friction only: dry friction, friction of
elliptic contacts, and how opposite edges of a pyramid share their sum. Of half a solve of the rows (`half_rows`) only
those of friction are needed, and of two opposite edges one, for their difference.
"""

from conjoint.lang import any, clip, kernel, local, maximum, real, where
from conjoint.physics.row_storage import fullest
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtConstraint
from conjoint.solver.cost import FIRST, INNER, LAST, elliptic, find_cones
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.half_rows import LARGEST_CONE, half_column, multiply_blocks
from conjoint.solver.method.cone_forces import update_across
from conjoint.solver.method.dual import ROUNDING, dual_states, keep_if_cheaper, motion_of_forces, record_sweep
from conjoint.solver.method.projection import count_left
from conjoint.solver.statistics import note_scale, noted_scale, scale_of

PYRAMIDAL = mjtConstraint.mjCNSTR_CONTACT_PYRAMIDAL.value


@kernel
def solve_noslip(m, d, rows):
    """Forces without slip, and the accelerations that they cause (mj_fwdConstraint).

    `rows` are the `HalfRows`.
    """
    take_slip_out(m, d, rows, scale_of)


@kernel
def solve_noslip_by_rules(m, d, rows):
    """The same with rules of newer versions about solvers (mj_fwdConstraint)."""
    note_scale(m, d)
    take_slip_out(m, d, rows, noted_scale)


@kernel
def take_slip_out(m, d, rows, scale_of):
    """Forces without slip; the kernel `scale_of` tells what makes a drop of the cost comparable with the tolerance."""
    n = fullest(d.nefc)
    if n > 0:
        find_cones(d, n, d.nefc)
        if m.nsolverstat > 0:
            dual_states(m, d, d.nefc)
        load_friction(m, d, n, d.nefc, rows)
        # leaving out the regularization counts as progress
        gain = 0.0
        for r in range(d.nefc):
            gain = gain + 0.5 * d.efc_force[r] * d.efc_force[r] * d.efc_R[r]
        active = d.nefc > 0
        for _ in range(m.opt.noslip_iterations):
            gain = (gain + sweep(m, d, n, active, rows)) * scale_of(m, d)
            if active:
                record_sweep(m, d, d.nefc, d.solver_niter[0], gain)
                d.solver_niter[0] += 1
            active = active & (gain >= m.opt.noslip_tolerance)
            if not any(active):
                break
            gain = 0.0
        dual_states(m, d, d.nefc)
        motion_of_forces(m, d, rows.J)


@kernel
def load_friction(m, d, n, count, rows):
    """The rows of friction, with `dual_left`, `dual_block` and `dual_offset`, and what all forces cause in
    `dual_motion`."""
    rows.begin(m, d)
    odd = count < 0
    for r in range(n):
        taken = (r >= d.ne) & (r < d.ne + d.nf) & (r < count)
        paired = count < 0
        if elliptic(m):
            taken = taken | (d.solver_cone[r] == INNER) | (d.solver_cone[r] == LAST)
        else:
            # of opposite edges the first
            edge = (d.efc_type[r] == PYRAMIDAL) & (r < count)
            paired = edge & (not odd)
            odd = paired
            taken = taken | paired
        rows.load(m, d, r, taken, paired)
        d.dual_left[r] = where(taken, 1, 0)
        d.dual_offset[r] = d.efc_b[r]
        if paired:
            d.dual_offset[r] = d.efc_b[r] - d.efc_b[r + 1]
    if elliptic(m):
        count_left(d, n)
    multiply_blocks(m, d, n, rows)
    # rows are added in whole tiles
    clear(d.dual_motion, 0, padded(m.nv + 1))
    for i in range(m.nv):
        d.dual_motion[1 + i] = d.qfrc_constraint[i]
    half_column(m, d, d.dual_motion)


@kernel
def sweep(m, d, n, active, rows):
    """Minimise the cost without R over the friction of each constraint in turn, in the active worlds; by how much it
    drops."""
    gain = 0.0
    for r in range(n):
        live = active & (d.dual_left[r] != 0)
        if elliptic(m) and r > 0:
            contact = live & (d.solver_cone[r - 1] == FIRST)
            if any(contact):
                gain = gain + sweep_contact(m, d, r, contact, rows)
            live = live & (r < d.ne + d.nf)
        if live:
            gain = gain + sweep_row(m, d, r, rows)
    return gain


@kernel
def sweep_row(m, d, r, rows):
    """The same for dry friction in row r, or for rows r and r + 1, opposite edges of a pyramid, of the same sum."""
    residual = d.dual_offset[r] + rows.times(m, d, r, d.dual_motion)
    curvature = d.dual_block[LARGEST_CONE * r]
    old = d.efc_force[r]
    loss = d.efc_frictionloss[r]
    positive = maximum(curvature, ROUNDING)
    force = clip(old - residual / positive, -loss, loss)
    change = force - old
    edges = d.efc_type[r] == PYRAMIDAL
    opposite = 0.0
    if edges:
        middle = 0.5 * (old + d.efc_force[r + 1])
        # from half the present difference on, a Newton step
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
    rows.add(m, d, r, change, d.dual_motion)
    return -cost


@kernel
def sweep_contact(m, d, r, live, rows):
    """The same for the friction of an elliptic contact, whose tangential rows begin at r."""
    A = local(real, LARGEST_CONE * LARGEST_CONE)
    residual = local(real, LARGEST_CONE)
    old = local(real, LARGEST_CONE)
    size = where(live, d.dual_left[r], 0)
    most = fullest(size)
    for i in range(most):
        old[i] = d.efc_force[r + i]
        residual[i] = d.dual_offset[r + i] + rows.times(m, d, r + i, d.dual_motion)
        for j in range(most - i):
            element = d.dual_block[LARGEST_CONE * (r + i) + j]
            if j == 0:
                element = maximum(element, ROUNDING)
            A[i * LARGEST_CONE + i + j] = element
            A[(i + j) * LARGEST_CONE + i] = element
    update_across(d, r - 1, most + 1, size + 1, live, 1, A, residual, old)
    drop = keep_if_cheaper(d, r, most, size, live, A, residual, old)
    for i in range(most):
        inside = live & (i < size)
        rows.add(m, d, r + i, where(inside, d.efc_force[r + i] - old[i], 0.0), d.dual_motion)
    return where(live, drop, 0.0)
