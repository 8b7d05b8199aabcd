"""Forces of one elliptic contact that minimize the dual cost while all other forces are constant.

See the Computation chapter, PGS. The first step is along the ray from the tip of the cone through the current force.
The second step keeps the normal force and moves within an ellipsoid, the cross section of the cone: a quadratic program
with one quadratic constraint. Its multiplier is the root of a scalar function, found by Newton's method from below
(More and Sorensen, Computing a trust region step, 1983).
"""

from conjoint.lang import any, kernel, local, maximum, minimum, real, sqrt, where
from conjoint.schema.constants import mjMINVAL
from conjoint.solver.linear.dense import MINIMUM_PIVOT
from conjoint.solver.linear.half_rows import LARGEST_CONE

TANGENTS = 5
"""Maximum number of friction dimensions of a contact."""

STEPS = 20
"""Maximum number of Newton steps for the multiplier."""

CLOSE = 1e-10
"""Termination threshold for the change in the multiplier and for the excess over the squared normal force.

If the determinant of the matrix (in five dimensions, a pivot) is below this threshold, the contact gets no friction,
as in MuJoCo.
"""


@kernel
def update_along_ray(d, r, size, A, residual, old):
    """Find the force of the contact at row r that minimizes the cost along the ray through its current force.

    If the current force is at the tip of the cone, search along the normal instead.
    """
    if old[0] < mjMINVAL:
        d.efc_force[r] = maximum(old[0] - residual[0] / A[0], 0.0)
        for j in range(1, size):
            d.efc_force[r + j] = 0.0
        return
    slope = 0.0
    curvature = 0.0
    for i in range(size):
        s = 0.0
        for j in range(size):
            s = s + A[i * LARGEST_CONE + j] * old[j]
        slope = slope + old[i] * residual[i]
        curvature = curvature + old[i] * s
    if curvature >= mjMINVAL:
        # the factor is not negative, so the force stays on this side of the tip
        factor = maximum(1.0 - slope / curvature, 0.0)
        for i in range(size):
            d.efc_force[r + i] = factor * old[i]


@kernel
def update_across(d, r, rows, size, live, first, A, residual, old):
    """Find the friction forces of the contact at row r that minimize the cost at its current normal force.

    Args:
        d: data.
        r: first row of the contact.
        rows, size: number of rows of the largest contact at r over the worlds, and of the contact of each world.
        live: True in worlds that have a contact at r.
        first: 0 if the block includes the normal row, 1 if it begins after it.
        A, residual, old: block of the dual matrix; residuals and forces of its rows before the update.
    """
    normal = d.efc_force[r]
    # scaled by the friction coefficients, the ellipsoid is a ball; b is the slope at its center
    n = rows - 1
    Q = local(real, TANGENTS * TANGENTS)
    b = local(real, TANGENTS)
    z = local(real, TANGENTS)
    for i in range(n):
        inside = live & (i + 1 < size)
        row = (i + 1 - first) * LARGEST_CONE
        s = residual[i + 1 - first]
        if first == 0:
            s = s + A[row] * (normal - old[0])
        for j in range(n):
            a = A[row + j + 1 - first]
            both = inside & (j + 1 < size)
            s = s - where(both, a * old[j + 1 - first], 0.0)
            unit = 1.0 if i == j else 0.0
            Q[i * TANGENTS + j] = where(both, d.cone_scale[r + 1 + i] * a * d.cone_scale[r + 1 + j], unit)
        b[i] = where(inside, d.cone_scale[r + 1 + i] * s, 0.0)
        z[i] = 0.0
    pressed = live & (normal >= mjMINVAL)
    bounded = False
    if n > 2:
        bounded = minimize_in_ball(Q, b, n, size - 1, normal, z, pressed & (size > 3))
    if pressed and size == 3:
        z[0], z[1], bounded = minimize_in_disc(Q[0], Q[1], Q[TANGENTS + 1], b[0], b[1], normal)
    # the multiplier is approximate, so scale the friction onto the surface of the cone
    square = 0.0
    for i in range(n):
        square = square + z[i] * z[i]
    stretch = where(bounded, sqrt(normal * normal / maximum(square, mjMINVAL)), 1.0)
    for i in range(n):
        if live and i + 1 < size:
            d.efc_force[r + 1 + i] = d.cone_scale[r + 1 + i] * z[i] * stretch


@kernel
def minimize_in_disc(a, b, c, p, q, radius):
    """Minimize 1/2 z' Q z + b' z over a disc in two dimensions, as `minimize_in_ball` does for any dimension.

    The rows of Q are (a, b) and (b, c), and the linear terms are p and q.

    Returns:
        The point, and True if it is on the circle.
    """
    multiplier = 0.0
    x = 0.0
    y = 0.0
    for _ in range(STEPS):
        s = a + multiplier
        t = c + multiplier
        determinant = s * t - b * b
        if determinant < CLOSE:
            return 0.0, 0.0, False
        x = (b * q - t * p) / determinant
        y = (b * p - s * q) / determinant
        excess = x * x + y * y - radius * radius
        change = 0.5 * excess * determinant / (t * x * x - 2.0 * b * x * y + s * y * y)
        if excess < CLOSE or change < CLOSE:
            break
        multiplier = multiplier + change
    return x, y, multiplier != 0.0


@kernel
def minimize_in_ball(Q, b, rows, n, radius, z, live):
    """Find the minimum z of 1/2 z' Q z + b' z over |z| <= radius; return True if z is on the surface, or nearly so.

    Args:
        Q, b: the matrix, whose rows are TANGENTS elements apart, and the linear term. Beyond a world's dimensions, they
            are the identity matrix and zero.
        rows, n: number of dimensions of the largest problem, and of the problem of each world.
        radius: radius of the ball.
        z: vector of zeros, which receives the minimum.
        live: True in worlds that have a problem.
    """
    L = local(real, TANGENTS * TANGENTS)
    v = local(real, TANGENTS)
    w = local(real, TANGENTS)
    multiplier = 0.0
    going = live
    for _ in range(STEPS):
        regular = factorize_shifted(Q, L, rows, n, multiplier)
        singular = going & (not regular)
        if singular:
            multiplier = 0.0
        for i in range(rows):
            v[i] = -b[i]
        solve_factor(L, rows, v)
        excess = -radius * radius
        for i in range(rows):
            if going:
                z[i] = where(singular, 0.0, v[i])
            w[i] = v[i]
            excess = excess + v[i] * v[i]
        # derivative of the excess with respect to the multiplier
        solve_factor(L, rows, w)
        slope = 0.0
        for i in range(rows):
            slope = slope - 2.0 * v[i] * w[i]
        change = -excess / slope
        ended = singular | (excess < CLOSE) | (change < CLOSE)
        going = going & (not ended)
        if going:
            multiplier = multiplier + change
        if not any(going):
            break
    return live & (multiplier != 0.0)


@kernel
def factorize_shifted(Q, L, rows, n, shift):
    """Factorize Q + shift I = L D L', with D on the diagonal of L; return False if it is too close to singular.

    The matrix has n dimensions in each world, and `rows` in the largest problem.
    """
    determinant = 1.0
    smallest = 1.0
    for i in range(rows):
        for j in range(i + 1):
            s = Q[i * TANGENTS + j]
            if i == j:
                s = s + where(i < n, shift, 0.0)
            for k in range(j):
                s = s - L[i * TANGENTS + k] * L[j * TANGENTS + k] * L[k * TANGENTS + k]
            if i == j:
                L[i * TANGENTS + i] = s
                determinant = determinant * s
                smallest = minimum(smallest, s)
            else:
                L[i * TANGENTS + j] = s / L[j * TANGENTS + j]
    enough = where(n == TANGENTS, smallest, determinant)
    return (smallest >= MINIMUM_PIVOT) & (enough >= CLOSE)


@kernel
def solve_factor(L, rows, x):
    """Solve L D L' x = b in place: `x` contains b and receives the solution."""
    for i in range(rows):
        for k in range(i):
            x[i] = x[i] - L[i * TANGENTS + k] * x[k]
    for i in range(rows - 1, -1, -1):
        x[i] = x[i] / L[i * TANGENTS + i]
        for k in range(i + 1, rows):
            x[i] = x[i] - L[k * TANGENTS + i] * x[k]
