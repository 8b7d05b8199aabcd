"""Plugin of pytest that writes down which kernels each test reaches: the tests that a change of them must run.

Uncompiled, the kernels that are called count; compiled, all kernels in what is loaded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import conjoint
from conjoint.lang.calls import compiled
from conjoint.lang.language.formula import Formula
from conjoint.lang.language.kernel import Kernel

SOURCE = f"{Path(conjoint.__file__).parent}/"

reached: dict[str, set[str]] = {}
seconds: dict[str, float] = {}
failed: set[str] = set()
current: set[str] = set()


def place_of(item: Kernel | Formula) -> str:
    """File and qualified name of a kernel or formula."""
    code = item.function.__code__
    return f"{code.co_filename.removeprefix(SOURCE)}:{code.co_qualname}"


def _record_calls() -> None:
    """Let kernels and formulas that are called add themselves to the current test."""
    for kind in (Kernel, Formula):
        original: Any = kind.__call__

        def call(self: Any, *args: Any, original: Any = original) -> Any:
            current.add(place_of(self))
            return original(self, *args)

        kind.__call__ = call  # type: ignore[method-assign]


def _record_loads() -> None:
    """Let kernels that are loaded add themselves, with all that they call."""
    original = compiled.load

    def load(units: Iterable[Any]) -> Any:
        units = list(units)
        for unit in units:
            _add(unit.kernel, set())
        return original(units)

    compiled.load = load


def _add(item: Any, seen: set[int]) -> None:
    """Add a kernel or formula, and those that it names."""
    if isinstance(item, Kernel | Formula) and id(item) not in seen:
        seen.add(id(item))
        current.add(place_of(item))
        names = item.names if isinstance(item, Kernel) else item.function.__globals__
        called = item.function.__code__.co_names
        for name, other in names.items():
            if isinstance(item, Kernel) or name in called:
                _add(other, seen)


def pytest_configure() -> None:
    _record_calls()
    _record_loads()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    current.clear()
    yield
    reached[item.nodeid] = set(current)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    seconds[report.nodeid] = seconds.get(report.nodeid, 0.0) + report.duration
    if not report.passed:
        failed.add(report.nodeid)


def pytest_sessionfinish() -> None:
    tests = {
        test: {
            "passed": test not in failed,
            "seconds": round(seconds.get(test, 0.0), 3),
            "kernels": sorted(kernels),
        }
        for test, kernels in reached.items()
    }
    Path(os.environ["MUTATE_RECORD"]).write_text(json.dumps(tests))
