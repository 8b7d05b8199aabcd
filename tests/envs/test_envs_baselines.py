"""`StableBaselinesEnv` with a stub of stable-baselines3, which is not needed; tests/clients use the real package."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from conjoint.lang.calls.compiled import jit_enabled

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="batches of many steps: compiled only")


class VecEnv:
    """Stub of the base class of vector environments in stable-baselines3."""

    def __init__(self, num_envs: int, observation_space: Any, action_space: Any):
        self.num_envs, self.observation_space, self.action_space = num_envs, observation_space, action_space
        self._reset_seeds()
        self._reset_options()

    def _reset_seeds(self) -> None:
        self._seeds = [None] * self.num_envs

    def _reset_options(self) -> None:
        self._options: list[dict] = [{} for _ in range(self.num_envs)]

    def _get_indices(self, indices: Any) -> Any:
        return range(self.num_envs) if indices is None else [indices] if isinstance(indices, int) else indices

    def seed(self, seed: int) -> None:
        self._seeds = [seed + k for k in range(self.num_envs)]

    def set_options(self, options: dict) -> None:
        self._options = [options] * self.num_envs

    def step(self, actions: np.ndarray) -> Any:
        self.step_async(actions)
        return self.step_wait()


@pytest.fixture
def worlds(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the `StableBaselinesEnv` class, imported with a stub of stable-baselines3."""
    name = "stable_baselines3.common.vec_env"
    for k, part in enumerate(parts := name.split(".")):
        module = ModuleType(part)
        module.VecEnv = VecEnv
        monkeypatch.setitem(sys.modules, ".".join(parts[: k + 1]), module)
    monkeypatch.delitem(sys.modules, "conjoint.envs.stable_baselines", raising=False)
    from conjoint.envs.stable_baselines import StableBaselinesEnv

    monkeypatch.delitem(sys.modules, "conjoint.envs.stable_baselines")
    return StableBaselinesEnv


def test_episodes_end_as_it_expects(worlds) -> None:
    """Only worlds whose episodes ended have a final observation, a truncation flag and episode statistics."""
    envs = worlds("cartpole", 3, max_episode_steps=4)
    assert envs.observation_space.shape == (4,) and envs.num_envs == 3
    first = envs.reset()
    assert len(envs.reset_infos) == 3
    for k in range(4):
        if k == 2:
            envs.envs.batch.qpos[1, 1] = 0.5
        observations, rewards, over, infos = envs.step(np.full((3, 1), 0.5, np.float32))
        assert rewards.dtype == np.float32 and rewards.shape == (3,)
        if k == 2:
            assert over.tolist() == [False, True, False] and "terminal_observation" not in infos[0]
            assert infos[1]["TimeLimit.truncated"] is False and infos[1]["terminal_observation"][1] > 0.4
            assert abs(observations[1, 1]) < 0.1
    assert over.tolist() == [True, False, True] and infos[0]["TimeLimit.truncated"] is True
    assert not np.array_equal(infos[0]["terminal_observation"], observations[0])
    assert np.abs(observations - first).max() < 1


def test_actions_are_taken_and_seeds_hold_for_one_reset(worlds) -> None:
    envs = worlds("cartpole", 2)
    envs.seed(5)
    first = envs.reset()
    pushed = envs.step(np.array([[1.0], [-1.0]]))[0] - first
    assert pushed[0, 2] > 0 > pushed[1, 2]
    assert not np.array_equal(envs.reset(), first)
    envs.seed(5)
    assert np.array_equal(envs.reset(), first)
    envs.set_options({"level": 1})
    with pytest.raises(ValueError, match="no level 1"):
        envs.reset()


def test_attributes_and_pictures(worlds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "disable")
    envs = worlds("cartpole", 2, render_mode="rgb_array", width=16, height=12)
    envs.reset()
    assert [picture.shape for picture in envs.get_images()] == [(12, 16, 3)] * 2
    assert envs.get_attr("num_envs") == [2, 2] and envs.get_attr("num_envs", [0]) == [2]
    envs.set_attr("max_steps", 7)
    assert envs.envs.max_steps == 7 and envs.env_is_wrapped(object, [1]) == [False]
    assert len(envs.env_method("render", indices=[1])) == 1
    with pytest.raises(ValueError, match="for all of them"):
        envs.set_attr("max_steps", 3, [0])
    envs.close()
    blind = worlds("cartpole", 2)
    blind.reset()
    with pytest.warns(UserWarning, match="render_mode"):
        assert blind.get_images() == [None, None]
