"""Tactile sensors: pressure and sliding speed at the vertices of a mesh that touches other geoms (stage 22).

A vertex inside another geom reports a pressure that increases with its depth, and its sliding speed along each of its
two tangents. The readings are all pressures, then all speeds along the first tangent, then all along the second.
"""

from conjoint.lang import abs, dot, kernel, load, quat_to_mat, vec3
from conjoint.physics.geometry.signed_distance import signed_distance
from conjoint.physics.motion.support import velocity_at
from conjoint.physics.sensor.store import cut_off
from conjoint.schema.enums import mjtDisableBit, mjtGeom, mjtSensor

DEEPEST = 0.05
"""Depth (m) at which the pressure is half of its upper bound, which is 1."""


@kernel
def clear_tactile(m, d):
    """Set the readings of all tactile sensors to zero."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return
    for s in range(m.nsensor):
        if m.sensor_type[s] == mjtSensor.mjSENS_TACTILE:
            for a in range(m.sensor_adr[s], m.sensor_adr[s] + m.sensor_dim[s]):
                d.sensordata[a] = 0.0


@kernel
def sensor_tactile(m, d):
    """Read all tactile sensors."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return
    for s in range(m.nsensor):
        if m.sensor_type[s] == mjtSensor.mjSENS_TACTILE:
            weld = m.body_weldid[m.geom_bodyid[m.sensor_refid[s]]]
            for c in range(d.ncon):
                for side in range(2):
                    other = touched(m, d, weld, c, side)
                    if other >= 0 and is_new(m, d, weld, c, other):
                        feel(m, d, s, weld, other)
            cut_off(m, d, s)


@kernel
def touched(m, d, weld, c, side):
    """Return the other geom of contact c if the geom on the given side is fixed to body `weld`, else -1."""
    own = d.contact_geom[c, side]
    other = d.contact_geom[c, 1 - side]
    if own < 0 or other < 0 or m.body_weldid[m.geom_bodyid[own]] != weld:
        return -1
    return other


@kernel
def is_new(m, d, weld, c, other):
    """Return True if no contact before contact c is between geom `other` and a geom fixed to body `weld`."""
    k = 0
    while k < c and touched(m, d, weld, k, 0) != other and touched(m, d, weld, k, 1) != other:
        k += 1
    return k == c


@kernel
def feel(m, d, s, weld, other):
    """Write the readings of those vertices of sensor s that are inside geom `other`.

    They overwrite readings due to other geoms. Geoms of type mesh are ignored.
    """
    if m.geom_type[other] == mjtGeom.mjGEOM_MESH:
        return
    mesh = m.sensor_objid[s]
    geom = m.sensor_refid[s]
    count = m.mesh_vertnum[mesh]
    turn = quat_to_mat(m.mesh_quat[mesh])
    speed = velocity_at(m, d, m.geom_bodyid[other], d.geom_xpos[other]).linear
    for k in range(count):
        vertex = load(vec3, m.mesh_vert, (m.mesh_vertadr[mesh] + k, 0))
        point = d.geom_xpos[geom] + d.geom_xmat[geom] @ vertex
        p = d.geom_xmat[other].T @ (point - d.geom_xpos[other])
        depth = -signed_distance(m.geom_type[other], m.geom_size[other], p)
        if depth > 0.0:
            # normal and tangents of a vertex are adjacent; MuJoCo ignores the rotation of the geom
            first = m.mesh_normaladr[mesh] + 3 * k
            sliding = velocity_at(m, d, weld, point).linear - speed
            normal = turn @ load(vec3, m.mesh_normal, (first, 0))
            a = m.sensor_adr[s] + k
            d.sensordata[a] = -depth / (DEEPEST + depth) * dot(normal, normal)
            for t in range(1, 3):
                tangent = turn @ load(vec3, m.mesh_normal, (first + t, 0))
                d.sensordata[a + t * count] = abs(dot(sliding, tangent))
