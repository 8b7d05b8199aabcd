"""Nonlinear least squares: MuJoCo's solutions, bounds, tolerances and derivative checks."""

from __future__ import annotations

import io
from itertools import pairwise
from typing import Any

import mujoco.minimize
import numpy as np
import pytest

from conjoint.minimize import Norm, Verbosity, least_squares

pytestmark = pytest.mark.plain


def rosenbrock(x: np.ndarray) -> np.ndarray:
    return np.stack([1 - x[0], 10 * (x[1] - x[0] ** 2)])


def problem(seed: int) -> tuple[Any, list[np.ndarray]]:
    """Return a residual function that is nonlinear in several directions, and bounds around zero, some of them active."""
    generator = np.random.default_rng(seed)
    n, m = generator.integers(1, 6), generator.integers(6, 12)
    linear, inner, target = (generator.standard_normal(shape) for shape in ((m, n), (m, n), (m, 1)))
    bounds = [-generator.uniform(0.1, 1, n), generator.uniform(0.1, 1, n)]
    return lambda x: linear @ x + 1.5 * np.sin(inner @ x) - target, bounds


@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_solutions_are_the_officials(seed: int, bounded: bool) -> None:
    """Solutions agree with MuJoCo's to the accuracy of its finite-difference gradients."""
    residual, bounds = problem(seed)
    options: dict[str, Any] = {"verbose": 0, "bounds": bounds if bounded else None}
    x, trace = least_squares(np.zeros(len(bounds[0])), residual, **options)
    expected, _ = mujoco.minimize.least_squares(np.zeros(len(bounds[0])), residual, **options)
    np.testing.assert_allclose(x, expected, atol=1e-6)
    assert x.shape == bounds[0].shape
    np.testing.assert_array_equal(trace[-1].candidate[:, 0], x)
    if bounded:
        assert (x >= bounds[0]).all()
        assert (x <= bounds[1]).all()


def test_the_objective_never_rises_and_the_trace_adds_up() -> None:
    x, trace = least_squares(np.zeros(2), rosenbrock, verbose=Verbosity.FULLITER, output=io.StringIO())
    np.testing.assert_allclose(x, 1.0, atol=1e-8)
    for before, after in pairwise(trace):
        assert after.objective < before.objective
        assert before.reduction == pytest.approx(before.objective - after.objective)
        assert before.step is not None
        np.testing.assert_allclose(before.candidate + before.step, after.candidate, atol=1e-15)
        assert before.objective == pytest.approx(0.5 * float((before.residual**2).sum()))


def test_it_takes_no_more_evaluations_than_the_official() -> None:
    """Least squares needs no more evaluations than in MuJoCo in a curved valley, where a poor choice of regularizers costs most."""
    counts = []
    for solve in (least_squares, mujoco.minimize.least_squares):
        points = [0]

        def counted(x: np.ndarray, points: list[int] = points) -> np.ndarray:
            points[0] += x.shape[1]
            return rosenbrock(x)

        solve(np.array([-1.2, 1.0]), counted, verbose=0)
        counts.append(points[0])
    assert counts[0] <= counts[1]


def test_silence_is_silent_and_all_iterations_are_told() -> None:
    output = io.StringIO()
    least_squares(np.zeros(2), rosenbrock, verbose=Verbosity.SILENT, output=output)
    assert not output.getvalue()
    seen: list[int] = []
    least_squares(
        np.zeros(2), rosenbrock, output=output, max_iter=3, iter_callback=lambda trace: seen.append(len(trace))
    )
    assert seen == [1, 2, 3, 4]
    assert "maximum iterations" in output.getvalue()


class Wrong(Norm):
    """Squared norm whose gradient is wrong by a factor of 2."""

    def value(self, r: np.ndarray) -> float:
        return float(0.5 * (r.T @ r).item())

    def grad_hess(self, r: np.ndarray, proj: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return 2 * proj.T @ r, proj.T @ proj


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "one bound": ({"bounds": [np.zeros(2)]}, "bounds must have 2 elements"),
    "short bounds": ({"bounds": [np.zeros(1), np.ones(1)]}, "same size as x0"),
    "infinite bounds": ({"bounds": [np.zeros(2), np.array([1, np.inf])]}, "must be finite"),
    "bounds the wrong way": ({"bounds": [np.ones(2), np.zeros(2)]}, r"bounds\[0\] must be smaller"),
    "a wrong Jacobian": ({"jacobian": lambda x, r: np.eye(2), "check_derivatives": True}, "Jacobian does not match"),
    "a Jacobian of the wrong shape": ({"jacobian": lambda x, r: np.eye(3), "check_derivatives": True}, "shape"),
    "a wrong norm": ({"norm": Wrong(), "check_derivatives": True}, "gradient does not match"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments_are_refused(case: str) -> None:
    options, text = BAD[case]
    with pytest.raises(ValueError, match=text):
        least_squares(np.zeros(2), rosenbrock, output=io.StringIO(), **options)
