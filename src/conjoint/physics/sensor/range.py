"""Rangefinders: distances along rays, one ray from a site or one for each pixel of a camera (stage 12)."""

from conjoint.lang import cos, dot, kernel, local, normalize3, put, sin, vec3, z_axis
from conjoint.physics.rays.normals import geom_normal
from conjoint.physics.rays.scene import ray_geom
from conjoint.physics.rays.static_tree import Chosen, first_geom_by_tree, is_tree_known
from conjoint.physics.sensor.position import HALF_DEGREE
from conjoint.physics.sensor.store import cut_off
from conjoint.schema.constants import mjMAXVAL, mjNGROUP
from conjoint.schema.enums import mjtDisableBit, mjtObj, mjtSensor
from conjoint.schema.mjcf.sensor import RAY_DATA

PARTS = len(RAY_DATA)

DIST, DIR, ORIGIN, POINT, NORMAL, DEPTH = (1 << place for place in range(len(RAY_DATA)))
"""Bits of the data that a sensor reports for each ray, in this order."""


@kernel
def sensor_range(m, d):
    """Read all rangefinders; each ray reports the first geom of another body that it intersects."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return
    groups = local(int, mjNGROUP)
    for k in range(mjNGROUP):
        groups[k] = 1
    known = is_tree_known(m, d)
    for s in range(m.nsensor):
        if m.sensor_type[s] == mjtSensor.mjSENS_RANGEFINDER:
            i = m.sensor_objid[s]
            if m.sensor_dim[s] != rays_of(m, s) * size_of(m.sensor_intprm[s, 0]):
                # the user has changed the requested data, and it does not fit
                continue
            if m.sensor_objtype[s] == mjtObj.mjOBJ_CAMERA:
                read_pixels(m, d, s, i, groups, known)
            else:
                way = z_axis(d.site_xmat[i])
                chosen = Chosen(groups, True, m.site_bodyid[i], mjMAXVAL)
                read_ray(m, d, s, m.sensor_adr[s], d.site_xpos[i], way, way, chosen, known)
            cut_off(m, d, s)


@kernel
def rays_of(m, s):
    """Return the number of rays of rangefinder s."""
    if m.sensor_objtype[s] != mjtObj.mjOBJ_CAMERA:
        return 1
    return m.cam_resolution[m.sensor_objid[s], 0] * m.cam_resolution[m.sensor_objid[s], 1]


@kernel
def size_of(what):
    """Return the number of values that are reported for a ray, where `what` = 0 requests only its distance."""
    size = 1 if what == 0 or what & DIST else 0
    for k in range(1, PARTS - 1):
        size += 3 if what & (1 << k) else 0
    return size + (1 if what & DEPTH else 0)


@kernel
def read_ray(m, d, s, a, start, way, ahead, chosen, known):
    """Write the data of a ray that sensor s requests, starting at element a, and return the next free element.

    `ahead` is the axis along which depths are measured.
    """
    distance, g = first_geom_by_tree(m, d, ray_geom, known, start, way, chosen)
    what = m.sensor_intprm[s, 0]
    if what == 0 or what & DIST:
        d.sensordata[a] = distance
        a += 1
    nothing = vec3(0.0, 0.0, 0.0)
    met = g >= 0
    if what & DIR:
        put(d.sensordata, a, way if met else nothing)
        a += 3
    if what & ORIGIN:
        put(d.sensordata, a, start)
        a += 3
    if what & POINT:
        put(d.sensordata, a, start + way * distance if met else nothing)
        a += 3
    if what & NORMAL:
        if met:
            put(d.sensordata, a, geom_normal(m, d, g, start, way, distance))
        else:
            put(d.sensordata, a, nothing)
        a += 3
    if what & DEPTH:
        d.sensordata[a] = distance * dot(way, ahead) if met else -1.0
        a += 1
    return a


@kernel
def read_pixels(m, d, s, c, groups, known):
    """Write the ray data of each pixel of camera c, row by row, starting at the top left pixel."""
    width = m.cam_resolution[c, 0]
    height = m.cam_resolution[c, 1]
    frame = d.cam_xmat[c]
    ahead = -z_axis(frame)
    chosen = Chosen(groups, True, m.cam_bodyid[c], mjMAXVAL)
    a = m.sensor_adr[s]
    for row in range(height):
        for column in range(width):
            begin, way = ray_of_pixel(m, c, column + 0.5, row + 0.5)
            start = d.cam_xpos[c] + frame @ begin
            a = read_ray(m, d, s, a, start, frame @ way, ahead, chosen, known)


@kernel
def ray_of_pixel(m, c, u, w):
    """Return the origin and direction of the ray through an image point of camera c, in the frame of the camera.

    The image point is in pixels from the left edge and from the top edge. A camera looks along its negative z axis,
    with x to the right and y up. An orthographic image is a square, regardless of its resolution.
    """
    width = 1.0 * m.cam_resolution[c, 0]
    height = 1.0 * m.cam_resolution[c, 1]
    origin = vec3(0.0, 0.0, 0.0)
    if m.cam_orthographic[c]:
        half = 0.5 * m.cam_fovy[c]
        place = vec3(half * (2.0 * u / width - 1.0), half * (1.0 - 2.0 * w / height), 0.0)
        return place, vec3(0.0, 0.0, -1.0)
    if m.cam_sensorsize[c, 0] != 0.0 and m.cam_sensorsize[c, 1] != 0.0:
        # lengths in pixels; MuJoCo 4.0 measures the principal point from the top left corner here
        across = width / m.cam_sensorsize[c, 0]
        down = height / m.cam_sensorsize[c, 1]
        x = (u - m.cam_intrinsic[c, 2] * across) / (m.cam_intrinsic[c, 0] * across)
        y = (w - m.cam_intrinsic[c, 3] * down) / (m.cam_intrinsic[c, 1] * down)
        return origin, normalize3(vec3(x, -y, -1.0))
    angle = m.cam_fovy[c] * HALF_DEGREE
    focal = 0.5 * height * cos(angle) / sin(angle)
    return origin, normalize3(vec3((u - 0.5 * width) / focal, (0.5 * height - w) / focal, -1.0))
