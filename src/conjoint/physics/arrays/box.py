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
"""Factor by which the line search reduces the step length after each rejected trial.

The constants above limit the Newton iterations and the step length, and define the convergence and Armijo tests.
"""

NO_SOLUTION = -1


@kernel
def solve_box(x, factor, work, candidate, index, H, g, bounds, n):
    """Minimize x' H x / 2 + x' g subject to bounds, starting from x and using only the lower triangle of H.

    Args:
        x: start point; overwritten by the solution.
        factor: n x n elements; receives the Cholesky factor of the free part of H.
        work: work array of 3 n elements: the gradient, the search direction, and for each dimension 1 if it is held
            at a bound, else 0.
        candidate: work array of n elements.
        index: receives the indices of the free dimensions.
        H, g: matrix and vector of the objective.
        bounds: n lower bounds, then n upper bounds.
        n: number of dimensions.

    Returns:
        number of free dimensions, or NO_SOLUTION if the free part of H is not positive definite.
    """
    search, held = n, 2 * n
    for i in range(n):
        x[i] = minimum(maximum(x[i], bounds[i]), bounds[n + i])
        # -1: neither held nor free, so that the first comparison finds a change
        work[held + i] = -1.0
    nfree = 0
    for _ in range(MAXIMUM_ITERATIONS):
        if hold(x, work, H, g, bounds, n):
            nfree = 0
            for i in range(n):
                if work[held + i] == 0.0:
                    index[nfree] = i
                    nfree += 1
            for a in range(nfree):
                for b in range(a + 1):
                    factor[a * nfree + b] = symmetric_element(H, index[a], index[b], n)
            if factorize(factor, nfree, mjMINVAL) < nfree:
                return NO_SOLUTION
        square = 0.0
        for a in range(nfree):
            square += work[index[a]] * work[index[a]]
        if square < GRADIENT_TOLERANCE:
            return nfree
        newton_step(x, factor, work, candidate, index, H, g, nfree, n)
        slope = 0.0
        for i in range(n):
            slope += work[search + i] * work[i]
        if slope >= 0.0:
            return nfree
        if line_search(x, work, candidate, H, g, bounds, slope, n) == 0:
            return nfree
    return nfree


@kernel
def hold(x, work, H, g, bounds, n):
    """Compute the gradient and find the dimensions held at a bound; return True if their set has changed."""
    changed = False
    for i in range(n):
        slope = g[i] + product_with_row(H, i, x, n)
        work[i] = slope
        now = 0.0
        if (x[i] == bounds[i] and slope > 0.0) or (x[i] == bounds[n + i] and slope < 0.0):
            now = 1.0
        changed = changed or now != work[2 * n + i]
        work[2 * n + i] = now
    return changed


@kernel
def newton_step(x, factor, work, left, index, H, g, nfree, n):
    """Compute the step to the minimum over the free dimensions; `left` is a work array of n elements."""
    search, held = n, 2 * n
    for a in range(nfree):
        i = index[a]
        left[a] = g[i]
        for j in range(n):
            if work[held + j] != 0.0:
                left[a] = left[a] + symmetric_element(H, i, j, n) * x[j]
    solve(left, factor, left, nfree)
    for i in range(n):
        work[search + i] = 0.0
    for a in range(nfree):
        work[search + index[a]] = -left[a] - x[index[a]]


@kernel
def line_search(x, work, candidate, H, g, bounds, slope, n):
    """Backtrack until a step, clamped to the bounds, decreases the objective sufficiently (Armijo rule).

    Returns:
        1 if such a step was found, else 0.
    """
    value = objective(x, H, g, n)
    scale = 1.0
    while scale > MINIMUM_STEP:
        for i in range(n):
            candidate[i] = minimum(maximum(x[i] + scale * work[n + i], bounds[i]), bounds[n + i])
        if value - objective(candidate, H, g, n) >= -SUFFICIENT_DECREASE * scale * slope:
            for i in range(n):
                x[i] = candidate[i]
            return 1
        scale *= STEP_FACTOR
    return 0


@kernel
def objective(x, H, g, n):
    """Return x' H x / 2 + x' g."""
    value = 0.0
    for i in range(n):
        value += x[i] * (g[i] + 0.5 * product_with_row(H, i, x, n))
    return value


@kernel
def product_with_row(H, i, x, n):
    """Return row i of a symmetric matrix times x."""
    found = 0.0
    for j in range(i):
        found += H[i * n + j] * x[j]
    for j in range(i, n):
        found += H[j * n + i] * x[j]
    return found


@kernel
def symmetric_element(H, i, j, n):
    """Return element i, j of a symmetric matrix, read from its lower triangle."""
    return H[maximum(i, j) * n + minimum(i, j)]
