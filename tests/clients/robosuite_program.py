"""Tasks of robosuite: the first steps after a reset with a seed."""

import pickle
from pathlib import Path

import numpy as np
import robosuite

STEPS = 8
"""In the ninth the fingers of the UR5e close, boxes edge on edge, where 3.3.5 counts one corner twice or not by the last bit."""
TASKS = (
    ("Lift", "Panda"), ("Stack", "Sawyer"), ("Door", "IIWA"), ("NutAssembly", "UR5e"), ("PickPlace", "Panda"),
    ("Wipe", "Panda"), ("Lift", "Jaco"), ("TwoArmLift", ["Panda", "Panda"]), ("Lift", "GR1"),
)  # fmt: skip
"""Tasks, and the robots that do them."""


def first_steps(task: str, robots: str | list[str]) -> np.ndarray:
    """Return the observations and rewards of the first steps, a row for each."""
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
    """Write the first steps of all tasks."""
    results = {f"{task}-{robots}": first_steps(task, robots) for task, robots in TASKS}
    Path(written).write_bytes(pickle.dumps(results))
