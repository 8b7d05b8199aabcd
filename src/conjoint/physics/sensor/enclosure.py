"""Sensors that measure how far objects protrude from the volume of a site (stage 12).

Their reading is the maximum difference between the support functions of two convex shapes, over all directions. If the
object is partly outside, this is the directed Hausdorff distance (Schneider, Convex Bodies, section 1.8). If it is
inside, this is minus the clearance.
"""

from conjoint.lang import dot, group, kernel, load, maximum, normalize3, stop_gradient, vec3
from conjoint.physics.sensor.convex_shape import (
    farthest,
    height,
    is_round,
    shape_of_geom,
    shape_of_volume,
    way_out,
)
from conjoint.physics.sensor.store import cut_off
from conjoint.schema.constants import mjMAXVAL
from conjoint.schema.enums import mjtDisableBit, mjtGeom, mjtObj, mjtSensor

FEW, MANY = 6, 200
"""Number of search steps from each initial direction, and from the best of the results."""

ENOUGH = 1e-15
"""Minimum gain (m) of a search step; the search stops below it."""


@kernel
def sensor_enclosed(m, d):
    """Read the sensors that measure how far objects protrude from site volumes."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return
    for s in range(m.nsensor):
        if m.sensor_type[s] == mjtSensor.mjSENS_INSIDESITE and m.sensor_intprm[s, 0] != 0:
            d.sensordata[m.sensor_adr[s]] = protrusion(m, d, s)
            cut_off(m, d, s)


@kernel
def protrusion(m, d, s):
    """Return the protrusion of the object of sensor s from its site: the maximum over the geoms of the object."""
    volume = shape_of_volume(m, d, m.sensor_refid[s])
    kind = m.sensor_objtype[s]
    i = m.sensor_objid[s]
    if kind == mjtObj.mjOBJ_SITE:
        return juts_out(m, shape_of_volume(m, d, i), volume)
    if kind == mjtObj.mjOBJ_GEOM:
        return juts_out(m, shape_of_geom(m, d, i), volume)
    most = -mjMAXVAL
    body = i
    # the bodies of a subtree are consecutive
    while body == i or (kind == mjtObj.mjOBJ_XBODY and body < m.nbody and m.body_parentid[body] >= i):
        for g in range(m.body_geomadr[body], m.body_geomadr[body] + m.body_geomnum[body]):
            most = maximum(most, juts_out(m, shape_of_geom(m, d, g), volume))
        body += 1
    return most


@kernel
def juts_out(m, shape, volume):
    """Return the maximum height of a shape above a volume."""
    if is_round(shape):
        best = by_ascent(m, shape, volume)
    else:
        best = by_points(m, shape, volume)
    # at the maximum, the derivative with respect to the direction is zero
    way = stop_gradient(best.way)
    return height(m, shape, way) - height(m, volume, way)


@group
def Best(way, above):
    """Direction, and height of a shape above a volume in this direction."""


@kernel
def better(best, way, above):
    """Return the direction with the larger height: `way`, or the one in `best`."""
    if above > best.above:
        return Best(way, above)
    return best


# --- shapes that are points, or balls around points ---


@kernel
def by_points(m, shape, volume):
    """Return the direction in which one of the points that span a shape is highest above a volume."""
    size = shape.size
    best = Best(vec3(0.0, 0.0, 1.0), -mjMAXVAL)
    if shape.kind == mjtGeom.mjGEOM_MESH:
        for k in range(m.mesh_vertnum[shape.mesh]):
            vertex = load(vec3, m.mesh_vert, (m.mesh_vertadr[shape.mesh] + k, 0))
            best = with_point(m, shape, volume, best, vertex)
    elif shape.kind == mjtGeom.mjGEOM_BOX:
        for k in range(8):
            x = size.x if k & 1 else -size.x
            y = size.y if k & 2 else -size.y
            best = with_point(m, shape, volume, best, vec3(x, y, size.z if k & 4 else -size.z))
    elif shape.kind == mjtGeom.mjGEOM_CAPSULE:
        best = with_point(m, shape, volume, best, vec3(0.0, 0.0, size.y))
        best = with_point(m, shape, volume, best, vec3(0.0, 0.0, -size.y))
    else:
        best = with_point(m, shape, volume, best, vec3(0.0, 0.0, 0.0))
    return best


@kernel
def with_point(m, shape, volume, best, point):
    """Return the better of the best direction so far and the direction for a point in the frame of a shape."""
    p = shape.pos + shape.frame @ point
    way = way_out(m, volume, p)
    return better(best, way, dot(way, p) - height(m, volume, way))


# --- shapes with round faces ---


@kernel
def by_ascent(m, shape, volume):
    """Return the direction in which a shape is highest above a volume.

    A step finds the support point of the shape in a direction, then the direction out of the volume at this point. The
    shape is at least as high in this new direction. The search performs few steps from many directions, and many steps
    from the best result.
    """
    best = Best(vec3(0.0, 0.0, 1.0), -mjMAXVAL)
    for k in range(27):
        way = vec3(1.0 * (k // 9 - 1), 1.0 * (k // 3 % 3 - 1), 1.0 * (k % 3 - 1))
        if k != 13:
            best = ascend(m, shape, volume, best, shape.frame @ normalize3(way), FEW)
    if volume.kind == mjtGeom.mjGEOM_MESH:
        for k in range(m.mesh_polynum[volume.mesh]):
            normal = m.mesh_polynormal[m.mesh_polyadr[volume.mesh] + k]
            best = ascend(m, shape, volume, best, volume.frame @ normal, FEW)
    elif volume.kind != mjtGeom.mjGEOM_SPHERE:
        for k in range(6):
            sign = 1.0 if k & 1 else -1.0
            x = sign if k < 2 else 0.0
            y = sign if k == 2 or k == 3 else 0.0
            best = ascend(m, shape, volume, best, volume.frame @ vec3(x, y, sign if k > 3 else 0.0), FEW)
    return ascend(m, shape, volume, best, best.way, MANY)


@kernel
def ascend(m, shape, volume, best, way, turns):
    """Return the better of the best direction so far and the result of at most `turns` steps from a direction."""
    above = height(m, shape, way) - height(m, volume, way)
    for _k in range(turns):
        new = way_out(m, volume, farthest(m, shape, way))
        gained = height(m, shape, new) - height(m, volume, new)
        if gained <= above + ENOUGH:
            break
        way = new
        above = gained
    return better(best, way, above)
