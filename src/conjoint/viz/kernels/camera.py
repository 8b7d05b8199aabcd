"""OpenGL cameras and lights of a scene (Programming, Cameras and Scene update)."""

from conjoint.lang import cos, cross, kernel, load, normalize3, put, sin, vec3, y_axis, z_axis
from conjoint.ray_renderer.window import DEGREE, directions
from conjoint.schema.constants import mjMAXLIGHT
from conjoint.schema.enums import mjtLightType
from conjoint.schema.enums_visual import mjtCamera

HEADLIGHT_BULB = 0.02
HEADLIGHT_RANGE = 10.0
TRACKING_SHARE = 0.2
"""Fraction of the distance to the body that a tracking camera moves per update, for a smooth motion."""


@kernel
def is_there(m, d):
    """Return True if the body that the abstract camera tracks, or the model's camera that it uses, exists."""
    if d.cam.type == mjtCamera.mjCAMERA_TRACKING:
        return d.cam.trackbodyid >= 0 and d.cam.trackbodyid < m.nbody
    if d.cam.type == mjtCamera.mjCAMERA_FIXED:
        return d.cam.fixedcamid >= 0 and d.cam.fixedcamid < m.ncam
    return True


@kernel
def update_camera(m, d):
    """Set both cameras of the scene from the abstract camera; one of type `mjCAMERA_USER` changes nothing."""
    if d.cam.type == mjtCamera.mjCAMERA_USER:
        return
    d.scn.enabletransform = 0
    if d.cam.type == mjtCamera.mjCAMERA_FIXED:
        look_from_fixed(m, d)
    else:
        look_freely(m, d)


@kernel
def look_freely(m, d):
    """Set the scene's cameras to look at a point; for a tracking camera, near the tracked body's center of mass."""
    if d.cam.type == mjtCamera.mjCAMERA_TRACKING:
        follow(m, d)
    forward, up = directions(d.cam.azimuth, d.cam.elevation)
    head = d.cam.lookat - forward * d.cam.distance
    set_eyes(m, d, head, forward, up, m.vis.global_.ipd)
    set_frustum(m, d, m.vis.global_.fovy, m.vis.global_.orthographic)


@kernel
def follow(m, d):
    """Move the point that a tracking camera looks at toward the body."""
    target = d.subtree_com[d.cam.trackbodyid]
    d.cam.lookat = d.cam.lookat * (1.0 - TRACKING_SHARE) + target * TRACKING_SHARE


@kernel
def look_from_fixed(m, d):
    """Set the scene's cameras to a camera of the model."""
    c = d.cam.fixedcamid
    set_eyes(m, d, d.cam_xpos[c], -z_axis(d.cam_xmat[c]), y_axis(d.cam_xmat[c]), m.cam_ipd[c])
    set_frustum(m, d, m.cam_fovy[c], m.cam_orthographic[c])
    # as in MuJoCo, an orthographic camera ignores the sensor size, and its field of view is in meters
    if m.cam_sensorsize[c, 0] > 0.0 and m.cam_sensorsize[c, 1] > 0.0 and m.cam_orthographic[c] == 0:
        set_intrinsic(m, d, c)


@kernel
def set_eyes(m, d, head, forward, up, distance):
    """Set the poses of the left and right cameras, which are `distance` apart and centered at `head`."""
    right = cross(forward, up)
    for eye in range(2):
        side = distance * (eye - 0.5)
        put(d.scn.camera.pos, 3 * eye, head + right * side)
        put(d.scn.camera.forward, 3 * eye, forward)
        put(d.scn.camera.up, 3 * eye, up)


@kernel
def set_frustum(m, d, fovy, orthographic):
    """Set a symmetric frustum, given the vertical field of view: in degrees, or in meters if orthographic."""
    near = m.vis.map.znear * m.stat.extent
    half = 0.5 * fovy
    if not orthographic:
        half = near * sin(0.5 * DEGREE * fovy) / cos(0.5 * DEGREE * fovy)
    for eye in range(2):
        d.scn.camera.frustum_center[eye] = 0.0
        d.scn.camera.frustum_width[eye] = 0.0
        d.scn.camera.frustum_bottom[eye] = -half
        d.scn.camera.frustum_top[eye] = half
        d.scn.camera.frustum_near[eye] = near
        d.scn.camera.frustum_far[eye] = m.vis.map.zfar * m.stat.extent
        d.scn.camera.orthographic[eye] = orthographic


@kernel
def set_intrinsic(m, d, c):
    """Set the frustum of camera c of the model from its sensor size, focal length and principal point.

    The camera's axis intersects the picture at the principal point, whose x is positive to the left of the center, and
    whose y is positive above the center.
    """
    near = m.vis.map.znear * m.stat.extent
    x = near / m.cam_intrinsic[c, 0]
    y = near / m.cam_intrinsic[c, 1]
    for eye in range(2):
        d.scn.camera.frustum_width[eye] = 0.5 * x * m.cam_sensorsize[c, 0]
        d.scn.camera.frustum_center[eye] = x * m.cam_intrinsic[c, 2]
        d.scn.camera.frustum_bottom[eye] = y * (-m.cam_intrinsic[c, 3] - 0.5 * m.cam_sensorsize[c, 1])
        d.scn.camera.frustum_top[eye] = y * (-m.cam_intrinsic[c, 3] + 0.5 * m.cam_sensorsize[c, 1])


@kernel
def head_position(d):
    """Return the midpoint between the left and the right camera."""
    return (load(vec3, d.scn.camera.pos, 0) + load(vec3, d.scn.camera.pos, 3)) * 0.5


@kernel
def make_lights(m, d):
    """Set the lights of the scene: the headlight at its cameras, and the active lights of the model."""
    d.scn.nlight = 0
    if m.vis.headlight.active != 0:
        i = add_light(d, mjtLightType.mjLIGHT_DIRECTIONAL, -1)
        forward = load(vec3, d.scn.camera.forward, 0) + load(vec3, d.scn.camera.forward, 3)
        put(d.scn.lights.pos, 3 * i, head_position(d))
        put(d.scn.lights.dir, 3 * i, normalize3(forward))
        put(d.scn.lights.ambient, 3 * i, load(vec3, m.vis.headlight.ambient, 0))
        put(d.scn.lights.diffuse, 3 * i, load(vec3, m.vis.headlight.diffuse, 0))
        put(d.scn.lights.specular, 3 * i, load(vec3, m.vis.headlight.specular, 0))
        d.scn.lights.headlight[i] = 1
        d.scn.lights.castshadow[i] = 0
        d.scn.lights.bulbradius[i] = HEADLIGHT_BULB
        d.scn.lights.intensity[i] = 0.0
        d.scn.lights.range[i] = HEADLIGHT_RANGE
    for k in range(m.nlight):
        if m.light_active[k] != 0 and d.scn.nlight < mjMAXLIGHT:
            copy_light(m, d, k)


@kernel
def add_light(d, type, texture):
    """Add a light without attenuation, and return its index."""
    i = d.scn.nlight
    d.scn.nlight = i + 1
    d.scn.lights.type[i] = type
    d.scn.lights.texid[i] = texture
    put(d.scn.lights.attenuation, 3 * i, vec3(0.0, 0.0, 0.0))
    d.scn.lights.cutoff[i] = 0.0
    d.scn.lights.exponent[i] = 0.0
    return i


@kernel
def copy_light(m, d, k):
    """Add light k of the model; as in MuJoCo, only spotlights have attenuation."""
    i = add_light(d, m.light_type[k], m.light_texid[k])
    put(d.scn.lights.pos, 3 * i, d.light_xpos[k])
    put(d.scn.lights.dir, 3 * i, d.light_xdir[k])
    put(d.scn.lights.ambient, 3 * i, load(vec3, m.light_ambient, 3 * k))
    put(d.scn.lights.diffuse, 3 * i, load(vec3, m.light_diffuse, 3 * k))
    put(d.scn.lights.specular, 3 * i, load(vec3, m.light_specular, 3 * k))
    d.scn.lights.headlight[i] = 0
    d.scn.lights.castshadow[i] = m.light_castshadow[k]
    d.scn.lights.bulbradius[i] = m.light_bulbradius[k]
    d.scn.lights.intensity[i] = m.light_intensity[k]
    d.scn.lights.range[i] = m.light_range[k]
    if m.light_type[k] == mjtLightType.mjLIGHT_SPOT:
        put(d.scn.lights.attenuation, 3 * i, load(vec3, m.light_attenuation, 3 * k))
        d.scn.lights.cutoff[i] = m.light_cutoff[k]
        d.scn.lights.exponent[i] = m.light_exponent[k]
