"""Rays in scenes with many geoms that never move: they go down the tree of these, and meet all others one by one.

The boxes that a ray meets are gone through from the nearest to the farthest, as long as nothing nearer was met (Kay,
Kajiya, Ray tracing complex scenes, 1986). What is met does not depend on the tree: of geoms at the same distance it is
the first.
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
"""Instead of a distance, where the direction of a ray has no length."""

NO_SPEED = 1e-30
"""Part of a direction below which a ray runs along a box: its inverse still is a number in single precision."""

FAR = 1e30
"""Farther than anything."""

ROUNDED = 16.0
"""Rounding errors of the distances to a box, at most, in units of the last place."""


@kernel
def is_tree_known(m, d):
    """Whether the boxes of geoms that never move are there, and no program may have moved such geoms since."""
    return m.nstatic > 0 and d.static_version == m.plan_version and d.static_asked == 0 and not is_edited(m, d)


@group
def Chosen(groups, static, exclude, reach):
    """Which geoms count: see `first_geom`."""


@kernel
def first_geom_by_tree(m, d, meet, known, start, way, chosen):
    """`first_geom` by the tree, if that is `known`."""
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
    """Whether geom g counts, for a ray from somewhere."""
    counted = counts(m, g, chosen.groups, chosen.static, chosen.exclude)
    return counted and is_within(m, d, g, start, chosen.reach)


@group
def Ray(start, way, best, found):
    """Where a ray starts, its direction, how far it goes until it meets a geom (-1: for ever), and which (-1: none)."""


@kernel
def nearer_static(m, d, meet, ray, chosen):
    """How far a ray goes, and the geom that it meets, with those that never move; see `first_geom`."""
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
                # where there is no child, both ends of its box are far away, which a ray does not tell
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
    """Let a node wait, the nearest of those from `bottom` on last; how many wait."""
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
    """1 / x, or a large number."""
    if abs(x) < NO_SPEED:
        return 1.0 / NO_SPEED
    return 1.0 / x


@kernel
def strip_begin(m, d, node, c, start, inverse):
    """Where a ray enters the boxes of the children of a node, from child c on; -1 for those that it does not meet."""
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
    """`first_geom` by the tree, whose id goes to geomid[0]; NO_WAY if the direction has no length."""
    if dot(way, way) < mjMINVAL * mjMINVAL:
        return NO_WAY
    chosen = Chosen(groups, static, exclude, reach)
    distance, geomid[0] = first_geom_by_tree(m, d, ray_geom, is_tree_known(m, d), start, way, chosen)
    return distance


@kernel
def first_geoms(m, d, rays, count, groups, static, exclude, found, distances):
    """`first_geom` by the tree of many rays from one point (mj_multiRay).

    Args:
        m: model.
        d: data, after mj_kinematics.
        rays: the point, then the distance at which geoms are too far, then a direction for each ray.
        count: number of rays.
        groups, static, exclude: as of `first_geom`.
        found, distances: receive the geom that each ray meets, -1 for none, and how far that is.
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
        # whether a geom counts is asked when a ray is near it
        asked = False
        counted = False
        for first in range(0, count, TILE):
            end = minimum(first + TILE, count)
            if end < first + TILE or some_are_near(m, d, g, start, rays, 4 + 3 * first):
                for r in range(first, end):
                    way = load(vec3, rays, 4 + 3 * r)
                    if is_near(m, d, g, start, way):
                        if not asked:
                            asked = True
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
    """Whether one of eight rays, whose directions begin at a place, meets the bounding sphere of geom g (`is_near`)."""
    offset = d.geom_xpos[g] - start
    radius = SLACK * m.geom_rbound[g]
    outside = dot(offset, offset) - radius * radius
    if radius <= 0.0 or outside <= 0.0:
        return True
    x = tile(rays, at, 3)
    y = tile(rays, at + 1, 3)
    z = tile(rays, at + 2, 3)
    # rounding loses none: what is near is looked at one by one
    ahead = (x * offset.x + y * offset.y + z * offset.z) * SLACK
    return any((ahead >= 0.0) & ((x * x + y * y + z * z) * outside <= ahead * ahead))
