"""Ray casting: one ray through the center of every pixel, tested against the shapes that can cover the pixel."""

from conjoint.lang import kernel, vec3
from conjoint.ray_renderer.shapes import is_inside, meet
from conjoint.ray_renderer.surfaces import cast_flex, cast_skin
from conjoint.ray_renderer.window import SAME_PLACE, clear, cover, show
from conjoint.schema.enums import mjtGeom


@kernel
def cast_all(m, d):
    """Find the visible shape and its distance for every pixel; the distance is `far` if there is no shape."""
    clear(d)
    for s in range(d.nshape):
        cast_one(m, d, s)


@kernel
def cast_one(m, d, s):
    """Draw shape s in the pixels where it is nearer than all shapes drawn before."""
    if d.shape_type[s] == mjtGeom.mjGEOM_FLEX:
        cast_flex(m, d, s)
    elif d.shape_type[s] == mjtGeom.mjGEOM_SKIN:
        cast_skin(m, d, s)
    else:
        cast_shape(m, d, s)


@kernel
def cast_shape(m, d, s):
    """Draw shape s, which has a pose, in the pixels that it covers.

    Distances are along the viewing direction, because the ray vectors have the component 1 in this direction.
    """
    kind = d.shape_type[s]
    data = d.shape_data[s]
    size = d.shape_size[s]
    parallel = d.eye_parallel != 0
    first_column, first_row, end_column, end_row = cover(m, d, s)
    start, right, up, forward = eye_seen_from(d, s)
    if not parallel and is_inside(kind, size, start):
        return
    wide = (d.window_right - d.window_left) / d.width
    high = (d.window_top - d.window_bottom) / d.height
    for row in range(first_row, end_row):
        upwards = up * (d.window_top - high * (row + 0.5))
        for column in range(first_column, end_column):
            off = upwards + right * (d.window_left + wide * (column + 0.5))
            p = start
            v = forward + off
            if parallel:
                p = start + off
                v = forward
                if is_inside(kind, size, p):
                    continue
            i = row * d.width + column
            x, part = meet(m, d, kind, data, size, p, v, d.distance[i] * SAME_PLACE)
            show(d, i, s, x, part)


@kernel
def eye_seen_from(d, s):
    """Return position and axes of the eye in the frame of shape s, mirrored for planes that are seen from below."""
    frame = d.shape_frame[s]
    start = frame.T @ (d.eye_pos - d.shape_pos[s])
    right = frame.T @ d.eye_right
    up = frame.T @ d.eye_up
    forward = frame.T @ d.eye_forward
    if d.shape_type[s] == mjtGeom.mjGEOM_PLANE and start.z < 0.0:
        return below(start), below(right), below(up), below(forward)
    return start, right, up, forward


@kernel
def below(v):
    """Mirror a vector across the xy plane."""
    return vec3(v.x, v.y, -v.z)
