"""Distance of two convex bodies, or whether they overlap: the algorithm of Gilbert, Johnson and Keerthi.

Everything happens in the Minkowski difference, the points of the first body minus those of the second: its distance
from the origin is that of the bodies.

Gilbert, Johnson & Keerthi, IEEE Journal of Robotics and Automation 4 (1988); the simplex is reduced as Montanari et al.
(2017) do; the search ends by the duality gap of Frank & Wolfe.
"""

from dataclasses import dataclass

from conjoint.lang import Group, Kernel, abs, dot, kernel, local, maximum, real, sqrt, struct, vec3, where
from conjoint.physics.collision.convex.body import NATIVE, TINY, is_flat, support
from conjoint.physics.collision.convex.simplex import FARTHEST, weigh_simplex
from conjoint.schema.constants import ROUGH, mjMINVAL

APART = 0
OVERLAP = 1
UNDECIDED = 2
"""Answers to whether the origin is in the difference."""

LOST = -1
"""Number of corners of a simplex that rounding has left without any."""


@dataclass(frozen=True)
class Search(Group):
    """How the simplex moves towards the origin where only overlap matters, and which margins are left out first.

    Attributes:
        enclose: moves a tetrahedron face by face from then on, see `enclosing`; None: distances are measured on.
        cores: whether all bodies are searched without their margins first; else those are that are round.
    """

    enclose: Kernel | None = None
    cores: bool = False


MEASURED = Search()
"""Distances are measured to the end."""


@struct
def Corner(point=vec3, on=(vec3, 2), vertex=(int, 2)):
    """A corner of the difference, the points of both bodies that it comes from, and which corners of flat bodies these
    are."""


@kernel
def find_corner(m, bodies, corner, way, rules):
    """The corner of the difference that is farthest in a direction; `rules` are those of support points."""
    first = support(m, bodies[0], way, rules)
    second = support(m, bodies[1], -way, rules)
    corner.point = first - second
    corner.on[0] = first
    corner.on[1] = second
    corner.vertex[0] = bodies[0].vertex
    corner.vertex[1] = bodies[1].vertex


@kernel
def mean_point(corners, weights, count):
    """Weighted mean of the first corners."""
    x = corners[0].point * weights[0]
    for k in range(1, count):
        x = x + corners[k].point * weights[k]
    return x


@kernel
def reduce_simplex(corners, count, weights):
    """Weigh the corners of a simplex, and keep those whose weights are not zero; how many."""
    for k in range(4):
        weights[k] = 0.0
    weigh_simplex(corners, count, weights)
    count = 0
    for k in range(4):
        if weights[k] != 0.0:
            if count < k:
                corners[count] = corners[k]
                weights[count] = weights[k]
            count += 1
    return count


@kernel
def is_equal(p, q):
    """Whether two points are the same, but for rounding."""
    return abs(p.x - q.x) < mjMINVAL and abs(p.y - q.y) < mjMINVAL and abs(p.z - q.z) < mjMINVAL


@kernel
def least_gain(m, flat, square):
    """Gain on the square of a distance with which the search for a smaller one ends."""
    gain = 0.5 * m.opt.ccd_tolerance * m.opt.ccd_tolerance
    if flat:
        # flat bodies are done after a finite number of corners
        gain = 0.0
    return maximum(gain, where(m.epsilon > ROUGH, m.epsilon * square, 0.0))


@kernel
def approach(m, bodies, corners, ends, cutoff, search):
    """Search for the points of two bodies that are nearest to each other.

    Args:
        m: model, for its meshes and tolerances.
        bodies: two of them, see `body`.
        corners: receives those of the simplex.
        ends: points inside of the bodies, from which the search starts; receives the nearest points.
        cutoff: distance (m) beyond which nothing need be known; 0: only overlap matters.
        search: a `Search`.

    Returns:
        the distance, 0 if the bodies overlap, `FARTHEST` if they are farther apart than need be known; how many corners
        the simplex has, `LOST` if the search came to nothing (the distance is `FARTHEST` then, too).
    """
    weights = local(real, 4)
    length, count, weighed = move_simplex(m, bodies, corners, weights, ends[0] - ends[1], cutoff, search)
    if weighed:
        for b in range(2):
            point = corners[0].on[b] * weights[0]
            for k in range(1, count):
                point = point + corners[k].on[b] * weights[k]
            ends[b] = point
    return length, count


@kernel
def move_simplex(m, bodies, corners, weights, x, cutoff, search):
    """Move a simplex in the difference of two bodies from a point x of it towards the origin.

    Returns:
        what `approach` does, and whether `weights` tell the nearest point of the simplex.
    """
    flat = is_flat(bodies[0]) and is_flat(bodies[1])
    count = 0
    length = 0.0
    turn = 0
    undecided = cutoff > 0.0
    while turn < m.opt.ccd_iterations:
        square = dot(x, x)
        length = sqrt(square)
        if square < TINY:
            break
        find_corner(m, bodies, corners[count], -(x * (1.0 / length)), NATIVE)
        if dot(x, x - corners[count].point) < least_gain(m, flat, square):
            if turn == 0:
                weights[0] = 1.0
                count = 1
            break
        # a plane between the bodies may be enough to know
        reach = dot(x, corners[count].point)
        if reach > 0.0 and (reach * reach / square >= cutoff * cutoff):
            bodies[0].away = -x
            return FARTHEST, 0, False
        if search.enclose:
            is_tetrahedron = count == 3
            if is_tetrahedron and not undecided:
                answer, turn = search.enclose(m, bodies, corners, turn)
                if answer == APART:
                    return FARTHEST, 0, False
                if answer == OVERLAP:
                    return 0.0, 4, False
                undecided = True
        count = reduce_simplex(corners, count + 1, weights)
        if count == 0:
            return FARTHEST, LOST, False
        nearer = mean_point(corners, weights, count)
        if is_equal(nearer, x):
            break
        x = nearer
        if count == 4:
            length = 0.0
            break
        turn += 1
    return length, count, count > 0
