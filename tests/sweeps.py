"""Sweeps over many cases: every change runs a few, `make nightly` the rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def mostly_nightly(cases: Iterable[Any], every_change: Iterable[Any]) -> list[Any]:
    """Return test parameters: those of `every_change` run always, the others nightly."""
    kept = list(every_change)
    return [case if case in kept else pytest.param(case, marks=pytest.mark.nightly) for case in cases]
