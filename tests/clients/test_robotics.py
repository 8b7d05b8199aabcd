"""Gymnasium-Robotics tasks and mink's inverse kinematics give MuJoCo's results."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clients.beside import PACKAGES, needs, run_client

MODELS = Path(__file__).parent.parent.parent / "models"
TASKS = {
    "FetchReach-v4": 1e-6, "FetchPush-v4": 1e-6, "FetchSlide-v4": 1e-6, "FetchPickAndPlace-v4": 1e-6,
    "HandReach-v3": 1e-6, "HandManipulateBlock-v1": 1e-6, "HandManipulateEgg-v1": 1e-4, "HandManipulatePen-v1": 1e-6,
    "AdroitHandDoor-v1": 1e-6, "AdroitHandHammer-v1": 1e-6, "AntMaze_UMaze-v5": 1e-6, "PointMaze_UMaze-v3": 1e-6,
    "FrankaKitchen-v1": 1e-6,
}  # fmt: skip
"""Tasks, with the maximum relative difference of their first steps.

Contact positions of the egg, an ellipsoid, come from an iterative search. The tasks in the program's `MARGINS` have no
geom margins, for the reason given there.
"""


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Return the results of the client program with MuJoCo and with Conjoint."""
    files = [tmp_path_factory.mktemp("robotics") / package for package in PACKAGES]
    for package, file in zip(PACKAGES, files, strict=True):
        run_client(package, "robotics_program", file, *TASKS)
    return [pickle.loads(file.read_bytes()) for file in files]


@needs("gymnasium_robotics")
@pytest.mark.parametrize("name", TASKS)
def test_first_steps_of_tasks(tasks: list[dict[str, Any]], name: str) -> None:
    official, ours = (each[name] for each in tasks)
    np.testing.assert_allclose(ours, official, rtol=0, atol=TASKS[name] * max(1.0, np.abs(official).max()))


@needs("mink", "daqp")
@pytest.mark.parametrize("model", ["quadruped", "humanoid"])
def test_inverse_kinematics(tmp_path: Path, model: str) -> None:
    """mink computes the same configurations as with MuJoCo, and the distance to the target decreases."""
    files = [tmp_path / f"{package}.npy" for package in PACKAGES]
    for package, file in zip(PACKAGES, files, strict=True):
        run_client(package, "mink_program", MODELS / f"{model}.xml", file)
    official, ours = (np.load(file) for file in files)
    np.testing.assert_allclose(ours, official, atol=1e-7)
    errors = np.linalg.norm(ours[:, -6:], axis=1)
    assert errors[-1] < 0.2 * errors[0]
