"""Pairs of bodies that just touch and that MuJoCo's broad phase may miss.

MuJoCo sweeps boxes around the bounding spheres of each body along the principal axes of the geom positions
(Computation chapter, "Collision detection"). Bounds along the first axis are rounded to single precision, and the body
with the lower index comes first among equal bounds. Therefore a body that begins at the end of a body with a lower
index is missed. This matters only if the spheres of two geoms touch within this rounding error, so the axes are
computed only in this case.
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
"""Rounding error of a bound, relative to the coordinates and sizes from which it is computed."""

SINGLE = 536870913.0
"""Factor 2^29 + 1 that splits a 53-bit mantissa after its first 24 bits."""

DOUBLE = 1e-10
"""Machine epsilon above which numbers count as single precision."""


@kernel
def drop_unswept_contacts(m, d, edition):
    """Remove the contacts of candidate pairs in those worlds in which MuJoCo's broad phase misses the pair.

    Do nothing in single precision, where the result would depend only on the rounding of positions.
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
    """Return True if two geoms are paired only by the sweep: no explicit pair, and no body paired with all others."""
    return pair < 0 and not meets_all(m, m.geom_bodyid[g1]) and not meets_all(m, m.geom_bodyid[g2])


@kernel
def meets_all(m, body):
    """Return True if a body is paired with all others: it is the world, or it is fixed and has a plane."""
    if body == 0:
        return True
    if m.body_weldid[body] == 0:
        for g in range(m.body_geomadr[body], m.body_geomadr[body] + m.body_geomnum[body]):
            if m.geom_type[g] == mjtGeom.mjGEOM_PLANE:
                return True
    return False


@kernel
def spheres_graze(m, d, g1, g2, edition):
    """Return True if the bounding spheres of two geoms, including their margins, just touch."""
    a = d.geom_xpos[g1]
    b = d.geom_xpos[g2]
    reach = m.geom_rbound[g1] + m.geom_rbound[g2] + own_margin(m, g1, edition) + own_margin(m, g2, edition)
    size = abs(a.x) + abs(a.y) + abs(a.z) + abs(b.x) + abs(b.y) + abs(b.z)
    bounded = (m.geom_rbound[g1] > 0.0) & (m.geom_rbound[g2] > 0.0)
    return bounded & (abs(norm(b - a) - reach) <= ROUNDING * (size + reach))


@kernel
def own_margin(m, g, edition):
    """Return the margin that is added to the bounds of geom g."""
    if m.opt.enableflags & mjtEnableBit.mjENBL_OVERRIDE:
        return 0.5 * m.opt.o_margin
    listed, _acting = edition.margins(m, m.geom_margin[g], m.geom_gap[g])
    return listed


@kernel
def spread_frame(m, d):
    """Return MuJoCo's sweep frame: the matrix whose columns are the principal axes of all positions.

    Its rows are the sweep axes. The positions are those of geoms and flex vertices outside the world body.
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
    # the model may have pairs only between geoms of the world body
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
    """Return True if the bounds of two bodies or flexes overlap.

    The first one has the lower index, and the end of its bounds along the first axis is excluded.
    """
    met = (other_low.x < high.x) & (low.x <= other_high.x)
    met = met & (other_low.y <= high.y) & (low.y <= other_high.y)
    return met & (other_low.z <= high.z) & (low.z <= other_high.z)


@kernel
def bounds_of(m, d, frame, body, edition):
    """Return the minimum and maximum coordinates of a body's bounding spheres in a frame, rounded as for the sweep."""
    first = m.body_geomadr[body]
    low, high = bounds_of_sphere(m, d, frame, first, edition)
    for g in range(first + 1, first + m.body_geomnum[body]):
        own_low, own_high = bounds_of_sphere(m, d, frame, g, edition)
        low = least(low, own_low)
        high = greatest(high, own_high)
    return as_swept(m, low), as_swept(m, high)


@kernel
def bounds_of_sphere(m, d, frame, g, edition):
    """Return the minimum and maximum coordinates of the bounding sphere of geom g in a frame."""
    centre = frame @ d.geom_xpos[g]
    radius = vec3(m.geom_rbound[g], m.geom_rbound[g], m.geom_rbound[g])
    own = own_margin(m, g, edition)
    margin = vec3(own, own, own)
    return centre - radius - margin, centre + radius + margin


@kernel
def as_swept(m, bound):
    """Return a corner of the bounds with its first coordinate rounded to single precision, as for the sweep.

    See Dekker, Numerische Mathematik 18, 1971, on splitting.
    """
    x = bound.x
    if m.epsilon < DOUBLE:
        scaled = SINGLE * bound.x
        x = scaled - (scaled - bound.x)
    return vec3(x, bound.y, bound.z)
