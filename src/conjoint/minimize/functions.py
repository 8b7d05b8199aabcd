"""Norms of residuals, Jacobians by finite differences, and checks of user-defined derivatives."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import TextIO

import numpy as np

Function = Callable[[np.ndarray], np.ndarray]
Bounds = Sequence[np.ndarray]

EPSILON = float(np.finfo(np.float64).eps ** 0.5)
"""Step length of finite differences at which truncation and rounding errors are about equal."""

CHECK_TOLERANCE = 1e-5
"""Maximum relative difference between user-defined derivatives and finite differences."""


class Norm(abc.ABC):
    """Norm of the residual.

    Its derivatives are computed in the coordinates of the decision variable. The Hessian with respect to the residual
    is often large, while its projection is cheap.
    """

    @abc.abstractmethod
    def value(self, r: np.ndarray) -> float:
        """Return the norm of a residual.

        Args:
            r: the residual, shape (n, 1).
        """

    @abc.abstractmethod
    def grad_hess(self, r: np.ndarray, proj: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return proj' g and proj' H proj for the gradient g and the Hessian H of the norm at `r`.

        Args:
            r: the residual, shape (n, 1).
            proj: the Jacobian of the residual, shape (n, nx).

        Returns:
            The two products, shapes (nx, 1) and (nx, nx).
        """


class Quadratic(Norm):
    """Norm that is half the sum of squares of the residual."""

    def value(self, r: np.ndarray) -> float:
        """Return half the sum of squares of `r`."""
        return 0.5 * (r.T @ r).item()

    def grad_hess(self, r: np.ndarray, proj: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the projected derivatives. The gradient is the residual, and the Hessian is the identity."""
        return proj.T @ r, proj.T @ proj


QUADRATIC = Quadratic()


def jacobian_fd(
    residual: Function, x: np.ndarray, r: np.ndarray, eps: float, n_res: int, bounds: Bounds | None = None
) -> tuple[np.ndarray, int]:
    """Return the Jacobian of a residual by one-sided differences, which point away from the nearer bound.

    Args:
        residual: function that returns a column for each column of its argument; it is called once.
        x: the point, a column.
        r: the residual at the point, a column.
        eps: step length of the differences.
        n_res: number of evaluations so far.
        bounds: lower and upper bounds of `x`.

    Returns:
        The Jacobian, and the number of evaluations, which is increased by the size of `x`.
    """
    steps = np.full(x.size, eps)
    if bounds is not None:
        low, high = (np.reshape(bound, -1) for bound in bounds)
        steps[high - x[:, 0] < x[:, 0] - low] *= -1.0
        # stay within the bounds, but move at least to the next floating-point number
        ends = np.clip(x[:, 0] + steps, low, high)
        ends = np.where(ends == x[:, 0], np.nextafter(x[:, 0], np.where(steps < 0, low, high)), ends)
        moved = np.repeat(x, x.size, axis=1)
        np.fill_diagonal(moved, ends)
    else:
        moved = x + np.diag(steps)
    # divide by the actual differences between the points, which rounding affects
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
    """Compare a user-defined Jacobian with finite differences.

    Args:
        residual, x, r, eps, n_res, bounds: see `jacobian_fd`.
        jac: the user-defined Jacobian.
        output: file to which the result is printed.
        name: name of the matrix in messages.

    Returns:
        The number of evaluations.

    Raises:
        ValueError: the Jacobians differ by more than `CHECK_TOLERANCE`.
    """
    expected, n_res = jacobian_fd(residual, x, r, eps, n_res, bounds)
    about = "finite-differences to a relative tolerance of 1e-5."
    if np.shape(jac) != expected.shape:
        raise ValueError(f"User-provided {name} does not match: shape {np.shape(jac)} instead of {expected.shape}.")
    for who, found in (("User-provided", jac), ("Finite-difference", expected)):
        if not np.isfinite(found).all():
            raise ValueError(f"{who} {name} has numbers that are not finite.")
    if np.linalg.norm(jac - expected) > CHECK_TOLERANCE * max(1.0, float(np.linalg.norm(expected))):
        raise ValueError(f"User-provided {name} does not match {about}")
    print(f"User-provided {name} matches {about}", file=output)
    return n_res


def check_norm(r: np.ndarray, norm: Norm, eps: float, output: TextIO | None = None) -> None:
    """Compare the derivatives of a user-defined norm with finite differences.

    Args:
        r: residual at which to compare, a column.
        norm: the norm.
        eps: step length of the differences.
        output: file to which the results are printed.

    Raises:
        ValueError: derivatives differ, or the Hessian is not symmetric or not positive definite.
    """
    identity = np.eye(r.size)

    def values(points: np.ndarray) -> np.ndarray:
        return np.array([[norm.value(point[:, np.newaxis]) for point in points.T]])

    def gradients(points: np.ndarray) -> np.ndarray:
        return np.hstack([norm.grad_hess(point[:, np.newaxis], identity)[0] for point in points.T])

    gradient, hessian = norm.grad_hess(r, identity)
    for name, numbers in (("gradient", gradient), ("Hessian", hessian)):
        if not np.isfinite(numbers).all():
            raise ValueError(f"User-provided norm {name} must contain finite numbers.")
    check_jacobian(values, r, values(r), gradient.T, eps, 0, output=output, name="norm gradient")
    if not np.allclose(hessian, hessian.T, atol=1e-10):
        raise ValueError("User-provided norm Hessian is not symmetric.")
    try:
        np.linalg.cholesky(hessian)
    except np.linalg.LinAlgError:
        raise ValueError("User-provided norm Hessian is not positive definite.") from None
    check_jacobian(gradients, r, gradient, hessian, eps, 0, output=output, name="norm Hessian")
