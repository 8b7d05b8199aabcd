#!/usr/bin/env python3
"""Append the results of `make clients` to a page: date, commit, versions of the clients, and test results.

Usage: record_clients.py RESULTS.xml PAGE.md

RESULTS.xml is the output of `pytest --junitxml`. The page shows when a test began to fail, and with which versions.
"""

import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = "# Programs of others\n\nResults of `make clients`, the latest last.\n"


def clients() -> Iterator[str]:
    """Yield the name and version of Conjoint, MuJoCo and every package of the extra `clients`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = ["conjoint", "mujoco", "gymnasium", *project["optional-dependencies"]["clients"], "playground"]
    for name in dict.fromkeys(re.split(r"[\[<>=!]", item)[0] for item in wanted):
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield f"{name} (not installed)"


def outcome(results: Path) -> tuple[str, list[str]]:
    """Return the numbers of passed, failed and skipped tests as text, and the names of the failed tests."""
    cases = [*ElementTree.parse(results).iter("testcase")]
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skipped = sum(case.find("skipped") is not None for case in cases)
    names = [f"{case.get('classname')}::{case.get('name')}" for case in failed]
    return f"{len(cases) - len(failed) - skipped} passed, {len(failed)} failed, {skipped} skipped", names


def entry(results: Path, commit: str, now: datetime) -> str:
    """Return the page section that reports one test run."""
    counts, failed = outcome(results)
    lines = ["", f"## {now:%Y-%m-%d %H:%M} UTC, commit {commit}: {counts}", "", ", ".join(clients()) + "."]
    lines += ["", *(f"* failed: `{name}`" for name in failed)] if failed else []
    return "\n".join(lines) + "\n"


def main(results: str, page: str) -> None:
    """Append the section about a test run to the page, and print it."""
    named = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    before = Path(page).read_text(encoding="utf-8") if Path(page).exists() else HEAD
    added = entry(Path(results), named.stdout.strip() or "unknown", datetime.now(UTC))
    Path(page).write_text(before + added, encoding="utf-8")
    print(added)


if __name__ == "__main__":
    main(*sys.argv[1:])
