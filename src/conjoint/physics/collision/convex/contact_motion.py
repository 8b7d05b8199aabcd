"""Derivatives of the contact of two convex bodies: differentiate the contact, not the search for it.

At a contact, or at the nearest or deepest points, the line between both points is perpendicular to both surfaces. Let n
be the normal, x_1(u) and x_2(v) points of the cores, and s the distance between them. Then

    x_2(v) - x_1(u) = s n,    n . dx_1/du = 0,    n . dx_2/dv = 0.

One step of Newton's method for n, u and v, starting at the contact, has the same derivative as the solution. The step
is computed in dual numbers with a constant matrix (see `solver/derivative.py`). That matrix contains the curvature of
the surfaces, so one formula covers corners, edges, sides and round surfaces. For round surfaces in contact, it is the
formula of Montana (The kinematics of contact and grasp, International Journal of Robotics Research 7, 1988).

The matrix is singular if sides, or a side and an edge, are parallel. Then the bodies touch at more than one point, and
the search decides which one is returned. Bodies that consist of corners, or such bodies widened by a radius, have a
closed formula in terms of their corners: the last simplex of the search, which is differentiated. For other bodies, the
contact point moves as little as possible.
"""

from conjoint.lang import abs, dot, kernel, local, norm, real, sqrt, stop_gradient, struct
from conjoint.physics.collision.convex.body import Body, is_flat
from conjoint.physics.collision.convex.collide import is_round
from conjoint.physics.collision.convex.editions import MANIFOLD_3, level_of_deepest
from conjoint.physics.collision.convex.gjk import FARTHEST
from conjoint.physics.collision.convex.local_surface import find_spot
from conjoint.physics.collision.convex.manifold import Shared, find_shared
from conjoint.physics.collision.convex.polytope_surface import Spot, across, still
from conjoint.physics.geometry.change import moving, moving_vector

UNKNOWN = 6
"""Number of unknowns: two for the normal, and two for each contact point."""

TURNS = 2
"""Number of Newton steps before the differentiated step.

Searches of round bodies end when the distance is within the tolerance, while the normal is only accurate to the square
root of the tolerance.
"""

SAME = 1e-9
"""Difference (m, or of unit vectors) up to which two contacts count as the same result of a search."""

SINGULAR = 1e-9
"""Magnitude of a pivot, relative to the largest pivot, up to which an unknown is left unchanged."""


SATISFIED = 1e-7
"""Error of the equations, relative to the sizes of the bodies, up to which they count as satisfied at a contact.

After a search that ended early, they may not be satisfied.
"""


@struct
def Equations(spots=(Spot, 2), matrix=(real, UNKNOWN * UNKNOWN), x=(real, UNKNOWN), error=real):
    """Contact spots of two bodies, and the linear equations of a Newton step.

    `x` contains first the right-hand side, then the step; `error` is the norm of the right-hand side.
    """


@kernel
def move_ends(m, bodies, dist, pos, normal, ends):
    """Differentiate the contact of two bodies.

    Args:
        m: model, for its meshes and tolerances.
        bodies: two bodies, see `body`.
        dist: distance between the bodies (m), without its derivative.
        pos: midpoint between the contact points, without its derivative.
        normal: unit vector from the first body to the second, without its derivative.
        ends: receives the two contact points.

    Returns:
        distance and normal; True if the equations are satisfied at the contact and determine all unknowns.
    """
    equations = local(Equations, 1)[0]
    spots = equations.spots
    nearer = improved(m, bodies, dist, pos, normal, equations, ends)
    between = spots[1].point - spots[0].point
    first, second = across(nearer)
    x = equations.x
    rank = solve(equations.matrix, x)
    turned = nearer + first * moving(0.0, x[0]) + second * moving(0.0, x[1])
    for b in range(2):
        point = spots[b].point + turned * (spots[b].radius * (1.0 - 2.0 * b))
        for k in range(spots[b].count):
            point = point + still(spots[b].ways[k]) * moving(0.0, x[2 * b + 2 + k])
        ends[b] = moving_vector(pos + normal * (dist * (b - 0.5)), point)
    length = dot(between, nearer) - spots[0].radius - spots[1].radius
    size = norm(still(bodies[0].size)) + norm(still(bodies[1].size))
    holds = equations.error <= SATISFIED * size and spots[0].inside + spots[1].inside == 0
    return moving(dist, length), moving_vector(normal, turned), rank == UNKNOWN and holds


@kernel
def improved(m, bodies, dist, pos, normal, equations, ends):
    """Improve the normal of a contact by steps of Newton's method; `equations` receives the equations at that normal.

    The normal of flat bodies is exact up to rounding, so it is returned unchanged.
    """
    way = normal
    ends[0] = pos - normal * (0.5 * dist)
    ends[1] = pos + normal * (0.5 * dist)
    set_equations(m, bodies, ends, way, equations)
    if is_flat(bodies[0]) and is_flat(bodies[1]):
        return normal
    error = equations.error
    for _ in range(TURNS):
        way = step(equations, way, ends)
        set_equations(m, bodies, ends, way, equations)
    if equations.error < error:
        return way
    ends[0] = pos - normal * (0.5 * dist)
    ends[1] = pos + normal * (0.5 * dist)
    set_equations(m, bodies, ends, normal, equations)
    return normal


@kernel
def step(equations, normal, ends):
    """Take one step of Newton's method, without derivatives; return the new normal."""
    x = equations.x
    solve(equations.matrix, x)
    first, second = across(normal)
    way = normal + first * stop_gradient(x[0]) + second * stop_gradient(x[1])
    way = way * (1.0 / norm(way))
    for b in range(2):
        spot = equations.spots[b]
        point = still(spot.point) + way * (stop_gradient(spot.radius) * (1.0 - 2.0 * b))
        for k in range(spot.count):
            point = point + still(spot.ways[k]) * stop_gradient(x[2 * b + 2 + k])
        ends[b] = point
    return way


@kernel
def set_equations(m, bodies, ends, normal, equations):
    """Set the equations of a Newton step from two points of the surfaces and a normal, all without derivatives."""
    spots = equations.spots
    matrix = equations.matrix
    x = equations.x
    exact = is_flat(bodies[0]) and is_flat(bodies[1])
    find_spot(m, bodies[0], ends[0], normal, exact, spots[0])
    find_spot(m, bodies[1], ends[1], -normal, exact, spots[1])
    between = spots[1].point - spots[0].point
    first, second = across(normal)
    for k in range(UNKNOWN * UNKNOWN):
        matrix[k] = 0.0
    apart = stop_gradient(dot(between, normal))
    set_entry(matrix, 0, 0, -apart)
    set_entry(matrix, 1, 1, -apart)
    x[0] = -dot(between, first)
    x[1] = -dot(between, second)
    for b in range(2):
        add_spot(spots[b], 2 * b + 2, 1.0 - 2.0 * b, normal, matrix, x)
        for k in range(spots[b].count):
            way = spots[b].ways[k]
            set_entry(matrix, 0, 2 * b + 2 + k, stop_gradient(dot(way, first)) * (2.0 * b - 1.0))
            set_entry(matrix, 1, 2 * b + 2 + k, stop_gradient(dot(way, second)) * (2.0 * b - 1.0))
    square = 0.0
    for k in range(UNKNOWN):
        square = square + stop_gradient(x[k]) * stop_gradient(x[k])
    equations.error = sqrt(square)


@kernel
def set_entry(matrix, i, j, x):
    """Set an entry of the symmetric matrix, and its mirror image."""
    matrix[UNKNOWN * i + j] = x
    matrix[UNKNOWN * j + i] = x


@kernel
def add_spot(spot, at, side, normal, matrix, x):
    """Set the equations of a contact point, whose unknowns start at index `at`.

    They require that the normal is perpendicular to the surface at that point. The outward normal of the surface is
    `normal` times `side`, which is 1 or -1.
    """
    for k in range(2):
        x[at + k] = 0.0
        if k < spot.count:
            x[at + k] = dot(spot.ways[k], normal) * side
            set_entry(matrix, at + k, at + k, spot.bend[2 * k])
        else:
            set_entry(matrix, at + k, at + k, 1.0)
    if spot.count == 2:
        set_entry(matrix, at, at + 1, spot.bend[1])


@kernel
def solve(matrix, x):
    """Solve for the right-hand side x in place, by elimination with full pivoting; undetermined unknowns are set to 0.

    Return the rank of the matrix.
    """
    rows = local(int, UNKNOWN)
    columns = local(int, UNKNOWN)
    y = local(real, UNKNOWN)
    for k in range(UNKNOWN):
        rows[k] = k
        columns[k] = k
        y[k] = x[k]
        x[k] = 0.0
    rank = 0
    largest = 0.0
    while rank < UNKNOWN:
        pivot = choose_pivot(matrix, rows, columns, rank)
        if rank == 0:
            largest = abs(pivot)
        if abs(pivot) <= SINGULAR * largest:
            break
        for i in range(rank + 1, UNKNOWN):
            share = stop_gradient(matrix[UNKNOWN * rows[i] + columns[rank]]) / pivot
            for j in range(rank + 1, UNKNOWN):
                taken = share * stop_gradient(matrix[UNKNOWN * rows[rank] + columns[j]])
                matrix[UNKNOWN * rows[i] + columns[j]] = matrix[UNKNOWN * rows[i] + columns[j]] - taken
            y[rows[i]] = y[rows[i]] - y[rows[rank]] * share
        rank += 1
    for k in range(rank - 1, -1, -1):
        s = y[rows[k]]
        for j in range(k + 1, rank):
            s = s - x[columns[j]] * stop_gradient(matrix[UNKNOWN * rows[k] + columns[j]])
        x[columns[k]] = s * (1.0 / stop_gradient(matrix[UNKNOWN * rows[k] + columns[k]]))
    return rank


@kernel
def choose_pivot(matrix, rows, columns, rank):
    """Move the largest remaining entry to the pivot position, by swapping indices, and return it."""
    row = rank
    column = rank
    most = -1.0
    for i in range(rank, UNKNOWN):
        for j in range(rank, UNKNOWN):
            size = abs(stop_gradient(matrix[UNKNOWN * rows[i] + columns[j]]))
            if size > most:
                most = size
                row = i
                column = j
    swapped = rows[rank]
    rows[rank] = rows[row]
    rows[row] = swapped
    swapped = columns[rank]
    columns[rank] = columns[column]
    columns[column] = swapped
    return stop_gradient(matrix[UNKNOWN * rows[rank] + columns[rank]])


@kernel
def move_touch(m, bodies, dist, pos, normal, ends, how):
    """Differentiate a contact that a `Touch` found: its distance, midpoint and normal; see `move_ends`.

    At return, the bodies are the same as before, including the corners that the search recorded.
    """
    found = local(Body, 2)
    for b in range(2):
        found[b] = bodies[b]
    fixed = stop_gradient(dist)
    spot = still(pos)
    way = still(normal)
    length, turned, is_known = move_ends(m, bodies, fixed, spot, way, ends)
    middle = (ends[0] + ends[1]) * 0.5
    if not is_known and has_corners(bodies[0]) and has_corners(bodies[1]):
        again, midpoint, direction = how.overlap(m, bodies, ends, how.search)
        if is_flat(bodies[0]) and is_flat(bodies[1]) and again < 0.0:
            shared = local(Shared, 1)[0]
            find_shared(m, bodies, ends, 0.0, shared, MANIFOLD_3)
            again = level_of_deepest(again, shared)
        if again < FARTHEST and norm(still(direction) - way) < SAME and norm(still(midpoint) - spot) < SAME:
            length = moving(fixed, again)
            middle = moving_vector(spot, midpoint)
            turned = moving_vector(way, direction)
    for b in range(2):
        bodies[b] = found[b]
    return length, middle, turned


@kernel
def has_corners(body):
    """Return True if a body is flat, or if it is a ball or a capsule, whose core has corners."""
    return is_flat(body) or is_round(body)
