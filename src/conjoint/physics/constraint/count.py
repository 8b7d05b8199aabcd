"""Detection of active limits, and the count of constraint rows, before memory for the rows is allocated."""

from conjoint.lang import any, kernel, maximum, norm, normalize3, quat_to_velocity, where
from conjoint.physics.collision.flex.bodies import depth_of_contact
from conjoint.physics.constraint.equality import count_equalities
from conjoint.physics.motion.chains import depth_of, last_dof
from conjoint.physics.motion.support import has_limits, quat_at
from conjoint.physics.sleep.filter import dof_rests, joint_rests, tendon_rests
from conjoint.schema.enums import mjtCone, mjtDisableBit, mjtEq, mjtJoint

NO_EQUALITY = int(mjtDisableBit.mjDSBL_CONSTRAINT | mjtDisableBit.mjDSBL_EQUALITY)
"""Disable flags that suppress the rows of equalities."""

NO_FRICTIONLOSS = int(mjtDisableBit.mjDSBL_CONSTRAINT | mjtDisableBit.mjDSBL_FRICTIONLOSS)
"""Disable flags that suppress the rows of dry friction."""

NO_LIMIT = int(mjtDisableBit.mjDSBL_CONSTRAINT | mjtDisableBit.mjDSBL_LIMIT)
"""Disable flags that suppress the rows of limits."""


@kernel
def count_rows(m, d):
    """Set `d.ne`, `d.nf`, `d.nl` and `d.nefc`, and mark all contacts as having no rows yet.

    `d.nefc_needed` is set to the number of rows required; if it exceeds the capacity of the arena, the counts are zero.
    """
    d.ne = 0
    if (m.opt.disableflags & NO_EQUALITY) == 0:
        count_equalities(m, d)
    d.nf = count_friction(m, d)
    d.nl = 0
    if (m.opt.disableflags & NO_LIMIT) == 0:
        find_joint_limits(m, d)
        find_tendon_limits(m, d)
    d.nefc = d.ne + d.nf + d.nl
    if m.nv > 0:
        count_contacts(m, d)
    d.nefc_needed = d.nefc
    if d.nefc > d.nefc_capacity:
        d.ne = 0
        d.nf = 0
        d.nl = 0
        d.nefc = 0
    d.nJ = d.nefc * m.nv
    d.nJ_needed = 0
    d.nA = 0
    d.elements_pending = 0
    d.nisland = 0
    d.nidof = 0


@kernel
def count_friction(m, d):
    """Return the number of dofs and tendons with friction loss, except sleeping ones."""
    count = 0
    if (m.opt.disableflags & NO_FRICTIONLOSS) == 0:
        for i in range(m.nv):
            if not dof_rests(m, d, i):
                count = count + where(m.dof_frictionloss[i] > 0.0, 1, 0)
        for i in range(m.ntendon):
            if not tendon_rests(m, d, i):
                count = count + where(m.tendon_frictionloss[i] > 0.0, 1, 0)
    return count


@kernel
def find_joint_limits(m, d):
    """Compute distances to joint limits, count the limits within their margin, and list the joints at such limits.

    The list contains the joints that are within the margin in any world of the block.
    """
    listed = 0
    for j in range(m.njnt):
        if has_limits(m, j) and not joint_rests(m, d, j):
            address = m.jnt_qposadr[j]
            margin = m.jnt_margin[j]
            if m.jnt_type[j] == mjtJoint.mjJNT_BALL:
                turned = quat_to_velocity(quat_at(d, address), 1.0)
                dist = maximum(m.jnt_range[j, 0], m.jnt_range[j, 1]) - norm(turned)
                d.jnt_limit_axis[j] = normalize3(turned)
                d.jnt_limit_dist[j, 0] = dist
                reached = dist < margin
                d.nl = d.nl + where(reached, 1, 0)
            else:
                above, below = limit_distances(m, d, j)
                d.jnt_limit_dist[j, 0] = above
                d.jnt_limit_dist[j, 1] = below
                reached = (above < margin) | (below < margin)
                d.nl = d.nl + where(above < margin, 1, 0) + where(below < margin, 1, 0)
            d.jnt_limit_near[listed] = j
            if any(reached):
                listed += 1
    d.nlimit_near = listed


@kernel
def limit_distances(m, d, j):
    """Return the distances of a hinge or slide joint from its lower limit and its upper limit."""
    q = d.qpos[m.jnt_qposadr[j]]
    return q - m.jnt_range[j, 0], m.jnt_range[j, 1] - q


@kernel
def find_tendon_limits(m, d):
    """Compute distances to tendon limits, and count the limits within their margin."""
    for t in range(m.ntendon):
        if m.tendon_limited[t] and not tendon_rests(m, d, t):
            margin = m.tendon_margin[t]
            above = d.ten_length[t] - m.tendon_range[t, 0]
            below = m.tendon_range[t, 1] - d.ten_length[t]
            d.tendon_limit_dist[t, 0] = above
            d.tendon_limit_dist[t, 1] = below
            d.nl = d.nl + where(above < margin, 1, 0) + where(below < margin, 1, 0)


@kernel
def count_contacts(m, d):
    """Add the number of contact rows to `d.nefc`, and mark all contacts as having no rows yet."""
    for c in range(d.ncon):
        d.contact_efc_address[c] = -1
        if d.contact_exclude[c] == 0:
            d.nefc = d.nefc + rows_of(m, d.contact_dim[c])


@kernel
def rows_of(m, dim):
    """Return the number of rows of a contact of dimension `dim`."""
    if m.opt.cone == mjtCone.mjCONE_PYRAMIDAL:
        return where(dim == 1, 1, 2 * (dim - 1))
    return dim


@kernel
def count_elements(m, d):
    """Set `d.nJ_needed`, an upper bound of the number of elements in all counted rows (mj_makeConstraint)."""
    n = d.nf + 3 * d.nl
    if m.neq > 0 or m.ntendon > 0:
        # for equalities and tendons, assume the maximum number of dofs of any of them
        most = 2
        for b in range(m.nbody):
            most = maximum(most, 2 * depth_of(m, last_dof(m, b)))
        for t in range(m.ntendon):
            most = maximum(most, 2 * m.ten_J_rownnz[t])
        for e in range(m.neq):
            if m.eq_type[e] == mjtEq.mjEQ_FLEXSTRAIN:
                # each row depends on all nodes
                first = m.flex_nodeadr[m.eq_obj1id[e]]
                depths = 0
                for k in range(first, first + m.flex_nodenum[m.eq_obj1id[e]]):
                    depths += depth_of(m, last_dof(m, m.flex_nodebodyid[k]))
                most = maximum(most, depths)
        n = (d.ne + d.nf + d.nl) * most
    for c in range(d.ncon):
        if d.contact_exclude[c] == 0:
            rows = 2 * d.contact_dim[c]
            if m.nflex > 0 and (d.contact_geom[c, 0] < 0 or d.contact_geom[c, 1] < 0):
                n += rows * depth_of_contact(m, d, c)
            else:
                body = m.geom_bodyid[d.contact_geom[c, 0]]
                other = m.geom_bodyid[d.contact_geom[c, 1]]
                n += rows * (depth_of(m, last_dof(m, body)) + depth_of(m, last_dof(m, other)))
    d.nJ_needed = n
