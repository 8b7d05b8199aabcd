"""What a minimization is asked for and tells: norms, how much is printed, the log of its iterations."""

from __future__ import annotations

import abc
import dataclasses
import enum
from collections.abc import Callable, Sequence

import numpy as np

Function = Callable[[np.ndarray], np.ndarray]
Bounds = Sequence[np.ndarray]


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
        """The norm of residual `r`, a column.

        Args:
            r: the residual, shape (n, 1).
        """

    @abc.abstractmethod
    def grad_hess(self, r: np.ndarray, proj: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """proj' g and proj' H proj for the gradient g and the Hessian H of the norm at `r`.

        Args:
            r: the residual, shape (n, 1).
            proj: what both are multiplied by, the Jacobian of the residual, shape (n, nx).

        Returns:
            Both, of shape (nx, 1) and (nx, nx).
        """


class Quadratic(Norm):
    """Half the sum of squares."""

    def value(self, r: np.ndarray) -> float:
        """Half the sum of squares of `r`."""
        return 0.5 * (r.T @ r).item()

    def grad_hess(self, r: np.ndarray, proj: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives: the residual itself, and one."""
        return proj.T @ r, proj.T @ proj


QUADRATIC = Quadratic()
