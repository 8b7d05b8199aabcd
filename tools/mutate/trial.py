"""A copy of the project, in which tests are recorded and changes are tried."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .mutation import Mutation

COPIED = (
    "src", "tests", "tools", "models", "benchmarks", "docs", "examples", "pyproject.toml", "hatch_build.py",
    "mkdocs.yml", "README.md", "CHANGELOG.md", "Makefile",
)  # fmt: skip
NOT_FOR_KERNELS = (
    "mjcf",
    "saving",
    "spec",
    "urdf",
    "assets",
    "fuzz",
    "hostile",
    "cli",
    "composite",
    "binary",
    "lang",
    "frontend",
)
"""Words in names of test files that are not about the physics."""


@dataclass(frozen=True)
class Verdict:
    """What became of a change: the first test that failed, or none; and how long that took (s)."""

    noticed_by: str | None
    seconds: float


class Trial:
    """A copy of the project under `folder`; all copies there share a cache of compiled kernels and the records.

    Args:
        root: the project.
        folder: where it is, made if it is missing.
        budget: most seconds that tests may take for one change.
        words: of the test files, only those whose names have one of these; none for all.
        index: which copy this is.
    """

    def __init__(self, root: Path, folder: Path, budget: float, words: Sequence[str] = (), index: int = 0):
        self.tree, self.cache, self.budget, self.words = folder / f"tree{index}", folder / "cache", budget, words
        self.records = {mode: folder / f"reached-{mode}" for mode in ("plain", "compiled")}
        shutil.rmtree(self.tree, ignore_errors=True)
        self.tree.mkdir(parents=True)
        for name in COPIED:
            copy = shutil.copytree if (root / name).is_dir() else shutil.copy
            copy(root / name, self.tree / name)

    @property
    def source(self) -> Path:
        """The package in the copy."""
        return self.tree / "src" / "conjoint"

    def test_files(self) -> list[str]:
        """Test files that may reach kernels."""
        names = sorted(path.name for path in (self.tree / "tests").glob("test_*.py"))
        wanted = [name for name in names if not self.words or any(word in name for word in self.words)]
        return [f"tests/{name}" for name in wanted if not any(word in name for word in NOT_FOR_KERNELS)]

    def record(self, jobs: int = 1) -> None:
        """Write down which kernels every test file reaches, in both modes; what is newer than the file is kept."""
        wanted = []
        for mode, folder in self.records.items():
            folder.mkdir(exist_ok=True)
            for file in self.test_files():
                target = folder / f"{Path(file).stem}.json"
                changed = (self.tree / file).stat().st_mtime
                if not target.exists() or target.stat().st_mtime < changed:
                    wanted.append((mode, file, target))

        def record(mode: str, file: str, target: Path) -> None:
            print(f"recording {file}, {mode}", file=sys.stderr)
            self._pytest(mode, [file, "-p", "tools.mutate.record"], 900, {"MUTATE_RECORD": str(target)})

        with ThreadPoolExecutor(jobs) as pool:
            for _ in pool.map(lambda row: record(*row), wanted):
                pass

    def reaching(self, place: str) -> dict[str, dict[str, float]]:
        """Seconds of the tests that reach a kernel, the quickest first: single tests uncompiled, files compiled.

        Of a kernel that is newer than the records, those that reach any in the same file.
        """
        plain, compiled = self._reaching(lambda kernels: place in kernels)
        if not plain and not compiled:
            file = place.partition(":")[0] + ":"
            plain, compiled = self._reaching(lambda kernels: any(kernel.startswith(file) for kernel in kernels))
        return {"plain": _quickest(plain), "compiled": _quickest(compiled)}

    def _reaching(self, wanted: Callable[[list[str]], bool]) -> tuple[dict[str, float], dict[str, float]]:
        """Seconds of single tests uncompiled, and of files compiled, that reach wanted kernels."""
        plain, compiled = {}, {}
        for file in self.test_files():
            tests = self._recorded("plain", file)
            plain.update({test: row["seconds"] for test, row in tests.items() if wanted(row["kernels"])})
            tests = self._recorded("compiled", file)
            if any(wanted(row["kernels"]) for row in tests.values()):
                compiled[file] = sum(row["seconds"] for row in tests.values())
        return plain, compiled

    def _recorded(self, mode: str, file: str) -> dict[str, Any]:
        """What was written down of the tests of a file that pass."""
        return {test: row for test, row in self._rows(mode, file).items() if row["passed"]}

    def _rows(self, mode: str, file: str) -> dict[str, Any]:
        """What was written down of the tests of a file."""
        target = self.records[mode] / f"{Path(file).stem}.json"
        return json.loads(target.read_text()) if target.exists() else {}

    def judge(self, mutation: Mutation) -> Verdict:
        """Run the tests that reach a change until one fails."""
        file = self.source / mutation.path
        original = file.read_text()
        began = time.monotonic()
        file.write_text(mutation.applied(original))
        try:
            for mode, tests in self.reaching(mutation.place).items():
                for group in self._groups(mode, tests):
                    left = self.budget - (time.monotonic() - began)
                    if left > 0:
                        expected = sum(tests.get(test, 0.0) for test in group)
                        failed = self._pytest(mode, ["-x", *group], left, expected=expected)
                        if failed:
                            return Verdict(f"{failed} ({mode})", time.monotonic() - began)
        finally:
            file.write_text(original)
        return Verdict(None, time.monotonic() - began)

    def _groups(self, mode: str, tests: dict[str, float]) -> list[list[str]]:
        """What runs in one process: files alone; of single tests those that fit into a third of the time.

        Tests that fail anyway say nothing about a change.
        """
        if mode == "compiled" or not tests:
            return [[file, *self._left_out(mode, file)] for file in tests]
        ends = itertools.accumulate(tests.values())
        return [[test for test, end in zip(tests, ends, strict=True) if end <= self.budget / 3]]

    def _left_out(self, mode: str, file: str) -> list[str]:
        """Options that leave out the tests of a file that failed when they were recorded."""
        return [f"--deselect={test}" for test, row in self._rows(mode, file).items() if not row["passed"]]

    def _pytest(
        self,
        mode: str,
        arguments: Sequence[str],
        seconds: float,
        more: dict[str, str] | None = None,
        expected: float | None = None,
    ) -> str | None:
        """Run tests in the copy; the first that failed, None if there is none or the time is up before one did.

        Tests that take far longer than `expected` hang, which is a failure, too.
        """
        patience = float("inf") if expected is None else 60.0 + 10.0 * expected
        marks = "plain and not slow and not compiled_only" if mode == "plain" else "not slow"
        command = [sys.executable, "-m", "pytest", "-q", "-m", marks, "-p", "no:cacheprovider", *arguments]
        variables = {
            "PYTHONPATH": str(self.tree / "src"), "CONJOINT_CACHE_DIR": str(self.cache),
            "CONJOINT_JIT": "0" if mode == "plain" else "1", **(more or {}),
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
        # 0: all passed, 5: none was selected
        return None if ran.returncode in (0, 5) else f"pytest ended with {ran.returncode}"


def _quickest(tests: dict[str, float]) -> dict[str, float]:
    """Sorted by their times."""
    return dict(sorted(tests.items(), key=lambda row: row[1]))
