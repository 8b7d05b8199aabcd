"""Signed distances of points from the surfaces of simple shapes, negative inside.

Distances from spheres, capsules and cylinders are exact. For an ellipsoid, the first-order approximation is used
(Quilez, Distance functions, iquilezles.org). Inside a box, the distance is measured along a vector field that points
away from the center, and turns toward a face as the face gets nearer.
"""

from conjoint.lang import abs, clip, formula, kernel, maximum, minimum, norm, normalize3, sign, sqrt, vec3
from conjoint.schema.enums import mjtGeom

EXACT_KERNELS = True

TINY = 1e-10
"""Length below which a vector has no direction."""


@kernel
def signed_distance(kind, size, p):
    """Return the signed distance of p from a plane, sphere, capsule, ellipsoid, cylinder or box, in its frame."""
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
        return extruded(sqrt(p.x * p.x + p.y * p.y) - size.x, abs(p.z) - size.y)
    return box_distance(size, p)


@formula("real", *["real"] * 2)
def extruded(flat, above):
    """Return the signed distance from an extruded shape (Quilez, Distance functions).

    Arguments are the signed distances from the outline, in its plane (`flat`), and from the end planes (`above`).
    """
    beside = maximum(flat, 0.0)
    over = maximum(above, 0.0)
    return minimum(maximum(flat, above), 0.0) + sqrt(beside * beside + over * over)


@kernel
def box_distance(size, p):
    """Return the signed distance of p from a box, in the frame of the box."""
    # depth between each pair of faces, negative outside
    depth = vec3(size.x - abs(p.x), size.y - abs(p.y), size.z - abs(p.z))
    if depth.x <= 0.0 or depth.y <= 0.0 or depth.z <= 0.0:
        return norm(vec3(minimum(depth.x, 0.0), minimum(depth.y, 0.0), minimum(depth.z, 0.0)))
    field = vec3(size.x / depth.x, size.y / depth.y, size.z / depth.z)
    reach = minimum(depth.x / field.x, minimum(depth.y / field.y, depth.z / field.z))
    return -norm(field) * reach


@kernel
def signed_gradient(kind, size, p):
    """Return the gradient of `signed_distance` with respect to p, a unit vector."""
    if kind == mjtGeom.mjGEOM_PLANE:
        return vec3(0.0, 0.0, 1.0)
    if kind == mjtGeom.mjGEOM_SPHERE:
        return p * (1.0 / norm(p))
    if kind == mjtGeom.mjGEOM_CAPSULE:
        away = vec3(p.x, p.y, p.z - clip(p.z, -size.y, size.y))
        return away / norm(away)
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        return ellipsoid_gradient(size, p)
    if kind == mjtGeom.mjGEOM_CYLINDER:
        return cylinder_gradient(size, p)
    return box_gradient(size, p)


@kernel
def ellipsoid_gradient(size, p):
    """Return the normalized gradient of level * (level - 1) / slope, the approximate distance from an ellipsoid.

    With u = p / size by elements, `level` is the length of u, and `slope` the length of u / size.
    """
    u = vec3(p.x / size.x, p.y / size.y, p.z / size.z)
    v = vec3(u.x / size.x, u.y / size.y, u.z / size.z)
    level = norm(u)
    slope = norm(v)
    by_level = (2.0 * level - 1.0) / (slope * level)
    by_slope = level * (level - 1.0) / (slope * slope * slope)
    w = vec3(v.x / (size.x * size.x), v.y / (size.y * size.y), v.z / (size.z * size.z))
    return normalize3(v * by_level - w * by_slope)


@kernel
def cylinder_gradient(size, p):
    """Return the gradient of the signed distance from a cylinder."""
    across = sqrt(p.x * p.x + p.y * p.y)
    radial = across - size.x
    along = abs(p.z) - size.y
    out = vec3(p.x / maximum(across, TINY), p.y / maximum(across, TINY), 0.0)
    up = vec3(0.0, 0.0, p.z / maximum(abs(p.z), TINY))
    if maximum(radial, along) < 0.0:
        if radial > along:
            return out
        return up
    beside = maximum(radial, 0.0)
    over = maximum(along, 0.0)
    return (out * beside + up * over) / maximum(sqrt(beside * beside + over * over), TINY)


@kernel
def box_gradient(size, p):
    """Return the gradient of the signed distance from a box; inside, the field along which it is measured."""
    depth = vec3(size.x - abs(p.x), size.y - abs(p.y), size.z - abs(p.z))
    side = vec3(sign(p.x), sign(p.y), sign(p.z))
    if depth.x > 0.0 and depth.y > 0.0 and depth.z > 0.0:
        field = normalize3(vec3(size.x / depth.x, size.y / depth.y, size.z / depth.z))
        return vec3(field.x * side.x, field.y * side.y, field.z * side.z)
    out = vec3(maximum(-depth.x, 0.0), maximum(-depth.y, 0.0), maximum(-depth.z, 0.0))
    return vec3(out.x * side.x, out.y * side.y, out.z * side.z) * (1.0 / norm(out))
