"""Decoration of cameras and lights, and the rays of range finders."""

from conjoint.lang import cross, dot, kernel, load, mat3, norm, normalize3, vec3, z_axis
from conjoint.ray_renderer.connectors import turn_to
from conjoint.schema.enums import mjtGeom, mjtObj, mjtSensor
from conjoint.schema.enums_visual import mjtFrame, mjtLabel, mjtVisFlag
from conjoint.viz.kernels.bodies import DECOR, NO_OBJECT
from conjoint.viz.kernels.geom import add_frame, add_geom, connect, mark, paint, place

RAY_WIDTH = 3.0
"""Width (pixels) of the lines that show rays and frustum edges."""

BEHIND = 0.0001
"""Distance (m) of a light's marker behind the light, so that the marker does not block it."""

LENS_SHADE = 0.5
"""Brightness of a lens, relative to the color of its camera."""


@kernel
def add_cameras(m, d):
    """Add a box with a lens for each camera, and the frustum of each camera that has a sensor."""
    if d.opt.flags[mjtVisFlag.mjVIS_CAMERA] == 0:
        return
    # as in MuJoCo, geoms after the first frame are not identified as cameras
    objtype = int(mjtObj.mjOBJ_CAMERA)
    for c in range(m.ncam):
        s = m.vis.scale.camera * m.stat.meansize
        # a camera whose frustum is shown is transparent, so that it does not hide it
        opacity = 1.0
        if m.cam_sensorsize[c, 1] > 0.0:
            opacity = m.vis.map.alpha
            add_frustum(m, d, objtype, c)
        g = add_geom(d, mjtGeom.mjGEOM_BOX, DECOR, objtype, c)
        place(d, g, vec3(s, 0.8 * s, 0.4 * s), d.cam_xpos[c], d.cam_xmat[c])
        paint(d, g, m.vis.rgba.camera, 0)
        d.scn.geoms.rgba[g, 3] = d.scn.geoms.rgba[g, 3] * opacity
        if d.opt.label == mjtLabel.mjLABEL_CAMERA:
            mark(d, g)
        g = add_geom(d, mjtGeom.mjGEOM_CYLINDER, DECOR, objtype, c)
        front = d.cam_xpos[c] - z_axis(d.cam_xmat[c]) * (0.6 * s)
        place(d, g, vec3(0.4 * s, 0.4 * s, 0.3 * s), front, d.cam_xmat[c])
        paint(d, g, m.vis.rgba.camera, 0)
        for k in range(3):
            d.scn.geoms.rgba[g, k] = d.scn.geoms.rgba[g, k] * LENS_SHADE
        d.scn.geoms.rgba[g, 3] = d.scn.geoms.rgba[g, 3] * opacity
        if d.opt.frame == mjtFrame.mjFRAME_CAMERA:
            add_frame(m, d, c, d.cam_xpos[c], d.cam_xmat[c], 1.0)
            objtype = NO_OBJECT


@kernel
def add_frustum(m, d, objtype, c):
    """Add the four sides of the frustum of camera c, up to a distance: two triangles and three lines per side."""
    near = m.vis.map.znear * m.stat.extent
    far = m.vis.scale.frustum * m.stat.meansize
    for side in range(4):
        # in the order bottom, right, top, left
        a = sensor_corner(m, d, c, side, near)
        b = sensor_corner(m, d, c, side + 1, near)
        far_a = sensor_corner(m, d, c, side, far)
        far_b = sensor_corner(m, d, c, side + 1, far)
        add_triangle(m, d, objtype, c, a, far_a, b)
        add_triangle(m, d, objtype, c, far_a, far_b, b)
        add_edge(m, d, objtype, c, a, b)
        add_edge(m, d, objtype, c, far_a, far_b)
        add_edge(m, d, objtype, c, a, far_a)


@kernel
def sensor_corner(m, d, c, corner, distance):
    """Return the point at a distance along z on the ray through a sensor corner of camera c.

    Corners are numbered counterclockwise from the lower left.
    """
    right = 0.5 if corner == 1 or corner == 2 else -0.5
    above = 0.5 if corner == 2 or corner == 3 else -0.5
    x = (right * m.cam_sensorsize[c, 0] + m.cam_intrinsic[c, 2]) / m.cam_intrinsic[c, 0]
    y = (above * m.cam_sensorsize[c, 1] - m.cam_intrinsic[c, 3]) / m.cam_intrinsic[c, 1]
    return d.cam_xpos[c] + d.cam_xmat[c] @ (vec3(x, y, -1.0) * distance)


@kernel
def add_triangle(m, d, objtype, c, a, b, e):
    """Add a triangle. Its axes are its normal and the two sides at its first corner, which may be oblique."""
    g = add_geom(d, mjtGeom.mjGEOM_TRIANGLE, DECOR, objtype, c)
    across = cross(b - a, e - a)
    x = normalize3(b - a)
    y = normalize3(e - a)
    z = normalize3(across)
    axes = mat3(x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z)
    place(d, g, vec3(norm(b - a), norm(e - a), norm(across)), a, axes)
    paint(d, g, m.vis.rgba.frustum, 0)


@kernel
def add_edge(m, d, objtype, c, start, end):
    """Add an edge line of a camera's frustum."""
    g = add_geom(d, mjtGeom.mjGEOM_LINE, DECOR, objtype, c)
    connect(d, g, RAY_WIDTH, start, end)
    paint(d, g, m.vis.rgba.frustum, 0)


@kernel
def add_lights(m, d):
    """Add a cylinder for each light."""
    if d.opt.flags[mjtVisFlag.mjVIS_LIGHT] == 0:
        return
    # as in MuJoCo, geoms after the first frame are not identified as lights
    objtype = int(mjtObj.mjOBJ_LIGHT)
    for i in range(m.nlight):
        s = m.vis.scale.light * m.stat.meansize
        mat = turn_to(d.light_xdir[i])
        g = add_geom(d, mjtGeom.mjGEOM_CYLINDER, DECOR, objtype, i)
        place(d, g, vec3(0.8 * s, 0.8 * s, s), d.light_xpos[i] - d.light_xdir[i] * (s + BEHIND), mat)
        paint(d, g, m.vis.rgba.light, 0)
        if d.opt.label == mjtLabel.mjLABEL_LIGHT:
            mark(d, g)
        if d.opt.frame == mjtFrame.mjFRAME_LIGHT:
            add_frame(m, d, i, d.light_xpos[i], mat, 1.0)
            objtype = NO_OBJECT


@kernel
def add_rangefinders(m, d):
    """Add lines from range finders to the points they hit, and between the nearest points that sensors report."""
    if d.opt.flags[mjtVisFlag.mjVIS_RANGEFINDER] == 0:
        return
    for s in range(m.nsensor):
        if m.sensor_type[s] == mjtSensor.mjSENS_RANGEFINDER:
            distance = d.sensordata[m.sensor_adr[s]]
            if distance >= 0.0:
                site = m.sensor_objid[s]
                g = add_geom(d, mjtGeom.mjGEOM_LINE, DECOR, NO_OBJECT, s)
                start = d.site_xpos[site]
                connect(d, g, RAY_WIDTH, start, start + z_axis(d.site_xmat[site]) * distance)
                paint(d, g, m.vis.rgba.rangefinder, 0)
        if m.sensor_type[s] == mjtSensor.mjSENS_GEOMFROMTO:
            start = load(vec3, d.sensordata, m.sensor_adr[s])
            end = load(vec3, d.sensordata, m.sensor_adr[s] + 3)
            if dot(start, start) > 0.0 or dot(end, end) > 0.0:
                g = add_geom(d, mjtGeom.mjGEOM_LINE, DECOR, NO_OBJECT, s)
                connect(d, g, RAY_WIDTH, start, end)
                paint(d, g, m.vis.rgba.rangefinder, 0)
