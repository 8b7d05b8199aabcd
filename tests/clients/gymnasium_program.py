"""Gymnasium's checks of its MuJoCo environments, and steps of these environments from given states."""

import pickle
from pathlib import Path
from typing import Any

import gymnasium
import mujoco
import numpy as np
from gymnasium.utils.env_checker import check_env

RANDOM_STEPS, COMPARED_STEPS = 1000, 100
STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


def environments() -> list[str]:
    """Return the ids of the newest versions of all MuJoCo environments."""
    found = [name for name, spec in gymnasium.registry.items() if "envs.mujoco" in str(spec.entry_point)]
    return sorted(name for name in found if name.endswith("-v5"))


def random_steps(name: str) -> bool:
    """Make many steps with random actions through Gymnasium's wrappers, and return True if all numbers are finite."""
    env = gymnasium.make(name)
    env.reset(seed=1)
    env.action_space.seed(2)
    finite = True
    for _ in range(RANDOM_STEPS):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        finite &= bool(np.isfinite(observation).all() and np.isfinite(reward))
        if terminated or truncated:
            env.reset()
    env.close()
    return finite


def steps_from(name: str, given: list[tuple] | None) -> list[tuple]:
    """Return steps from given states with given actions, or from the environment's own trajectory if none are given.

    Returns:
        for every step, the previous state, the action, the observation, the reward, and True if the episode ended.
    """
    env: Any = gymnasium.make(name).unwrapped
    env.reset(seed=3)
    env.action_space.seed(4)
    m, d = env.model, env.data
    steps = []
    for i in range(COMPARED_STEPS):
        if given is None:
            state, action = np.zeros(mujoco.mj_stateSize(m, STATE)), env.action_space.sample()
            mujoco.mj_getState(m, d, state, STATE)
        else:
            state, action = given[i][:2]
        mujoco.mj_setState(m, d, state, STATE)
        # rewards use results of the previous step
        mujoco.mj_forward(m, d)
        observation, reward, terminated, _, _ = env.step(action)
        steps.append((state, action, observation, reward, terminated))
        if terminated and given is None:
            env.reset()
    return steps


def main(given: str, written: str) -> None:
    """Check all environments and write their steps to a file; the steps start from those in file `given`, if any."""
    known = pickle.loads(Path(given).read_bytes()) if given else {}
    results = {}
    for name in environments():
        check_env(gymnasium.make(name).unwrapped, skip_render_check=True)
        results[name] = {"finite": random_steps(name), "steps": steps_from(name, known.get(name, {}).get("steps"))}
    Path(written).write_bytes(pickle.dumps(results))
