"""Camera projection, the pixels that a shape can cover, and the depth buffer."""

from conjoint.lang import clip, cos, cross, dot, floor, integer, kernel, maximum, sin, vec3, x_axis, y_axis, z_axis
from conjoint.physics.geometry.matrix import greatest, least
from conjoint.ray_renderer.shapes import shape_box

DEGREE = 0.017453292519943295
"""One degree in radians."""

CORNERS = 8
"""Number of corners of a box."""


@kernel
def look_from(m, d, c):
    """Set the view to camera c of the model."""
    d.eye_pos = d.cam_xpos[c]
    d.eye_right = x_axis(d.cam_xmat[c])
    d.eye_up = y_axis(d.cam_xmat[c])
    d.eye_forward = -z_axis(d.cam_xmat[c])
    d.eye_parallel = m.cam_orthographic[c]
    set_range(m, d)
    # as in `viz.kernels.camera`, an orthographic camera ignores the sensor
    if m.cam_sensorsize[c, 0] > 0.0 and m.cam_sensorsize[c, 1] > 0.0 and m.cam_orthographic[c] == 0:
        set_sensor(m, d, c)
    else:
        set_field(m, d, m.cam_fovy[c])


@kernel
def look_at(m, d, point, distance, azimuth, elevation, parallel):
    """Set the view of a camera that looks at a point from a distance; angles are in degrees."""
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
    """Return the forward and up vectors of a camera, from azimuth and elevation in degrees."""
    a = DEGREE * azimuth
    e = DEGREE * elevation
    return vec3(cos(e) * cos(a), cos(e) * sin(a), sin(e)), vec3(-sin(e) * cos(a), -sin(e) * sin(a), cos(e))


@kernel
def set_range(m, d):
    """Set the near and far clipping distances."""
    d.near = m.vis.map.znear * m.stat.extent
    d.far = m.vis.map.zfar * m.stat.extent


@kernel
def set_field(m, d, fovy):
    """Set a centered image plane, given the vertical field of view in degrees, or in meters if orthographic."""
    half = 0.5 * fovy
    if d.eye_parallel == 0:
        half = sin(half * DEGREE) / cos(half * DEGREE)
    d.window_top = half
    d.window_bottom = -half
    d.window_right = half * d.width / d.height
    d.window_left = -d.window_right


@kernel
def set_sensor(m, d, c):
    """Set the image plane of a camera with a sensor, from the sensor's size, principal point and focal length.

    The camera's axis intersects the image at the principal point, whose x is positive to the left of the center, and
    whose y is positive above the center.
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
    """Return the range of pixels that shape s can cover: first column and row, and end column and row (exclusive)."""
    middle, half, bounded = shape_box(m, d, s)
    if not bounded:
        return 0, 0, d.width, d.height
    frame = d.shape_frame[s]
    corner = d.shape_pos[s] + frame @ (middle - half)
    x, y, z = x_axis(frame), y_axis(frame), z_axis(frame)
    return cover_box(d, corner, x * (2.0 * half.x), y * (2.0 * half.y), z * (2.0 * half.z))


@kernel
def cover_box(d, corner, x, y, z):
    """Return the range of pixels that a box can cover, given a corner and three edge vectors."""
    low = seen_at(d, corner)
    high = low
    for k in range(1, CORNERS):
        low, high = widen(low, high, seen_at(d, corner + x * (k & 1) + y * (k // 2 & 1) + z * (k // 4)))
    return pixels_between(d, low, high)


@kernel
def seen_at(d, point):
    """Return the coordinates of a point on the image plane, and its distance along the viewing direction."""
    off = point - d.eye_pos
    depth = dot(off, d.eye_forward)
    # points nearer than the near plane are handled by `pixels_between`
    scale = 1.0 / maximum(depth, d.near)
    if d.eye_parallel != 0:
        scale = 1.0
    return vec3(dot(off, d.eye_right) * scale, dot(off, d.eye_up) * scale, depth)


@kernel
def widen(low, high, at):
    """Return a bounding box enlarged to include a point."""
    return least(low, at), greatest(high, at)


@kernel
def pixels_between(d, low, high):
    """Return the range of pixels between two corners on the image plane; the corners' z is the range of distances."""
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
    """Return the index of the pixel that contains x in a line of pixels, clamped to the line."""
    return integer(floor(clip(x, 0.0, count)))


@kernel
def way_through(d, row, column):
    """Return the start of the ray through a pixel's center, and its vector, whose forward component is 1 m."""
    x = d.window_left + (d.window_right - d.window_left) * ((column + 0.5) / d.width)
    y = d.window_top - (d.window_top - d.window_bottom) * ((row + 0.5) / d.height)
    off = d.eye_right * x + d.eye_up * y
    if d.eye_parallel != 0:
        return d.eye_pos + off, d.eye_forward
    return d.eye_pos, d.eye_forward + off


SAME_PLACE = 1.0 + 1e-9
"""Factor within which distances count as equal. As in MuJoCo, the last shape drawn is then visible."""


@kernel
def clear(d):
    """Set all pixels to the distance `far` and to no shape."""
    for i in range(d.height * d.width):
        d.distance[i] = d.far
        d.seen[i] = -1


@kernel
def show(d, i, s, x, part):
    """Draw a part of shape s at distance x into pixel i, unless something nearer has been drawn there."""
    if x >= d.near and x <= d.distance[i] * SAME_PLACE:
        d.distance[i] = x
        d.seen[i] = s
        d.part[i] = part
