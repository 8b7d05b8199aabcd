"""Gymnasium's RecordVideo records batched environments without OpenGL."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import pytest
from gymnasium.wrappers import vector as wrappers

from clients.beside import needs

pytestmark = needs("moviepy")


@pytest.fixture
def without_opengl(monkeypatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "disable")


@pytest.mark.parametrize("vector", [False, True])
def test_episodes_are_filmed(tmp_path: Path, without_opengl, vector: bool) -> None:
    options = {"render_mode": "rgb_array", "width": 64, "height": 48}
    if vector:
        film = wrappers.RecordVideo(
            gymnasium.make_vec("conjoint.envs:conjoint/CartPole-v0", num_envs=2, **options),
            str(tmp_path),
            video_length=4,
        )
    else:
        env = gymnasium.make("conjoint.envs:conjoint/CartPole-v0", **options)
        film = gymnasium.wrappers.RecordVideo(env, str(tmp_path), video_length=4)
    film.reset(seed=0)
    for _ in range(6):
        film.step(film.action_space.sample())
    film.close()
    assert [path.suffix for path in tmp_path.iterdir()] == [".mp4"]
