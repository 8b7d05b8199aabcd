"""Exact line search by Newton's method in one dimension, on a convex cost with analytical second derivatives.

Newton steps continue while the slope keeps its sign. When the sign changes, the root of the slope is between the last
two points. Each end of that bracket moves to the best point on its side of the root. The candidates are the Newton
steps from both ends, and the midpoint. If few evaluations are allowed (ls_iterations), the points and their order
affect the result.
"""

from conjoint.lang import abs, kernel, record, where
from conjoint.physics.constraint.jacobian import plus_product
from conjoint.solver.cost import drop_by, line_at


@record
def Line(slope, whole, curvature, square, noise):
    """Cost along a search direction, evaluated at step 0.

    Attributes:
        slope: first derivative of the inertial part of the cost.
        whole: first derivative of the whole cost.
        curvature: second derivative of the inertial part.
        square: squared length of the direction.
        noise: magnitude of the terms of the first derivative. Its product with the relative rounding error bounds the
            rounding error of that derivative.
    """


@record
def Point(alpha, slope, curvature):
    """Step along a line, and the first and second derivatives of the cost at this step."""


@kernel
def point_at(m, d, sizes, line, alpha):
    """Return the point at step alpha along a line.

    The slope is evaluated as a linear function of alpha, so that Newton's method finds its zero to the last bit.
    """
    first, second = line_at(m, d, sizes, alpha)
    second = line.curvature + second
    return Point(alpha, plus_product(line.slope + first, alpha, second), second)


@kernel
def drop_at(m, d, sizes, line, alpha):
    """Return the cost at step 0 of a line minus the cost at step alpha."""
    return drop_by(m, d, sizes, alpha) - inertial_rise(line, alpha)


@kernel
def inertial_rise(line, alpha):
    """Return the inertial part of the cost at step alpha of a line minus its value at step 0."""
    return alpha * (line.slope + 0.5 * alpha * line.curvature)


@kernel
def line_search(m, d, sizes, line, start, point, tolerance, space):
    """Find the step that minimizes the cost along the search direction; 0 if no step is better.

    Args:
        m, d, sizes: model, data, `Sizes` of the rows.
        line: the cost at step 0.
        start, point: the points at step 0 and after a Newton step from it, which count as the first two evaluations.
        tolerance: slope below which the search stops.
        space: the `Space`.

    Returns:
        The point and the number of evaluations.
    """
    evaluations = 2
    if space.edition.first_point:
        point = space.edition.first_point(m, d, sizes, line, start, point)
    ahead = point.slope < 0.0
    before = point
    while where(ahead, -point.slope, point.slope) >= tolerance and evaluations < m.opt.ls_iterations:
        before = point
        point = newton_point(m, d, sizes, line, point)
        evaluations += 1
    if abs(point.slope) >= tolerance and evaluations < m.opt.ls_iterations:
        return search_between(m, d, sizes, line, tolerance, evaluations, point, before)
    return point, evaluations


@kernel
def search_between(m, d, sizes, line, tolerance, evaluations, a, b):
    """Find the root of the slope between points a and b, where the slope has different signs.

    Args:
        m, d, sizes, line, tolerance: the same as in `line_search`.
        evaluations: number of evaluations so far.
        a, b: the points; the last Newton step led from b to a.

    Returns:
        The point and the number of evaluations, as in `line_search`.
    """
    # Newton steps from both ends; the step from b led to a
    u = newton_point(m, d, sizes, line, a)
    v = a
    evaluations += 1
    while evaluations < m.opt.ls_iterations:
        c = point_at(m, d, sizes, line, 0.5 * (a.alpha + b.alpha))
        evaluations += 1
        # stop at the best of the three if it is good enough, or if nothing improves
        best = where(abs(u.slope) < abs(v.slope), u, v)
        best = where(abs(c.slope) < abs(best.slope), c, best)
        if abs(best.slope) < tolerance:
            return best, evaluations
        old_a, old_b = a.slope, b.slope
        # the point with the smallest slope on each side of the root
        a = nearer(nearer(nearer(a, u), v), c)
        b = nearer(nearer(nearer(b, u), v), c)
        if not (a.slope != old_a or b.slope != old_b):
            return c, evaluations
        if a.slope != old_a:
            u = newton_point(m, d, sizes, line, a)
            evaluations += 1
        if b.slope != old_b:
            v = newton_point(m, d, sizes, line, b)
            evaluations += 1
    # no evaluations left: use the end with the lower cost, if it is better than no step
    drop_a = drop_at(m, d, sizes, line, a.alpha)
    drop_b = drop_at(m, d, sizes, line, b.alpha)
    best = where(drop_a >= drop_b, a, b)
    alpha = where((drop_a > 0.0) | (drop_b > 0.0), best.alpha, 0.0)
    return Point(alpha, best.slope, best.curvature), evaluations


@kernel
def newton_point(m, d, sizes, line, point):
    """Return the point to which a Newton step from `point` leads."""
    return point_at(m, d, sizes, line, point.alpha - point.slope / point.curvature)


@kernel
def nearer(a, u):
    """Return u if its slope has the same sign as the slope at a and is closer to zero; otherwise return a."""
    ahead = (a.slope < 0.0) & (u.slope < 0.0) & (u.slope > a.slope)
    behind = (a.slope > 0.0) & (u.slope > 0.0) & (u.slope < a.slope)
    return where(ahead | behind, u, a)
