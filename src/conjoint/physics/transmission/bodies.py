"""Transmission through contacts of a body: adhesion (stage 10).

An actuator of a body pulls at all contacts of the body along their normals, with equal force. Its moment arm is minus
the mean Jacobian of the contact distances. Contacts that are listed but still in the gap count too, so that bodies
stick before they touch. See the XML Reference, actuator/adhesion.
"""

from conjoint.lang import formula, kernel, maximum, row0
from conjoint.physics.motion.chains import last_dof, next_of_two
from conjoint.physics.motion.support import has_geom, tree_arm, velocity_of
from conjoint.schema.constants import IN_GAP
from conjoint.schema.enums import mjtTrn


@kernel
def body_transmission(m, d):
    """Compute moment arms of actuators on bodies, after contacts are known, in the last stage of mj_transmission."""
    for u in range(m.nactuator):
        if m.actuator_trntype[u] == mjtTrn.mjTRN_BODY:
            first = m.moment_rowadr[m.actuator_outadr[u]]
            for i in range(m.nv):
                d.actuator_moment[first + i] = 0.0
            count = 0
            for c in range(d.ncon):
                if d.contact_exclude[c] <= IN_GAP and touches(m, d, c, m.actuator_trnid[u, 0]):
                    subtract_distance(m, d, c, first)
                    count += 1
            for i in range(m.nv):
                d.actuator_moment[first + i] = d.actuator_moment[first + i] / maximum(count, 1)
            d.actuator_length[m.actuator_outadr[u]] = 0.0


@kernel
def touches(m, d, c, body):
    """Return True if contact c is between two geoms, one of which belongs to the body."""
    first = d.contact_geom[c, 0]
    second = d.contact_geom[c, 1]
    return first >= 0 and second >= 0 and (has_geom(m, body, first) or has_geom(m, body, second))


@formula("real", "vec3", "vec3", exact=True)
def along(axis, v):
    """Return the component of v along an axis, rounded after every product."""
    return axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2]


@kernel
def subtract_distance(m, d, c, first):
    """Subtract the Jacobian of the distance of contact c from nv moment arms that start at index `first`."""
    body = m.geom_bodyid[d.contact_geom[c, 0]]
    other = m.geom_bodyid[d.contact_geom[c, 1]]
    normal = row0(d.contact_frame[c])
    arm = tree_arm(m, d, body, d.contact_pos[c])
    other_arm = tree_arm(m, d, other, d.contact_pos[c])
    i = last_dof(m, body)
    j = last_dof(m, other)
    # dofs that move both bodies do not change the distance
    while i != j:
        a = first + maximum(i, j)
        if i > j:
            d.actuator_moment[a] = d.actuator_moment[a] + along(normal, velocity_of(d.cdof[i], arm))
        else:
            d.actuator_moment[a] = d.actuator_moment[a] - along(normal, velocity_of(d.cdof[j], other_arm))
        i, j = next_of_two(m, i, j)
