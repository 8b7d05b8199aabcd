"""Contacts of shapes with signed distances: gradient descent from points of a quasi-random sequence.

The points lie where the boxes around both geoms meet. From each a descent leads to where A + B + |max(A, B)| of both
distances is least, one more step to where max(A, B) is less; where that is not positive, there is a contact, whose
normal is the difference of both gradients (MuJoCo Programming chapter, Extensions, Collisions with SDF plugins; step
sizes by backtracking: Nocedal & Wright, Numerical Optimization, algorithm 3.1).
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
    norm,
    normalize3,
    rotate,
    vec3,
    where,
)
from conjoint.once import made_alike
from conjoint.physics.arrays.rotation import of_matrix, relative_pose
from conjoint.physics.collision.contact_candidates import keep
from conjoint.physics.collision.sdf_mesh import triangle_contacts
from conjoint.physics.flex.kinematics import greatest, least
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
"""Twice the first step along a gradient that is tried; later ones are half of the one before."""

LEAST_STEP = 1e-4
"""The last step that is tried."""

DECREASE = 0.1
"""Share of the decrease that the gradient promises that a step shall have."""


@group
def Told(distance, gradient):
    """Distance and gradient that plugins tell: kernels of `(m, instance, p)`."""


@group
def Shapes(g1, g2, turn, offset, told):
    """Two geoms, the turn and the offset from the frame of the second to that of the first, and what plugins tell."""


def collider_of(shapes: Mapping[int, mjpPlugin], with_mesh: bool = False) -> Kernel:
    """The collider of the shapes of some plugins, by their slots, and of meshes with octrees.

    Args:
        shapes: plugins with signed distances.
        with_mesh: whether the other geom is a mesh, without a distance, instead of one that has one.
    """
    found = [(slot, shape.sdf_distance, shape.sdf_gradient) for slot, shape in shapes.items()]
    distances = [(slot, distance) for slot, distance, _ in found if distance is not None]
    gradients = [(slot, own or _by_difference(distance)) for slot, distance, own in found if distance is not None]
    make = _mesh_collider if with_mesh else _collider
    return make(tuple(distances), tuple(gradients))


@made_alike
def _by_difference(distance: Kernel) -> Kernel:
    @kernel(per_world=True)
    def gradient(m, i, p):
        """Gradient of a distance by finite differences."""
        return difference(m, i, p, distance)

    return gradient


@made_alike
def _chosen(kernels: tuple[tuple[int, Kernel], ...]) -> Kernel:
    """The kernel of `(m, instance, p)` that calls that of the slot of the instance's plugin."""
    (slot, first), *others = kernels
    if not others:
        return first
    rest = _chosen(tuple(others))

    @kernel(per_world=True)
    def chosen(m, i, p):
        """Ask the plugin of instance i."""
        if m.plugin[i] == slot:
            return first(m, i, p)
        return rest(m, i, p)

    return chosen


@made_alike
def _collider(distances: tuple[tuple[int, Kernel], ...], gradients: tuple[tuple[int, Kernel], ...]) -> Kernel:
    told = Told(_chosen(distances), _chosen(gradients))

    @kernel(per_world=True)
    def sdf_contacts(m, d, g1, g2, margin, dists, points):
        """Contacts of any geom with a shape, at most one for each starting point."""
        return descents(m, d, g1, g2, dists, points, told)

    return sdf_contacts


@made_alike
def _mesh_collider(distances: tuple[tuple[int, Kernel], ...], gradients: tuple[tuple[int, Kernel], ...]) -> Kernel:
    of_plugin, slope_of_plugin = _chosen(distances), _chosen(gradients)

    @kernel(per_world=True)
    def distance_of(m, g, p):
        """Signed distance from geom g of a point in its frame."""
        return told_by(m, g, p, of_plugin, octree_distance, signed_distance)

    @kernel(per_world=True)
    def slope_of(m, g, p):
        """Its gradient."""
        return told_by(m, g, p, slope_of_plugin, octree_gradient, signed_gradient)

    @kernel(per_world=True)
    def sdf_mesh_contacts(m, d, g1, g2, margin, dists, points):
        """Contacts of a mesh with a shape."""
        return triangle_contacts(m, d, g1, g2, dists, points, distance_of, slope_of)

    return sdf_mesh_contacts


@kernel(per_world=True)
def descents(m, d, g1, g2, dists, points, told):
    """Descend from all starting points; how many contacts there are."""
    # from the frame of the shape g2 to that of g1, and back
    turn, offset = relative_pose(d.geom_xpos[g1], d.geom_xmat[g1], d.geom_xpos[g2], d.geom_xmat[g2])
    shapes = Shapes(g1, g2, turn, offset, told)
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


@kernel(per_world=True)
def common_box(m, g1, g2, turn, offset):
    """Ends of the box in the frame of g1 that both geoms' boxes have in common; no box if they have nothing."""
    center = load(vec3, m.geom_aabb, (g2, 0))
    half = load(vec3, m.geom_aabb, (g2, 3))
    low = vec3(mjMAXVAL, mjMAXVAL, mjMAXVAL)
    high = -low
    # corner by corner, as officially: the starting points have the rounding of these ends
    for k in range(8):
        side = vec3(where(k % 2 == 1, 1.0, -1.0), where(k // 2 % 2 == 1, 1.0, -1.0), where(k // 4 == 1, 1.0, -1.0))
        corner = vec3(center.x + side.x * half.x, center.y + side.y * half.y, center.z + side.z * half.z)
        corner = turn @ corner + offset
        low = least(low, corner)
        high = greatest(high, corner)
    center1 = load(vec3, m.geom_aabb, (g1, 0))
    half1 = load(vec3, m.geom_aabb, (g1, 3))
    return greatest(low, center1 - half1), least(high, center1 + half1)


@kernel
def halton(k, base):
    """Element k of the quasi-random sequence of a prime base (Halton 1960)."""
    found = 0.0
    share = 1.0 / base
    while k > 0:
        found = found + share * (k % base)
        share = share / base
        k = k // base
    return found


@kernel(per_world=True)
def is_new(found, n, x):
    """True if none of n points is x."""
    k = 0
    while k < n and norm(found[k] - x) >= mjMINVAL:
        k += 1
    return k == n


@kernel(per_world=True)
def descend(m, shapes, x, kind, count):
    """Go down the gradient of an objective at most `count` times; the objective, and where it is that."""
    apart = mjMAXVAL
    for _ in range(count):
        slope = slope_at(m, shapes, x, kind)
        if isbad(slope.x) or isbad(slope.y) or isbad(slope.z):
            return mjMAXVAL, x
        start = x
        before = objective(m, shapes, x, kind)
        promised = DECREASE * dot(slope, slope)
        step = FIRST_STEP
        trying = 1
        while trying == 1:
            step = 0.5 * step
            x = start - slope * step
            apart = objective(m, shapes, x, kind)
            if step <= LEAST_STEP or apart - before <= -promised * step:
                trying = 0
        if before < apart:
            return apart, x
    return apart, x


@kernel(per_world=True)
def objective(m, shapes, x, kind):
    """What a descent makes small: by both distances at x, in the frame of g2."""
    a, b = distances_at(m, shapes, x)
    if kind == COLLISION:
        return a + b + abs(maximum(a, b))
    return maximum(a, b)


@kernel(per_world=True)
def slope_at(m, shapes, x, kind):
    """Gradient of the objective, in the frame of g2."""
    a, b = distances_at(m, shapes, x)
    first, second = gradients_at(m, shapes, x)
    steeper = second
    if a > b:
        steeper = first
    if kind == INTERSECTION:
        return steeper
    if maximum(a, b) > 0.0:
        return first + second + steeper
    return first + second - steeper


@kernel(per_world=True)
def distances_at(m, shapes, x):
    """Signed distances from g2 and from g1."""
    told, y = shapes.told, shapes.turn @ x + shapes.offset
    first = told_by(m, shapes.g2, x, told.distance, octree_distance, signed_distance)
    return first, told_by(m, shapes.g1, y, told.distance, octree_distance, signed_distance)


@kernel(per_world=True)
def gradients_at(m, shapes, x):
    """Their gradients, in the frame of g2."""
    told, y = shapes.told, shapes.turn @ x + shapes.offset
    first = told_by(m, shapes.g2, x, told.gradient, octree_gradient, signed_gradient)
    return first, shapes.turn.T @ told_by(m, shapes.g1, y, told.gradient, octree_gradient, signed_gradient)


@kernel(per_world=True)
def told_by(m, g, p, of_plugin, of_mesh, of_type):
    """What the plugin, the mesh or the type of geom g tells about the point p in the geom's frame."""
    kind = m.geom_type[g]
    if kind == mjtGeom.mjGEOM_SDF and m.geom_plugin[g] >= 0:
        return of_plugin(m, m.geom_plugin[g], p)
    if kind == mjtGeom.mjGEOM_SDF:
        return of_mesh(m, m.geom_dataid[g], p)
    return of_type(kind, m.geom_size[g], p)


sdf_contacts = collider_of(SLOTS)
sdf_mesh_contacts = collider_of(SLOTS, with_mesh=True)
"""The colliders of shapes that come with the engine: with others and with solids, and with meshes."""
