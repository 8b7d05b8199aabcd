"""Triangles of surfaces that have no pose of their own: flexes and skins, whose vertices are points of the world."""

from conjoint.lang import cross, dot, kernel, maximum, norm, vec3
from conjoint.physics.rays.geoms import ray_triangle
from conjoint.ray_renderer.pixels import show
from conjoint.ray_renderer.window import pixels_between, seen_at, way_through, widen
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom


@kernel
def has_pose(kind):
    """True if shapes of a kind have a pose."""
    return kind != mjtGeom.mjGEOM_FLEX and kind != mjtGeom.mjGEOM_SKIN


@kernel
def cast_triangle(d, s, part, meet, a, b, c):
    """Let pixels show a triangle, part of shape s, where `meet` says that a ray meets it."""
    low, high = widen(seen_at(d, a), seen_at(d, a), seen_at(d, b))
    low, high = widen(low, high, seen_at(d, c))
    first_column, first_row, end_column, end_row = pixels_between(d, low, high)
    for row in range(first_row, end_row):
        for column in range(first_column, end_column):
            start, way = way_through(d, row, column)
            show(d, row * d.width + column, s, meet(start, way, a, b, c), part)


@kernel
def blocks(start, way, a, b, c):
    """True if a triangle lies on the way to a lamp."""
    x = ray_triangle(start, way, a, b, c)
    return x >= 0.0 and x <= 1.0


@kernel
def passes(center, radius, start, way):
    """True if the way to a lamp, of which `way` is the whole, meets a ball."""
    offset = center - start
    along = dot(offset, way)
    outside = dot(offset, offset) - radius * radius
    return outside <= 0.0 or (along >= 0.0 and outside * dot(way, way) <= along * along)


@kernel
def bound_box(d, s, low, high, radius):
    """Put a ball around the box of shape s between two corners, which is seen with a radius."""
    d.shape_center[s] = (low + high) * 0.5
    d.shape_radius[s] = norm(high - low) * 0.5 + radius


@kernel
def shares(a, b, c, p):
    """How much each corner of a triangle counts at a point of it."""
    across = cross(b - a, c - a)
    square = maximum(dot(across, across), mjMINVAL * mjMINVAL)
    second = dot(cross(p - a, c - a), across) / square
    third = dot(cross(b - a, p - a), across) / square
    return vec3(1.0 - second - third, second, third)
