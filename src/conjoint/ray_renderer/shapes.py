"""Shapes with a pose: their bounds, and intersections with rays."""

from conjoint.lang import abs, dot, kernel, load, sqrt, vec3
from conjoint.physics.rays.geoms import MISSED, ray_front, ray_primitive
from conjoint.physics.rays.height_field import ray_hfield
from conjoint.physics.rays.scene import mark_nothing, ray_mesh
from conjoint.schema.enums import mjtGeom

SLACK = 1e-6
"""Relative enlargement of bounds, so that rounding errors omit no pixel at an edge."""


@kernel
def is_mesh(kind, data):
    """Return True if a shape consists of the triangles of a mesh."""
    return (kind == mjtGeom.mjGEOM_MESH or kind == mjtGeom.mjGEOM_SDF) and data >= 0


@kernel
def is_endless(d, s):
    """Return True if shape s is an infinite plane."""
    return d.shape_type[s] == mjtGeom.mjGEOM_PLANE and (d.shape_size[s].x <= 0.0 or d.shape_size[s].y <= 0.0)


@kernel
def full_size(type, size):
    """Return a size as scenes store it: (r, r, r) of spheres, (r, r, half length) of capsules and cylinders."""
    if type == mjtGeom.mjGEOM_SPHERE:
        return vec3(size.x, size.x, size.x)
    if type == mjtGeom.mjGEOM_CAPSULE or type == mjtGeom.mjGEOM_CYLINDER:
        return vec3(size.x, size.x, size.y)
    return size


@kernel
def shape_box(m, d, s):
    """Return the bounding box of shape s in its frame: center, half sizes, and False if the shape is infinite."""
    kind = d.shape_type[s]
    data = d.shape_data[s]
    middle = vec3(0.0, 0.0, 0.0)
    half = d.shape_size[s]
    bounded = True
    if kind == mjtGeom.mjGEOM_SPHERE:
        half = vec3(half.x, half.x, half.x)
    elif kind == mjtGeom.mjGEOM_CAPSULE:
        half = vec3(half.x, half.x, half.x + half.y)
    elif kind == mjtGeom.mjGEOM_CYLINDER:
        half = vec3(half.x, half.x, half.y)
    elif kind == mjtGeom.mjGEOM_PLANE:
        bounded = half.x > 0.0 and half.y > 0.0
        half = vec3(half.x, half.y, 0.0)
    elif is_mesh(kind, data):
        root = m.mesh_bvhadr[data]
        bounded = m.mesh_bvhnum[data] > 0
        if bounded:
            middle = load(vec3, m.bvh_aabb, (root, 0))
            half = load(vec3, m.bvh_aabb, (root, 3))
    elif kind == mjtGeom.mjGEOM_HFIELD:
        top = m.hfield_size[data, 2]
        base = m.hfield_size[data, 3]
        middle = vec3(0.0, 0.0, 0.5 * (top - base))
        half = vec3(m.hfield_size[data, 0], m.hfield_size[data, 1], 0.5 * (top + base))
    return middle, half * (1.0 + SLACK), bounded


@kernel
def meet(m, d, kind, data, size, p, v, reach):
    """Return the distance along a ray to the front of a shape, in the shape's frame, and the id of the mesh triangle.

    Triangles beyond `reach` are ignored.
    """
    if is_mesh(kind, data):
        return ray_mesh(m, d, data, ray_front, mark_nothing, p, v, reach, 0)
    if kind == mjtGeom.mjGEOM_HFIELD:
        return ray_hfield(m, data, p, v), -1
    if kind == mjtGeom.mjGEOM_MESH or kind == mjtGeom.mjGEOM_SDF:
        return MISSED, -1
    return ray_primitive(kind, size, p, v), -1


@kernel
def is_inside(kind, size, p):
    """Return True if a point is inside a closed shape, which is not visible from inside."""
    if kind == mjtGeom.mjGEOM_SPHERE:
        return dot(p, p) < size.x * size.x
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        q = vec3(p.x / size.x, p.y / size.y, p.z / size.z)
        return dot(q, q) < 1.0
    if kind == mjtGeom.mjGEOM_CAPSULE:
        beyond = abs(p.z) - size.y
        if beyond < 0.0:
            beyond = 0.0
        return p.x * p.x + p.y * p.y + beyond * beyond < size.x * size.x
    if kind == mjtGeom.mjGEOM_CYLINDER:
        return sqrt(p.x * p.x + p.y * p.y) < size.x and abs(p.z) < size.y
    if kind == mjtGeom.mjGEOM_BOX:
        return abs(p.x) < size.x and abs(p.y) < size.y and abs(p.z) < size.z
    return False
