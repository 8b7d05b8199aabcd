"""Contact sensors (data of matching contacts, or their total force) and touch sensors (normal forces at a site).

They belong to stage 22.
"""

from dataclasses import dataclass

from conjoint.lang import (
    Group,
    cross,
    dot,
    kernel,
    mat_from_rows,
    maximum,
    norm,
    put,
    row0,
    row1,
    row2,
    spatial,
    vec3,
)
from conjoint.physics.geometry.shape import shape_of_site
from conjoint.physics.motion.support import body_of_side, contact_wrench, has_geom, velocity_at
from conjoint.physics.rays.geoms import ray_shape
from conjoint.physics.sensor.position import inside_site
from conjoint.physics.sensor.store import cut_off
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtDisableBit, mjtObj, mjtSensor, mjtStage
from conjoint.schema.mjcf.sensor import CONTACT_DATA, CONTACT_REDUCTIONS

FOUND, FORCE, TORQUE, DIST, POS, NORMAL, TANGENT, LINVEL, ANGVEL = (1 << place for place in range(len(CONTACT_DATA)))
"""Bits of the data that a sensor reports for each contact, in this order."""

MINDIST = CONTACT_REDUCTIONS.split().index("mindist")
MAXFORCE = CONTACT_REDUCTIONS.split().index("maxforce")
NETFORCE = CONTACT_REDUCTIONS.split().index("netforce")


@dataclass(frozen=True)
class ContactReading(Group):
    """Rules for contact sensors in a MuJoCo version.

    Attributes:
        stage: stage of the sensors (mjtStage).
        cut: True if the cutoff applies to readings.
        empty: True to report directions even if no contact contributes to the total.
    """

    stage: int
    cut: bool
    empty: bool


ALL_3 = ContactReading(mjtStage.mjSTAGE_ACC, cut=True, empty=True)
"""Rules of MuJoCo 3.3.5, which reads all contact sensors at the end of mj_sensorAcc.

MuJoCo 4.0 reads each of them at the first possible stage.
"""
POSITIONS_4, VELOCITIES_4, FORCES_4 = (
    ContactReading(stage, cut=False, empty=False)
    for stage in (mjtStage.mjSTAGE_POS, mjtStage.mjSTAGE_VEL, mjtStage.mjSTAGE_ACC)
)


@kernel
def sensor_contact(m, d, reading):
    """Read the contact sensors of the stage `reading.stage`."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return
    for s in range(m.nsensor):
        if m.sensor_type[s] == mjtSensor.mjSENS_CONTACT and m.sensor_needstage[s] == reading.stage:
            a = m.sensor_adr[s]
            for k in range(m.sensor_dim[s]):
                d.sensordata[a + k] = 0.0
            if m.sensor_intprm[s, 1] == NETFORCE:
                read_total(m, d, s, reading)
            else:
                read_contacts(m, d, s)
            if reading.cut:
                cut_off(m, d, s)


@kernel
def sense_of(m, d, s, c):
    """Return 1 if contact c matches sensor s, -1 if it matches with its geoms swapped, or 0 if it does not match."""
    kind1 = m.sensor_objtype[s]
    kind2 = m.sensor_reftype[s]
    if kind1 == mjtObj.mjOBJ_SITE and not inside_site(m, d, m.sensor_objid[s], d.contact_pos[c]):
        return 0
    g1 = d.contact_geom[c, 0]
    g2 = d.contact_geom[c, 1]
    if is_part(m, kind1, m.sensor_objid[s], g1) and is_part(m, kind2, m.sensor_refid[s], g2):
        return 1
    if is_part(m, kind1, m.sensor_objid[s], g2) and is_part(m, kind2, m.sensor_refid[s], g1):
        return -1
    return 0


@kernel
def is_part(m, kind, i, g):
    """Return True if geom g is object i or belongs to it, or if no object is specified.

    The object may be a geom, a body or a subtree.
    """
    if g < 0:
        return kind == mjtObj.mjOBJ_UNKNOWN or kind == mjtObj.mjOBJ_SITE
    if kind == mjtObj.mjOBJ_GEOM:
        return g == i
    if kind == mjtObj.mjOBJ_BODY:
        return has_geom(m, i, g)
    if kind == mjtObj.mjOBJ_XBODY:
        # bodies come after their parents
        body = m.geom_bodyid[g]
        while body > i:
            body = m.body_parentid[body]
        return body == i
    return True


@kernel
def rank(m, d, s, c):
    """Return the sort key of contact c for sensor s; contacts with smaller keys are reported first."""
    if m.sensor_intprm[s, 1] == MINDIST:
        return d.contact_dist[c]
    if m.sensor_intprm[s, 1] == MAXFORCE:
        wrench = contact_wrench(m, d, c)
        return -(dot(wrench.linear, wrench.linear) + dot(wrench.angular, wrench.angular))
    return 0.0


@kernel
def read_contacts(m, d, s):
    """Report as many matching contacts as fit, sorted by their keys; ties are in the order of the contact list."""
    count = 0
    for c in range(d.ncon):
        if sense_of(m, d, s, c) != 0:
            count += 1
    last = -1
    last_rank = 0.0
    a = m.sensor_adr[s]
    end = a + m.sensor_dim[s]
    filled = 0
    while a < end and filled < count:
        # find the contact that follows the last one in this order
        found = -1
        found_rank = 0.0
        for c in range(d.ncon):
            if sense_of(m, d, s, c) != 0:
                x = rank(m, d, s, c)
                later = last < 0 or x > last_rank or (x == last_rank and c > last)
                if later and (found < 0 or x < found_rank):
                    found = c
                    found_rank = x
        if found >= 0:
            a = report_contact(m, d, s, a, found, sense_of(m, d, s, found), count)
        last = found
        last_rank = found_rank
        filled += 1


@kernel
def report_contact(m, d, s, a, c, sense, count):
    """Report contact c, starting at element a, and return the next free element.

    If `sense` is -1, the geoms are swapped: the contact frame is rotated by half a turn about the third axis, and the
    force acts on the other geom.
    """
    wrench = contact_wrench(m, d, c)
    force = vec3(wrench.linear.x, wrench.linear.y, sense * wrench.linear.z)
    torque = vec3(wrench.angular.x, wrench.angular.y, sense * wrench.angular.z)
    directions = d.contact_frame[c]
    turned = mat_from_rows(row0(directions) * (1.0 * sense), row1(directions) * (1.0 * sense), row2(directions))
    a = report(m, d, s, a, count, spatial(torque, force), d.contact_dist[c], d.contact_pos[c], turned)
    what = m.sensor_intprm[s, 0]
    if what & (LINVEL | ANGVEL):
        # velocity of the second geom (after the swap) relative to the first, in the swapped frame
        first = velocity_of_side(m, d, c, 0)
        second = velocity_of_side(m, d, c, 1)
        a = report_vector(d, a, what & LINVEL, turned @ ((second.linear - first.linear) * (1.0 * sense)))
        a = report_vector(d, a, what & ANGVEL, turned @ ((second.angular - first.angular) * (1.0 * sense)))
    return a


@kernel
def velocity_of_side(m, d, c, side):
    """Return the velocity of the body on one side of contact c, at the contact point, in world axes."""
    return velocity_at(m, d, body_of_side(m, d, c, side), d.contact_pos[c])


@kernel
def report(m, d, s, a, count, wrench, dist, pos, directions):
    """Write the readings of sensor s, starting at element a, and return the next free element.

    Args:
        m: model.
        d: data.
        s, a: indices of the sensor and of the element in sensordata.
        count: number of matching contacts.
        wrench: torque and force.
        dist, pos: distance and position.
        directions: matrix whose rows are normal, first tangent and second tangent.
    """
    what = m.sensor_intprm[s, 0]
    if what & FOUND:
        d.sensordata[a] = 1.0 * count
        a += 1
    a = report_vector(d, a, what & FORCE, wrench.linear)
    a = report_vector(d, a, what & TORQUE, wrench.angular)
    if what & DIST:
        d.sensordata[a] = dist
        a += 1
    a = report_vector(d, a, what & POS, pos)
    a = report_vector(d, a, what & NORMAL, row0(directions))
    return report_vector(d, a, what & TANGENT, row1(directions))


@kernel
def report_vector(d, a, wanted, v):
    """Write a vector, starting at element a, if the sensor requests it; return the next free element."""
    if wanted:
        put(d.sensordata, a, v)
        return a + 3
    return a


@kernel
def read_total(m, d, s, reading):
    """Report the total force of all matching contacts at their centroid, weighted by force, in world axes."""
    count = 0
    weight = 0.0
    center = vec3(0.0, 0.0, 0.0)
    for c in range(d.ncon):
        if sense_of(m, d, s, c) != 0:
            size = norm(contact_wrench(m, d, c).linear)
            count += 1
            weight = weight + size
            center = center + d.contact_pos[c] * size
    if count == 0 and not reading.empty:
        return
    center = center / maximum(weight, mjMINVAL)
    force = vec3(0.0, 0.0, 0.0)
    torque = vec3(0.0, 0.0, 0.0)
    for c in range(d.ncon):
        sense = sense_of(m, d, s, c)
        if sense != 0:
            wrench = contact_wrench(m, d, c)
            push = d.contact_frame[c].T @ wrench.linear * (1.0 * sense)
            force = force + push
            torque = torque + d.contact_frame[c].T @ wrench.angular * (1.0 * sense)
            torque = torque + cross(d.contact_pos[c] - center, push)
    axes = mat_from_rows(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0))
    report(m, d, s, m.sensor_adr[s], count, spatial(torque, force), 0.0, center, axes)


@kernel
def sensor_touch(m, d):
    """Read all touch sensors."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return
    for s in range(m.nsensor):
        if m.sensor_type[s] == mjtSensor.mjSENS_TOUCH:
            d.sensordata[m.sensor_adr[s]] = touch_force(m, d, m.sensor_objid[s])
            cut_off(m, d, s)


@kernel
def touch_force(m, d, site):
    """Return the sum of the normal forces of contacts of the site's body whose line of force intersects the site."""
    body = m.site_bodyid[site]
    total = 0.0
    for c in range(d.ncon):
        first = has_geom(m, body, d.contact_geom[c, 0])
        second = has_geom(m, body, d.contact_geom[c, 1])
        if d.contact_efc_address[c] >= 0 and (first or second):
            normal = contact_wrench(m, d, c).linear.x
            if normal > 0.0:
                # ray along the force on the body, from the contact into the body
                ray = row0(d.contact_frame[c])
                if second:
                    ray = -ray
                pos = d.site_xpos[site]
                start = d.contact_pos[c]
                if ray_shape(shape_of_site(m, site), pos, d.site_xmat[site], m.site_size[site], start, ray) >= 0.0:
                    total = total + normal
    return total
