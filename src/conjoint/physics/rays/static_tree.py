"""Rays in scenes with many static geoms: the tree of static geoms is traversed, and all other geoms are tested.

The boxes that a ray hits are visited from the nearest to the farthest, until no box is nearer than the best hit (Kay,
Kajiya, Ray tracing complex scenes, 1986). Results do not depend on the tree: of several geoms at the same distance, the
one with the lowest id is returned.
"""

from conjoint.lang import (
    STRIP,
    abs,
    any,
    dot,
    group,
    kernel,
    load,
    local,
    maximum,
    minimum,
    put,
    real,
    strip,
    tile,
    vec3,
    where,
)
from conjoint.lang.language.tile import TILE
from conjoint.physics.collision.box_trees import WAITING
from conjoint.physics.collision.placing import is_edited
from conjoint.physics.geometry.shape import SLACK
from conjoint.physics.rays.geoms import MISSED, nearer_of
from conjoint.physics.rays.scene import counts, first_geom, is_near, is_within, ray_geom
from conjoint.schema.constants import mjMINVAL

NO_WAY = -2.0
"""Value returned instead of a distance if the direction of a ray has zero length."""

NO_SPEED = 1e-30
"""Direction component below which a ray counts as parallel to a box; its inverse is finite in single precision."""

FAR = 1e30
"""Distance beyond all geoms."""

ROUNDED = 16.0
"""Maximum rounding error of the distances to a box, in units of the last place."""


@kernel
def is_tree_known(m, d):
    """Return True if the boxes of static geoms were computed, and the user cannot have moved these geoms since."""
    return m.nstatic > 0 and d.static_version == m.plan_version and d.static_exposed == 0 and not is_edited(m, d)


@group
def Chosen(groups, static, exclude, reach):
    """Filter for the geoms that rays hit: see the arguments of `first_geom`."""


@kernel
def first_geom_by_tree(m, d, meet, known, start, way, chosen):
    """Return the result of `first_geom`, computed with the tree of static geoms if `known` is True."""
    if not known:
        return first_geom(m, d, meet, start, way, chosen.groups, chosen.static, chosen.exclude, chosen.reach)
    best = MISSED
    found = -1
    for k in range(m.noutside):
        g = m.outside_geom[k]
        if is_near(m, d, g, start, way) and is_chosen(m, d, g, start, chosen):
            best, found = nearer_of(best, found, meet(m, d, g, start, way), g)
    if chosen.static:
        best, found = nearer_static(m, d, meet, Ray(start, way, best, found), chosen)
    return best, found


@kernel
def is_chosen(m, d, g, start, chosen):
    """Return True if geom g passes the filter `chosen` for a ray from `start`."""
    counted = counts(m, g, chosen.groups, chosen.static, chosen.exclude)
    return counted and is_within(m, d, g, start, chosen.reach)


@group
def Ray(start, way, best, found):
    """A ray: its start and direction, the distance of the nearest hit (-1 for none), and the geom hit (-1 for none)."""


@kernel
def nearer_static(m, d, meet, ray, chosen):
    """Return the distance and the geom of the nearest hit of a ray, among its best hit so far and all static geoms."""
    best = ray.best
    found = ray.found
    inverse = vec3(inverse_of(ray.way.x), inverse_of(ray.way.y), inverse_of(ray.way.z))
    waiting = local(int, WAITING)
    begin = local(real, WAITING)
    near = local(real, TILE)
    waiting[0] = m.nstatic_node - 1
    begin[0] = 0.0
    count = 1
    while count > 0:
        count -= 1
        node = waiting[count]
        if best < 0.0 or begin[count] <= SLACK * best:
            for c in range(0, TILE, STRIP):
                put(near, c, strip_begin(m, d, node, c, ray.start, inverse))
            bottom = count
            for c in range(TILE):
                # the box of a missing child has both ends far away, so the ray test may report a hit
                child = m.node_child[node, c]
                if child >= 0 and near[c] >= 0.0 and (best < 0.0 or near[c] <= SLACK * best):
                    if m.node_leaf[node] == 0:
                        count = push(waiting, begin, bottom, count, child, near[c])
                    elif is_near(m, d, child, ray.start, ray.way) and is_chosen(m, d, child, ray.start, chosen):
                        x = meet(m, d, child, ray.start, ray.way)
                        if x >= 0.0 and (best < 0.0 or x < best or (x == best and child < found)):
                            best = x
                            found = child
    return best, found


@kernel
def push(waiting, begin, bottom, count, node, near):
    """Push a node on the stack, which is sorted from index `bottom` on with the nearest node last; return the count."""
    k = count
    while k > bottom and begin[maximum(k - 1, 0)] < near:
        waiting[k] = waiting[k - 1]
        begin[k] = begin[k - 1]
        k -= 1
    waiting[k] = node
    begin[k] = near
    return count + 1


@kernel
def inverse_of(x):
    """Return 1 / x, or a large number if x is near zero."""
    if abs(x) < NO_SPEED:
        return 1.0 / NO_SPEED
    return 1.0 / x


@kernel
def strip_begin(m, d, node, c, start, inverse):
    """Return the distances at which a ray enters the boxes of a node's children, from child c on; -1 for a miss."""
    near = strip(0.0)
    far = strip(FAR)
    for axis in range(3):
        a = (strip(d.node_box, (node, axis, c)) - start[axis]) * inverse[axis]
        b = (strip(d.node_box, (node, 3 + axis, c)) - start[axis]) * inverse[axis]
        near = maximum(near, minimum(a, b))
        far = minimum(far, maximum(a, b))
    return where(near <= far * (1.0 + ROUNDED * m.epsilon), near, strip(MISSED))


@kernel
def write_first_geom(m, d, start, way, groups, static, exclude, reach, geomid):
    """Find the first geom that a ray hits, write its id to geomid[0], and return its distance; see `first_geom`.

    Return `NO_WAY` if the direction has zero length.
    """
    if dot(way, way) < mjMINVAL * mjMINVAL:
        return NO_WAY
    chosen = Chosen(groups, static, exclude, reach)
    distance, geomid[0] = first_geom_by_tree(m, d, ray_geom, is_tree_known(m, d), start, way, chosen)
    return distance


@kernel
def first_geoms(m, d, rays, count, groups, static, exclude, found, distances):
    """Find the first geoms that many rays from one point hit, using the tree of static geoms (mj_multiRay).

    Args:
        m: model.
        d: data, after mj_kinematics.
        rays: common origin of the rays, then the cutoff distance for geoms, then the direction of each ray.
        count: number of rays.
        groups, static, exclude: as in `first_geom`.
        found: receives the geom that each ray hits, -1 for none.
        distances: receives the distance of each hit, -1 for none.
    """
    start = load(vec3, rays, 0)
    for r in range(count):
        distances[r] = MISSED
        found[r] = -1
    chosen = Chosen(groups, static, exclude, rays[3])
    known = is_tree_known(m, d)
    n = where(known, m.noutside, m.ngeom)
    for k in range(n):
        g = k
        if known:
            g = m.outside_geom[k]
        # the filter is applied to a geom only once a ray is near it
        requested = False
        counted = False
        for first in range(0, count, TILE):
            end = minimum(first + TILE, count)
            if end < first + TILE or some_are_near(m, d, g, start, rays, 4 + 3 * first):
                for r in range(first, end):
                    way = load(vec3, rays, 4 + 3 * r)
                    if is_near(m, d, g, start, way):
                        if not requested:
                            requested = True
                            counted = is_chosen(m, d, g, start, chosen)
                        if counted:
                            x = ray_geom(m, d, g, start, way)
                            distances[r], found[r] = nearer_of(distances[r], found[r], x, g)
    if known and static:
        for r in range(count):
            ray = Ray(start, load(vec3, rays, 4 + 3 * r), distances[r], found[r])
            distances[r], found[r] = nearer_static(m, d, ray_geom, ray, chosen)


@kernel
def some_are_near(m, d, g, start, rays, at):
    """Return True if one of eight rays hits the bounding sphere of geom g (see `is_near`).

    Argument `at` is the address in `rays` of the direction of the first of these rays.
    """
    offset = d.geom_xpos[g] - start
    radius = SLACK * m.geom_rbound[g]
    outside = dot(offset, offset) - radius * radius
    if radius <= 0.0 or outside <= 0.0:
        return True
    x = tile(rays, at, 3)
    y = tile(rays, at + 1, 3)
    z = tile(rays, at + 2, 3)
    # the slack covers rounding errors; rays that pass are tested again one by one
    ahead = (x * offset.x + y * offset.y + z * offset.z) * SLACK
    return any((ahead >= 0.0) & ((x * x + y * y + z * z) * outside <= ahead * ahead))
