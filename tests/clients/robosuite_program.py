"""First steps of robosuite tasks after a seeded reset."""

import pickle
from pathlib import Path

import numpy as np
import robosuite

STEPS = 8
"""Number of compared steps.

In the ninth step, the UR5e's fingers close, and boxes touch edge on edge. There, rounding in the last bit decides whether
MuJoCo 3.3.5 counts a corner twice.
"""
TASKS = (
    ("Lift", "Panda"), ("Stack", "Sawyer"), ("Door", "IIWA"), ("NutAssembly", "UR5e"), ("PickPlace", "Panda"),
    ("Wipe", "Panda"), ("Lift", "Jaco"), ("TwoArmLift", ["Panda", "Panda"]), ("Lift", "GR1"),
)  # fmt: skip
"""Tasks, each with the robots that perform it."""


def first_steps(task: str, robots: str | list[str]) -> np.ndarray:
    """Return the observations and rewards of a task's first steps, one row per step."""
    env = robosuite.make(
        task, robots=robots, has_renderer=False, has_offscreen_renderer=False, use_camera_obs=False, seed=5
    )
    low, high = env.action_spec
    random = np.random.default_rng(6)
    observation = env.reset()
    rows = [np.hstack([np.ravel(value) for value in observation.values()] + [0.0])]
    for _ in range(STEPS):
        observation, reward, *_ = env.step(random.uniform(np.maximum(low, -1), np.minimum(high, 1)))
        rows.append(np.hstack([np.ravel(value) for value in observation.values()] + [reward]))
    env.close()
    return np.array(rows)


def main(written: str) -> None:
    """Write the first steps of all tasks to a file."""
    results = {f"{task}-{robots}": first_steps(task, robots) for task, robots in TASKS}
    Path(written).write_bytes(pickle.dumps(results))
