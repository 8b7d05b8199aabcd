"""Contact normals computed from the surfaces of round bodies.

A contact is between the surfaces, so its normal is that of the surface near the contact. This is more accurate than a
normal that is computed from the overlap of both bodies.
"""

from conjoint.lang import abs, kernel, norm, normalize3, sqrt, vec3, where
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom

CLOSE = 1e-6
"""Change in the normal, or in the multiplier of Newton's method, below which a search for a normal ends."""

TURNS = 30
"""Maximum number of iterations in a search for a normal."""

NEAR_END = 0.95
"""Fraction of a cylinder's half length beyond which its cap may be in contact."""

NEARER = 0.25
"""Ratio of the distance to the cap and the distance to the round side below which a cylinder's cap is in contact."""


@kernel
def mend_normal(bodies, pos, way):
    """Return the contact normal at `pos` from the surface of a round body, or the mean normal if both bodies are round.

    If no surface normal is known, return `way`.
    """
    first, known1 = surface_normal(bodies[0], pos, way)
    second, known2 = surface_normal(bodies[1], pos, -way)
    if known1 and known2:
        return normalize3(first - second)
    if known1:
        return first
    if known2:
        return -second
    return way


@kernel
def surface_normal(body, pos, way):
    """Find the normal of a body's surface near a point, in world coordinates; return it and True if it is known.

    For an ellipsoid, the search starts with `way`.
    """
    kind = body.kind
    frame = body.frame
    size = body.size
    p = frame.T @ (pos - body.pos)
    normal = frame.T @ way
    known = True
    if kind == mjtGeom.mjGEOM_SPHERE:
        normal = p
    elif kind == mjtGeom.mjGEOM_CAPSULE:
        normal = vec3(p.x, p.y, where(p.z < -size.y, p.z + size.y, where(p.z > size.y, p.z - size.y, 0.0)))
    elif kind == mjtGeom.mjGEOM_CYLINDER:
        to_end = abs(size.y - abs(p.z))
        to_side = abs(size.x - sqrt(p.x * p.x + p.y * p.y))
        known = abs(p.z) <= NEAR_END * size.y and to_end >= NEARER * to_side
        normal = vec3(p.x, p.y, 0.0)
    elif kind == mjtGeom.mjGEOM_ELLIPSOID:
        if p.x * p.x / (size.x * size.x) + p.y * p.y / (size.y * size.y) + p.z * p.z / (size.z * size.z) <= 1.0:
            normal, known = normal_from_inside(p, normal, size)
        else:
            normal = normal_from_outside(p, size)
    else:
        known = False
    return frame @ normalize3(normal), known


@kernel
def normal_from_inside(p, normal, size):
    """Find a normal of an ellipsoid such that the ray along it from an inner point p meets the surface at this normal.

    Return the normal, and False if there is none.
    """
    inverse = vec3(1.0 / (size.x * size.x), 1.0 / (size.y * size.y), 1.0 / (size.z * size.z))
    c = weighted(p, p, inverse) - 1.0
    normal = normalize3(normal)
    known = False
    for _ in range(TURNS):
        a = weighted(normal, normal, inverse)
        b = weighted(p, normal, inverse)
        discriminant = b * b - a * c
        if discriminant < mjMINVAL or a < mjMINVAL:
            break
        reach = (-b + sqrt(discriminant)) / a
        if reach < 0.0:
            break
        end = p + normal * reach
        next_normal = normalize3(vec3(end.x * inverse.x, end.y * inverse.y, end.z * inverse.z))
        change = norm(normal - next_normal)
        normal = next_normal
        known = True
        if change < CLOSE:
            break
    return normal, known


@kernel
def weighted(p, q, weight):
    """Return the dot product of p and q with a weight for each axis."""
    return p.x * q.x * weight.x + p.y * q.y * weight.y + p.z * q.z * weight.z


@kernel
def normal_from_outside(p, size):
    """Find the normal of an ellipsoid at its point nearest to p, which is outside.

    This point is p_i s_i^2 / (s_i^2 + l), with the multiplier l for which it is on the surface. Newton's method finds l
    (Eberly, Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid, 2011).
    """
    square = vec3(size.x * size.x, size.y * size.y, size.z * size.z)
    weight = vec3(p.x * p.x * square.x, p.y * p.y * square.y, p.z * p.z * square.z)
    multiplier = 0.0
    for _ in range(TURNS):
        r = vec3(1.0 / (square.x + multiplier), 1.0 / (square.y + multiplier), 1.0 / (square.z + multiplier))
        value = weighted(weight, r, r) - 1.0
        if value < CLOSE:
            break
        cube = weight.x * r.x * r.x * r.x + weight.y * r.y * r.y * r.y + weight.z * r.z * r.z * r.z
        slope = -2.0 * cube
        if slope > -mjMINVAL:
            break
        step = -value / slope
        if step < CLOSE:
            break
        multiplier += step
    return vec3(p.x / (square.x + multiplier), p.y / (square.y + multiplier), p.z / (square.z + multiplier))
