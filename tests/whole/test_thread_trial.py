"""In fresh processes, sixteen threads use the engine for the first time at once (`thread_trial`)."""

from __future__ import annotations

import os

import pytest

from conjoint.lang.calls.compiled import jit_enabled
from thread_trial import ends

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")

PROCESSES = int(os.environ.get("CONJOINT_THREAD_TRIALS", "1"))
"""Fresh processes, one after the other."""


def ended_well(outcomes: dict[str, int], count: int) -> None:
    """Assert that all processes found the same numbers."""
    assert list(outcomes.values()) == [count], outcomes
    assert next(iter(outcomes)).startswith("batch="), outcomes


@pytest.mark.slow
def test_sixteen_threads_at_first_use() -> None:
    """Sixteen threads start with a warm cache, which an earlier process filled."""
    ended_well(ends(PROCESSES, cold=False), PROCESSES)


@pytest.mark.nightly
def test_sixteen_threads_with_a_cache_that_lacks_objects() -> None:
    """With an incomplete cache, sixteen threads all wait for the one that compiles."""
    ended_well(ends(1, cold=True), 1)
