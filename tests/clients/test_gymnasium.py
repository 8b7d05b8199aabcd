"""Gymnasium's environments (v5) pass its checks, with MuJoCo's observations and rewards."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clients.beside import needs, run_client

pytestmark = needs("gymnasium")
NAMES = (
    "Ant-v5", "HalfCheetah-v5", "Hopper-v5", "Humanoid-v5", "HumanoidStandup-v5", "InvertedDoublePendulum-v5",
    "InvertedPendulum-v5", "Pusher-v5", "Reacher-v5", "Swimmer-v5", "Walker2d-v5",
)  # fmt: skip
TOLERANCE = 1e-6
"""Maximum difference from MuJoCo's results after a step of up to 25 timesteps, relative to the largest number or 1."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the results of the client program with MuJoCo and with Conjoint, from the same states."""
    folder: Path = tmp_path_factory.mktemp("gymnasium")
    theirs, ours = folder / "official", folder / "ours"
    run_client("mujoco", "gymnasium_program", "", theirs)
    run_client("conjoint", "gymnasium_program", theirs, ours)
    return pickle.loads(theirs.read_bytes()), pickle.loads(ours.read_bytes())


def test_all_environments_are_compared(results: tuple) -> None:
    assert set(NAMES) == results[0].keys() == results[1].keys()


@pytest.mark.parametrize("name", NAMES)
def test_steps_from_the_same_states(results: tuple, name: str) -> None:
    theirs, ours = (each[name]["steps"] for each in results)
    assert len(theirs) == len(ours) == 100
    for i, (official, mine) in enumerate(zip(theirs, ours, strict=True)):
        for expected, found in zip(official[2:4], mine[2:4], strict=True):
            scale = max(1.0, np.abs(expected).max())
            np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE * scale, err_msg=f"step {i}")
        assert official[4] == mine[4]


@pytest.mark.parametrize("name", NAMES)
def test_random_steps(results: tuple, name: str) -> None:
    """A thousand random steps give finite numbers; they are not compared, because chaotic motion diverges from MuJoCo's."""
    assert all(each[name]["finite"] for each in results)
