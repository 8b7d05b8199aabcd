"""Forces of one elliptic contact that minimise the dual cost while all others stay (Computation chapter, PGS).

First along the ray from the tip of the cone through the present force; then, with the normal force as it is, within the
ellipsoid that is the slice of the cone: a quadratic program with one quadratic constraint. Its multiplier is the root
of a scalar function, found by Newton's method from below (More and Sorensen, Computing a trust region step, 1983).
"""

from conjoint.lang import kernel, local, maximum, real, sqrt
from conjoint.schema.constants import mjMINVAL
from conjoint.solver.linear.dense import MINIMUM_PIVOT

TANGENTS = 5
"""Friction dimensions of a contact, at most."""

STEPS = 20
"""Newton steps of the multiplier, at most."""

CLOSE = 1e-10
"""Change of the multiplier, and excess over the square of the normal force, that end them; a matrix whose determinant
(of five dimensions: one of whose pivots) is smaller has no friction, as officially."""


@kernel(per_world=True)
def update_along_ray(d, r, size, A, residual, old):
    """Best force of the rows from r on along the ray through them; from the tip, along the normal."""
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
            s = s + A[i * size + j] * old[j]
        slope = slope + old[i] * residual[i]
        curvature = curvature + old[i] * s
    if curvature >= mjMINVAL:
        # not beyond the tip
        factor = maximum(1.0 - slope / curvature, 0.0)
        for i in range(size):
            d.efc_force[r + i] = factor * old[i]


@kernel(per_world=True)
def update_across(d, r, size, first, A, residual, old):
    """Best friction of the contact whose rows begin at r, with its normal force as it is.

    Args:
        d: data.
        r, size: first row, number of rows.
        first: 0 if the block has the normal row, 1 if it begins behind it.
        A, residual, old: block of the dual matrix; residuals and forces of its rows before they were changed.
    """
    normal = d.efc_force[r]
    if normal < mjMINVAL:
        for j in range(1, size):
            d.efc_force[r + j] = 0.0
        return
    # scaled by the friction coefficients the ellipsoid is a ball; slope at its centre
    n = size - 1
    stride = size - first
    Q = local(real, TANGENTS * TANGENTS)
    b = local(real, TANGENTS)
    z = local(real, TANGENTS)
    for i in range(n):
        row = (i + 1 - first) * stride
        s = residual[i + 1 - first]
        if first == 0:
            s = s + A[row] * (normal - old[0])
        for j in range(n):
            a = A[row + j + 1 - first]
            s = s - a * old[j + 1 - first]
            Q[i * n + j] = d.cone_scale[r + 1 + i] * a * d.cone_scale[r + 1 + j]
        b[i] = d.cone_scale[r + 1 + i] * s
    bounded = False
    if n == 2:
        z[0], z[1], bounded = minimize_in_disc(Q[0], Q[1], Q[3], b[0], b[1], normal)
    else:
        bounded = minimize_in_ball(Q, b, n, normal, z)
    stretch = 1.0
    if bounded:
        # the multiplier is approximate, the cone is not
        square = 0.0
        for i in range(n):
            square = square + z[i] * z[i]
        stretch = sqrt(normal * normal / maximum(square, mjMINVAL))
    for i in range(n):
        d.efc_force[r + 1 + i] = d.cone_scale[r + 1 + i] * z[i] * stretch


@kernel(per_world=True)
def minimize_in_disc(a, b, c, p, q, radius):
    """What `minimize_in_ball` does in two dimensions: Q has the rows a, b and b, c, the slopes are p and q.

    Returns:
        the point; whether it is on the circle.
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
        if excess < CLOSE:
            break
        change = 0.5 * excess * determinant / (t * x * x - 2.0 * b * x * y + s * y * y)
        if change < CLOSE:
            break
        multiplier = multiplier + change
    return x, y, multiplier != 0.0


@kernel(per_world=True)
def minimize_in_ball(Q, b, n, radius, z):
    """z := minimum of 1/2 z' Q z + b' z over |z| <= radius; whether z is on the surface, or nearly."""
    L = local(real, TANGENTS * TANGENTS)
    w = local(real, TANGENTS)
    multiplier = 0.0
    for _ in range(STEPS):
        if not factorize_shifted(Q, L, n, multiplier):
            for i in range(n):
                z[i] = 0.0
            return False
        for i in range(n):
            z[i] = -b[i]
        solve_factor(L, n, z)
        excess = -radius * radius
        for i in range(n):
            w[i] = z[i]
            excess = excess + z[i] * z[i]
        if excess < CLOSE:
            break
        # derivative of the excess by the multiplier
        solve_factor(L, n, w)
        slope = 0.0
        for i in range(n):
            slope = slope - 2.0 * z[i] * w[i]
        change = -excess / slope
        if change < CLOSE:
            break
        multiplier = multiplier + change
    return multiplier != 0.0


@kernel(per_world=True)
def factorize_shifted(Q, L, n, shift):
    """Q + shift I = L D L', with D on the diagonal of L; False if it is too close to singular."""
    determinant = 1.0
    smallest = 1.0
    for i in range(n):
        for j in range(i + 1):
            s = Q[i * n + j]
            if i == j:
                s = s + shift
            for k in range(j):
                s = s - L[i * n + k] * L[j * n + k] * L[k * n + k]
            if i == j:
                L[i * n + i] = s
                determinant = determinant * s
                if s < smallest:
                    smallest = s
                if s < MINIMUM_PIVOT:
                    return False
            else:
                L[i * n + j] = s / L[j * n + j]
    if n == TANGENTS:
        return smallest >= CLOSE
    return determinant >= CLOSE


@kernel(per_world=True)
def solve_factor(L, n, x):
    """x := (L D L')^-1 x."""
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - L[i * n + k] * x[k]
    for i in range(n - 1, -1, -1):
        x[i] = x[i] / L[i * n + i]
        for k in range(i + 1, n):
            x[i] = x[i] - L[k * n + i] * x[k]
