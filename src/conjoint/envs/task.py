"""What a task is: a model, what is observed of it, what is rewarded, and when an episode ends."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from conjoint.api.objects.controls import control_range
from conjoint.api.objects.model import MjModel

PACKAGE = Path(__file__).resolve().parent.parent
MODELS = (PACKAGE / "models", PACKAGE.parent.parent / "models")
"""Where the models of tasks are: in an installed package, and in a checkout."""

SPEED_LIMIT = 10.0
"""Observed velocities are clipped: what bounces off a limit would drown the others."""


class Worlds(Protocol):
    """What a task looks at: a `Batch`, or something else with a row for every world."""

    qpos: np.ndarray
    qvel: np.ndarray


@dataclass(frozen=True)
class Task:
    """A model and what is to be done with it.

    Actions lie between -1 and 1: the midpoint of every actuator's range of controls (or the controls of the keyframe
    that episodes begin with), plus `stroke` times half the range.

    Attributes:
        id: what Gymnasium calls it.
        name: name of the task, and what the folder of models calls its model.
        frame_skip: steps of the engine for each step of the environment.
        max_steps: steps of the environment, after which an episode is cut off (truncated).
        noise: positions of a new episode differ by as much from where it begins, velocities too.
        stroke: what part of the range of its controls an actuator uses.
        hidden: the first coordinates, which are not observed: where on the floor it is.
    """

    id: str
    name: str
    frame_skip: int
    max_steps: int = 1000
    noise: float = 0.05
    stroke: float = 1.0
    hidden: int = 0

    def model(self) -> MjModel:
        """The model of the task, read again at each call.

        Raises:
            FileNotFoundError: the package lacks its model.
        """
        for folder in MODELS:
            path = folder / f"{self.name}.xml"
            if path.exists():
                return MjModel.from_xml_path(str(path))
        raise FileNotFoundError(
            f"{self.name}.xml is in none of {', '.join(map(str, MODELS))}: install the package again"
        )

    def first_keyframe(self, model: MjModel) -> int | None:
        """The keyframe that episodes begin with; None for the reference configuration."""
        return 0 if model.nkey else None

    def controls(self, model: MjModel, actions: np.ndarray) -> np.ndarray:
        """The controls that actions stand for, both of shape (..., nu)."""
        low, high = control_range(model)
        held = model.nkey and model.key_ctrl[0].any()
        middle = model.key_ctrl[0] if held else (low + high) / 2
        return np.clip(middle + self.stroke * (high - low) / 2 * actions, low, high)

    def observe(self, worlds: Worlds) -> np.ndarray:
        """What is seen of every world, shape (nworld, n): positions, and velocities within `SPEED_LIMIT`."""
        return np.concatenate([worlds.qpos[:, self.hidden :], np.clip(worlds.qvel, -SPEED_LIMIT, SPEED_LIMIT)], axis=1)

    def reward(self, worlds: Worlds, before: np.ndarray, action: np.ndarray, duration: float) -> np.ndarray:
        """What a step earned in every world, shape (nworld,); `before` has the positions at its start."""
        raise NotImplementedError

    def failed(self, worlds: Worlds) -> np.ndarray:
        """In which worlds the episode is over (terminated), shape (nworld,)."""
        raise NotImplementedError
