"""Sixteen threads of a fresh process use the engine for the first time at the same moment (`thread_trial`)."""

from __future__ import annotations

import os

import pytest

from conjoint.lang.calls.compiled import jit_enabled
from thread_trial import ends

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")

PROCESSES = int(os.environ.get("CONJOINT_THREAD_TRIALS", "1"))
"""Number of fresh processes, which run one after the other."""


def ended_well(outcomes: dict[str, int], count: int) -> None:
    """Check that all processes found the same numbers."""
    assert list(outcomes.values()) == [count], outcomes
    assert next(iter(outcomes)).startswith("batch="), outcomes


@pytest.mark.slow
def test_sixteen_threads_at_first_use() -> None:
    """Sixteen threads find the same numbers with a cache that an earlier process has filled."""
    ended_well(ends(PROCESSES, cold=False), PROCESSES)


@pytest.mark.nightly
def test_sixteen_threads_with_a_cache_that_lacks_objects() -> None:
    """Sixteen threads find the same numbers with an incomplete cache: all of them wait for the one that compiles."""
    ended_well(ends(1, cold=True), 1)
