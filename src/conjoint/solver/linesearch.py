"""Exact line search: Newton's method in one dimension on a convex cost, whose slope increases (Computation chapter,
Conjugate gradient and Newton: "line-search is exact, using Newton's method in one dimension, with analytical second
derivatives").

Newton steps go on while the slope keeps its sign. When it changes, its root is between the last two points: each end of
that bracket moves to the best point on its side among the Newton steps from both ends and the middle. Where few
evaluations are allowed (ls_iterations) the points, hence their order, are part of the result.
"""

from conjoint.lang import abs, any, kernel, logical_not, record, where
from conjoint.physics.constraint.jacobian import plus_product
from conjoint.schema.semantics import read
from conjoint.solver.cost import drop_by, line_at

SEARCH = read("search")
"""Bit of the rule."""


@record
def Line(slope, whole, curvature, square, noise):
    """A search direction, and the cost along it at step 0: first derivatives of its inertial part and of the whole, the
    second one of the inertial part; the squared length of the direction; what rounding may contribute to the first
    derivative of the whole, over the relative rounding error."""


@record
def Point(alpha, slope, curvature):
    """A step along a line, and the first and second derivative of the cost there."""


@kernel
def point_at(m, d, n, line, alpha):
    """The point of a line at step alpha. Its slope is a line in alpha, so that Newton's method finds its zero to the
    last bit."""
    first, second = line_at(m, d, n, alpha)
    second = line.curvature + second
    return Point(alpha, plus_product(line.slope + first, alpha, second), second)


@kernel
def drop_at(m, d, n, line, alpha):
    """Cost at step 0 of a line minus that at step alpha."""
    return drop_by(m, d, n, alpha) - inertial_rise(line, alpha)


@kernel
def inertial_rise(line, alpha):
    """Inertial part of the cost at step alpha of a line minus that at step 0."""
    return alpha * (line.slope + 0.5 * alpha * line.curvature)


@kernel
def line_search(m, d, n, line, start, tolerance, active, space):
    """Step that minimises the cost along the search direction in the active worlds; 0 where none is better.

    Args:
        m, d, n: model, data, rows.
        line: the cost at step 0.
        start: the point at step 0: the first evaluation.
        tolerance: slope that is as good as zero.
        active: worlds.
        space: the `Space`.

    Returns:
        The point; the number of evaluations.
    """
    point = point_at(m, d, n, line, where(active, -start.slope / start.curvature, 0.0))
    evaluations = where(active, 2, 0)
    if space.gap:
        if m.rules & SEARCH == 0:
            point = or_start(m, d, n, line, start, point, active)
    else:
        point = or_start(m, d, n, line, start, point, active)
    searching = active & (abs(point.slope) >= tolerance)
    ahead = point.slope < 0.0
    before = point
    for _ in range(m.opt.ls_iterations):
        same_side = where(ahead, -point.slope, point.slope) >= tolerance
        stepping = searching & same_side & (evaluations < m.opt.ls_iterations)
        if not any(stepping):
            break
        before = where(stepping, point, before)
        alpha = where(stepping, point.alpha - point.slope / point.curvature, point.alpha)
        point = where(stepping, point_at(m, d, n, line, alpha), point)
        evaluations = evaluations + where(stepping, 1, 0)
        searching = searching & (abs(point.slope) >= tolerance)
    searching = searching & (evaluations < m.opt.ls_iterations)
    if any(searching):
        return search_between(m, d, n, line, tolerance, searching, evaluations, point, before)
    return point, evaluations


@kernel
def or_start(m, d, n, line, start, point, active):
    """A point, or the start where the point is across the minimum and costs more."""
    across = active & where(start.slope < 0.0, point.slope > 0.0, point.slope < 0.0)
    if any(across):
        across = across & (drop_at(m, d, n, line, point.alpha) < 0.0)
        point = where(across, start, point)
    return point


@kernel
def search_between(m, d, n, line, tolerance, searching, evaluations, a, b):
    """Root of the slope between the points a and b, where it has different signs, in the worlds that are searching.

    Args:
        m, d, n, line, tolerance, evaluations: as in `line_search`.
        searching: worlds; in the others a is the result.
        a, b: the points; the last Newton step led from b to a.

    Returns:
        What `line_search` does.
    """
    limit = m.opt.ls_iterations
    end = a
    # Newton's steps from both ends; that from b led to a
    u = point_at(m, d, n, line, where(searching, a.alpha - a.slope / a.curvature, a.alpha))
    evaluations = evaluations + where(searching, 1, 0)
    v = a
    for _ in range(limit):
        going = searching & (evaluations < limit)
        if not any(going):
            break
        c = point_at(m, d, n, line, 0.5 * (a.alpha + b.alpha))
        evaluations = evaluations + where(going, 1, 0)
        # the best of the three is the end, if it is good enough or nothing gets better
        best = where(abs(u.slope) < abs(v.slope), u, v)
        best = where(abs(c.slope) < abs(best.slope), c, best)
        close = going & (abs(best.slope) < tolerance)
        old_a, old_b = a.slope, b.slope
        # of the points on its side of the root the one with the smallest slope
        a = nearer(nearer(nearer(a, u), v), c)
        b = nearer(nearer(nearer(b, u), v), c)
        from_a = going & (a.slope != old_a)
        from_b = going & (b.slope != old_b)
        stuck = going & logical_not(close | from_a | from_b)
        end = where(close, best, where(stuck, c, end))
        searching = searching & logical_not(close | stuck)
        if any(from_a & searching):
            alpha = where(from_a, a.alpha - a.slope / a.curvature, u.alpha)
            u = where(from_a, point_at(m, d, n, line, alpha), u)
            evaluations = evaluations + where(from_a & searching, 1, 0)
        if any(from_b & searching):
            alpha = where(from_b, b.alpha - b.slope / b.curvature, v.alpha)
            v = where(from_b, point_at(m, d, n, line, alpha), v)
            evaluations = evaluations + where(from_b & searching, 1, 0)
    if any(searching):
        # out of evaluations: the cheaper end, if it is better than no step
        drop_a = drop_at(m, d, n, line, a.alpha)
        drop_b = drop_at(m, d, n, line, b.alpha)
        best = where(drop_a >= drop_b, a, b)
        alpha = where((drop_a > 0.0) | (drop_b > 0.0), best.alpha, 0.0)
        end = where(searching, Point(alpha, best.slope, best.curvature), end)
    return end, evaluations


@kernel
def nearer(a, u):
    """Point u instead of a where its slope has the same sign and is smaller."""
    ahead = (a.slope < 0.0) & (u.slope < 0.0) & (u.slope > a.slope)
    behind = (a.slope > 0.0) & (u.slope > 0.0) & (u.slope < a.slope)
    return where(ahead | behind, u, a)
