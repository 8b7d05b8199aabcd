"""Quadratic programs with bounds, by projected Newton steps.

Tassa, Mansard, Todorov, Control-limited differential dynamic programming, ICRA 2014.
"""

from conjoint.lang import kernel, maximum, minimum
from conjoint.physics.arrays.factors import factorize, solve
from conjoint.schema.constants import mjMINVAL

MAXIMUM_ITERATIONS = 100
MINIMUM_STEP = 1e-22
GRADIENT_TOLERANCE = 1e-16
SUFFICIENT_DECREASE = 0.1
STEP_FACTOR = 0.5
"""Parameters of the iteration and of its line search."""

NO_SOLUTION = -1


@kernel(per_world=True)
def solve_box(x, factor, gradient, search, candidate, held, left, step, index, H, g, low, high, n):
    """Minimize x' H x / 2 + x' g between two bounds, from x on; of H the lower triangle is used.

    Args:
        x: the start; receives the solution.
        factor: n n numbers; receives the Cholesky factor of the free part of H.
        gradient, search, candidate, held, left, step: n numbers each, for the search.
        index: receives the free dimensions.
        H, g: the objective.
        low, high: the bounds.
        n: dimensions.

    Returns:
        The number of free dimensions; NO_SOLUTION if H is not positive definite there.
    """
    for i in range(n):
        x[i] = minimum(maximum(x[i], low[i]), high[i])
        # neither held nor free
        held[i] = -1.0
    nfree = 0
    for _ in range(MAXIMUM_ITERATIONS):
        if hold(x, gradient, held, H, g, low, high, n):
            nfree = 0
            for i in range(n):
                if held[i] == 0.0:
                    index[nfree] = i
                    nfree += 1
            for a in range(nfree):
                for b in range(a + 1):
                    factor[a * nfree + b] = symmetric_element(H, index[a], index[b], n)
            if factorize(factor, nfree, mjMINVAL) < nfree:
                return NO_SOLUTION
        square = 0.0
        for a in range(nfree):
            square += gradient[index[a]] * gradient[index[a]]
        if square < GRADIENT_TOLERANCE:
            return nfree
        newton_step(x, factor, search, held, left, step, index, H, g, nfree, n)
        slope = 0.0
        for i in range(n):
            slope += search[i] * gradient[i]
        if slope >= 0.0:
            return nfree
        if line_search(x, search, candidate, H, g, low, high, slope, n) == 0:
            return nfree
    return nfree


@kernel(per_world=True)
def hold(x, gradient, held, H, g, low, high, n):
    """Find the gradient, and which dimensions are held by a bound; whether these are others than before."""
    changed = False
    for i in range(n):
        slope = g[i] + product_with_row(H, i, x, n)
        gradient[i] = slope
        now = 0.0
        if (x[i] == low[i] and slope > 0.0) or (x[i] == high[i] and slope < 0.0):
            now = 1.0
        changed = changed or now != held[i]
        held[i] = now
    return changed


@kernel(per_world=True)
def newton_step(x, factor, search, held, left, step, index, H, g, nfree, n):
    """The way to the minimum in the free dimensions."""
    for a in range(nfree):
        i = index[a]
        left[a] = g[i]
        for j in range(n):
            if held[j] != 0.0:
                left[a] = left[a] + symmetric_element(H, i, j, n) * x[j]
    solve(step, factor, left, nfree)
    for i in range(n):
        search[i] = 0.0
    for a in range(nfree):
        search[index[a]] = -step[a] - x[index[a]]


@kernel(per_world=True)
def line_search(x, search, candidate, H, g, low, high, slope, n):
    """Go the first of ever smaller steps, clamped to the box, that decreases the objective enough (Armijo).

    Returns:
        Whether there is one.
    """
    value = objective(x, H, g, n)
    scale = 1.0
    while scale > MINIMUM_STEP:
        for i in range(n):
            candidate[i] = minimum(maximum(x[i] + scale * search[i], low[i]), high[i])
        if value - objective(candidate, H, g, n) >= -SUFFICIENT_DECREASE * scale * slope:
            for i in range(n):
                x[i] = candidate[i]
            return 1
        scale *= STEP_FACTOR
    return 0


@kernel(per_world=True)
def objective(x, H, g, n):
    """x' H x / 2 + x' g."""
    value = 0.0
    for i in range(n):
        value += x[i] * (g[i] + 0.5 * product_with_row(H, i, x, n))
    return value


@kernel(per_world=True)
def product_with_row(H, i, x, n):
    """Row i of a symmetric matrix times x."""
    found = 0.0
    for j in range(i):
        found += H[i * n + j] * x[j]
    for j in range(i, n):
        found += H[j * n + i] * x[j]
    return found


@kernel(per_world=True)
def symmetric_element(H, i, j, n):
    """Element i, j of a symmetric matrix of which the lower triangle is used."""
    return H[maximum(i, j) * n + minimum(i, j)]
