"""Signed distances of points from the surfaces of simple shapes, negative inside.

Those of spheres, capsules and cylinders are exact, that of an ellipsoid is its first-order approximation (Quilez,
Distance functions, iquilezles.org). Inside a box, the distance is measured along a field that turns from the center
towards the faces as these come nearer.
"""

from conjoint.lang import abs, clip, kernel, maximum, minimum, norm, sqrt, vec2, vec3
from conjoint.schema.enums import mjtGeom


@kernel(per_world=True)
def signed_distance(kind, size, p):
    """Signed distance of p, in the frame of a plane, sphere, capsule, ellipsoid, cylinder or box."""
    if kind == mjtGeom.mjGEOM_PLANE:
        return p.z
    if kind == mjtGeom.mjGEOM_SPHERE:
        return norm(p) - size.x
    if kind == mjtGeom.mjGEOM_CAPSULE:
        return norm(vec3(p.x, p.y, p.z - clip(p.z, -size.y, size.y))) - size.x
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        u = vec3(p.x / size.x, p.y / size.y, p.z / size.z)
        level = norm(u)
        return level * (level - 1.0) / norm(vec3(u.x / size.x, u.y / size.y, u.z / size.z))
    if kind == mjtGeom.mjGEOM_CYLINDER:
        radial = sqrt(p.x * p.x + p.y * p.y) - size.x
        along = abs(p.z) - size.y
        outside = vec2(maximum(radial, 0.0), maximum(along, 0.0))
        return sqrt(outside.x * outside.x + outside.y * outside.y) + minimum(maximum(radial, along), 0.0)
    return box_distance(size, p)


@kernel(per_world=True)
def box_distance(size, p):
    """Signed distance of p, in the frame of a box."""
    # how far inside of each pair of faces, negative outside
    depth = vec3(size.x - abs(p.x), size.y - abs(p.y), size.z - abs(p.z))
    if depth.x <= 0.0 or depth.y <= 0.0 or depth.z <= 0.0:
        return norm(vec3(minimum(depth.x, 0.0), minimum(depth.y, 0.0), minimum(depth.z, 0.0)))
    field = vec3(size.x / depth.x, size.y / depth.y, size.z / depth.z)
    reach = minimum(depth.x / field.x, minimum(depth.y / field.y, depth.z / field.z))
    return -norm(field) * reach
