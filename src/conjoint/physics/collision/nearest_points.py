"""Points of edges and triangles that are nearest to the origin (Ericson, Real-Time Collision Detection, 2005, 5.1).

If the origin's projection onto the line or plane is within the tolerance of the border, it counts as inside, or as the
end of the edge that it is near.
"""

from conjoint.lang import abs, dot, kernel, maximum

EXACT_KERNELS = True


@kernel
def is_one(x, tolerance):
    """Return True if a number is one within the tolerance."""
    return abs(x - 1.0) < tolerance * maximum(1.0, abs(x))


@kernel
def nearest_of_edge(p, q, tolerance):
    """Return the point of an edge nearest to the origin."""
    way = q - p
    t = -1.0 * dot(p, way) / dot(way, way)
    if t > 1.0 or is_one(t, tolerance):
        return q
    if t >= tolerance:
        return way * t + p
    # also if both ends coincide
    return p


@kernel
def nearest_of_triangle(p, q, r, tolerance):
    """Return the point of a triangle that is nearest to the origin.

    It is the projection of the origin onto the plane if the projection is inside, else the nearest point of the edges.
    """
    d = q - p
    e = r - p
    dd = dot(d, d)
    ee = dot(e, e)
    pd = dot(p, d)
    pe = dot(p, e)
    de = dot(d, e)
    area = ee * dd - de * de
    if area != 0.0 and abs(area) >= tolerance:
        s = (pe * de - ee * pd) / area
        t = (-s * de - pe) / ee
        in_s = s > -tolerance and (s < 1.0 or is_one(s, tolerance))
        in_t = t > -tolerance and (t < 1.0 or is_one(t, tolerance))
        if in_s and in_t and (t + s < 1.0 or is_one(t + s, tolerance)):
            return p + d * s + e * t
    best = nearest_of_edge(p, q, tolerance)
    other = nearest_of_edge(p, r, tolerance)
    if dot(other, other) < dot(best, best):
        best = other
    other = nearest_of_edge(q, r, tolerance)
    if dot(other, other) < dot(best, best):
        best = other
    return best
