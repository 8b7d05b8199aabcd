"""stable-baselines3 learns with a batch of worlds, and its own wrappers work."""

from __future__ import annotations

import numpy as np
import pytest

from clients.beside import needs

pytestmark = needs("stable_baselines3")


@pytest.fixture
def worlds():
    from conjoint.envs.stable_baselines import StableBaselinesEnv

    return StableBaselinesEnv


def test_it_learns_to_balance(worlds) -> None:
    from stable_baselines3 import PPO
    from stable_baselines3.common.evaluation import evaluate_policy
    from stable_baselines3.common.vec_env import VecMonitor

    envs = VecMonitor(worlds("cartpole", 16))
    model = PPO("MlpPolicy", envs, n_steps=64, learning_rate=1e-3, seed=0, device="cpu")
    before, _ = evaluate_policy(model, envs, n_eval_episodes=10)
    model.learn(12_000)
    after, _ = evaluate_policy(model, envs, n_eval_episodes=10)
    assert after > 3 * before


def test_episodes_end_as_it_expects(worlds) -> None:
    """Each world reports the last observation and the truncation of its episode, and the reward terms."""
    envs = worlds("hopper", 3, max_episode_steps=4)
    envs.seed(5)
    first = envs.reset()
    for _ in range(4):
        observations, rewards, over, infos = envs.step(np.zeros((3, 3)))
    assert over.all() and rewards.dtype == np.float32
    for k, info in enumerate(infos):
        assert info["TimeLimit.truncated"] and "reward_forward" in info
        assert not np.array_equal(info["terminal_observation"], observations[k])
    envs.seed(5)
    assert np.array_equal(envs.reset(), first)


def test_pictures_and_attributes(worlds) -> None:
    envs = worlds("cartpole", 2, render_mode="rgb_array", width=32, height=24)
    envs.reset()
    assert [image.shape for image in envs.get_images()] == [(24, 32, 3)] * 2
    assert envs.render().ndim == 3 and envs.get_attr("num_envs", [0]) == [2]
    with pytest.raises(ValueError, match="for all of them"):
        envs.set_attr("max_steps", 3, [0])
    envs.close()
