"""First steps of dm_control's suite tasks after the first reset."""

import pickle
from pathlib import Path

import numpy as np
from dm_control import suite

STEPS = 10
TASKS = (
    ("acrobot", "swingup"), ("ball_in_cup", "catch"), ("cartpole", "swingup"), ("cheetah", "run"), ("dog", "run"),
    ("finger", "spin"), ("fish", "swim"), ("hopper", "hop"), ("humanoid", "run"), ("humanoid_CMU", "run"),
    ("lqr", "lqr_2_1"), ("manipulator", "bring_ball"), ("pendulum", "swingup"), ("point_mass", "easy"),
    ("quadruped", "run"), ("reacher", "easy"), ("stacker", "stack_2"), ("swimmer", "swimmer6"), ("walker", "run"),
)  # fmt: skip
"""One task of each domain."""


def first_steps(domain: str, task: str) -> np.ndarray:
    """Return the observations and rewards of a task's first steps, one row per step."""
    env = suite.load(domain, task, task_kwargs={"random": 5})
    spec = env.action_spec()
    random = np.random.default_rng(6)
    first = env.reset()
    rows = [np.hstack([np.ravel(value) for value in first.observation.values()] + [0.0])]
    for _ in range(STEPS):
        step = env.step(random.uniform(spec.minimum, spec.maximum))
        rows.append(np.hstack([np.ravel(value) for value in step.observation.values()] + [step.reward]))
    return np.array(rows)


def main(written: str) -> None:
    """Write the first steps of all tasks to a file."""
    Path(written).write_bytes(pickle.dumps({"-".join(names): first_steps(*names) for names in TASKS}))
