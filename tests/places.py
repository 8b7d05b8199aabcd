"""Folders of the repository."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent
"""Folder of the tests, which holds the modules that they share."""

ROOT = TESTS.parent
"""Folder of the repository."""


def model_text(path: Path) -> str:
    """Return the text of a model in `models/`, whose assets are found from every folder."""
    return path.read_text(encoding="utf-8").replace('dir="assets/', f'dir="{path.parent.as_posix()}/assets/')
