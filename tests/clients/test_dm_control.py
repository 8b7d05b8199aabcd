"""dm_control's own tests pass with Conjoint if they pass with MuJoCo."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path

import pytest

from clients.beside import PACKAGES, needs, run_client
from opengl import why_not

pytestmark = needs("dm_control", "mock")

FILES = {
    "engine": ("mujoco", "_render", "rl", "utils", "viewer"),
    "mjcf": ("mjcf",),
    "suite": ("suite",),
    "composer": ("composer", "entities"),
    "walkers": ("locomotion/walkers", "locomotion/arenas", "locomotion/props", "locomotion/mocap", "locomotion/soccer"),
    "tasks": ("locomotion/tasks", "locomotion/examples", "manipulation"),
}
"""Test folders of dm_control, by group."""


def passed(package: str, folder: Path, written: Path, files: tuple[str, ...]) -> set[str]:
    """Return the names of the tests that pass."""
    # where there is no OpenGL, tests that draw fail with either package
    drawn_by = "disable" if why_not() else "egl"
    run_client(package, "pytest_program", written, folder, *files, timeout=3600, drawn_by=drawn_by)
    cases = list(ET.parse(written).iter("testcase"))
    return {f"{case.get('classname')}.{case.get('name')}" for case in cases if not list(case)}


@pytest.mark.slow
@pytest.mark.parametrize("group", FILES)
def test_what_passes_officially_passes(tmp_path: Path, group: str) -> None:
    found = find_spec("dm_control")
    assert found is not None and found.submodule_search_locations is not None
    folder = Path(found.submodule_search_locations[0])
    official, ours = (passed(package, folder, tmp_path / f"{package}.xml", FILES[group]) for package in PACKAGES)
    lost = official - ours
    assert len(official) > 10
    assert not lost, "\n".join(sorted(lost))
