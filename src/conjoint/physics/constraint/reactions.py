"""What bodies feel of contacts, connects and welds: stages of mj_rnePostConstraint before `rne_post`."""

from conjoint.lang import kernel, load, vec3
from conjoint.physics.constraint.equality import held, rows_of_equality, weld_torque
from conjoint.physics.motion.support import com_wrench, contact_wrench
from conjoint.schema.enums import mjtEq


@kernel(one_by_one="together 0.86 of the speed (four legs and bodies, 18 contacts)")
def contact_forces(m, d):
    """Add contact forces to cfrc_ext: second stage of mj_rnePostConstraint."""
    for c in range(d.ncon):
        # the official engine leaves out contacts of flexes
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


@kernel(one_by_one="together 0.90 of the speed (a weld and a connect)")
def equality_forces(m, d):
    """Add forces of connects and welds to cfrc_ext: third stage of mj_rnePostConstraint."""
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
    """Add a force and torque at a point to cfrc_ext of a body; the world feels nothing."""
    if body > 0:
        d.cfrc_ext[body] = d.cfrc_ext[body] + com_wrench(m, d, body, force, torque, point)
