"""Whether points are inside the shape of a geom or a site."""

from conjoint.lang import abs, clip, dot, kernel, vec3
from conjoint.schema.enums import mjtGeom


@kernel
def inside_shape(kind, size, p):
    """Whether p, in the frame of a sphere, capsule, ellipsoid, cylinder or box, is inside of it."""
    if kind == mjtGeom.mjGEOM_SPHERE:
        return dot(p, p) < size.x * size.x
    if kind == mjtGeom.mjGEOM_CAPSULE:
        # from the nearest point of the axis
        q = vec3(p.x, p.y, p.z - clip(p.z, -size.y, size.y))
        return dot(q, q) < size.x * size.x
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        u = vec3(p.x / size.x, p.y / size.y, p.z / size.z)
        return dot(u, u) < 1.0
    if kind == mjtGeom.mjGEOM_CYLINDER:
        return (p.x * p.x + p.y * p.y < size.x * size.x) & (abs(p.z) < size.y)
    return (abs(p.x) < size.x) & (abs(p.y) < size.y) & (abs(p.z) < size.z)
