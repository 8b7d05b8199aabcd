"""Parametrization of tests with many cases, most of which only run in `make nightly`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def mostly_nightly(cases: Iterable[Any], every_change: Iterable[Any]) -> list[Any]:
    """Return test parameters: the cases in `every_change` always run, the others only nightly."""
    kept = list(every_change)
    return [case if case in kept else pytest.param(case, marks=pytest.mark.nightly) for case in cases]
