"""Contacts of shapes with signed distances: gradient descent from points of a quasi-random sequence.

The points lie where the boxes around both geoms meet. From each a descent leads to where A + B + |max(A, B)| of both
distances is least, one more step to where max(A, B) is less; where that is not positive, there is a contact, whose
normal is the difference of both gradients (MuJoCo Programming chapter, Extensions, Collisions with SDF plugins; step
sizes by backtracking: Nocedal & Wright, Numerical Optimization, algorithm 3.1).
"""

from __future__ import annotations

from collections.abc import Mapping

from conjoint.lang import Kernel, abs, dot, group, isbad, kernel, load, local, maximum, normalize3, rotate, vec3, where
from conjoint.once import made_alike
from conjoint.physics.arrays.rotation import of_matrix, relative_pose
from conjoint.physics.collision.contact_candidates import keep
from conjoint.physics.collision.sdf_distance import Told, distance_from, gradient_from
from conjoint.physics.collision.sdf_mesh import is_new, triangle_contacts
from conjoint.physics.geometry.matrix import greatest, least
from conjoint.physics.geometry.shape import corner_of
from conjoint.physics.plugin.plugin import mjpPlugin
from conjoint.physics.plugin.shapes import SLOTS
from conjoint.physics.sdf.difference import difference
from conjoint.schema.constants import mjMAXCONPAIR, mjMAXVAL
from conjoint.schema.enums import mjtSDFType

INTERSECTION, COLLISION = mjtSDFType.mjSDFTYPE_INTERSECTION, mjtSDFType.mjSDFTYPE_COLLISION

EXACT_KERNELS = True

FIRST_STEP = 2.0
"""Twice the first step along a gradient that is tried; later ones are half of the one before."""

LEAST_STEP = 1e-4
"""The last step that is tried."""

DECREASE = 0.1
"""Share of the decrease that the gradient promises that a step shall have."""


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
    return _collider(tuple(distances), tuple(gradients), with_mesh)


@made_alike
def _by_difference(distance: Kernel) -> Kernel:
    @kernel
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

    @kernel
    def chosen(m, i, p):
        """Ask the plugin of instance i."""
        if m.plugin[i] == slot:
            return first(m, i, p)
        return rest(m, i, p)

    return chosen


@made_alike
def _collider(
    distances: tuple[tuple[int, Kernel], ...], gradients: tuple[tuple[int, Kernel], ...], with_mesh: bool
) -> Kernel:
    told = Told(_chosen(distances), _chosen(gradients))
    contacts = triangle_contacts if with_mesh else descents

    @kernel(one_by_one="together 0.73 of the speed (cow.xml of the official plugins)")
    def sdf_contacts(m, d, g1, g2, margin, dists, points):
        """Contacts of any geom with a shape, at most one for each starting point, or each triangle of a mesh."""
        return contacts(m, d, g1, g2, dists, points, told)

    sdf_contacts.__name__ = "sdf_mesh_contacts" if with_mesh else "sdf_contacts"
    return sdf_contacts


@kernel
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


@kernel
def common_box(m, g1, g2, turn, offset):
    """Ends of the box in the frame of g1 that both geoms' boxes have in common; no box if they have nothing."""
    center = load(vec3, m.geom_aabb, (g2, 0))
    half = load(vec3, m.geom_aabb, (g2, 3))
    low = vec3(mjMAXVAL, mjMAXVAL, mjMAXVAL)
    high = -low
    # corner by corner, as officially: the starting points have the rounding of these ends
    for k in range(8):
        corner = turn @ (center + corner_of(half, k)) + offset
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


@kernel
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
    """What a descent makes small: by both distances at x, in the frame of g2."""
    a, b = distances_at(m, shapes, x)
    if kind == COLLISION:
        return a + b + abs(maximum(a, b))
    return maximum(a, b)


@kernel
def slope_at(m, shapes, x, kind):
    """Gradient of the objective, in the frame of g2."""
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
    """Signed distances from g2 and from g1."""
    first = distance_from(m, shapes.g2, x, shapes.told)
    return first, distance_from(m, shapes.g1, shapes.turn @ x + shapes.offset, shapes.told)


@kernel
def gradients_at(m, shapes, x):
    """Their gradients, in the frame of g2."""
    first = gradient_from(m, shapes.g2, x, shapes.told)
    return first, shapes.turn.T @ gradient_from(m, shapes.g1, shapes.turn @ x + shapes.offset, shapes.told)


sdf_contacts = collider_of(SLOTS)
sdf_mesh_contacts = collider_of(SLOTS, with_mesh=True)
"""The colliders of shapes that come with the engine: with others and with solids, and with meshes."""
