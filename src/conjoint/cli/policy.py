"""`--policy`: controls that a learned policy decides on, while the worlds go on."""

from __future__ import annotations

from pathlib import Path
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
        from conjoint.envs.observations import joined
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
    own = task.model()
    wanted, given = sizes(own), sizes(model)
    if wanted != given or len(policy.biases[-1]) != model.nu:
        raise InputError(
            f"--policy {path}: it was learned for the task {task.name!r}, whose model has {told(wanted)}; "
            f"this one has {told(given)}: simulate the model of that task"
        )
    held = np.zeros((worlds.nworld, model.nu))
    duration = own.opt.timestep * task.frame_skip
    often = max(1, round(duration / model.opt.timestep))
    seen: Any = None

    def decide(step: int) -> np.ndarray:
        nonlocal seen
        # a decision holds for as long as when it was learned
        if step % often == 0:
            if seen is None:
                seen = as_seen(task, model, worlds, duration)
            observed = joined(task.observe(seen))
            if observed.shape[1] != len(policy.mean):
                raise InputError(
                    f"--policy {path}: it wants {len(policy.mean)} observations, but the task {task.name!r} has "
                    f"{observed.shape[1]} now: learn it again"
                )
            actions = policy(observed)
            seen.numbers.update(last_action=seen.action, action=actions)
            seen.steps[...] += 1
            held[...] = task.controls(model, actions)
        return held

    return decide


def sizes(model: Any) -> tuple[int, int, int]:
    """Coordinates, degrees of freedom and actuators of a model."""
    return int(model.nq), int(model.nv), int(model.nu)


def told(counts: tuple[int, int, int]) -> str:
    """Sizes of a model in words."""
    return f"{counts[0]} coordinates and {counts[2]} actuators"


class Reader:
    """Fields of worlds as attributes."""

    def __init__(self, model: Any, worlds: Worlds):
        self.model, self.nworld, self._worlds = model, worlds.nworld, worlds

    def __getattr__(self, name: str) -> np.ndarray:
        return self._worlds.read(name)


def as_seen(task: Any, model: Any, worlds: Worlds, duration: float) -> Any:
    """Worlds as their task sees them, with the numbers that it keeps as at the beginning of an episode."""
    from conjoint.envs.worlds import BeginningWorlds
    from conjoint.envs.worlds import Worlds as Seen

    seen = Seen(Reader(model, worlds), duration)
    beginning = BeginningWorlds(seen, np.ones(worlds.nworld, bool))
    task.begin(beginning, np.random.default_rng(0))
    # the worlds are those of the command line: only the task's own numbers are taken
    beginning.write_back(fields=False)
    return seen
