"""Clearing and filling constraint rows, after `count_rows` has counted them."""

from conjoint.lang import KBIP, kernel, lanes_max, where
from conjoint.physics.constraint.columns import finish_columns
from conjoint.physics.constraint.contacts import contact_rows
from conjoint.physics.constraint.count import NO_EQUALITY
from conjoint.physics.constraint.equality import equality_rows
from conjoint.physics.constraint.rows import (
    dof_friction_rows,
    joint_limit_rows,
    tendon_friction_rows,
    tendon_limit_rows,
)


@kernel
def clear_rows(m, d):
    """Zero as many dense rows as the fullest world of a block has, in all its worlds: what stays zero does nothing."""
    for i in range(lanes_max(d.nefc) * m.nv):
        d.efc_J[i] = 0.0
    for r in range(lanes_max(d.nefc)):
        d.efc_pos[r] = 0.0
        d.efc_margin[r] = 0.0
        d.efc_frictionloss[r] = 0.0
        d.efc_R[r] = 0.0
        d.efc_KBIP[r] = KBIP(0.0, 0.0, 0.0, 0.0)


@kernel(per_world=True)
def fill_rows(m, d, J):
    """Fill the rows that were counted: equalities, friction loss, limits, contacts.

    Constraints that nothing moves have no rows, so what follows them moves up.
    """
    if d.nefc > 0:
        counted = d.ne + d.nf + d.nl
        r = 0
        if (m.opt.disableflags & NO_EQUALITY) == 0:
            r = equality_rows(m, d, J)
        d.ne = r
        if d.nf > 0:
            r = dof_friction_rows(m, d, J, r)
            r = tendon_friction_rows(m, d, J, r)
        d.nf = r - d.ne
        if d.nl > 0:
            r = joint_limit_rows(m, d, J, r)
            r = tendon_limit_rows(m, d, J, r)
        d.nl = r - (d.ne + d.nf)
        d.nefc = d.nefc - (counted - r)
        contact_rows(m, d, J, counted - r)
    if J.compressed:
        finish_columns(m, d)


@kernel
def finish_rows(m, d):
    """`efc_D` and `efc_diagApprox`, which makes R = (1 - imp) / imp * diagApprox; zero in rows that were left clear."""
    for r in range(lanes_max(d.nefc)):
        R = d.efc_R[r]
        imp = d.efc_KBIP[r].I
        d.efc_D[r] = where(R > 0.0, 1.0 / R, 0.0)
        d.efc_diagApprox[r] = R * imp / (1.0 - imp)
