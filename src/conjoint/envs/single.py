"""`SingleEnv`: one world of a task as an ordinary Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from conjoint.envs.randomize import Ranges
from conjoint.envs.task import Task
from conjoint.envs.vector import BatchEnv


class SingleEnv(gymnasium.Env):
    """A batch of one world; `gymnasium.make` adds the limit of steps.

    Args:
        task: the task, or its name.
        precision: of the engine, "float64" or "float32".
        render_mode: None only.
        randomize: ranges of fields of the model; see `BatchEnv`.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (declared so by Gymnasium)

    def __init__(
        self,
        task: Task | str,
        precision: str = "float64",
        render_mode: str | None = None,
        randomize: Ranges | None = None,
    ):
        # the limit of steps is Gymnasium's
        limit = np.iinfo(int).max
        self.worlds = BatchEnv(task, 1, precision, 1, AutoresetMode.DISABLED, limit, render_mode, randomize)
        self.observation_space = self.worlds.single_observation_space
        self.action_space = self.worlds.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a new episode."""
        super().reset(seed=seed)
        observations, infos = self.worlds.reset(seed=seed)
        return observations[0], infos

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One step."""
        observations, rewards, terminated, truncated, infos = self.worlds.step(np.asarray(action)[None])
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), infos

    def close(self) -> None:
        """End the thread."""
        self.worlds.close()
