"""Folders of the repository."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent
"""Folder of the tests, which holds the modules that they share."""

ROOT = TESTS.parent
"""Folder of the repository."""
