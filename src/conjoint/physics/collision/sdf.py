"""Contacts of shapes with signed distance functions (SDFs), which plugins, octrees or closed formulas provide.

Contacts with another SDF or with a primitive shape are found by gradient descent. It starts from points of a
quasi-random sequence in the intersection of the boxes around both geoms. Let A and B be the distances from both geoms.
Each descent minimizes A + B + |max(A, B)|, and one more step reduces max(A, B). If max(A, B) is then not positive,
there is a contact; its normal is the difference of both gradients (MuJoCo Programming chapter, Extensions, Collisions
with SDF plugins). Step sizes are found by backtracking (Nocedal & Wright, Numerical Optimization, algorithm 3.1).

Contacts with a mesh are found triangle by triangle: each triangle that extends into the SDF shape has one contact, and
the deepest contacts are returned. Triangles are found through the bounding volumes of the mesh, whose bounding spheres
must meet the surface. On each triangle, the distance is minimized by the method of Frank and Wolfe (An algorithm for
quadratic programming, 1956). A point starts in the middle and moves toward the corner that is farthest down the
gradient. In iteration k, the point moves by 2 / (k + 2) of its distance from the corner.
"""

from __future__ import annotations

from collections.abc import Mapping

from conjoint.lang import (
    Kernel,
    abs,
    dot,
    group,
    isbad,
    kernel,
    load,
    local,
    maximum,
    minimum,
    norm,
    normalize3,
    real,
    rotate,
    vec3,
    where,
)
from conjoint.once import made_alike
from conjoint.physics.arrays.rotation import of_matrix, relative_pose
from conjoint.physics.collision.contact_candidates import collider_by, keep
from conjoint.physics.collision.hull import WAITING, mesh_corner
from conjoint.physics.geometry.matrix import greatest, least
from conjoint.physics.geometry.shape import corner_of
from conjoint.physics.geometry.signed_distance import signed_distance, signed_gradient
from conjoint.physics.plugin.plugin import mjpPlugin
from conjoint.physics.plugin.shapes import SLOTS
from conjoint.physics.sdf.difference import difference
from conjoint.physics.sdf.octree import octree_distance, octree_gradient
from conjoint.schema.constants import mjMAXCONPAIR, mjMAXVAL, mjMINVAL
from conjoint.schema.enums import mjtGeom, mjtSDFType

INTERSECTION, COLLISION = mjtSDFType.mjSDFTYPE_INTERSECTION, mjtSDFType.mjSDFTYPE_COLLISION

EXACT_KERNELS = True

FIRST_STEP = 2.0
"""Twice the first step size along a gradient; each later step size is half of the previous one."""

LEAST_STEP = 1e-4
"""Smallest step size along a gradient."""

DECREASE = 0.1
"""Fraction of the decrease predicted by the gradient that a step must achieve."""


# ---- distances


@group
def Distances(distance, gradient):
    """Signed distance and its gradient for plugins: two kernels with arguments `(m, instance, p)`."""


@kernel
def distance_from(m, g, p, distances):
    """Return the signed distance from the surface of geom g to point p, in the geom's frame."""
    return chosen_by(m, g, p, distances.distance, octree_distance, signed_distance)


@kernel
def gradient_from(m, g, p, distances):
    """Return the gradient of `distance_from` with respect to p."""
    return chosen_by(m, g, p, distances.gradient, octree_gradient, signed_gradient)


@kernel
def chosen_by(m, g, p, of_plugin, of_mesh, of_type):
    """Call the kernel for the shape of geom g (plugin, octree or primitive shape) with point p in the geom's frame."""
    kind = m.geom_type[g]
    if kind == mjtGeom.mjGEOM_SDF and m.geom_plugin[g] >= 0:
        return of_plugin(m, m.geom_plugin[g], p)
    if kind == mjtGeom.mjGEOM_SDF:
        return of_mesh(m, m.geom_dataid[g], p)
    return of_type(kind, m.geom_size[g], p)


# ---- colliders


def collider_of(shapes: Mapping[int, mjpPlugin], with_mesh: bool = False) -> Kernel:
    """Return the collider for the SDF shapes of some plugins, and for meshes with octrees.

    Args:
        shapes: plugins with signed distances, keyed by slot.
        with_mesh: True if the other geom is a mesh without a signed distance.
    """
    found = [(slot, shape.sdf_distance, shape.sdf_gradient) for slot, shape in shapes.items()]
    distances = [(slot, distance) for slot, distance, _ in found if distance is not None]
    gradients = [(slot, own or _by_difference(distance)) for slot, distance, own in found if distance is not None]
    by_plugin = Distances(_chosen(tuple(distances)), _chosen(tuple(gradients)))
    name, contacts = ("sdf_mesh_contacts", triangle_contacts) if with_mesh else ("sdf_contacts", descents)
    return collider_by(name, contacts, by_plugin, "worlds together run at 0.73 of the speed (cow.xml of MuJoCo)")


@made_alike
def _by_difference(distance: Kernel) -> Kernel:
    @kernel
    def gradient(m, i, p):
        """Return the gradient of a plugin's signed distance by finite differences."""
        return difference(m, i, p, distance)

    return gradient


@made_alike
def _chosen(kernels: tuple[tuple[int, Kernel], ...]) -> Kernel:
    """Return the kernel of `(m, instance, p)` that calls the kernel for the slot of the instance's plugin."""
    (slot, first), *others = kernels
    if not others:
        return first
    rest = _chosen(tuple(others))

    @kernel
    def chosen(m, i, p):
        """Call the kernel of the plugin to which instance i belongs."""
        if m.plugin[i] == slot:
            return first(m, i, p)
        return rest(m, i, p)

    return chosen


# ---- descents


@group
def Shapes(g1, g2, turn, offset, distances):
    """Two geoms, the rotation and offset from the second geom's frame to the first's, and `Distances` of plugins."""


@kernel
def descents(m, d, g1, g2, margin, dists, points, distances):
    """Find contacts by gradient descent from all starting points; return the number of contacts."""
    # from the frame of g2 to the frame of g1, and below from g1 to g2
    turn, offset = relative_pose(d.geom_xpos[g1], d.geom_xmat[g1], d.geom_xpos[g2], d.geom_xmat[g2])
    shapes = Shapes(g1, g2, turn, offset, distances)
    low, high = common_box(m, g1, g2, turn, offset)
    if low.x > high.x or low.y > high.y or low.z > high.z:
        return 0
    orientation = of_matrix(d.geom_xmat[g2])
    back, away = relative_pose(d.geom_xpos[g2], d.geom_xmat[g2], d.geom_xpos[g1], d.geom_xmat[g1])
    found = local(vec3, mjMAXCONPAIR)
    n = 0
    for k in range(m.opt.sdf_initpoints):
        share = vec3(halton(k, 2), halton(k, 3), halton(k, 5))
        size = high - low
        y = low + vec3(size.x * share.x, size.y * share.y, size.z * share.z)
        x = back @ y + away
        apart, x = descend(m, shapes, x, COLLISION, m.opt.sdf_iterations)
        apart, x = descend(m, shapes, x, INTERSECTION, 1)
        if apart <= 0.0 and n < mjMAXCONPAIR and is_new(found, n, x):
            found[n] = x
            first, second = gradients_at(m, shapes, x)
            normal = normalize3(rotate(orientation, -normalize3(normalize3(first) - normalize3(second))))
            pos = rotate(orientation, x) + d.geom_xpos[g2] + normal * (-apart / 2.0)
            n = keep(dists, points, n, apart, pos, normal)
    return n


@kernel
def common_box(m, g1, g2, turn, offset):
    """Return the lower and the upper corner of the intersection of both geoms' boxes, in the frame of g1.

    If a coordinate of the lower corner exceeds that of the upper one, the intersection is empty.
    """
    center = load(vec3, m.geom_aabb, (g2, 0))
    half = load(vec3, m.geom_aabb, (g2, 3))
    low = vec3(mjMAXVAL, mjMAXVAL, mjMAXVAL)
    high = -low
    # corner by corner, as in MuJoCo: the starting points depend on the rounding errors of this box
    for k in range(8):
        corner = turn @ (center + corner_of(half, k)) + offset
        low = least(low, corner)
        high = greatest(high, corner)
    center1 = load(vec3, m.geom_aabb, (g1, 0))
    half1 = load(vec3, m.geom_aabb, (g1, 3))
    return greatest(low, center1 - half1), least(high, center1 + half1)


@kernel
def halton(k, base):
    """Return element k of the Halton sequence, a quasi-random sequence in [0, 1), for a prime base (Halton 1960)."""
    found = 0.0
    share = 1.0 / base
    while k > 0:
        found = found + share * (k % base)
        share = share / base
        k = k // base
    return found


@kernel
def descend(m, shapes, x, kind, count):
    """Reduce an objective by at most `count` steps along its gradient; return the objective and the final point."""
    apart = mjMAXVAL
    for _ in range(count):
        slope = slope_at(m, shapes, x, kind)
        if isbad(slope.x) or isbad(slope.y) or isbad(slope.z):
            return mjMAXVAL, x
        start = x
        before = objective(m, shapes, x, kind)
        promised = DECREASE * dot(slope, slope)
        step = FIRST_STEP
        while True:
            step = 0.5 * step
            x = start - slope * step
            apart = objective(m, shapes, x, kind)
            if step <= LEAST_STEP or apart - before <= -promised * step:
                break
        if before < apart:
            return apart, x
    return apart, x


@kernel
def objective(m, shapes, x, kind):
    """Return the objective of a descent at point x, in the frame of g2; it depends on the distances from both geoms."""
    a, b = distances_at(m, shapes, x)
    if kind == COLLISION:
        return a + b + abs(maximum(a, b))
    return maximum(a, b)


@kernel
def slope_at(m, shapes, x, kind):
    """Return the gradient of the objective at point x, in the frame of g2."""
    a, b = distances_at(m, shapes, x)
    first, second = gradients_at(m, shapes, x)
    steeper = where(a > b, first, second)
    if kind == INTERSECTION:
        return steeper
    if maximum(a, b) > 0.0:
        return first + second + steeper
    return first + second - steeper


@kernel
def distances_at(m, shapes, x):
    """Return the signed distances from g2 and from g1 at point x, in the frame of g2."""
    first = distance_from(m, shapes.g2, x, shapes.distances)
    return first, distance_from(m, shapes.g1, shapes.turn @ x + shapes.offset, shapes.distances)


@kernel
def gradients_at(m, shapes, x):
    """Return the gradients of the signed distances from g2 and from g1 at point x, in the frame of g2."""
    first = gradient_from(m, shapes.g2, x, shapes.distances)
    return first, shapes.turn.T @ gradient_from(m, shapes.g1, shapes.turn @ x + shapes.offset, shapes.distances)


# ---- meshes


@kernel
def triangle_contacts(m, d, g1, g2, margin, dists, points, distances):
    """Find contacts of mesh g1 with SDF shape g2, the deepest first; return their number.

    Args:
        m: model.
        d: data.
        g1: a mesh geom; contacts are found on its triangles, not on its hull.
        g2: a geom with a signed distance.
        margin: unused, because only points inside g2 are contacts.
        dists, points: see `contact_candidates.keep`.
        distances: see `Distances`.
    """
    orientation = of_matrix(d.geom_xmat[g2])
    turn, offset = relative_pose(d.geom_xpos[g2], d.geom_xmat[g2], d.geom_xpos[g1], d.geom_xmat[g1])
    depths = local(real, mjMAXCONPAIR)
    deepest = local(vec3, mjMAXCONPAIR)
    found = search_triangles(m, g1, g2, turn, offset, depths, deepest, distances)
    n = 0
    for k in range(found):
        # adjacent triangles may share their deepest point
        if is_new(deepest, k, deepest[k]):
            normal = normalize3(rotate(orientation, -gradient_from(m, g2, deepest[k], distances)))
            pos = rotate(orientation, deepest[k]) + d.geom_xpos[g2] + normal * (-depths[k] / 2.0)
            n = keep(dists, points, n, depths[k], pos, normal)
    return n


@kernel
def search_triangles(m, g1, g2, turn, offset, depths, deepest, distances):
    """List the deepest points of the mesh triangles that extend into g2, in the frame of g2; return their number.

    Triangles are found by a traversal of the mesh's tree of bounding volumes.
    """
    mesh = m.geom_dataid[g1]
    first = m.mesh_bvhadr[mesh]
    waiting = local(int, WAITING)
    waiting[0] = first
    count = minimum(m.mesh_bvhnum[mesh], 1)
    found = 0
    while count > 0:
        count -= 1
        volume = waiting[count]
        center = turn @ load(vec3, m.bvh_aabb, (volume, 0)) + offset
        if distance_from(m, g2, center, distances) < norm(load(vec3, m.bvh_aabb, (volume, 3))):
            face = m.bvh_nodeid[volume]
            if face >= 0:
                x = lowest_of_triangle(m, mesh, face, g2, turn, offset, distances)
                depth = distance_from(m, g2, x, distances)
                if depth <= 0.0:
                    found = insert(depths, deepest, found, depth, x)
            elif count + 2 <= WAITING:
                for side in range(2):
                    waiting[count] = first + m.bvh_child[volume, side]
                    count += 1
    return found


@kernel
def lowest_of_triangle(m, mesh, face, g2, turn, offset, distances):
    """Return the point of a triangle with the least distance from g2, found by `sdf_iterations` iterations."""
    corners = local(vec3, 3)
    for k in range(3):
        corners[k] = turn @ mesh_corner(m, mesh, m.mesh_faceadr[mesh] + face, k) + offset
    x = (corners[0] + corners[1] + corners[2]) * (1.0 / 3.0)
    for turns in range(m.opt.sdf_iterations):
        slope = gradient_from(m, g2, x, distances)
        best = 0
        for k in range(1, 3):
            if dot(corners[k], slope) < dot(corners[best], slope):
                best = k
        x = x + (corners[best] - x) * (2.0 / (turns + 2.0))
    return x


@kernel
def insert(depths, deepest, found, depth, x):
    """Insert a point into a list sorted by ascending depth; return the number of points.

    If the list is full, its last point is dropped.
    """
    if found == mjMAXCONPAIR:
        if depth >= depths[found - 1]:
            return found
        found -= 1
    place = found
    while place > 0 and depths[place - 1] > depth:
        depths[place] = depths[place - 1]
        deepest[place] = deepest[place - 1]
        place -= 1
    depths[place] = depth
    deepest[place] = x
    return found + 1


@kernel
def is_new(found, n, x):
    """Return True if none of the first n points equals x."""
    for i in range(n):  # noqa: SIM110
        if norm(found[i] - x) < mjMINVAL:
            return False
    return True


sdf_contacts = collider_of(SLOTS)
sdf_mesh_contacts = collider_of(SLOTS, with_mesh=True)
"""Collider for meshes and the SDF shapes that are built into the engine; `sdf_contacts` is for all other geoms."""
