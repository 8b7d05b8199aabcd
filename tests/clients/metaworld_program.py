"""First steps of the ten tasks in Meta-World's MT10."""

import pickle
from pathlib import Path

import metaworld
import numpy as np

STEPS = 10


def first_steps(name: str) -> np.ndarray:
    """Return the observations and rewards of a task's first steps, one row per step."""
    benchmark = metaworld.MT1(name, seed=5)
    env = benchmark.train_classes[name]()
    env.set_task(benchmark.train_tasks[0])
    observation, _ = env.reset(seed=5)
    actions = np.random.default_rng(6).uniform(-1, 1, (STEPS, 4))
    rows = [np.append(observation, 0.0)]
    for action in actions:
        observation, reward, *_ = env.step(action)
        rows.append(np.append(observation, reward))
    return np.array(rows)


def main(written: str) -> None:
    """Write the first steps of all tasks to a file."""
    names = list(metaworld.MT10(seed=5).train_classes)
    Path(written).write_bytes(pickle.dumps({name: first_steps(name) for name in names}))
