"""`--policy`: controls that a learned policy decides on, while the worlds go on."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from conjoint.cli.control import Controls
from conjoint.cli.failure import InputError
from conjoint.cli.worlds import Worlds


def policy_controls(path: Path, model: Any, worlds: Worlds) -> Controls:
    """Controls of the policy in a file, for the model of its task.

    Raises:
        InputError: Gymnasium is not installed, the file is not a policy's, or the model is not that of its task.
    """
    try:
        from conjoint.envs import TASKS, Policy
    except ImportError as error:
        raise InputError(f"--policy {path}: {error}") from None
    if not path.is_file():
        raise InputError(f"--policy {path}: there is no such file")
    try:
        policy = Policy.load(path)
    except (OSError, ValueError) as error:
        raise InputError(f"--policy {error}") from error
    if policy.task not in TASKS:
        raise InputError(f"--policy {path}: it was learned for the task {policy.task!r}, which is not known here")
    task = TASKS[policy.task]
    seen = model.nq + model.nv - task.hidden
    if (len(policy.mean), len(policy.biases[-1])) != (seen, model.nu):
        raise InputError(
            f"--policy {path}: it was learned for the task {task.name!r} and wants {len(policy.mean)} observations and "
            f"{len(policy.biases[-1])} actuators; the model has {seen} and {model.nu}: simulate the model of that task"
        )
    held = np.zeros((worlds.nworld, model.nu))

    def decide(step: int) -> np.ndarray:
        # a decision holds for as many steps as when it was learned
        if step % task.frame_skip == 0:
            now = SimpleNamespace(qpos=worlds.read("qpos"), qvel=worlds.read("qvel"))
            held[...] = task.controls(model, policy(task.observe(now)))
        return held

    return decide
