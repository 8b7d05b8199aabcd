"""Clearing and filling of constraint rows, after `count_rows` has counted them, and their reference accelerations."""

from conjoint.lang import STRIP, formula, kernel, minimum, shared, where
from conjoint.physics.constraint.contacts import contact_rows, fill_alike
from conjoint.physics.constraint.count import NO_EQUALITY
from conjoint.physics.constraint.equality import equality_rows
from conjoint.physics.constraint.jacobian import CHUNK, finish_columns, row_times, span_times
from conjoint.physics.constraint.rows import clear_rows, friction_rows, joint_limit_rows, tendon_limit_rows
from conjoint.physics.row_storage import fullest


@kernel
def begin_rows(m, d):
    """Set the dense rows of all worlds of a block to zero, up to the largest row count among these worlds.

    Zero rows have no effect. In a block, contact rows that have the same columns in all worlds are filled immediately
    after they are cleared, while they are in the cache. The rows of a single world stay in the cache anyway.
    """
    n = fullest(d.nefc)
    clear = 0
    if STRIP > 1:
        clear_rows(m, d, 0, n)
        clear = n
    clear_rows(m, d, fill_alike(m, d, clear), n)


@kernel(one_by_one="worlds together run at 0.45 (hammock), 0.66 (humanoid), 0.85 (pile), 1.07 (grasp) of the speed")
def fill_rows(m, d, J):
    """Fill the counted rows: equalities, friction loss, limits, contacts.

    Constraints that no dof moves get no rows, so later rows move up.
    """
    if d.nefc > 0:
        counted = d.ne + d.nf + d.nl
        r = 0
        if (m.opt.disableflags & NO_EQUALITY) == 0:
            r = equality_rows(m, d, J)
        d.ne = r
        if d.nf > 0:
            r = friction_rows(m, d, J, r)
        d.nf = r - d.ne
        if d.nl > 0:
            r = joint_limit_rows(m, d, J, r)
            r = tendon_limit_rows(m, d, J, r)
        d.nl = r - (d.ne + d.nf)
        d.nefc = d.nefc - (counted - r)
        contact_rows(m, d, J, r)
    if J.compressed:
        finish_columns(m, d)


@kernel
def finish_rows(m, d):
    """Compute `efc_D` and `efc_diagApprox` from R = (1 - imp) / imp * diagApprox; both are zero in cleared rows."""
    for r in range(d.nefc):
        R = d.efc_R[r]
        imp = d.efc_KBIP[r].I
        d.efc_D[r] = where(R > 0.0, 1.0 / R, 0.0)
        d.efc_diagApprox[r] = R * imp / (1.0 - imp)


@formula("real", "real", "real", "real", "real", exact=True)
def spring_damper(stiffness, displacement, damping, velocity):
    """Return the acceleration of a spring-damper.

    Each product is rounded before the addition (no FMA), because the forces of the stiffest rows depend on the last
    bit.
    """
    return -damping * velocity - stiffness * displacement


@kernel
def velocity_along(m, d, J, r):
    """Return the velocity of row r, J qvel, skipping the zeros at both ends of dense rows.

    This saves time for long rows of blocks of worlds, which do not stay in the cache.
    """
    if J.compressed:
        return row_times(m, d, J, r, d.qvel)
    return span_times(m, d, J, r, d.qvel, d.efc_span[r, 0], d.efc_span[r, 1])


@kernel
def reference_constraint(m, d, J):
    """Compute `efc_vel` and `efc_aref` (mj_referenceConstraint).

    The reference acceleration is that of a damped spring: -B vel - K I (pos - margin).
    """
    count = fullest(d.nefc)
    shared(refer_chunk, m, d, (count + CHUNK - 1) // CHUNK, count, J)


@kernel
def refer_chunk(m, d, chunk, count, J):
    """Compute `efc_vel` and `efc_aref` of one chunk of rows."""
    for r in range(CHUNK * chunk, minimum(count, CHUNK * (chunk + 1))):
        velocity = velocity_along(m, d, J, r)
        act = d.efc_KBIP[r]
        stiffness = act.K * act.I
        d.efc_vel[r] = velocity
        displacement = d.efc_pos[r] - d.efc_margin[r]
        d.efc_aref[r] = spring_damper(stiffness, displacement, act.B, velocity)
