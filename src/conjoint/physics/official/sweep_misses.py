"""Pairs of bodies that just touch and that MuJoCo's broad phase may miss.

It sweeps boxes around the bounding spheres of each body along the principal axes of the geom positions (Computation
chapter, "Collision detection"). Bounds along the first axis are rounded to single precision, and the lower body comes
first among equal bounds. So a body that begins where a lower body ends is missed. This matters only if the spheres of
two geoms touch up to this rounding; only then are the axes computed.
"""

from conjoint.lang import (
    abs,
    kernel,
    mat3,
    maximum,
    minimum,
    norm,
    quat_to_mat,
    vec3,
)
from conjoint.physics.geometry.matrix import greatest, least, outer
from conjoint.physics.official.principal_axes import principal_rotation
from conjoint.schema.enums import mjtEnableBit, mjtGeom

ROUNDING = 3e-7
"""Relative rounding error of a bound, as a fraction of the coordinates and sizes that it is computed from."""

SINGLE = 536870913.0
"""Factor 2^29 + 1 that splits a number of 53 bits after the first 24."""

DOUBLE = 1e-10
"""Rounding errors above this are those of single precision."""


@kernel
def drop_unswept_contacts(m, d, edition):
    """Drop the contacts of near pairs in the worlds where MuJoCo's broad phase misses them.

    Do nothing in single precision, where only the rounding of positions would decide.
    """
    if m.epsilon > DOUBLE:
        return
    known = 0
    frame = mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for k in range(d.nnear):
        g1 = d.near_geom1[k]
        g2 = d.near_geom2[k]
        if are_swept(m, d.near_pair[k], g1, g2) and d.found_num[k] > 0 and spheres_graze(m, d, g1, g2, edition):
            if known == 0:
                frame = spread_frame(m, d)
                known = 1
            low, high = bounds_of(m, d, frame, minimum(m.geom_bodyid[g1], m.geom_bodyid[g2]), edition)
            other = maximum(m.geom_bodyid[g1], m.geom_bodyid[g2])
            other_low, other_high = bounds_of(m, d, frame, other, edition)
            if not swept_bounds_meet(low, high, other_low, other_high):
                d.found_num[k] = 0


@kernel
def are_swept(m, pair, g1, g2):
    """Return True if only the sweep pairs two geoms: no explicit pair, and neither body meets all others."""
    return pair < 0 and not meets_all(m, m.geom_bodyid[g1]) and not meets_all(m, m.geom_bodyid[g2])


@kernel
def meets_all(m, body):
    """Return True if a body is the world, or fixed and has a plane."""
    if body == 0:
        return True
    if m.body_weldid[body] == 0:
        for g in range(m.body_geomadr[body], m.body_geomadr[body] + m.body_geomnum[body]):
            if m.geom_type[g] == mjtGeom.mjGEOM_PLANE:
                return True
    return False


@kernel
def spheres_graze(m, d, g1, g2, edition):
    """Return True if the bounding spheres of two geoms, with their margins, just touch."""
    a = d.geom_xpos[g1]
    b = d.geom_xpos[g2]
    reach = m.geom_rbound[g1] + m.geom_rbound[g2] + own_margin(m, g1, edition) + own_margin(m, g2, edition)
    size = abs(a.x) + abs(a.y) + abs(a.z) + abs(b.x) + abs(b.y) + abs(b.z)
    bounded = (m.geom_rbound[g1] > 0.0) & (m.geom_rbound[g2] > 0.0)
    return bounded & (abs(norm(b - a) - reach) <= ROUNDING * (size + reach))


@kernel
def own_margin(m, g, edition):
    """Return the margin by which the bounds of geom g exceed it."""
    if m.opt.enableflags & mjtEnableBit.mjENBL_OVERRIDE:
        return 0.5 * m.opt.o_margin
    listed, _acting = edition.margins(m, m.geom_margin[g], m.geom_gap[g])
    return listed


@kernel
def spread_frame(m, d):
    """Return the sweep frame of MuJoCo: the rows of the matrix whose columns are the principal axes of all positions.

    The positions are those of geoms and flex vertices that do not belong to the world body.
    """
    count = 0
    centre = vec3(0.0, 0.0, 0.0)
    for g in range(m.ngeom):
        if m.geom_bodyid[g] != 0:
            centre = centre + d.geom_xpos[g]
            count += 1
    for v in range(m.nflexvert):
        if m.flex_vertbodyid[v] != 0:
            centre = centre + d.flexvert_xpos[v]
            count += 1
    # the model may have only pairs of geoms of the world body
    scale = 1.0 / maximum(1, count)
    centre = centre * scale
    covariance = mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for g in range(m.ngeom):
        if m.geom_bodyid[g] != 0:
            away = d.geom_xpos[g] - centre
            covariance = covariance + outer(away, away)
    for v in range(m.nflexvert):
        if m.flex_vertbodyid[v] != 0:
            away = d.flexvert_xpos[v] - centre
            covariance = covariance + outer(away, away)
    q, _x, _y, _z, _turns = principal_rotation(covariance * scale)
    return quat_to_mat(q)


@kernel
def swept_bounds_meet(low, high, other_low, other_high):
    """Return True if the bounds of two bodies or flexes overlap; the first one, which is lower, excludes its end."""
    met = (other_low.x < high.x) & (low.x <= other_high.x)
    met = met & (other_low.y <= high.y) & (low.y <= other_high.y)
    return met & (other_low.z <= high.z) & (low.z <= other_high.z)


@kernel
def bounds_of(m, d, frame, body, edition):
    """Return the least and greatest coordinates of the bounding spheres of a body in a frame, as they are swept."""
    first = m.body_geomadr[body]
    low, high = bounds_of_sphere(m, d, frame, first, edition)
    for g in range(first + 1, first + m.body_geomnum[body]):
        own_low, own_high = bounds_of_sphere(m, d, frame, g, edition)
        low = least(low, own_low)
        high = greatest(high, own_high)
    return as_swept(m, low), as_swept(m, high)


@kernel
def bounds_of_sphere(m, d, frame, g, edition):
    """Return the least and greatest coordinates of the bounding sphere of geom g in a frame."""
    centre = frame @ d.geom_xpos[g]
    radius = vec3(m.geom_rbound[g], m.geom_rbound[g], m.geom_rbound[g])
    own = own_margin(m, g, edition)
    margin = vec3(own, own, own)
    return centre - radius - margin, centre + radius + margin


@kernel
def as_swept(m, bound):
    """Return a corner of bounds with its first coordinate rounded to single precision.

    See Dekker, Numerische Mathematik 18, 1971, on splitting.
    """
    x = bound.x
    if m.epsilon < DOUBLE:
        scaled = SINGLE * bound.x
        x = scaled - (scaled - bound.x)
    return vec3(x, bound.y, bound.z)
