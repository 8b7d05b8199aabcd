"""Forces of contacts, connects, welds and spatial tendons on bodies, as added to cfrc_ext by mj_rnePostConstraint.

These stages precede `rne_post`. All effects along a tendon add up to one force: springs, dampers, actuators,
limits, dry friction, equalities, and the inertia of the tendon. Each straight segment of the path pulls the
bodies at its ends with this force. Fixed tendons act on joints only, so they exert no force on bodies.
"""

from conjoint.lang import kernel, load, vec3
from conjoint.physics.constraint.equality import held, polynomial, rows_of_equality, weld_torque
from conjoint.physics.constraint.rows import EQUALITY, FRICTION_TENDON, LIMIT_TENDON
from conjoint.physics.forces.springs import tendon_pull
from conjoint.physics.motion.support import com_wrench, contact_wrench
from conjoint.physics.motors import tendon_inertia, tendon_resistance
from conjoint.physics.passive_flags import has_dampers, has_springs
from conjoint.physics.tendon.paths import bias_acceleration, is_fixed
from conjoint.physics.tendon.pulls import pull_path
from conjoint.schema.enums import mjtEq, mjtTrn


@kernel(one_by_one="worlds together run at 0.86 of the speed (four legs and bodies, 18 contacts)")
def contact_forces(m, d):
    """Add contact forces to cfrc_ext, in the second stage of mj_rnePostConstraint."""
    for c in range(d.ncon):
        # MuJoCo omits contacts of flexes
        if d.contact_efc_address[c] >= 0 and d.contact_geom[c, 0] >= 0 and d.contact_geom[c, 1] >= 0:
            wrench = contact_wrench(m, d, c)
            frame = d.contact_frame[c]
            force = frame.T @ wrench.linear
            torque = frame.T @ wrench.angular
            pos = d.contact_pos[c]
            first = m.geom_bodyid[d.contact_geom[c, 0]]
            second = m.geom_bodyid[d.contact_geom[c, 1]]
            feel(m, d, first, -force, -torque, pos)
            feel(m, d, second, force, torque, pos)


@kernel(one_by_one="worlds together run at 0.90 of the speed (a weld and a connect)")
def equality_forces(m, d):
    """Add the forces of connects and welds to cfrc_ext, in the third stage of mj_rnePostConstraint."""
    r = 0
    while r < d.ne:
        e = d.efc_id[r]
        kind = m.eq_type[e]
        if kind == mjtEq.mjEQ_CONNECT or kind == mjtEq.mjEQ_WELD:
            force = load(vec3, d.efc_force, r)
            torque = vec3(0.0, 0.0, 0.0)
            if kind == mjtEq.mjEQ_WELD:
                torque = weld_torque(m, d, e, load(vec3, d.efc_force, r + 3))
            body, point = held(m, d, e, 0)
            other, goal = held(m, d, e, 1)
            feel(m, d, body, force, torque, point)
            feel(m, d, other, -force, -torque, goal)
        r += rows_of_equality(m, e)


@kernel
def feel(m, d, body, force, torque, point):
    """Add a force and a torque at a point of a body to cfrc_ext of the body, unless it is the world."""
    if body > 0:
        d.cfrc_ext[body] = d.cfrc_ext[body] + com_wrench(m, d, body, force, torque, point)


@kernel
def tendon_forces(m, d):
    """Add the forces of spatial tendons to cfrc_ext, in the fourth stage of mj_rnePostConstraint."""
    for t in range(m.ntendon):
        force = tendon_pull(m, d, t) if has_springs(m) else 0.0
        if has_dampers(m):
            force = force - tendon_resistance(m, t, d.ten_velocity[t])
        d.tendon_force[t] = force - tendon_inertia(m, t) * tendon_acceleration(m, d, t)
    for u in range(m.nactuator):
        if m.actuator_trntype[u] == mjtTrn.mjTRN_TENDON:
            t = m.actuator_trnid[u, 0]
            o = m.actuator_outadr[u]
            d.tendon_force[t] = d.tendon_force[t] + m.actuator_gear[o, 0] * d.actuator_force[o]
    for r in range(d.nefc):
        add_row(m, d, r)
    for t in range(m.ntendon):
        if not is_fixed(m, t):
            pull_path(m, d, t, d.tendon_force[t], feel)


@kernel
def tendon_acceleration(m, d, t):
    """Return the second time derivative of the length of tendon t."""
    acceleration = 0.0
    for k in range(m.ten_J_rownnz[t]):
        i = m.ten_J_colind[t, k]
        acceleration = acceleration + d.ten_J[t, i] * d.qacc[i]
    if is_fixed(m, t):
        return acceleration
    return acceleration + bias_acceleration(m, d, t)


@kernel
def add_row(m, d, r):
    """Add the force of row r to the forces of the tendons that the row constrains, if any."""
    kind = d.efc_type[r]
    i = d.efc_id[r]
    force = d.efc_force[r]
    if kind == FRICTION_TENDON:
        d.tendon_force[i] = d.tendon_force[i] + force
    elif kind == LIMIT_TENDON:
        # the row is for the upper limit if it is the tendon's second row, or if the lower limit is outside the margin
        second = r > 0 and d.efc_type[r - 1] == LIMIT_TENDON and d.efc_id[r - 1] == i
        if second or d.tendon_limit_dist[i, 0] >= m.tendon_margin[i]:
            force = -force
        d.tendon_force[i] = d.tendon_force[i] + force
    elif kind == EQUALITY and m.eq_type[i] == mjtEq.mjEQ_TENDON:
        first = m.eq_obj1id[i]
        other = m.eq_obj2id[i]
        d.tendon_force[first] = d.tendon_force[first] + force
        if other >= 0:
            _, slope = polynomial(m, i, d.ten_length[other] - m.tendon_length0[other])
            d.tendon_force[other] = d.tendon_force[other] - slope * force
