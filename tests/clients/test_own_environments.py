"""Client programs that need conflicting MuJoCo versions, each in its own environment, match MuJoCo's digits."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from clients.beside import PACKAGES, run_client
from clients.environments import ENVIRONMENTS, python_of
from conjoint.lang.calls.compiled import jit_enabled

PROGRAMS = {
    "metaworld": ("metaworld_program", 10),
    "dm_control": ("control_program", 19),
    "gymnasium_robotics": ("families_program", 16),
    "robosuite": ("robosuite_program", 9),
    "mjlab": ("mjlab_program", 1),
}
"""The program of each environment, and how many tasks it runs."""

TOLERANCES = {
    # the puck is a cylinder on a table with one contact, whose place is where a search ended: 3.3.0 and 3.3.5 differ so
    "reach-v3": 3e-3, "push-v3": 3e-3, "pick-place-v3": 3e-3,
    # contacts of the egg, an ellipsoid, lie where a search ended
    "HandManipulateEgg-v1": 1e-4,
}  # fmt: skip
"""The largest relative difference of the first steps, where it is not 4e-6."""


def made(name: str) -> Path:
    """Return an environment's interpreter; skip the test if the environment is missing."""
    python = python_of(name)
    if not python.exists() or not jit_enabled():
        pytest.skip(
            f"no environment out/clients/{name}: make clients" if jit_enabled() else "minutes of uncompiled steps"
        )
    return python


@pytest.mark.parametrize("name", PROGRAMS)
def test_first_steps(tmp_path: Path, name: str) -> None:
    python, (program, count) = made(name), PROGRAMS[name]
    files = [tmp_path / package for package in PACKAGES]
    for package, file in zip(PACKAGES, files, strict=True):
        run_client(package, program, file, python=python, timeout=1800)
    official, ours = (pickle.loads(file.read_bytes()) for file in files)
    assert len(official) >= count
    away = {}
    for task, rows in official.items():
        difference = np.abs(ours[task] - rows).max() / max(1.0, np.abs(rows).max())
        if not difference <= TOLERANCES.get(task, 4e-6):
            away[task] = difference
    assert not away


@pytest.mark.parametrize("model", ["quadruped", "humanoid"])
def test_inverse_kinematics(tmp_path: Path, model: str) -> None:
    """The newest mink finds the same configurations, and the target comes nearer."""
    python, file = made("mink"), Path(__file__).parent.parent.parent / "models" / f"{model}.xml"
    for package in PACKAGES:
        run_client(package, "mink_program", file, tmp_path / f"{package}.npy", python=python)
    official, ours = (np.load(tmp_path / f"{package}.npy") for package in PACKAGES)
    np.testing.assert_allclose(ours, official, atol=1e-7)
    errors = np.linalg.norm(ours[:, -6:], axis=1)
    assert errors[-1] < 0.2 * errors[0]


def test_every_environment_is_used() -> None:
    assert {*PROGRAMS, "mink"} == set(ENVIRONMENTS)
