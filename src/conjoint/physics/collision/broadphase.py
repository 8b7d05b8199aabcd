"""Which candidate pairs are near enough to test in detail."""

from conjoint.lang import abs, any, dot, kernel, maximum, minimum, norm, shared, sqrt, where, z_axis
from conjoint.physics.geometry.shape import SLACK
from conjoint.physics.pair_filter import NO_CONTACTS, count_below, margin_alone, margin_of
from conjoint.physics.sleep.filter import bodies_rest, everything_rests, geoms_rest
from conjoint.schema.constants import PAIR_CHUNKS
from conjoint.schema.enums import mjtDisableBit, mjtGeom

UNBOUNDED = 1e15
"""Radius (m) of bodies with geoms that have no bounds; its square is a number in single precision, too."""

LEAST_PAIRS = 1024
"""Candidates of a chunk, at least: some microseconds of work."""


@kernel
def near_margin(m, d, k):
    """Distance (m) below which near pair k gets contacts."""
    return margin_of(m, d.near_pair[k], d.near_geom1[k], d.near_geom2[k])


@kernel
def lower_body(m, d, k):
    """The lower of the bodies of near pair k."""
    return minimum(m.geom_bodyid[d.near_geom1[k]], m.geom_bodyid[d.near_geom2[k]])


@kernel
def broadphase(m, d):
    """List the candidate pairs whose bounds are within margin and reach in any world; mark the worlds in `near_hit`.

    Bounds are spheres, or a sphere and a plane. The list is in the order of the candidates.
    """
    near = 0
    if (m.opt.disableflags & NO_CONTACTS) == 0 and not everything_rests(m, d):
        bound_geoms(m, d)
        bound_bodies(m, d)
        chunks = maximum(1, minimum(PAIR_CHUNKS, m.npair_candidate // LEAST_PAIRS))
        fixed = end_of_fixed(m)
        shared(test_chunk, m, d, chunks, chunks, fixed)
        near = close_gaps(m, d, chunks, fixed)
    d.nlisted = near
    d.nnear = near


@kernel
def end_of_fixed(m):
    """Number of candidates with a geom of the world body, which come first."""
    low = 0
    high = m.npair_candidate
    while low < high:
        middle = (low + high) // 2
        bodies = minimum(m.geom_bodyid[m.candidate_geom1[middle]], m.geom_bodyid[m.candidate_geom2[middle]])
        if bodies == 0:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def first_of(m, chunk, chunks, fixed, half):
    """First candidate of a chunk: of those with a geom of the world (`half` 0), or of the others (1)."""
    if half == 0:
        return chunk * fixed // chunks
    return fixed + chunk * (m.npair_candidate - fixed) // chunks


@kernel
def test_chunk(m, d, chunk, chunks, fixed):
    """List the near ones among the candidates of a chunk, from the places of its first candidates on.

    A chunk has about the same bodies in both halves of the list.
    """
    parents_collide = (m.opt.disableflags & mjtDisableBit.mjDSBL_FILTERPARENT) != 0
    for half in range(2):
        first = first_of(m, chunk, chunks, fixed, half)
        end = first_of(m, chunk + 1, chunks, fixed, half)
        near = first
        run = maximum(count_below(m.run_adr, m.nrun, first + 1) - 1, 0)
        while run < m.nrun and m.run_adr[run] < end:
            if may_meet(m, d, run):
                for k in range(maximum(first, m.run_adr[run]), minimum(end, m.run_adr[run + 1])):
                    # what most pairs are not is told by two spheres, unless they have a margin of their own
                    g1 = m.candidate_geom1[k]
                    g2 = m.candidate_geom2[k]
                    between = d.geom_xpos[g2] - d.geom_xpos[g1]
                    reach = d.geom_bound[g1] + d.geom_bound[g2]
                    meet = is_reached(between, reach)
                    if not meet:
                        meet = m.candidate_pair[k] >= 0
                    if not meet:
                        continue
                    if not geoms_rest(m, d, g1, g2) and (m.candidate_parent[k] == 0 or parents_collide):
                        near = test_candidate(m, d, k, near)
            run += 1
        d.chunk_near[half, chunk] = near - first


@kernel
def close_gaps(m, d, chunks, fixed):
    """Move what chunks listed together; how many pairs there are."""
    near = 0
    for half in range(2):
        for chunk in range(chunks):
            first = first_of(m, chunk, chunks, fixed, half)
            if near == first:
                near += d.chunk_near[half, chunk]
            else:
                for k in range(first, first + d.chunk_near[half, chunk]):
                    list_pair(d, near, d.near_geom1[k], d.near_geom2[k], d.near_pair[k], d.near_types[k], d.near_hit[k])
                    near += 1
    return near


@kernel
def list_pair(d, near, g1, g2, pair, types, hit):
    """List two geoms as near pair number `near`."""
    d.near_geom1[near] = g1
    d.near_geom2[near] = g2
    d.near_pair[near] = pair
    d.near_types[near] = types
    d.near_hit[near] = hit
    d.near_order[near] = near


@kernel
def test_candidate(m, d, k, near):
    """List candidate k, if its bounds are within margin and reach, as near pair `near`; how many there are then."""
    g1 = m.candidate_geom1[k]
    g2 = m.candidate_geom2[k]
    hit = is_near(m, d, g1, g2, margin_of(m, m.candidate_pair[k], g1, g2) + m.reach)
    if any(hit):
        list_pair(d, near, g1, g2, m.candidate_pair[k], m.candidate_types[k], where(hit, 1, 0))
        near += 1
    return near


@kernel
def bound_geoms(m, d):
    """`geom_bound`: radii of spheres about the geoms of candidates: those of a pair without its own margin overlap.

    The margin of two geoms is at most the sum of both.
    """
    for k in range(m.npaired):
        g = m.paired_geom[k]
        margin = maximum(margin_alone(m, g), 0.0) + m.reach
        bound = SLACK * (m.geom_rbound[g] + margin)
        # a bound of zero is no bound
        d.geom_bound[g] = where(m.geom_rbound[g] > 0.0, bound, UNBOUNDED)


@kernel
def bound_bodies(m, d):
    """`body_bound` of bodies with many pairs: bounds of their geoms are in a sphere about the centre of mass."""
    if m.nrun_geom > 0:
        for b in range(m.nbody):
            d.body_bound[b] = 0.0
    for k in range(m.nrun_geom):
        g = m.run_geom[k]
        b = m.geom_bodyid[g]
        bound = norm(d.geom_xpos[g] - d.xipos[b]) + m.geom_rbound[g] + margin_alone(m, g)
        # a bound of zero is no bound
        d.body_bound[b] = maximum(where(m.geom_rbound[g] > 0.0, bound, UNBOUNDED), d.body_bound[b])


@kernel
def is_reached(between, reach):
    """Return True if a vector is no longer than `reach` (m) in some world, or is not a number."""
    return any(not dot(between, between) > reach * reach)


@kernel
def may_meet(m, d, run):
    """Whether some candidate of a run may be near in some world, as far as the bounds of its bodies tell."""
    b1 = m.run_body1[run]
    if b1 < 0:
        return True
    b2 = m.run_body2[run]
    if bodies_rest(m, d, b1, b2):
        return False
    between = d.xipos[b2] - d.xipos[b1]
    reach = SLACK * (d.body_bound[b1] + d.body_bound[b2] + m.reach)
    return is_reached(between, reach)


@kernel
def is_near(m, d, g1, g2, margin):
    """Whether the bounds of two geoms are within the margin; g1 has the smaller type."""
    # a bound of zero is no bound
    if not m.geom_rbound[g2] > 0.0:
        return True
    if m.geom_type[g1] == mjtGeom.mjGEOM_PLANE:
        return meets_plane(m, d, g1, g2, margin)
    return not m.geom_rbound[g1] > 0.0 or bounds_meet(m, d, g1, g2, margin)


@kernel
def meets_plane(m, d, plane, g, margin):
    """Whether geom g reaches within the margin of the plane, as far as its bounds tell."""
    normal = z_axis(d.geom_xmat[plane])
    height = dot(d.geom_xpos[g] - d.geom_xpos[plane], normal)
    if m.geom_type[g] == mjtGeom.mjGEOM_CAPSULE:
        # the extent of a capsule is known
        extent = m.geom_size[g].x + m.geom_size[g].y * abs(dot(normal, z_axis(d.geom_xmat[g])))
        return height <= margin + SLACK * extent
    return height <= margin + SLACK * m.geom_rbound[g]


@kernel
def bounds_meet(m, d, g1, g2, margin):
    """Whether the bounding spheres of two geoms are within the margin, and their extents along the line of centres."""
    between = d.geom_xpos[g2] - d.geom_xpos[g1]
    reach = SLACK * (m.geom_rbound[g1] + m.geom_rbound[g2] + margin)
    square = dot(between, between)
    hit = square <= reach * reach
    if m.geom_type[g1] < mjtGeom.mjGEOM_SPHERE or m.geom_type[g2] != mjtGeom.mjGEOM_CAPSULE:
        return hit
    if hit:
        # slabs perpendicular to that line separate most of the long shapes whose spheres overlap
        slab = m.geom_size[g2].y * abs(dot(between, z_axis(d.geom_xmat[g2])))
        if m.geom_type[g1] == mjtGeom.mjGEOM_CAPSULE:
            slab = slab + m.geom_size[g1].y * abs(dot(between, z_axis(d.geom_xmat[g1])))
        radii = SLACK * (m.geom_size[g1].x + m.geom_size[g2].x + margin)
        hit = square - SLACK * slab <= radii * sqrt(square)
    return hit
