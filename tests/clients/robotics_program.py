"""First steps of Gymnasium-Robotics tasks after a seeded reset."""

import pickle
from pathlib import Path

import gymnasium
import gymnasium_robotics
import mujoco
import numpy as np
from gymnasium.spaces.utils import flatten

STEPS = 10

MARGINS = {"FetchPush-v4", "FetchSlide-v4", "FrankaKitchen-v1"}
"""Tasks in which boxes touch only within their margin, where MuJoCo reports half the distance (#2471)."""

read = mujoco.MjModel.from_xml_path


def read_without_margins(path: str) -> mujoco.MjModel:
    """Return a model without geom margins, for which both packages agree."""
    model = read(path)
    model.geom_margin[:] = 0
    return model


def first_steps(name: str) -> np.ndarray:
    """Return the observations and rewards of a task's first steps, one row per step."""
    mujoco.MjModel.from_xml_path = read_without_margins if name in MARGINS else read
    env = gymnasium.make(name)
    observation, _ = env.reset(seed=5)
    env.action_space.seed(6)
    rows = [np.append(flatten(env.observation_space, observation), 0.0)]
    for _ in range(STEPS):
        observation, reward, *_ = env.step(env.action_space.sample())
        rows.append(np.append(flatten(env.observation_space, observation), reward))
    env.close()
    return np.array(rows)


def main(written: str, *names: str) -> None:
    """Write the first steps of the named tasks to a file."""
    gymnasium.register_envs(gymnasium_robotics)
    Path(written).write_bytes(pickle.dumps({name: first_steps(name) for name in names}))
