"""Solvers of the 2012 paper that do not minimize a convex cost: their common start, and the diagonal solver.

E. Todorov, T. Erez, Y. Tassa, "MuJoCo: A physics engine for model-based control", IROS 2012, sections II.C and II.E.
Both solvers use equation (3), A f + v0 = v, for the velocities of the rows at the end of a step. The unknowns here are
forces instead of impulses, and velocities are divided by the timestep: A f + J (qacc_smooth + qvel / h) = v / h.
"""

from conjoint.lang import exp, kernel, maximum, sqrt, where
from conjoint.physics.row_storage import fullest
from conjoint.schema.constants import mjMINVAL
from conjoint.solver.cones import CONE, FIRST, NOTHING, QUADRATIC, SATISFIED, elliptic
from conjoint.solver.cost import NO_SOLUTION, is_sound, prepare
from conjoint.solver.forward import begin
from conjoint.solver.inverse import residuals
from conjoint.solver.linear.dense import clear, padded
from conjoint.solver.linear.hessian import same_row
from conjoint.solver.method.dual import Contact, Places, limited, scatter_back, state_of_force, with_row


@kernel
def begin_complementarity(m, d, J):
    """Compute the rows' velocities without constraint forces (mj_fwdConstraint)."""
    begin_impulses(m, d, J)
    aim(m, d)


@kernel
def begin_impulses(m, d, J):
    """Compute efc_b and the cones of contacts, and set the forces to zero (mj_fwdConstraint).

    Forces become NaN in worlds whose problem is not finite.
    """
    begin(m, d)
    n = fullest(d.nefc)
    sound = is_sound(m, d, d.dual.size)
    prepare(m, d, n, d.nefc, same_row)
    residuals(m, d, J, n, d.qacc_smooth, d.cost.change)
    for r in range(n):
        d.efc_b[r] = d.cost.change[r]
        d.efc_force[r] = where(sound | (r >= d.nefc), 0.0, NO_SOLUTION)
    clear(d.efc_force, n, padded(n) - n)


@kernel
def aim(m, d):
    """Compute hybrid.free: the rows' velocities without forces after a step, minus target velocities, divided by h.

    The timestep is h. The decay of a violation is computed exactly: with the rate B / 2 of a critically damped spring,
    the violation r becomes r exp(-h B / 2) after the step (section II.A, v_E*). Separate bodies may come into contact,
    but may not penetrate; the target velocity of friction is zero.
    """
    h = m.opt.timestep
    for r in range(d.nefc):
        rate = 0.5 * d.efc_KBIP[r].B
        gap = d.efc_pos[r]
        apart = (gap > 0.0) & (r >= d.ne)
        wanted = -gap * where(apart, 1.0, 1.0 - exp(-rate * h)) / h
        dry = (r >= d.ne) & (r < d.ne + d.nf)
        if elliptic(m):
            dry = dry | ((d.cone.place[r] != NOTHING) & (d.cone.place[r] != FIRST))
        wanted = where(dry, 0.0, wanted)
        free = d.efc_b[r] + d.efc_aref[r] + (d.efc_vel[r] - wanted) / h
        d.hybrid.free[r] = free
        d.hybrid.push[r] = where((r >= d.ne) & (gap < 0.0), wanted / h, 0.0)


@kernel
def solve_diagonal(m, d):
    """Compute forces of the diagonal solver: each row is treated as if it were alone (mj_fwdConstraint; section II.E).

    Solve diag(A + R) f = -b within the cones, where b = J qacc_smooth - aref is the residual without forces. Friction
    is cut off at the surface of its cone.
    """
    d.solver_niter[0] = where(d.nefc > 0, 1, 0)
    for r in range(d.nefc):
        free = -d.efc_b[r] / maximum(d.impulse.diagonal[r] + d.efc_R[r], mjMINVAL)
        force = limited(d, r, free)
        state = state_of_force(d, r, force)
        if elliptic(m):
            force = where((d.cone.place[r] != NOTHING) & (d.cone.place[r] != FIRST), free, force)
        # keep NaN forces
        if d.efc_force[r] == 0.0:
            d.efc_force[r] = force
        d.efc_state[r] = state
    if elliptic(m):
        cut_off(d, d.nefc)


@kernel
def cut_off(d, n):
    """Scale down the friction of every contact to the surface of its cone, if it is outside."""
    contact = Contact(0.0, 0.0, 0.0)
    for r in range(n):
        place = d.cone.place[r]
        force = d.efc_force[r]
        scaled = where(place == FIRST, force, force / maximum(d.cone_scale[r], mjMINVAL))
        contact = with_row(contact, place == FIRST, 1.0, scaled)
        length = sqrt(contact.UU)
        d.cone.share[r] = where(length > contact.N, contact.N / maximum(length, mjMINVAL), 1.0)
        d.cone.state[r] = where(contact.N <= 0.0, SATISFIED, where(length > contact.N, CONE, QUADRATIC))
    places = Places(0, n, same_row)
    scatter_back(d, places, d.cone.share)
    scatter_back(d, places, d.cone.state)
    for r in range(n):
        if d.cone.place[r] != NOTHING:
            d.efc_state[r] = d.cone.state[r]
            if d.cone.place[r] != FIRST:
                d.efc_force[r] = d.cone.share[r] * d.efc_force[r]
