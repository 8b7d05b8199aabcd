"""Exact line search: Newton's method in one dimension on a convex cost, whose slope increases (Computation chapter,
Conjugate gradient and Newton: "line-search is exact, using Newton's method in one dimension, with analytical second
derivatives").

Newton steps go on while the slope keeps its sign. When it changes, its root is between the last two points: each end of
that bracket moves to the best point on its side among the Newton steps from both ends and the middle. Where few
evaluations are allowed (ls_iterations) the points, hence their order, are part of the result.
"""

from conjoint.lang import abs, any, kernel, logical_not, where
from conjoint.physics.constraint.reference import plus_product
from conjoint.solver.cost.total import drop_by, line_at


@kernel
def slope_at(m, d, n, slope, curvature, alpha):
    """First and second derivative of the cost at step alpha; `slope` and `curvature` are those of the inertial part
    at 0. The first is a line in alpha, so that Newton's method finds its zero to the last bit."""
    first, second = line_at(m, d, n, alpha)
    second = curvature + second
    return plus_product(slope + first, alpha, second), second


@kernel
def drop_at(m, d, n, slope, curvature, alpha):
    """Cost at step 0 minus that at step alpha."""
    return drop_by(m, d, n, alpha) - alpha * (slope + 0.5 * alpha * curvature)


@kernel
def line_search(m, d, n, slope, curvature, first0, second0, tolerance, active):
    """Step that minimises the cost along the search direction in the active worlds; 0 where none is better.

    Args:
        m, d, n: model, data, rows.
        slope, curvature: derivatives of the inertial part at step 0.
        first0, second0: derivatives of the cost there: the first evaluation.
        tolerance: slope that is as good as zero.
        active: worlds.

    Returns:
        alpha; the slope there; the number of evaluations.
    """
    alpha = where(active, -first0 / second0, 0.0)
    first, second = slope_at(m, d, n, slope, curvature, alpha)
    evaluations = where(active, 2, 0)
    # a step across the minimum may cost more than none: start again from there
    across = active & where(first0 < 0.0, first > 0.0, first < 0.0)
    if any(across):
        across = across & (drop_at(m, d, n, slope, curvature, alpha) < 0.0)
        alpha = where(across, 0.0, alpha)
        first = where(across, first0, first)
        second = where(across, second0, second)
    searching = active & (abs(first) >= tolerance)
    ahead = first < 0.0
    before, before_first, before_second = alpha, first, second
    for _ in range(m.opt.ls_iterations):
        same_side = where(ahead, -first, first) >= tolerance
        stepping = searching & same_side & (evaluations < m.opt.ls_iterations)
        if not any(stepping):
            break
        before = where(stepping, alpha, before)
        before_first = where(stepping, first, before_first)
        before_second = where(stepping, second, before_second)
        alpha = where(stepping, alpha - first / second, alpha)
        next_first, next_second = slope_at(m, d, n, slope, curvature, alpha)
        first = where(stepping, next_first, first)
        second = where(stepping, next_second, second)
        evaluations = evaluations + where(stepping, 1, 0)
        searching = searching & (abs(first) >= tolerance)
    searching = searching & (evaluations < m.opt.ls_iterations)
    if any(searching):
        alpha, first, evaluations = search_between(
            m, d, n, slope, curvature, tolerance, searching, evaluations,
            alpha, first, second, before, before_first, before_second,
        )  # fmt: skip
    return alpha, first, evaluations


@kernel
def search_between(m, d, n, slope, curvature, tolerance, searching, evaluations, a, fa, sa, b, fb, sb):
    """Root of the slope between the points a and b, where it has different signs, in the worlds that are searching.

    Args:
        m, d, n, slope, curvature, tolerance, evaluations: as in `line_search`.
        searching: worlds; in the others a is the result.
        a, fa, sa: a step, the first and second derivative there.
        b, fb, sb: another.

    Returns:
        What `line_search` does.
    """
    limit = m.opt.ls_iterations
    alpha = a
    final = fa
    # Newton's steps from both ends; that from b led to a
    u = where(searching, a - fa / sa, a)
    fu, su = slope_at(m, d, n, slope, curvature, u)
    evaluations = evaluations + where(searching, 1, 0)
    v, fv, sv = a, fa, sa
    for _ in range(limit):
        going = searching & (evaluations < limit)
        if not any(going):
            break
        c = 0.5 * (a + b)
        fc, sc = slope_at(m, d, n, slope, curvature, c)
        evaluations = evaluations + where(going, 1, 0)
        # the best of the three is the end, if it is good enough or nothing gets better
        best, least = where(abs(fu) < abs(fv), u, v), where(abs(fu) < abs(fv), fu, fv)
        best, least = where(abs(fc) < abs(least), c, best), where(abs(fc) < abs(least), fc, least)
        close = going & (abs(least) < tolerance)
        old_a, old_b = fa, fb
        a, fa, sa = nearest(a, fa, sa, u, fu, su, v, fv, sv, c, fc, sc)
        b, fb, sb = nearest(b, fb, sb, u, fu, su, v, fv, sv, c, fc, sc)
        from_a = going & (fa != old_a)
        from_b = going & (fb != old_b)
        stuck = going & logical_not(close | from_a | from_b)
        alpha = where(close, best, where(stuck, c, alpha))
        final = where(close, least, where(stuck, fc, final))
        searching = searching & logical_not(close | stuck)
        if any(from_a & searching):
            u = where(from_a, a - fa / sa, u)
            next_first, next_second = slope_at(m, d, n, slope, curvature, u)
            fu, su = where(from_a, next_first, fu), where(from_a, next_second, su)
            evaluations = evaluations + where(from_a & searching, 1, 0)
        if any(from_b & searching):
            v = where(from_b, b - fb / sb, v)
            next_first, next_second = slope_at(m, d, n, slope, curvature, v)
            fv, sv = where(from_b, next_first, fv), where(from_b, next_second, sv)
            evaluations = evaluations + where(from_b & searching, 1, 0)
    if any(searching):
        # out of evaluations: the cheaper end, if it is better than no step
        drop_a = drop_at(m, d, n, slope, curvature, a)
        drop_b = drop_at(m, d, n, slope, curvature, b)
        end = where(drop_a >= drop_b, a, b)
        end = where((drop_a > 0.0) | (drop_b > 0.0), end, 0.0)
        alpha = where(searching, end, alpha)
        final = where(searching, where(drop_a >= drop_b, fa, fb), final)
    return alpha, final, evaluations


@kernel
def nearest(a, fa, sa, u, fu, su, v, fv, sv, c, fc, sc):
    """Of a and the points u, v, c on its side of the root, the one with the smallest slope."""
    a, fa, sa = nearer(a, fa, sa, u, fu, su)
    a, fa, sa = nearer(a, fa, sa, v, fv, sv)
    return nearer(a, fa, sa, c, fc, sc)


@kernel
def nearer(a, fa, sa, u, fu, su):
    """Point u instead of a where its slope has the same sign and is smaller."""
    better = ((fa < 0.0) & (fu < 0.0) & (fu > fa)) | ((fa > 0.0) & (fu > 0.0) & (fu < fa))
    return where(better, u, a), where(better, fu, fa), where(better, su, sa)
