"""Client programs with conflicting MuJoCo versions match MuJoCo's numbers, each in its own environment."""

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
"""Program of each environment, and the minimum number of its tasks."""

TOLERANCES = {
    # The puck, a cylinder, has a single contact on the table, whose position is that of an iterative search. Versions
    # 3.3.0 and 3.3.5 differ as much.
    "reach-v3": 3e-3, "push-v3": 3e-3, "pick-place-v3": 3e-3,
    # contact positions of the egg, an ellipsoid, come from an iterative search
    "HandManipulateEgg-v1": 1e-4,
}  # fmt: skip
"""Maximum relative difference of the first steps, for tasks that need more than 4e-6."""


def made(name: str) -> Path:
    """Return the path of an environment's interpreter; skip the test if the environment is missing."""
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
    """The newest mink computes the same configurations as with MuJoCo, and the distance to the target decreases."""
    python, file = made("mink"), Path(__file__).parent.parent.parent / "models" / f"{model}.xml"
    for package in PACKAGES:
        run_client(package, "mink_program", file, tmp_path / f"{package}.npy", python=python)
    official, ours = (np.load(tmp_path / f"{package}.npy") for package in PACKAGES)
    np.testing.assert_allclose(ours, official, atol=1e-7)
    errors = np.linalg.norm(ours[:, -6:], axis=1)
    assert errors[-1] < 0.2 * errors[0]


def test_every_environment_is_used() -> None:
    assert {*PROGRAMS, "mink"} == set(ENVIRONMENTS)
