"""Nonlinear least squares with box bounds, for functions that are evaluated at many points at once.

Each iteration replaces the residual by its linearisation and the norm by its second-order expansion, adds a regularizer
(Levenberg-Marquardt: Nocedal and Wright, Numerical Optimization, section 10.3), and solves the quadratic program inside
the bounds (`mju_boxQP`). Arguments and messages are those of the official module of this name, version 3.3.5.
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import TextIO

import numpy as np

from conjoint.api.mju.factors import mju_boxQP

Function = Callable[[np.ndarray], np.ndarray]
Bounds = Sequence[np.ndarray]

EPSILON = float(np.finfo(np.float64).eps ** 0.5)
"""Difference at which the errors of truncation and rounding of a finite difference are about equal."""

CHECK_TOLERANCE = 1e-5
"""Largest relative difference between derivatives of users and finite differences."""

GOOD_RATIO, POOR_RATIO = 0.5, 0.25
"""Actual by predicted reduction: from where on the regularizer falls, and below which it rises."""


class Verbosity(enum.IntEnum):
    """How much is printed and logged."""

    SILENT = 0
    FINAL = 1
    ITER = 2
    FULLITER = 3


class Status(enum.IntEnum):
    """Why a minimization ended."""

    FACTORIZATION_FAILED = enum.auto()
    NO_IMPROVEMENT = enum.auto()
    MAX_ITER = enum.auto()
    DX_TOL = enum.auto()
    G_TOL = enum.auto()


MESSAGES = {
    Status.FACTORIZATION_FAILED: "factorization failed",
    Status.NO_IMPROVEMENT: "insufficient reduction",
    Status.MAX_ITER: "maximum iterations reached",
    Status.DX_TOL: "norm(dx) < tol",
    Status.G_TOL: "norm(gradient) < tol",
}


@dataclasses.dataclass
class IterLog:
    """One iteration.

    Attributes:
        candidate: the point at its beginning, a column.
        objective: norm of the residual there.
        reduction: by how much the iteration reduced it.
        regularizer: of the step that was taken.
        residual: the residual at the candidate; this and all that follows only with `Verbosity.FULLITER`.
        jacobian: its Jacobian.
        grad: gradient of the objective.
        step: change of the point.
    """

    candidate: np.ndarray
    objective: float
    reduction: float
    regularizer: float
    residual: np.ndarray | None = None
    jacobian: np.ndarray | None = None
    grad: np.ndarray | None = None
    step: np.ndarray | None = None


class Norm(abc.ABC):
    """What measures the residual. Its derivatives are asked for in the coordinates of the decision variable, since the
    full Hessian is often large, and its product with a matrix on both sides cheap."""

    @abc.abstractmethod
    def value(self, r: np.ndarray) -> float:
        """The norm of residual `r`, a column."""

    @abc.abstractmethod
    def grad_hess(self, r: np.ndarray, proj: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """proj' g and proj' H proj for the gradient g and the Hessian H of the norm at `r`."""


class Quadratic(Norm):
    """Half the sum of squares."""

    def value(self, r: np.ndarray) -> float:
        """Half the sum of squares of `r`."""
        return 0.5 * (r.T @ r).item()

    def grad_hess(self, r: np.ndarray, proj: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives: the residual itself, and one."""
        return proj.T @ r, proj.T @ proj


def jacobian_fd(
    residual: Function, x: np.ndarray, r: np.ndarray, eps: float, n_res: int, bounds: Bounds | None = None
) -> tuple[np.ndarray, int]:
    """Jacobian of a residual by one-sided differences, all in one call, away from the nearer bound.

    Args:
        residual: gives a column for every column of its argument.
        x: the point, a column.
        r: the residual there, a column.
        eps: length of the differences.
        n_res: evaluations so far.
        bounds: lower and upper bounds of `x`.

    Returns:
        The Jacobian, and the number of evaluations, which is larger by the size of `x`.
    """
    steps = np.full(x.size, eps)
    if bounds is not None:
        low, high = (np.reshape(bound, -1) for bound in bounds)
        steps[high - x[:, 0] < x[:, 0] - low] *= -1.0
    moved = x + np.diag(steps)
    # what the points really differ by
    return (residual(moved) - r) / (np.diag(moved) - x[:, 0]), n_res + x.size


def check_jacobian(
    residual: Function,
    x: np.ndarray,
    r: np.ndarray,
    jac: np.ndarray,
    eps: float,
    n_res: int,
    bounds: Bounds | None = None,
    output: TextIO | None = None,
    name: str | None = "Jacobian",
) -> int:
    """Compare a Jacobian of the user with finite differences.

    Args:
        residual, x, r, eps, n_res, bounds: see `jacobian_fd`.
        jac: the Jacobian.
        output: where a line about it is printed.
        name: what it is called.

    Returns:
        The number of evaluations.

    Raises:
        ValueError: they differ by more than `CHECK_TOLERANCE`.
    """
    expected, n_res = jacobian_fd(residual, x, r, eps, n_res, bounds)
    about = "finite-differences to a relative tolerance of 1e-5."
    if np.shape(jac) != expected.shape:
        raise ValueError(f"User-provided {name} does not match: shape {np.shape(jac)} instead of {expected.shape}.")
    if np.linalg.norm(jac - expected) > CHECK_TOLERANCE * max(1.0, float(np.linalg.norm(expected))):
        raise ValueError(f"User-provided {name} does not match {about}")
    print(f"User-provided {name} matches {about}", file=output)
    return n_res


def check_norm(r: np.ndarray, norm: Norm, eps: float, output: TextIO | None = None) -> None:
    """Compare the derivatives of a norm of the user with finite differences.

    Args:
        r: residual at which to compare, a column.
        norm: the norm.
        eps: length of the differences.
        output: where lines about them are printed.

    Raises:
        ValueError: they differ, or the Hessian is not symmetric or not positive definite.
    """
    identity = np.eye(r.size)

    def values(points: np.ndarray) -> np.ndarray:
        return np.array([[norm.value(point[:, np.newaxis]) for point in points.T]])

    def gradients(points: np.ndarray) -> np.ndarray:
        return np.hstack([norm.grad_hess(point[:, np.newaxis], identity)[0] for point in points.T])

    gradient, hessian = norm.grad_hess(r, identity)
    check_jacobian(values, r, values(r), gradient.T, eps, 0, output=output, name="norm gradient")
    if not np.allclose(hessian, hessian.T, atol=1e-10):
        raise ValueError("User-provided norm Hessian is not symmetric.")
    try:
        np.linalg.cholesky(hessian)
    except np.linalg.LinAlgError:
        raise ValueError("User-provided norm Hessian is not positive definite.") from None
    check_jacobian(gradients, r, gradient, hessian, eps, 0, output=output, name="norm Hessian")


QUADRATIC = Quadratic()


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
) -> tuple[np.ndarray, list[IterLog]]:
    """Minimize the norm of a residual, inside bounds.

    Args:
        x0: where to begin, n numbers.
        residual: takes points as columns (n, k) and gives their residuals as columns (m, k).
        bounds: lower and upper bounds of the solution, n finite numbers each.
        jacobian: gives the Jacobian (m, n) at a point and its residual, both columns; None: by finite differences.
        norm: measures the residual.
        eps: length of finite differences.
        mu_min: smallest regularizer but zero.
        mu_max: largest regularizer.
        mu_factor: by how much the regularizer changes first; it changes faster in a row of changes.
        xtol: end when the step is shorter than this, by the length of the point if that is above one.
        gtol: end when the gradient where no bound is in the way is shorter than this.
        max_iter: largest number of iterations.
        verbose: how much is printed and logged.
        output: where it is printed; None: standard output.
        iter_callback: called after every iteration with the trace so far.
        check_derivatives: compare Jacobian and norm of the user with finite differences at the beginning.

    Returns:
        The best point found, in the shape of `x0`, and the trace.

    Raises:
        ValueError: bounds are malformed, or derivatives are not what finite differences say.
    """
    start = np.asarray(x0, np.float64)
    low, high = _checked_bounds(bounds, start.size)
    search = _Search(
        residual=_Counted(residual),
        bounds=None if bounds is None else (low, high),
        jacobian=jacobian,
        norm=norm,
        eps=eps,
        regularizer=_Regularizer(mu_min, mu_max, mu_factor),
        tolerances=(xtol, gtol),
        verbose=Verbosity(verbose),
        output=output or sys.stdout,
    )
    search.begin(np.clip(start.reshape(-1, 1), low, high), check_derivatives)
    status = search.run(max_iter, iter_callback)
    search.report(status)
    return search.x.reshape(start.shape), search.trace


def _checked_bounds(bounds: Bounds | None, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of `n` numbers as columns."""
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


class _Counted:
    """A residual, its evaluations counted and timed."""

    def __init__(self, function: Function):
        self.function, self.count, self.seconds = function, 0, 0.0

    def __call__(self, x: np.ndarray) -> np.ndarray:
        began = time.perf_counter()
        r = self.function(x)
        self.seconds += time.perf_counter() - began
        self.count += x.shape[1]
        return r


class _Regularizer:
    """What is added to the diagonal of the Hessian; in a row of changes each is larger than the last."""

    def __init__(self, smallest: float, largest: float, factor: float):
        self.mu, self.smallest, self.largest, self.factor = 0.0, smallest, largest, factor
        self.power = 0

    def rise(self) -> bool:
        """Raise it; False if it is as large as it may be."""
        if self.mu >= self.largest:
            return False
        self.power = max(self.power, 0) + 1
        self.mu = min(max(self.mu, self.smallest) * self.factor**self.power, self.largest)
        return True

    def fall(self) -> None:
        """Lower it; below the smallest it is zero."""
        self.power = min(2 * self.power, -1)
        self.mu *= self.factor**self.power
        self.mu = self.mu if self.mu >= self.smallest else 0.0


@dataclasses.dataclass
class _Search:
    """A minimization under way.

    Attributes:
        x: the best point so far, a column.
        r: its residual, a column.
        objective: the norm of it.
        trace: iterations so far.
        steps: how many of them moved the point.
        short: whether the last step was too short for another.
    """

    residual: _Counted
    bounds: tuple[np.ndarray, np.ndarray] | None
    jacobian: Callable[[np.ndarray, np.ndarray], np.ndarray] | None
    norm: Norm
    eps: float
    regularizer: _Regularizer
    tolerances: tuple[float, float]
    verbose: Verbosity
    output: TextIO
    trace: list[IterLog] = dataclasses.field(default_factory=list)
    steps: int = 0
    short: bool = False

    def begin(self, x: np.ndarray, check_derivatives: bool) -> None:
        """Evaluate the first point, and compare derivatives of the user there."""
        self.began = time.perf_counter()
        self.x, self.r = x, self.residual(x)
        self.objective = self.norm.value(self.r)
        if check_derivatives and self.jacobian is not None:
            jac = self.jacobian(x, self.r)
            check_jacobian(self.residual, x, self.r, jac, self.eps, 0, self.bounds, self.output)
        if check_derivatives and not isinstance(self.norm, Quadratic):
            check_norm(self.r, self.norm, self.eps, self.output)

    def run(self, max_iter: int, callback: Callable[[list[IterLog]], None] | None) -> Status:
        """Take steps until one of the reasons to end; the last entry of the trace is the point found."""
        status = None
        while status is None:
            log = IterLog(self.x, self.objective, 0.0, self.regularizer.mu)
            self.trace.append(log)
            status = self.advance(log) if self.steps < max_iter else Status.MAX_ITER
            if callback is not None:
                callback(self.trace)
        return status

    def advance(self, log: IterLog) -> Status | None:
        """One iteration; a reason to end, or None."""
        if self.jacobian is not None:
            jac = self.jacobian(self.x, self.r)
        else:
            jac, _ = jacobian_fd(self.residual, self.x, self.r, self.eps, 0, self.bounds)
        grad, hess = self.norm.grad_hess(self.r, jac)
        if self.verbose >= Verbosity.FULLITER:
            log.residual, log.jacobian, log.grad = self.r, jac, grad
        slope = self._free_slope(grad)
        if slope < self.tolerances[1]:
            if slope == 0 and self.verbose >= Verbosity.FINAL:
                print("Zero gradient norm: exact minimum found?", file=self.output)
            return Status.G_TOL
        return Status.DX_TOL if self.short else self.descend(log, grad, hess)

    def _free_slope(self, grad: np.ndarray) -> float:
        """Length of the gradient, less what points out of the box at a bound."""
        if self.bounds is None:
            return float(np.linalg.norm(grad))
        low, high = self.bounds
        blocked = ((self.x <= low) & (grad > 0)) | ((self.x >= high) & (grad < 0))
        return float(np.linalg.norm(grad[~blocked]))

    def descend(self, log: IterLog, grad: np.ndarray, hess: np.ndarray) -> Status | None:
        """Raise the regularizer until a step reduces the objective, and take it; a reason to end, or None."""
        status = Status.NO_IMPROVEMENT
        while True:
            dx = self._solve(grad, hess)
            if dx is None:
                status = Status.FACTORIZATION_FAILED
            else:
                r = self.residual(self.x + dx)
                objective = self.norm.value(r)
                reduction = self.objective - objective
                self.short = float(np.linalg.norm(dx)) < self.tolerances[0] * max(1.0, float(np.linalg.norm(self.x)))
                if reduction > 0 or self.short:
                    break
                status = Status.NO_IMPROVEMENT
            if not self.regularizer.rise():
                return status
        expected = -(grad.T @ dx + 0.5 * dx.T @ hess @ dx).item()
        log.regularizer, log.reduction = self.regularizer.mu, max(reduction, 0.0)
        log.step = dx if self.verbose >= Verbosity.FULLITER else None
        if reduction > 0:
            self._take(dx, r, objective, expected)
        return None

    def _solve(self, grad: np.ndarray, hess: np.ndarray) -> np.ndarray | None:
        """The step to the minimum of the regularized model inside the bounds; None if the model has none."""
        n = self.x.size
        dx, factor = np.zeros(n), np.zeros((n, n + 7))
        low, high = (None, None) if self.bounds is None else ((bound - self.x)[:, 0] for bound in self.bounds)
        regular = hess + self.regularizer.mu * np.eye(n)
        nfree = mju_boxQP(dx, factor, None, regular, grad[:, 0], low, high)
        # the point shall be on a bound, not near it
        return None if nfree < 0 else self._inside(self.x + dx[:, np.newaxis]) - self.x

    def _inside(self, x: np.ndarray) -> np.ndarray:
        return x if self.bounds is None else np.clip(x, *self.bounds)

    def _take(self, dx: np.ndarray, r: np.ndarray, objective: float, expected: float) -> None:
        """Move, and let the regularizer follow how well the model predicted the reduction."""
        reduction = self.objective - objective
        ratio = reduction / expected if expected > 0 else 0.0
        if self.verbose >= Verbosity.ITER:
            mu = math.log10(self.regularizer.mu) if self.regularizer.mu > 0 else -math.inf
            print(
                f"iter: {self.steps:<4} y: {self.objective:<10.4g} log10mu: {mu:>4.1f}  ratio: {ratio:<8.2g} "
                f"dx: {np.linalg.norm(dx):<8.2g} reduction: {reduction:<8.2g}",
                file=self.output,
            )
        self.x, self.r, self.objective = self._inside(self.x + dx), r, objective
        self.steps += 1
        if ratio > GOOD_RATIO:
            self.regularizer.fall()
        elif ratio < POOR_RATIO:
            self.regularizer.rise()

    def report(self, status: Status) -> None:
        """Print how it ended."""
        if self.verbose >= Verbosity.FINAL:
            total, spent = time.perf_counter() - self.began, self.residual
            print(
                f"Terminated after {self.steps} iterations: {MESSAGES[status]}. "
                f"y: {self.objective:<.4g}, Residual evals: {spent.count}\n"
                f"total time {1e3 * total:.1f}ms of which residual {100 * spent.seconds / total:.1f}%",
                file=self.output,
            )
