"""Broad phase: list the candidate pairs whose bounds are close enough for the narrow phase."""

from conjoint.lang import any, dot, kernel, maximum, minimum, norm, shared, where
from conjoint.physics.collision.pairs import is_near, list_pair, reach_of
from conjoint.physics.geometry.shape import SLACK
from conjoint.physics.pair_filter import NO_CONTACTS, count_below, margin_bound_in_force
from conjoint.physics.sleep.filter import bodies_rest, everything_rests, geoms_rest
from conjoint.schema.constants import PAIR_CHUNKS
from conjoint.schema.enums import mjtDisableBit

UNBOUNDED = 1e15
"""Bounding radius (m) of bodies with unbounded geoms; its square is finite even in single precision."""

LEAST_PAIRS = 1024
"""Minimum number of candidates in a chunk; testing that many takes a few microseconds."""


@kernel
def broadphase(m, d):
    """List the candidate pairs whose bounds are close enough in any world, and mark these worlds in `near_hit`.

    Bounds are two spheres, or a sphere and a plane. The list has the order of the candidates.
    """
    near = 0
    if (m.opt.disableflags & NO_CONTACTS) == 0 and not everything_rests(m, d):
        bound_geoms(m, d)
        bound_bodies(m, d)
        chunks = maximum(1, minimum(PAIR_CHUNKS, m.npair_candidate // LEAST_PAIRS))
        fixed = end_of_fixed(m)
        shared(test_chunk, m, d, chunks, chunks, fixed)
        near = close_gaps(m, d, chunks, fixed)
    d.nnear = near


@kernel
def end_of_fixed(m):
    """Return the number of candidates with a geom of the world body; they come first in the list."""
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
    """Return the first candidate of a chunk in one half of the list.

    Half 0 contains the candidates with a geom of the world body, half 1 all other candidates.
    """
    if half == 0:
        return chunk * fixed // chunks
    return fixed + chunk * (m.npair_candidate - fixed) // chunks


@kernel
def test_chunk(m, d, chunk, chunks, fixed):
    """List the near candidates of a chunk, in one list for each half of the candidates.

    A chunk contains a part of each half of the candidates, with about the same bodies in both parts. Each list starts
    at the index of the chunk's first candidate in that half.
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
                    # most pairs fail this bounding-sphere test; explicit pairs have their own margins and skip it
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
    """Close the gaps between the chunks' lists of near pairs; return the number of near pairs."""
    near = 0
    for half in range(2):
        for chunk in range(chunks):
            first = first_of(m, chunk, chunks, fixed, half)
            if near == first:
                near += d.chunk_near[half, chunk]
            else:
                for k in range(first, first + d.chunk_near[half, chunk]):
                    list_pair(d, near, d.near_geom1[k], d.near_geom2[k], d.near_pair[k], d.near_hit[k])
                    near += 1
    return near


@kernel
def test_candidate(m, d, k, near):
    """List candidate k as near pair number `near` if its bounds are close enough; return the number of near pairs."""
    g1 = m.candidate_geom1[k]
    g2 = m.candidate_geom2[k]
    hit = is_near(m, d, g1, g2, reach_of(m, m.candidate_pair[k], g1, g2))
    if any(hit):
        list_pair(d, near, g1, g2, m.candidate_pair[k], where(hit, 1, 0))
        near += 1
    return near


@kernel
def bound_geoms(m, d):
    """Compute `geom_bound`: bounding radii of the geoms of candidates, enlarged by their margins.

    If a pair without its own margin is near, the spheres of both geoms overlap, because the margin of a pair is at most
    the sum of the geoms' margins.
    """
    for k in range(m.npaired):
        g = m.paired_geom[k]
        margin = margin_bound_in_force(m, g) + m.reach
        bound = SLACK * (m.geom_rbound[g] + margin)
        # a bounding radius of zero means that the geom is unbounded
        d.geom_bound[g] = where(m.geom_rbound[g] > 0.0, bound, UNBOUNDED)


@kernel
def bound_bodies(m, d):
    """Compute `body_bound` of bodies with many pairs: the radius of a sphere that contains the bounds of their geoms.

    The sphere is centered at the body's center of mass.
    """
    if m.nrun_geom > 0:
        for b in range(m.nbody):
            d.body_bound[b] = 0.0
    for k in range(m.nrun_geom):
        g = m.run_geom[k]
        b = m.geom_bodyid[g]
        bound = norm(d.geom_xpos[g] - d.xipos[b]) + m.geom_rbound[g] + margin_bound_in_force(m, g)
        # a bounding radius of zero means that the geom is unbounded
        d.body_bound[b] = maximum(where(m.geom_rbound[g] > 0.0, bound, UNBOUNDED), d.body_bound[b])


@kernel
def is_reached(between, reach):
    """Return True if a vector is no longer than `reach` (m) in some world, or is NaN."""
    return any(not dot(between, between) > reach * reach)


@kernel
def may_meet(m, d, run):
    """Return True if two bodies are so close that some of their candidate pairs may be near in some world.

    The candidates of two bodies form the contiguous range number `run`.
    """
    b1 = m.run_body1[run]
    if b1 < 0:
        return True
    b2 = m.run_body2[run]
    if bodies_rest(m, d, b1, b2):
        return False
    between = d.xipos[b2] - d.xipos[b1]
    reach = SLACK * (d.body_bound[b1] + d.body_bound[b2] + m.reach)
    return is_reached(between, reach)
