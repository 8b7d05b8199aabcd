"""Nonlinear least squares with box bounds, for functions that are evaluated at many points at once.

The method is Levenberg-Marquardt (Nocedal and Wright, Numerical Optimization, section 10.3). Each iteration linearizes
the residual, expands the norm to second order, and adds a regularizer. It then solves the resulting quadratic program
subject to the bounds (`mju_boxQP`). Arguments and messages are those of `mujoco.minimize`, version 3.3.5.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import TextIO

import numpy as np

from conjoint.minimize.functions import (
    EPSILON,
    QUADRATIC,
    Bounds,
    Function,
    Norm,
    Quadratic,
    check_jacobian,
    check_norm,
    jacobian_fd,
)
from conjoint.minimize.search import Counted, IterLog, Regularizer, Search, Status, Verbosity

__all__ = [
    "IterLog",
    "Norm",
    "Quadratic",
    "Status",
    "Verbosity",
    "check_jacobian",
    "check_norm",
    "jacobian_fd",
    "least_squares",
]


def least_squares(
    x0: np.ndarray,
    residual: Function,
    bounds: Bounds | None = None,
    jacobian: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
    norm: Norm = QUADRATIC,
    eps: float = EPSILON,
    mu_min: float = 1e-6,
    mu_max: float = 1e8,
    mu_factor: float = 10.0**0.1,
    xtol: float = 1e-8,
    gtol: float = 1e-8,
    max_iter: int = 100,
    verbose: Verbosity | int = Verbosity.ITER,
    output: TextIO | None = None,
    iter_callback: Callable[[list[IterLog]], None] | None = None,
    check_derivatives: bool = False,
    x_scale: float | np.ndarray | str = 1.0,
) -> tuple[np.ndarray, list[IterLog]]:
    """Minimize the norm of a residual within bounds.

    Args:
        x0: initial point, n elements.
        residual: function that maps k points, the columns of an (n, k) array, to their residuals, the columns of an (m,
            k) array.
        bounds: lower and upper bounds of the solution, n finite numbers each.
        jacobian: function of a point and its residual (both columns) that returns the Jacobian, shape (m, n); None for
            finite differences.
        norm: norm of the residual.
        eps: step length of finite differences.
        mu_min: smallest nonzero regularizer.
        mu_max: largest regularizer.
        mu_factor: factor of the first change of the regularizer. Factors grow with each consecutive change.
        xtol: minimum length of a step, relative to the length of the point if this is greater than one.
        gtol: minimum length of the gradient, not counting components that are blocked by a bound.
        max_iter: maximum number of iterations.
        verbose: verbosity of the output and the logs.
        output: file to print to; None for standard output.
        iter_callback: function that is called after every iteration with the trace so far.
        check_derivatives: whether to compare the user's Jacobian and norm with finite differences first.
        x_scale: scale of the point's components: one number, n elements, or "jac" for scales from the columns of the
            Jacobian.

    Returns:
        The best point, in the shape of `x0`, and the trace: one log per iteration.

    Raises:
        ValueError: the point, bounds or scales are malformed, or derivatives differ from finite differences.
        TypeError: the residual is not a function.
    """
    start = np.asarray(x0, np.float64)
    if not np.isfinite(start).all():
        raise ValueError("x0 must contain finite numbers.")
    if not callable(residual):
        raise TypeError(f"residual must be a function of points, not {residual!r:.40}")
    low, high = _checked_bounds(bounds, start.size)
    search = Search(
        residual=Counted(residual),
        bounds=None if bounds is None else (low, high),
        jacobian=jacobian,
        norm=norm,
        eps=eps,
        regularizer=Regularizer(mu_min, mu_max, mu_factor),
        tolerances=(xtol, gtol),
        verbose=Verbosity(verbose),
        output=output or sys.stdout,
        weights=_checked_weights(x_scale, start.size),
    )
    search.begin(np.clip(start.reshape(-1, 1), low, high), check_derivatives)
    status = search.run(max_iter, iter_callback)
    search.report(status)
    return search.x.reshape(start.shape), search.trace


def _checked_weights(x_scale: float | np.ndarray | str, n: int) -> np.ndarray | None:
    """Return the weights of a point's components in the regularizer, or None for weights from the Jacobian."""
    if isinstance(x_scale, str):
        if x_scale != "jac":
            raise ValueError(f"x_scale must be 'jac' or positive numbers, not {x_scale!r}.")
        return None
    scale = np.asarray(x_scale, np.float64)
    if scale.size not in (1, n) or (scale.size == 1 and scale.ndim > 0 and n != 1):
        raise ValueError(f"x_scale must be one number or {n}, not of shape {scale.shape}.")
    if not (np.isfinite(scale).all() and (scale > 0).all()):
        raise ValueError("x_scale must contain finite positive numbers.")
    return np.broadcast_to(1.0 / scale.reshape(-1) ** 2, (n,))


def _checked_bounds(bounds: Bounds | None, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return lower and upper bounds as columns of n numbers, infinite if `bounds` is None."""
    if bounds is None:
        return np.full((n, 1), -math.inf), np.full((n, 1), math.inf)
    if len(bounds) != 2:
        raise ValueError("bounds must have 2 elements.")
    low, high = (np.asarray(bound, np.float64).reshape(-1, 1) for bound in bounds)
    if low.size != n or high.size != n:
        raise ValueError("bounds must have the same size as x0.")
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise ValueError("bounds must be finite.")
    if not (low < high).all():
        raise ValueError("bounds[0] must be smaller than bounds[1].")
    return low, high
