"""Touch sensors: the normal forces of contacts inside a site (stage 22)."""

from conjoint.lang import dot, kernel, maximum, minimum, row0, sqrt, vec3
from conjoint.lang.algebra import MINIMUM_VALUE
from conjoint.physics.sensor.store import cut_off
from conjoint.physics.support import contact_wrench
from conjoint.schema.enums import mjtDisableBit, mjtGeom, mjtSensor


@kernel(per_world=True)
def sensor_touch(m, d):
    """Read all touch sensors."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return
    for s in range(m.nsensor):
        if m.sensor_type[s] == mjtSensor.mjSENS_TOUCH:
            d.sensordata[m.sensor_adr[s]] = touch_force(m, d, m.sensor_objid[s])
            cut_off(m, d, s)


@kernel(per_world=True)
def touch_force(m, d, site):
    """Sum of the normal forces of the contacts of the site's body whose force passes through the site."""
    body = m.site_bodyid[site]
    total = 0.0
    for c in range(d.ncon):
        first = m.geom_bodyid[d.contact_geom[2 * c]]
        second = m.geom_bodyid[d.contact_geom[2 * c + 1]]
        if d.contact_efc_address[c] >= 0 and (first == body or second == body):
            normal = contact_wrench(m, d, c).linear.x
            if normal > 0.0:
                # the ray of the force on the body, from the contact inwards
                ray = row0(d.contact_frame[c])
                if second == body:
                    ray = -ray
                if ray_hits_site(m, d, site, d.contact_pos[c], ray):
                    total = total + normal
    return total


@kernel(per_world=True)
def ray_hits_site(m, d, site, origin, direction):
    """True if the ray from `origin` meets the site's shape."""
    rotation = d.site_xmat[site]
    start = rotation.T @ (origin - d.site_xpos[site])
    way = rotation.T @ direction
    size = m.site_size[site]
    kind = m.site_type[site]
    if kind == mjtGeom.mjGEOM_SPHERE:
        return ray_hits_ball(start, way, size.x)
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        inner = vec3(start.x / size.x, start.y / size.y, start.z / size.z)
        return ray_hits_ball(inner, vec3(way.x / size.x, way.y / size.y, way.z / size.z), 1.0)
    if kind == mjtGeom.mjGEOM_BOX:
        return ray_hits_slabs(start, way, size)
    if kind == mjtGeom.mjGEOM_CYLINDER:
        return ray_hits_tube(start, way, size)
    # capsule: the tube or either cap
    top = vec3(0.0, 0.0, size.y)
    caps = ray_hits_ball(start - top, way, size.x) or ray_hits_ball(start + top, way, size.x)
    return caps or ray_hits_tube(start, way, size)


@kernel(per_world=True)
def ray_hits_ball(start, way, radius):
    """True if the half line meets the ball about the origin: a root of the quadratic is not negative."""
    a = dot(way, way)
    b = dot(way, start)
    c = dot(start, start) - radius * radius
    if c <= 0.0:
        return True
    return b < 0.0 and b * b - a * c >= 0.0


@kernel(per_world=True)
def ray_hits_slabs(start, way, size):
    """True if the half line meets the box: the intervals inside its three slabs and [0, inf) overlap."""
    enter = 0.0
    leave = 1e300
    for k in range(3):
        if way[k] > -MINIMUM_VALUE and way[k] < MINIMUM_VALUE:
            if start[k] > size[k] or start[k] < -size[k]:
                return False
        else:
            one = (-size[k] - start[k]) / way[k]
            other = (size[k] - start[k]) / way[k]
            enter = maximum(enter, minimum(one, other))
            leave = minimum(leave, maximum(one, other))
    return enter <= leave


@kernel(per_world=True)
def ray_hits_tube(start, way, size):
    """True if the half line meets the solid cylinder of radius size.x and half length size.y along z."""
    enter = 0.0
    leave = 1e300
    # between the end planes
    if way.z > -MINIMUM_VALUE and way.z < MINIMUM_VALUE:
        if start.z > size.y or start.z < -size.y:
            return False
    else:
        one = (-size.y - start.z) / way.z
        other = (size.y - start.z) / way.z
        enter = maximum(enter, minimum(one, other))
        leave = minimum(leave, maximum(one, other))
    # within the radius
    a = way.x * way.x + way.y * way.y
    b = way.x * start.x + way.y * start.y
    c = start.x * start.x + start.y * start.y - size.x * size.x
    if a < MINIMUM_VALUE:
        return c <= 0.0 and enter <= leave
    gap = b * b - a * c
    if gap < 0.0:
        return False
    root = sqrt(gap)
    return maximum(enter, (-b - root) / a) <= minimum(leave, (-b + root) / a)
