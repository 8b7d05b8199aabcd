"""The noslip solver: friction without regularization, after any method (Modeling chapter, Solver settings).

A Gauss-Seidel method on the dual cost without R that changes forces of friction only: dry friction, friction of
elliptic contacts, and how opposite edges of a pyramid share their sum.
"""

from conjoint.lang import clip, kernel, local, maximum, real
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtConstraint
from conjoint.solver.cost import FIRST, find_cones
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.method.cone_forces import update_across
from conjoint.solver.method.dual import (
    LARGEST_CONE,
    ROUNDING,
    dual_states,
    keep_if_cheaper,
    load_block,
    motion_of_forces,
    record_sweep,
    residual_of,
    size_of_cone,
)
from conjoint.solver.statistics import scale_of

PYRAMIDAL = mjtConstraint.mjCNSTR_CONTACT_PYRAMIDAL.value


@kernel(per_world=True)
def solve_noslip(m, d, J):
    """Forces without slip, and the accelerations that they cause (mj_fwdConstraint)."""
    n = d.nefc
    if n > 0:
        find_cones(d, n, n)
        clear(d.efc_force, n, padded(n) - n)
        dual_states(d, n)
        # leaving out the regularization counts as progress
        gain = 0.0
        for r in range(n):
            gain = gain + 0.5 * d.efc_force[r] * d.efc_force[r] * d.efc_R[r]
        iterations = d.solver_niter[0]
        for _ in range(m.opt.noslip_iterations):
            gain = (gain + sweep(d, n)) * scale_of(m)
            record_sweep(m, d, iterations, gain)
            iterations += 1
            if gain < m.opt.noslip_tolerance:
                break
            gain = 0.0
        d.solver_niter[0] = iterations
        motion_of_forces(m, d, J)


@kernel(per_world=True)
def sweep(d, n):
    """Minimise the cost without R over the friction of each constraint in turn; by how much it drops."""
    A = local(real, LARGEST_CONE * LARGEST_CONE)
    residual = local(real, LARGEST_CONE)
    old = local(real, LARGEST_CONE)
    gain = 0.0
    r = d.ne
    while r < n:
        size = 1
        if r < d.ne + d.nf:
            load_unregularized(d, r, 1, n, A, residual, old)
            loss = d.efc_frictionloss[r]
            d.efc_force[r] = clip(old[0] - residual[0] / A[0], -loss, loss)
            gain = gain + keep_if_cheaper(d, r, 1, A, residual, old)
        elif d.efc_type[r] == PYRAMIDAL:
            size = 2
            load_unregularized(d, r, 2, n, A, residual, old)
            share_between(d, r, A, residual, old)
            gain = gain + keep_if_cheaper(d, r, 2, A, residual, old)
        elif d.solver_cone[r] == FIRST:
            size = size_of_cone(d, r)
            load_unregularized(d, r + 1, size - 1, n, A, residual, old)
            update_across(d, r, size, 1, A, residual, old)
            gain = gain + keep_if_cheaper(d, r + 1, size - 1, A, residual, old)
        r += size
    return gain


@kernel(per_world=True)
def load_unregularized(d, r, size, n, A, residual, old):
    """Block of efc_AR, residuals and forces of the rows from r on, `size` of them, without regularization."""
    load_block(d, r, size, A, old)
    for i in range(size):
        residual[i] = residual_of(d, r + i, n) - d.efc_R[r + i] * old[i]
        A[i * size + i] = maximum(A[i * size + i] - d.efc_R[r + i], ROUNDING)


@kernel(per_world=True)
def share_between(d, r, A, residual, old):
    """Forces of rows r and r + 1, opposite edges of a pyramid, of the same sum but least cost; A is their block."""
    middle = 0.5 * (old[0] + old[1])
    curvature = A[0] + A[3] - A[1] - A[2]
    difference = 0.0
    if curvature >= mjMINVAL:
        # from half the present difference on, a Newton step
        present = 0.5 * (old[0] - old[1])
        difference = clip(present - (residual[0] - residual[1]) / curvature, -middle, middle)
    d.efc_force[r] = middle + difference
    d.efc_force[r + 1] = middle - difference
