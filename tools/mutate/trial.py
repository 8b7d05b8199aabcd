"""Copy of the project, in which mutations are tried, and in which the code that each test reaches is recorded."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .mutation import Mutation
from .rooms import files_of

COPIED = (
    "src", "tests", "tools", "models", "benchmarks", "docs", "examples", "pyproject.toml", "hatch_build.py",
    "hatch_stubs.py", "mkdocs.yml", "README.md", "CHANGELOG.md", "Makefile",
)  # fmt: skip
MODES = ("plain", "compiled")


@dataclass(frozen=True)
class Verdict:
    """Result of trying a mutation: the first failed test (None if all tests passed), and the duration (s)."""

    noticed_by: str | None
    seconds: float


class Trial:
    """Copy of the project under `folder`; all copies there share the test records and a cache of compiled kernels.

    Args:
        root: folder of the project.
        folder: folder of the copies, created if it is missing.
        budget: longest time for the tests of one mutation (s).
        words: words that select test files: a file name must contain at least one of them; empty to select all.
        index: number of this copy.
    """

    def __init__(self, root: Path, folder: Path, budget: float, words: Sequence[str] = (), index: int = 0):
        folder = folder.resolve()
        self.tree, self.budget, self.words = folder / f"tree{index}", budget, words
        self.cache = Path(os.environ.get("CONJOINT_CACHE_DIR", folder / "cache"))
        self.bytecode = folder / "bytecode"
        self.records = {mode: folder / f"reached-{mode}" for mode in MODES}
        self._known: dict[Path, dict[str, Any]] = {}
        shutil.rmtree(self.tree, ignore_errors=True)
        self.tree.mkdir(parents=True)
        for name in COPIED:
            copy = shutil.copytree if (root / name).is_dir() else shutil.copy
            copy(root / name, self.tree / name)

    @property
    def source(self) -> Path:
        """Return the folder that contains the package's source in the copy of the project."""
        return self.tree / "src" / "conjoint"

    def test_files(self, room: str) -> list[str]:
        """Return the paths of a room's test files, relative to the project."""
        found = files_of(self.tree / "tests", room)
        return [f"tests/{name}" for name in found if not self.words or any(word in name for word in self.words)]

    def record(self, changes: dict[str, list[Mutation]], jobs: int = 1) -> None:
        """Record which code the test files of the given rooms reach; skip test files whose record is up to date."""
        wanted = set()
        for room, of_room in changes.items():
            modes = MODES if any(change.kernel for change in of_room) else ("compiled",)
            wanted.update((mode, file) for mode in modes for file in self.test_files(room))
        missing = [(mode, file) for mode, file in sorted(wanted) if self._outdated(mode, file)]

        def record(mode: str, file: str) -> None:
            print(f"recording {file}, {mode}", file=sys.stderr)
            target = self._record_of(mode, file)
            target.parent.mkdir(exist_ok=True)
            failed = self._pytest(mode, [file, "-p", "tools.mutate.record"], 900, {"MUTATE_RECORD": str(target)})
            if failed or not target.exists():
                print(f"{failed or file}, {mode}, fails unchanged or takes too long: left out", file=sys.stderr)

        with ThreadPoolExecutor(jobs) as pool:
            for _ in pool.map(lambda row: record(*row), missing):
                pass

    def _record_of(self, mode: str, file: str) -> Path:
        """Return the path of the file that records which code a test file reaches."""
        return self.records[mode] / f"{file.removeprefix('tests/').removesuffix('.py').replace('/', '-')}.json"

    def _outdated(self, mode: str, file: str) -> bool:
        """Return True if a test file has no record, or has changed since it was recorded."""
        target = self._record_of(mode, file)
        return not target.exists() or target.stat().st_mtime < (self.tree / file).stat().st_mtime

    def reaching(self, room: str, change: Mutation) -> list[tuple[str, dict[str, float]]]:
        """Return the tests of a room that reach the mutation, with their durations (s), by mode and fastest first.

        For kernels, these are single tests with uncompiled kernels, then whole test files with compiled kernels, since
        each file compiles the kernel anew. For ordinary code, they are single tests. If no test is known to reach the
        mutation, as for default values and tables of a module, they are the tests that reach any code of the same file.
        """
        for place in (change.place, f"{change.path}:*"):
            found = {
                mode: self._reaching(mode, room, change.kernel, place)
                for mode in (MODES if change.kernel else ("compiled",))
            }
            if any(found.values()):
                break
        return [(mode, dict(sorted(tests.items(), key=lambda row: row[1]))) for mode, tests in found.items()]

    def _reaching(self, mode: str, room: str, kernel: bool, wanted: str) -> dict[str, float]:
        """Return the tests that reach a location, with their durations (s); for compiled kernels, whole test files.

        A location that ends in "*" stands for all locations with this prefix.
        """
        found = {}
        for file in self.test_files(room):
            record = self._recorded(mode, file)
            numbers = {
                k
                for k, place in enumerate(record["places"])
                if place == wanted or (wanted[-1] == "*" and place.startswith(wanted[:-1]))
            }
            passed = {test: row for test, row in record["tests"].items() if row["passed"]}
            tests = {test: row["seconds"] for test, row in passed.items() if not numbers.isdisjoint(row["reached"])}
            if kernel and mode == "compiled":
                tests = {file: sum(row["seconds"] for row in passed.values())} if tests else {}
            found.update(tests)
        return found

    def _recorded(self, mode: str, file: str) -> dict[str, Any]:
        """Return the record of a test file: the locations that it reaches, and the results of its tests."""
        target = self._record_of(mode, file)
        if target not in self._known:
            self._known[target] = json.loads(target.read_text()) if target.exists() else {"places": [], "tests": {}}
        return self._known[target]

    def judge(self, room: str, change: Mutation) -> Verdict:
        """Apply a mutation, run the tests that reach it until one fails, and return the verdict."""
        file = self.source / change.path
        original = file.read_text()
        began = time.monotonic()
        file.write_text(change.applied(original))
        try:
            for mode, tests in self.reaching(room, change):
                for group in self._groups(mode, change.kernel, tests):
                    left = self.budget - (time.monotonic() - began)
                    if left > 0:
                        expected = sum(tests.get(test, 0.0) for test in group)
                        failed = self._pytest(mode, ["-x", *group], left, expected=expected)
                        if failed:
                            return Verdict(f"{failed} ({mode})", time.monotonic() - began)
        finally:
            file.write_text(original)
        return Verdict(None, time.monotonic() - began)

    def _groups(self, mode: str, kernel: bool, tests: dict[str, float]) -> Iterable[list[str]]:
        """Return groups of tests, each to be run in one process.

        A group is a whole test file, or the fastest tests that fit into a third of the time budget. Tests that failed
        without the mutation are left out.
        """
        if kernel and mode == "compiled":
            return [[file, *self._left_out(mode, file)] for file in tests]
        ends = itertools.accumulate(tests.values())
        fitting = [test for test, end in zip(tests, ends, strict=True) if end <= self.budget / 3]
        return [fitting] if fitting else []

    def _left_out(self, mode: str, file: str) -> list[str]:
        """Return the pytest options that deselect the tests of a file that failed without the mutation."""
        return [f"--deselect={test}" for test, row in self._recorded(mode, file)["tests"].items() if not row["passed"]]

    def _pytest(
        self,
        mode: str,
        arguments: Sequence[str],
        seconds: float,
        more: dict[str, str] | None = None,
        expected: float | None = None,
    ) -> str | None:
        """Run tests in the copy; return the first failed test, or None if none failed in `seconds`.

        Tests that take far longer than `expected` (s) hang, which counts as a failure.
        """
        patience = float("inf") if expected is None else 60.0 + 10.0 * expected
        marks = "not slow and not nightly" + (" and plain and not compiled_only" if mode == "plain" else "")
        command = [sys.executable, "-m", "pytest", "-q", "-m", marks, "-p", "no:cacheprovider", *arguments]
        variables = {
            "PYTHONPATH": f"{self.tree / 'src'}{os.pathsep}{self.tree}", "CONJOINT_CACHE_DIR": str(self.cache),
            "CONJOINT_JIT": "0" if mode == "plain" else "1", "PYTHONPYCACHEPREFIX": str(self.bytecode),
            "PYTHONDONTWRITEBYTECODE": "", **(more or {}),
        }  # fmt: skip
        try:
            ran = subprocess.run(
                command, cwd=self.tree, env=os.environ | variables, capture_output=True, text=True,
                timeout=min(seconds, patience),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            last = [argument for argument in arguments if not argument.startswith("-")][-1]
            return f"{last} hangs" if patience < seconds else None
        failures = [line for line in ran.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        if failures:
            return failures[0].split()[1].rsplit("/", 1)[-1]
        if ran.returncode == 4:
            raise RuntimeError(f"pytest cannot run {' '.join(arguments)}: {ran.stderr}")
        # pytest ends with 0 if all tests passed, and with 5 if no test was selected
        return None if ran.returncode in (0, 5) else f"pytest ended with {ran.returncode}"
