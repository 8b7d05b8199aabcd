"""Normals of round geoms at a contact: more exact than those that the overlap of two bodies has.

A contact lies between the surfaces, so the normal of a round geom is that of its surface near the contact.
"""

from conjoint.lang import abs, clip, dot, kernel, norm, normalize3, sqrt, vec3
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom

CLOSE = 1e-6
"""Change of a normal, or of a multiplier, with which the search ends."""

TURNS = 30
"""Most steps of a search."""

NEAR_END = 0.95
"""Part of a cylinder's half length beyond which its end may be what is touched."""

NEARER = 0.25
"""How much nearer than the round side the end of a cylinder must be to be what is touched."""


@kernel(per_world=True)
def round_normal(m, d, g, pos, outward):
    """Outward normal of geom g at a contact, if it is round there; else `outward` as it is.

    Args:
        m: model.
        d: data.
        g: the geom.
        pos: position of the contact.
        outward: what the normal is about.
    """
    kind = m.geom_type[g]
    size = m.geom_size[g]
    frame = d.geom_xmat[g]
    p = frame.T @ (pos - d.geom_xpos[g])
    if kind == mjtGeom.mjGEOM_SPHERE:
        return frame @ normalize3(p)
    if kind == mjtGeom.mjGEOM_CAPSULE:
        return frame @ normalize3(vec3(p.x, p.y, p.z - clip(p.z, -size.y, size.y)))
    if kind == mjtGeom.mjGEOM_CYLINDER:
        to_end = abs(size.y - abs(p.z))
        to_side = abs(size.x - sqrt(p.x * p.x + p.y * p.y))
        if abs(p.z) <= NEAR_END * size.y and to_end >= NEARER * to_side:
            return frame @ normalize3(vec3(p.x, p.y, 0.0))
        return outward
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        u = vec3(p.x / size.x, p.y / size.y, p.z / size.z)
        if dot(u, u) > 1.0:
            return frame @ normal_outside(size, p)
        return frame @ normal_inside(size, p, normalize3(frame.T @ outward))
    return outward


@kernel(per_world=True)
def normal_inside(size, p, normal):
    """Normal of an ellipsoid at p inside of it: where a ray along it meets the surface, the normal is the same."""
    change = 1.0
    turn = 0
    scale = vec3(1.0 / (size.x * size.x), 1.0 / (size.y * size.y), 1.0 / (size.z * size.z))
    c = scaled(scale, p, p) - 1.0
    while turn < TURNS and change >= CLOSE:
        a = scaled(scale, normal, normal)
        b = scaled(scale, p, normal)
        square = b * b - a * c
        change = 0.0
        if square >= mjMINVAL and a >= mjMINVAL:
            x = (-b + sqrt(square)) / a
            if x >= 0.0:
                q = p + normal * x
                better = normalize3(vec3(q.x * scale.x, q.y * scale.y, q.z * scale.z))
                change = norm(better - normal)
                normal = better
        turn += 1
    return normal


@kernel(per_world=True)
def scaled(scale, u, v):
    """Product of two vectors with a weight for each axis."""
    return scale.x * u.x * v.x + scale.y * u.y * v.y + scale.z * u.z * v.z


@kernel(per_world=True)
def normal_outside(size, p):
    """Normal of an ellipsoid at the point nearest to p outside of it.

    That point is p_i s_i^2 / (s_i^2 + l), with the multiplier l for which it lies on the surface, found by Newton's
    method (Eberly, Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid, 2011).
    """
    square = vec3(size.x * size.x, size.y * size.y, size.z * size.z)
    multiplier = 0.0
    step = 1.0
    turn = 0
    while turn < TURNS and step >= CLOSE:
        r = vec3(1.0 / (square.x + multiplier), 1.0 / (square.y + multiplier), 1.0 / (square.z + multiplier))
        q = vec3(p.x * r.x, p.y * r.y, p.z * r.z)
        level = scaled(square, q, q) - 1.0
        slope = 2.0 * scaled(square, q, vec3(q.x * r.x, q.y * r.y, q.z * r.z))
        step = 0.0
        if level >= CLOSE and slope >= mjMINVAL:
            step = level / slope
            if step >= CLOSE:
                multiplier = multiplier + step
        turn += 1
    return normalize3(vec3(p.x / (square.x + multiplier), p.y / (square.y + multiplier), p.z / (square.z + multiplier)))
