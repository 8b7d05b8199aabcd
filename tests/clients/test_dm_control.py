"""dm_control's own tests that need no rendering: what passes with the official package passes with this one."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path

import pytest

from clients.beside import PACKAGES, needs, run_client

pytestmark = needs("dm_control", "mock")
LEAST_SHARE = 0.95
"""Of the tests that pass with the official package."""

FILES = {
    "engine": ("mujoco/engine_test.py", "mujoco/index_test.py", "mujoco/wrapper", "mujoco/math_test.py"),
    "mjcf": ("mjcf",),
    "suite": ("suite",),
    "composer": ("composer", "entities"),
    "walkers": ("locomotion/walkers", "locomotion/arenas", "locomotion/props"),
    "tasks": ("locomotion/tasks", "manipulation"),
}
"""Test files by group."""

KNOWN = {
    "test_full_debug_dump", "test_physics_error_message_in_debug_mode",
}  # fmt: skip
"""Tests that look for the official words about the line of a mistake ("line 12"; ours is file:12:column)."""


def passed(package: str, folder: Path, written: Path, files: tuple[str, ...]) -> set[str]:
    """Names of the tests that pass."""
    run_client(package, "pytest_program", written, folder, *files, timeout=1200)
    cases = list(ET.parse(written).iter("testcase"))
    return {f"{case.get('classname')}.{case.get('name')}" for case in cases if not list(case)}


@pytest.mark.slow
@pytest.mark.parametrize("group", FILES)
def test_what_passes_officially_passes(tmp_path: Path, group: str) -> None:
    found = find_spec("dm_control")
    assert found is not None and found.submodule_search_locations is not None
    folder = Path(found.submodule_search_locations[0])
    official, ours = (passed(package, folder, tmp_path / f"{package}.xml", FILES[group]) for package in PACKAGES)
    lost = {name for name in official - ours if name.rpartition(".")[2] not in KNOWN}
    assert len(official) > 10
    assert not lost, "\n".join(sorted(lost))
    assert len(official & ours) >= LEAST_SHARE * len(official)
