"""Exact line search: the cost along a direction is convex and piecewise quadratic, its slope increasing and piecewise
linear.

Newton's method on the slope, kept inside a bracket of the root, ends after as many evaluations as pieces are crossed
(Computation chapter, Newton: exact line search).
"""

from conjoint.lang import STRIP, abs, any, clip, kernel, strip, total, where
from conjoint.solver.rows import UNBOUNDED


@kernel
def slope_at(d, n, slope, curvature, alpha):
    """First and second derivative of the cost at step alpha; `slope` and `curvature` are those of the inertial part
    at 0."""
    first = strip(0.0)
    second = strip(0.0)
    for r in range(0, n, STRIP):
        v = strip(d.solver_Jv, r)
        y = strip(d.solver_jar, r) + alpha * v
        low = strip(d.solver_lower, r)
        high = strip(d.solver_upper, r)
        first = first + v * clip(y, low, high)
        second = second + where((y > low) & (y < high), v * v, 0.0)
    return slope + alpha * curvature + total(first), curvature + total(second)


@kernel
def line_search(m, d, n, slope, curvature, tolerance, active):
    """Step that minimises the cost along the search direction in the active worlds.

    Returns:
        alpha; the slope there; the number of evaluations.
    """
    # the whole step of Newton's method is exact unless rows change state on the way
    alpha = where(active, 1.0, 0.0)
    low = where(active, 0.0, 0.0)
    high = where(active, UNBOUNDED, 0.0)
    searching = active
    evaluations = where(active, 0, 0)
    final = where(active, 0.0, 0.0)
    rounding = 16.0 * m.epsilon
    for _ in range(m.opt.ls_iterations):
        first, second = slope_at(d, n, slope, curvature, alpha)
        evaluations = evaluations + where(searching, 1, 0)
        final = where(searching, first, final)
        change = first / second
        searching = searching & (abs(first) > tolerance) & (abs(change) > rounding * alpha)
        if not any(searching):
            break
        # shrink the bracket; leave it by no more than its middle
        low = where(searching & (first < 0.0), alpha, low)
        high = where(searching & (first > 0.0), alpha, high)
        middle = where(high < UNBOUNDED, 0.5 * (low + high), 2.0 * low)
        newton = alpha - change
        step = where((newton > low) & (newton < high), newton, middle)
        # no number between the ends of the bracket: as exact as it gets
        searching = searching & (step != alpha) & (step != low) & (step != high)
        alpha = where(searching, step, alpha)
    return alpha, final, evaluations
