"""Tendon lengths, moment arms and velocities (stages 5 and 13).

A fixed tendon is a linear combination of joint positions. A spatial tendon is the shortest path through sites and
around geoms; pulleys divide it into branches. Row t of `ten_J` is dense and starts at t * nv. The dofs for which it may
be nonzero are a property of the model, `m.ten_J_colind`.
"""

from conjoint.lang import dot, dot6, kernel, maximum, norm, normalize3, vec3, where
from conjoint.physics.motion.chains import last_dof, next_of_two
from conjoint.physics.motion.jacobian import bias_acceleration_at
from conjoint.physics.motion.support import com_wrench, velocity_at
from conjoint.physics.motors import tendon_inertia
from conjoint.physics.passive_flags import acts
from conjoint.schema.constants import PULLEY_POINT, SITE_POINT, mjMINVAL
from conjoint.schema.enums import mjtWrap


@kernel
def tendon(m, d):
    """Compute lengths and moment arms of fixed tendons (mj_tendon)."""
    for t in range(m.ntendon):
        # paths belong to spatial tendons only
        d.ten_wrapadr[t] = 0
        d.ten_wrapnum[t] = 0
        if is_fixed(m, t):
            fixed_tendon(m, d, t)


@kernel
def is_fixed(m, t):
    """Return True if tendon t is a fixed tendon, a linear combination of joint positions."""
    return m.wrap_type[m.tendon_adr[t]] == mjtWrap.mjWRAP_JOINT


@kernel
def fixed_tendon(m, d, t):
    """Compute length and moment arms of a fixed tendon: the length is the sum of coefficients times joint positions."""
    length = 0.0
    first = m.tendon_adr[t]
    for w in range(first, first + m.tendon_num[t]):
        j = m.wrap_objid[w]
        length = length + m.wrap_prm[w] * d.qpos[m.jnt_qposadr[j]]
        d.ten_J[t, m.jnt_dofadr[j]] = m.wrap_prm[w]
    d.ten_length[t] = length


@kernel
def spatial_tendons(m, d):
    """Compute lengths and moment arms of spatial tendons, after their paths around geoms are known."""
    for t in range(m.ntendon):
        if not is_fixed(m, t):
            spatial_tendon(m, d, t)


@kernel
def spatial_tendon(m, d, t):
    """Compute length and moment arms of a spatial tendon: the sum of its branches divided by pulley divisors."""
    for k in range(m.ten_J_rownnz[t]):
        d.ten_J[t, m.ten_J_colind[t, k]] = 0.0
    d.ten_length[t] = 0.0
    share = 1.0
    first = m.tendon_adr[t]
    for w in range(first, first + m.tendon_num[t] - 1):
        if m.wrap_type[w] == mjtWrap.mjWRAP_PULLEY:
            share = 1.0 / m.wrap_prm[w]
        elif m.wrap_type[w] == mjtWrap.mjWRAP_SITE:
            after = m.wrap_type[w + 1]
            if after == mjtWrap.mjWRAP_SITE:
                add_straight(m, d, t, w, w + 1, share)
            elif after != mjtWrap.mjWRAP_PULLEY:
                add_wrapped(m, d, t, w + 1, share)


@kernel
def add_straight(m, d, t, w, v, share):
    """Add `share` times the straight segment between the sites with path indices w and v to tendon t."""
    a = m.wrap_objid[w]
    b = m.wrap_objid[v]
    add_piece(m, d, t, m.site_bodyid[a], d.site_xpos[a], m.site_bodyid[b], d.site_xpos[b], share)


@kernel
def add_wrapped(m, d, t, w, share):
    """Add `share` times the path from site to site past the geom with path index w, which it may not touch."""
    curve = d.wrap_curve[w]
    if curve >= 0.0:
        body = m.geom_bodyid[m.wrap_objid[w]]
        a = m.wrap_objid[w - 1]
        b = m.wrap_objid[w + 1]
        d.ten_length[t] = d.ten_length[t] + share * curve
        add_piece(m, d, t, m.site_bodyid[a], d.site_xpos[a], body, d.wrap_enter[w], share)
        add_piece(m, d, t, body, d.wrap_leave[w], m.site_bodyid[b], d.site_xpos[b], share)
    else:
        add_straight(m, d, t, w - 1, w + 1, share)


@kernel
def add_piece(m, d, t, body, start, other, end, share):
    """Add `share` times a straight segment from a point of `body` to a point of `other` to length and moment arms."""
    way = end - start
    d.ten_length[t] = d.ten_length[t] + share * norm(way)
    pull = normalize3(way) * share
    none = vec3(0.0, 0.0, 0.0)
    back = com_wrench(m, d, body, -pull, none, start)
    ahead = com_wrench(m, d, other, pull, none, end)
    # dofs that move both ends do not change the length
    i = last_dof(m, body)
    j = last_dof(m, other)
    while i != j:
        k = maximum(i, j)
        d.ten_J[t, k] = d.ten_J[t, k] + dot6(d.cdof[k], back if i > j else ahead)
        i, j = next_of_two(m, i, j)


@kernel
def tendon_paths(m, d):
    """Write the points on the paths of spatial tendons, in order, and their objects, in the last stage of mj_tendon."""
    count = 0
    for t in range(m.ntendon):
        d.ten_wrapadr[t] = count
        if not is_fixed(m, t):
            first = m.tendon_adr[t]
            for w in range(first, first + m.tendon_num[t]):
                count = add_points(m, d, w, count)
        d.ten_wrapnum[t] = count - d.ten_wrapadr[t]


@kernel
def add_points(m, d, w, count):
    """Store the points of element w of a path, starting at index `count`, and return the next index."""
    kind = m.wrap_type[w]
    i = m.wrap_objid[w]
    if kind == mjtWrap.mjWRAP_SITE:
        d.wrap_xpos[count] = d.site_xpos[i]
        d.wrap_obj[count] = SITE_POINT
        return count + 1
    if kind == mjtWrap.mjWRAP_PULLEY:
        d.wrap_xpos[count] = vec3(0.0, 0.0, 0.0)
        d.wrap_obj[count] = PULLEY_POINT
        return count + 1
    if d.wrap_curve[w] < 0.0:
        return count
    d.wrap_xpos[count] = d.wrap_enter[w]
    d.wrap_obj[count] = i
    d.wrap_xpos[count + 1] = d.wrap_leave[w]
    d.wrap_obj[count + 1] = i
    return count + 2


@kernel
def tendon_velocity(m, d):
    """Compute ten_velocity := J qvel."""
    for t in range(m.ntendon):
        s = 0.0
        for k in range(m.ten_J_rownnz[t]):
            i = m.ten_J_colind[t, k]
            s = s + d.ten_J[t, i] * d.qvel[i]
        d.ten_velocity[t] = s


@kernel
def apply_tendon_force(m, d, t, force, qfrc):
    """Add the joint forces of a force along tendon t, positive if it lengthens the tendon, to a field of nv reals."""
    for k in range(m.ten_J_rownnz[t]):
        i = m.ten_J_colind[t, k]
        qfrc[i] = qfrc[i] + d.ten_J[t, i] * force


@kernel
def tendon_bias(m, d):
    """Add the bias forces of spatial tendons with inertia to qfrc_bias, after mj_rne."""
    for t in range(m.ntendon):
        inertia = tendon_inertia(m, t)
        if not is_fixed(m, t) and acts(inertia):
            apply_tendon_force(m, d, t, inertia * bias_acceleration(m, d, t), d.qfrc_bias)


@kernel
def bias_acceleration(m, d, t):
    """Return the second time derivative of the length of tendon t at zero qacc.

    Tendons with armature have only straight segments.
    """
    total = 0.0
    share = 1.0
    first = m.tendon_adr[t]
    for w in range(first, first + m.tendon_num[t] - 1):
        if m.wrap_type[w] == mjtWrap.mjWRAP_PULLEY:
            share = 1.0 / m.wrap_prm[w]
        elif m.wrap_type[w] == mjtWrap.mjWRAP_SITE and m.wrap_type[w + 1] == mjtWrap.mjWRAP_SITE:
            total = total + share * piece_acceleration(m, d, m.wrap_objid[w], m.wrap_objid[w + 1])
    return total


@kernel
def piece_acceleration(m, d, a, b):
    """Return the second time derivative of the distance between two sites at zero qacc."""
    body = m.site_bodyid[a]
    other = m.site_bodyid[b]
    if body == other:
        return 0.0
    way = d.site_xpos[b] - d.site_xpos[a]
    size = norm(way)
    along = normalize3(way)
    speed = velocity_at(m, d, other, d.site_xpos[b]).linear - velocity_at(m, d, body, d.site_xpos[a]).linear
    change = bias_acceleration_at(m, d, other, d.site_xpos[b]) - bias_acceleration_at(m, d, body, d.site_xpos[a])
    across = speed - along * dot(along, speed)
    turning = where(size > mjMINVAL, dot(across, across) / maximum(size, mjMINVAL), 0.0)
    return dot(along, change) + turning
