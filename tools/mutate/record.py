"""Pytest plugin that records which code each test reaches, to choose the tests for a mutation.

Functions of ordinary Python and uncompiled kernels are recorded when they are called. If kernels are compiled, all
kernels of a loaded unit are recorded.
"""

from __future__ import annotations

import ast
import builtins
import json
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from .mutation import functions

PACKAGE = "conjoint"
MARK = "reached_by_this_test"
"""Name of a function, added to `builtins`, that instrumented functions call with their location."""

reached: dict[str, set[str]] = {}
seconds: dict[str, float] = {}
failed: set[str] = set()
current: set[str] = set()


class MarkingLoader(SourceFileLoader):
    """Module loader that inserts into each function, except kernels, a call that records it for the current test."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path))
        for name, kernel, node in functions(tree):
            if not kernel:
                call = ast.parse(f"{MARK}({f'{inside(path)}:{name}'!r})").body[0]
                # insert the call after a docstring, with the number of an existing line
                at = int(ast.get_docstring(node, clean=False) is not None)
                line = node.body[min(at, len(node.body) - 1)]
                node.body.insert(at, ast.copy_location(call, line))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


class MarkingFinder(MetaPathFinder):
    """Module finder that loads the modules of the package with `MarkingLoader`."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname.partition(".")[0] != PACKAGE:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = MarkingLoader(spec.loader.name, spec.loader.path)
        return spec


def inside(path: str) -> str:
    """Return a file's path relative to the package."""
    return path.rpartition(f"/src/{PACKAGE}/")[2]


def place_of(item: Any) -> str:
    """Return the location ("path:function") of a kernel or formula."""
    code = item.function.__code__
    return f"{inside(code.co_filename)}:{code.co_qualname}"


def add_kernels(item: Any, places: set[str], seen: set[int]) -> None:
    """Add the locations of a kernel or formula to `places`, and those of all kernels and formulas that it refers to.

    References through groups and tuples count, too.
    """
    from conjoint.lang.language.formula import Formula
    from conjoint.lang.language.group import Group
    from conjoint.lang.language.kernel import Kernel
    from conjoint.lang.language.name import value_of

    named: list[Any] = []
    if isinstance(item, tuple):
        named += item
    elif isinstance(item, Group):
        named += item.members.values()
    elif isinstance(item, Kernel | Formula) and id(item) not in seen:
        seen.add(id(item))
        places.add(place_of(item))
        known, called = item.function.__globals__, item.function.__code__.co_names
        named += item.names.values() if isinstance(item, Kernel) else [known[name] for name in called if name in known]
    for other in named:
        add_kernels(value_of(other), places, seen)


def _record_kernels() -> None:
    """Make kernels and formulas record themselves for the current test when they are called or loaded."""
    from conjoint.lang.calls import compiled
    from conjoint.lang.language.formula import Formula
    from conjoint.lang.language.kernel import Kernel

    for kind in (Kernel, Formula):
        original: Any = kind.__call__

        def call(self: Any, *args: Any, original: Any = original) -> Any:
            current.add(place_of(self))
            return original(self, *args)

        kind.__call__ = call  # type: ignore[method-assign]

    load = compiled.load

    def recorded(units: Sequence[Any], *args: Any, **options: Any) -> Any:
        seen: set[int] = set()
        for unit in units:
            add_kernels(unit.kernel, current, seen)
        return load(units, *args, **options)

    compiled.load = recorded


def pytest_configure() -> None:
    if PACKAGE in sys.modules:
        raise RuntimeError(f"{PACKAGE} was imported before its functions could be marked")
    setattr(builtins, MARK, current.add)
    sys.meta_path.insert(0, MarkingFinder())
    assert find_spec(PACKAGE)
    _record_kernels()


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
    places = sorted(set().union(*reached.values()))
    number = {place: k for k, place in enumerate(places)}
    tests = {
        test: {
            "passed": test not in failed,
            "seconds": round(seconds.get(test, 0.0), 3),
            "reached": sorted(number[place] for place in found),
        }
        for test, found in reached.items()
    }
    Path(os.environ["MUTATE_RECORD"]).write_text(json.dumps({"places": places, "tests": tests}))
