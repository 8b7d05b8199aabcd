"""Recorded durations of test files: the longest start first, so that all processors are busy until the end.

`make durations` records them again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
RECORD = FOLDER / "durations.json"

_seconds: defaultdict[str, float] = defaultdict(float)
"""Time (s) of the tests that have run, by file."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the command-line option that records durations."""
    parser.addoption("--record-durations", action="store_true", help=f"write {RECORD.name} anew")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort tests by the recorded durations of their files; files without a record come first."""
    known = json.loads(RECORD.read_text())
    files = {item.path: known.get(_name(item.path), float("inf")) for item in items}
    items.sort(key=lambda item: -files[item.path])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add the duration of a test to that of its file."""
    _seconds[report.nodeid.split("::")[0].removeprefix(f"{FOLDER.name}/")] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the durations if the option is set; only the process that receives all reports does."""
    if session.config.getoption("record_durations") and not hasattr(session.config, "workerinput"):
        known = {name: round(seconds, 1) for name, seconds in _seconds.items()}
        RECORD.write_text(json.dumps(dict(sorted(known.items(), key=lambda row: (-row[1], row[0]))), indent=0) + "\n")


def _name(path: Path) -> str:
    """Return the key of a test file in the record."""
    return path.relative_to(FOLDER).as_posix() if path.is_relative_to(FOLDER) else path.name
