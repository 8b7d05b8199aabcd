"""Cameras of the model as eyes with a window, which pixels a shape can cover, and what pixels show."""

from conjoint.lang import clip, cos, cross, dot, floor, integer, kernel, maximum, sin, vec3, x_axis, y_axis, z_axis
from conjoint.physics.geometry.matrix import greatest, least
from conjoint.ray_renderer.shapes import shape_box

DEGREE = 0.017453292519943295
"""Radians."""

CORNERS = 8
"""Number of corners of a box."""


@kernel
def look_from(m, d, c):
    """See from camera c of the model."""
    d.eye_pos = d.cam_xpos[c]
    d.eye_right = x_axis(d.cam_xmat[c])
    d.eye_up = y_axis(d.cam_xmat[c])
    d.eye_forward = -z_axis(d.cam_xmat[c])
    d.eye_parallel = m.cam_orthographic[c]
    set_range(m, d)
    # as in `viz.kernels.camera`: of parallel rays the sensor says nothing
    if m.cam_sensorsize[c, 0] > 0.0 and m.cam_sensorsize[c, 1] > 0.0 and m.cam_orthographic[c] == 0:
        set_sensor(m, d, c)
    else:
        set_field(m, d, m.cam_fovy[c])


@kernel
def look_at(m, d, point, distance, azimuth, elevation, parallel):
    """See a point from a distance; angles in degrees."""
    forward, up = directions(azimuth, elevation)
    d.eye_pos = point - forward * distance
    d.eye_forward = forward
    d.eye_up = up
    d.eye_right = cross(forward, up)
    d.eye_parallel = parallel
    set_range(m, d)
    set_field(m, d, m.vis.global_.fovy)


@kernel
def directions(azimuth, elevation):
    """Forwards and upwards of a camera, for its angles in degrees about the z axis and above the horizon."""
    a = DEGREE * azimuth
    e = DEGREE * elevation
    return vec3(cos(e) * cos(a), cos(e) * sin(a), sin(e)), vec3(-sin(e) * cos(a), -sin(e) * sin(a), cos(e))


@kernel
def set_range(m, d):
    """Between which distances something is seen."""
    d.near = m.vis.map.znear * m.stat.extent
    d.far = m.vis.map.zfar * m.stat.extent


@kernel
def set_field(m, d, fovy):
    """A window in the middle, for a vertical field of view in degrees, or in meters if rays are parallel."""
    half = 0.5 * fovy
    if d.eye_parallel == 0:
        half = sin(half * DEGREE) / cos(half * DEGREE)
    d.window_top = half
    d.window_bottom = -half
    d.window_right = half * d.width / d.height
    d.window_left = -d.window_right


@kernel
def set_sensor(m, d, c):
    """The window of a camera with a sensor: its size and principal point, seen from the focal length.

    The axis of the camera meets its picture at the principal point: x to the left of the middle, and y above it.
    """
    wide = 0.5 * m.cam_sensorsize[c, 0] / m.cam_intrinsic[c, 0]
    high = 0.5 * m.cam_sensorsize[c, 1] / m.cam_intrinsic[c, 1]
    across = m.cam_intrinsic[c, 2] / m.cam_intrinsic[c, 0]
    upwards = -m.cam_intrinsic[c, 3] / m.cam_intrinsic[c, 1]
    d.window_left = across - wide
    d.window_right = across + wide
    d.window_bottom = upwards - high
    d.window_top = upwards + high


@kernel
def cover(m, d, s):
    """The pixels that shape s can cover: first column, first row, and those behind the last."""
    middle, half, bounded = shape_box(m, d, s)
    if not bounded:
        return 0, 0, d.width, d.height
    frame = d.shape_frame[s]
    corner = d.shape_pos[s] + frame @ (middle - half)
    x, y, z = x_axis(frame), y_axis(frame), z_axis(frame)
    return cover_box(d, corner, x * (2.0 * half.x), y * (2.0 * half.y), z * (2.0 * half.z))


@kernel
def cover_box(d, corner, x, y, z):
    """The pixels that a box can cover, whose sides from a corner are these."""
    low = seen_at(d, corner)
    high = low
    for k in range(1, CORNERS):
        low, high = widen(low, high, seen_at(d, corner + x * (k & 1) + y * (k // 2 & 1) + z * (k // 4)))
    return pixels_between(d, low, high)


@kernel
def seen_at(d, point):
    """Return the place of a point on the window, and its distance."""
    off = point - d.eye_pos
    depth = dot(off, d.eye_forward)
    # what is not in front of the near plane is looked at apart
    scale = 1.0 / maximum(depth, d.near)
    if d.eye_parallel != 0:
        scale = 1.0
    return vec3(dot(off, d.eye_right) * scale, dot(off, d.eye_up) * scale, depth)


@kernel
def widen(low, high, at):
    """The box of these corners, made so large that a point is in it."""
    return least(low, at), greatest(high, at)


@kernel
def pixels_between(d, low, high):
    """The pixels of what is seen between two corners of the window, at these distances."""
    if high.z < d.near or low.z > d.far:
        return 0, 0, 0, 0
    if d.eye_parallel == 0 and low.z < d.near:
        return 0, 0, d.width, d.height
    columns = d.width / (d.window_right - d.window_left)
    rows = d.height / (d.window_top - d.window_bottom)
    first_column = pixel((low.x - d.window_left) * columns, d.width)
    end_column = pixel((high.x - d.window_left) * columns + 1.0, d.width)
    first_row = pixel((d.window_top - high.y) * rows, d.height)
    end_row = pixel((d.window_top - low.y) * rows + 1.0, d.height)
    return first_column, first_row, end_column, end_row


@kernel
def pixel(x, count):
    """The pixel in which x lies, of a line of them; the nearest end outside of it."""
    return integer(floor(clip(x, 0.0, count)))


@kernel
def way_through(d, row, column):
    """Return the start of the ray through the middle of a pixel, and its vector: 1 m along the direction of view."""
    x = d.window_left + (d.window_right - d.window_left) * ((column + 0.5) / d.width)
    y = d.window_top - (d.window_top - d.window_bottom) * ((row + 0.5) / d.height)
    off = d.eye_right * x + d.eye_up * y
    if d.eye_parallel != 0:
        return d.eye_pos + off, d.eye_forward
    return d.eye_pos, d.eye_forward + off


SAME_PLACE = 1.0 + 1e-9
"""Factor of distances within which shapes are in one place: the last of them is seen, as in MuJoCo."""


@kernel
def clear(d):
    """Let pixels show nothing: `far` away."""
    for i in range(d.height * d.width):
        d.distance[i] = d.far
        d.seen[i] = -1


@kernel
def show(d, i, s, x, part):
    """Let pixel i show a part of shape s at distance x, if nothing is nearer."""
    if x >= d.near and x <= d.distance[i] * SAME_PLACE:
        d.distance[i] = x
        d.seen[i] = s
        d.part[i] = part
