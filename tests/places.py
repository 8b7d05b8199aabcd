"""Folders of the repository."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent
"""Folder of the tests and of the modules that they share."""

ROOT = TESTS.parent
"""Folder of the repository."""


def model_text(path: Path) -> str:
    """Return the XML of a model in `models/`, with asset paths that work in any working directory."""
    return path.read_text(encoding="utf-8").replace('dir="assets/', f'dir="{path.parent.as_posix()}/assets/')
