"""The function that compares results with MuJoCo distinguishes differences from rounding."""

from __future__ import annotations

import numpy as np
import pytest

from oracle import difference

LARGE = np.array([1e3, -2.0, 5e-2, 0.0])
"""Array in which a comparison relative to the largest value would hide errors of the other values."""


def test_equal_arrays_do_not_differ() -> None:
    assert difference(LARGE, LARGE) == difference([], []) == difference(0, 0) == 0
    assert difference([np.nan, np.inf, 1.0], [np.nan, np.inf, 1.0]) == 0


@pytest.mark.parametrize("other", [LARGE[:3], [1e3, -2.0, 5e-2, np.nan], [1e3, -2.0, 5e-2, np.inf]])
def test_arrays_of_other_shapes_and_values_that_are_no_numbers_differ(other) -> None:
    assert difference(other, LARGE) == difference(LARGE, other) == np.inf
    assert difference([np.inf], [-np.inf]) == difference([np.nan], [np.inf]) == np.inf


@pytest.mark.parametrize(("element", "relative"), [(0, 1e-6), (1, 1e-5), (2, 1e-3)])
def test_an_error_of_a_small_element_is_not_hidden_by_a_large_one(element: int, relative: float) -> None:
    """The relative error of an element has a weight of at least 0.1 if the element exceeds a thousandth of the largest element."""
    changed = LARGE.copy()
    changed[element] *= 1 + relative
    expected = {0: 1e-6, 1: 1e-6, 2: 1e-3 * 5e-2 / 10}[element]
    assert difference(changed, LARGE) == pytest.approx(expected, rel=1e-6)


def test_an_error_of_the_largest_element_counts_in_full() -> None:
    assert difference([1e3 * (1 + 1e-7)], [1e3]) == pytest.approx(1e-7, rel=1e-6)
    assert difference([1.0 + 1e-7, 0.0], [1.0, 0.0]) == pytest.approx(1e-7, rel=1e-6)


def test_rounding_of_the_numbers_that_an_element_is_the_sum_of_is_no_difference() -> None:
    """Rounding errors of a sum are ignored: (1e3 + x) - 1e3 has an error of 1e-13 for all x."""
    x = np.random.default_rng(0).uniform(0, 1e-4, 100)
    assert difference([*((1e3 + x) - 1e3), 1e3], [*x, 1e3]) == 0
    assert difference([*x * 1.01, 1e3], [*x, 1e3]) > 1e-8


def test_small_numbers_differ_absolutely() -> None:
    """Small numbers are compared absolutely: a difference of 1e-6 exceeds a tolerance of 1e-9."""
    assert difference([1e-6], [0.0]) == pytest.approx(1e-4)
    assert difference([1.01e-5], [1e-5]) == pytest.approx(1e-5, rel=1e-3)
