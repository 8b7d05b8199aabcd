"""Levenberg-Marquardt search within bounds, and logs of its iterations."""

from __future__ import annotations

import dataclasses
import enum
import math
import time
from collections.abc import Callable
from typing import TextIO

import numpy as np

from conjoint.api.mju.factors import mju_boxQP
from conjoint.minimize.functions import Function, Norm, Quadratic, check_jacobian, check_norm, jacobian_fd

GOOD_RATIO, POOR_RATIO = 0.5, 0.25
"""Ratios of actual to predicted reduction above which the regularizer decreases, and below which it increases."""


class Verbosity(enum.IntEnum):
    """Verbosity of the output and the logs."""

    SILENT = 0
    FINAL = 1
    ITER = 2
    FULLITER = 3


class Status(enum.IntEnum):
    """Reason why a minimization ended."""

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
    """Log of one iteration.

    Attributes:
        candidate: point at the start of the iteration, a column.
        objective: norm of the residual at the candidate.
        reduction: reduction of the objective by the iteration.
        regularizer: regularizer of the step.
        residual: residual at the candidate. This and the following attributes are None below `Verbosity.FULLITER`.
        jacobian: Jacobian of the residual at the candidate.
        grad: gradient of the objective at the candidate.
        step: change of the point in this iteration.
    """

    candidate: np.ndarray
    objective: float
    reduction: float
    regularizer: float
    residual: np.ndarray | None = None
    jacobian: np.ndarray | None = None
    grad: np.ndarray | None = None
    step: np.ndarray | None = None


class Counted:
    """Residual function that counts its evaluations and measures their duration."""

    def __init__(self, function: Function):
        self.function, self.count, self.seconds = function, 0, 0.0

    def __call__(self, x: np.ndarray) -> np.ndarray:
        began = time.perf_counter()
        r = self.function(x)
        self.seconds += time.perf_counter() - began
        self.count += x.shape[1]
        return r


class Regularizer:
    """Number added to the diagonal of the Hessian. Consecutive increases grow, and so do consecutive decreases."""

    def __init__(self, smallest: float, largest: float, factor: float):
        self.mu, self.smallest, self.largest, self.factor = 0.0, smallest, largest, factor
        self.power = 0

    def rise(self) -> bool:
        """Increase the regularizer. Return False if it already has its maximum value."""
        if self.mu >= self.largest:
            return False
        self.power = max(self.power, 0) + 1
        self.mu = min(max(self.mu, self.smallest) * self.factor**self.power, self.largest)
        return True

    def fall(self) -> None:
        """Decrease the regularizer, which becomes zero below its minimum value."""
        self.power = min(2 * self.power, -1)
        self.mu *= self.factor**self.power
        self.mu = self.mu if self.mu >= self.smallest else 0.0


@dataclasses.dataclass
class Search:
    """State of a running minimization.

    Attributes:
        x: best point so far, a column.
        r: residual at the best point, a column.
        objective: norm of the residual at the best point.
        trace: logs of the iterations so far.
        steps: number of iterations that moved the point.
        weights: weights of a point's components in the regularizer; None to use `columns`.
        columns: squared lengths of the columns of the Jacobian.
        short: whether the last step was too short to continue.
    """

    residual: Counted
    bounds: tuple[np.ndarray, np.ndarray] | None
    jacobian: Callable[[np.ndarray, np.ndarray], np.ndarray] | None
    norm: Norm
    eps: float
    regularizer: Regularizer
    tolerances: tuple[float, float]
    verbose: Verbosity
    output: TextIO
    weights: np.ndarray | None
    trace: list[IterLog] = dataclasses.field(default_factory=list)
    steps: int = 0
    short: bool = False

    def begin(self, x: np.ndarray, check_derivatives: bool) -> None:
        """Evaluate the initial point, and check user-defined derivatives at it if requested."""
        self.began = time.perf_counter()
        self.x, self.r = x, self.residual(x)
        self.objective = self.norm.value(self.r)
        self.columns = np.ones(x.size)
        if check_derivatives and self.jacobian is not None:
            jac = self.jacobian(x, self.r)
            check_jacobian(self.residual, x, self.r, jac, self.eps, 0, self.bounds, self.output)
        if check_derivatives and not isinstance(self.norm, Quadratic):
            check_norm(self.r, self.norm, self.eps, self.output)

    def run(self, max_iter: int, callback: Callable[[list[IterLog]], None] | None) -> Status:
        """Iterate until there is a reason to stop, and return it. The last log in the trace contains the solution."""
        status = None
        while status is None:
            log = IterLog(self.x, self.objective, 0.0, self.regularizer.mu)
            self.trace.append(log)
            status = self.advance(log) if self.steps < max_iter else Status.MAX_ITER
            if callback is not None:
                callback(self.trace)
        return status

    def advance(self, log: IterLog) -> Status | None:
        """Run one iteration. Return a reason to stop, or None to continue."""
        if self.jacobian is not None:
            jac = self.jacobian(self.x, self.r)
        else:
            jac, _ = jacobian_fd(self.residual, self.x, self.r, self.eps, 0, self.bounds)
        grad, hess = self.norm.grad_hess(self.r, jac)
        if self.weights is None:
            # use the column lengths of this iteration, as in MuJoCo, while MINPACK uses the largest lengths so far
            self.columns = np.maximum(np.einsum("ij,ij->j", jac, jac), np.finfo(np.float64).tiny)
        if self.verbose >= Verbosity.FULLITER:
            log.residual, log.jacobian, log.grad = self.r, jac, grad
        slope = self._free_slope(grad)
        if slope < self.tolerances[1]:
            if slope == 0 and self.verbose >= Verbosity.FINAL:
                print("Zero gradient norm: exact minimum found?", file=self.output)
            return Status.G_TOL
        return Status.DX_TOL if self.short else self.descend(log, grad, hess)

    def _free_slope(self, grad: np.ndarray) -> float:
        """Return the length of the gradient, not counting components that are blocked by a bound."""
        if self.bounds is None:
            return float(np.linalg.norm(grad))
        low, high = self.bounds
        blocked = ((self.x <= low) & (grad > 0)) | ((self.x >= high) & (grad < 0))
        return float(np.linalg.norm(grad[~blocked]))

    def descend(self, log: IterLog, grad: np.ndarray, hess: np.ndarray) -> Status | None:
        """Apply a step with a regularizer that is large enough for progress. Return a reason to stop, or None."""
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
        """Return the step to the minimum of the regularized model within the bounds, or None if the solver fails."""
        n = self.x.size
        dx, factor = np.zeros(n), np.zeros((n, n + 7))
        low, high = (None, None) if self.bounds is None else ((bound - self.x)[:, 0] for bound in self.bounds)
        regular = hess + self.regularizer.mu * np.diag(self.columns if self.weights is None else self.weights)
        nfree = mju_boxQP(dx, factor, None, regular, grad[:, 0], low, high)
        # clip, so that rounding does not move the point slightly off a bound
        return None if nfree < 0 else self._inside(self.x + dx[:, np.newaxis]) - self.x

    def _inside(self, x: np.ndarray) -> np.ndarray:
        return x if self.bounds is None else np.clip(x, *self.bounds)

    def _take(self, dx: np.ndarray, r: np.ndarray, objective: float, expected: float) -> None:
        """Apply a step, and adapt the regularizer to the accuracy of the predicted reduction."""
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
        """Print a summary of the search."""
        if self.verbose >= Verbosity.FINAL:
            total, spent = time.perf_counter() - self.began, self.residual
            print(
                f"Terminated after {self.steps} iterations: {MESSAGES[status]}. "
                f"y: {self.objective:<.4g}, Residual evals: {spent.count}\n"
                f"total time {1e3 * total:.1f}ms of which residual {100 * spent.seconds / total:.1f}%",
                file=self.output,
            )
