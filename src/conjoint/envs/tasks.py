"""The tasks: a pole to balance, and bodies that are to get forward.

Rewards are of the usual form (Gymnasium's MuJoCo tasks; Schulman et al., High-dimensional continuous control using
generalized advantage estimation, 2016): speed, and something for not falling, less the square of the actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conjoint.envs.gymnasium_tasks import GYMNASIUM_TASKS
from conjoint.envs.task import Named, Task
from conjoint.envs.walk import Walk


@dataclass(frozen=True)
class Balance(Task):
    """Keep the pole of a cart upright, by one for every step.

    Attributes:
        tilt: how far the pole may lean (rad).
    """

    tilt: float = 0.2

    def reward(self, worlds: Any) -> np.ndarray:
        return 1.0 - self.failed(worlds)

    def failed(self, worlds: Any) -> np.ndarray:
        return np.abs(worlds.qpos[:, 1]) > self.tilt


@dataclass(frozen=True)
class Run(Task):
    """Get forward, along x, without falling.

    Attributes:
        alive: reward of every step.
        forward: reward of a speed of 1 m/s.
        effort: price of the sum of the squares of the actions.
        height: coordinate of the height; between `low` and `high` (m) a body has not fallen.
        lean: how far it may lean (rad): planar bodies by the coordinate behind their height, others by their axis.
    """

    alive: float = 1.0
    forward: float = 1.0
    effort: float = 1e-3
    height: int = 1
    low: float = -np.inf
    high: float = np.inf
    lean: float = np.inf

    def reward(self, worlds: Any) -> Named:
        speed = (worlds.qpos[:, 0] - worlds.before[:, 0]) / worlds.duration
        effort = np.sum(worlds.action**2, axis=1)
        return {
            "forward": self.forward * speed,
            "alive": self.alive * ~self.failed(worlds),
            "effort": -self.effort * effort,
        }

    def failed(self, worlds: Any) -> np.ndarray:
        height = worlds.qpos[:, self.height]
        return (height < self.low) | (height > self.high) | (self.leaning(worlds) > self.lean)

    def leaning(self, worlds: Any) -> np.ndarray:
        """Angle from upright, shape (nworld,)."""
        if self.height == 1:
            return np.abs(worlds.qpos[:, 2])
        x, y = worlds.qpos[:, 4], worlds.qpos[:, 5]
        return np.arccos(np.clip(1 - 2 * (x * x + y * y), -1, 1))


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Balance("conjoint/CartPole-v0", "cartpole", frame_skip=2, max_steps=500),
        Run("conjoint/Hopper-v0", "hopper", frame_skip=4, hidden=1, low=0.75, lean=0.25, noise=0.005),
        Run("conjoint/HalfCheetah-v0", "half_cheetah", frame_skip=5, hidden=1, alive=0.0, effort=0.1),
        Run("conjoint/Ant-v0", "ant", frame_skip=5, hidden=2, height=2, low=0.25, high=1.1, effort=0.3),
        Run("conjoint/Humanoid-v0", "humanoid", frame_skip=3, hidden=2, height=2, low=0.95, high=1.8,
            alive=5.0, forward=1.25, effort=0.1, noise=0.01),
        Run("conjoint/Quadruped-v0", "quadruped", frame_skip=10, hidden=2, height=2, low=0.18, high=0.6, lean=0.8,
            effort=0.02, stroke=0.4),
        Walk("conjoint/QuadrupedWalk-v0", "quadruped_walk", frame_skip=5, max_steps=500, stroke=0.4,
            model_path="quadruped.xml"),
        *GYMNASIUM_TASKS,
    )
}  # fmt: skip
"""Tasks by name."""
