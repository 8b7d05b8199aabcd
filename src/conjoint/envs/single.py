"""`SingleEnv`: one world of a task as an ordinary Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from conjoint.envs.randomize import Ranges
from conjoint.envs.rendering import MODES
from conjoint.envs.task import Task
from conjoint.envs.vector import BatchEnv


class SingleEnv(gymnasium.Env):
    """A batch of one world; `gymnasium.make` adds the limit of steps.

    Args:
        task: the task, or its name.
        precision: of the engine, "float64" or "float32".
        render_mode, randomize, width, height, camera, settings: see `BatchEnv`.
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES)}  # noqa: RUF012 (declared so by Gymnasium)

    def __init__(
        self,
        task: Task | type[Task] | str,
        precision: str = "float64",
        render_mode: str | None = None,
        randomize: Ranges | None = None,
        **settings: Any,
    ):
        # the limit of steps is Gymnasium's
        limit = np.iinfo(int).max
        given = precision, 1, AutoresetMode.DISABLED, limit, render_mode, randomize
        self.worlds = BatchEnv(task, 1, *given, **settings)
        self.metadata, self.render_mode = self.worlds.metadata, render_mode
        self.observation_space = self.worlds.single_observation_space
        self.action_space = self.worlds.single_action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a new episode; `options["level"]` says how hard.

        Args:
            seed: of all that is random.
            options: "level", the level of difficulty from now on.

        Returns:
            The observation and infos.
        """
        super().reset(seed=seed)
        observations, infos = self.worlds.reset(seed=seed, options=options)
        return first(observations), of_first(infos)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One step.

        Args:
            action: what to do, of the shape of `action_space`.

        Returns:
            The observation, the reward, whether the episode is over for good (terminated) and whether it is cut off
                (truncated), and infos.
        """
        observations, rewards, terminated, truncated, infos = self.worlds.step(np.asarray(action)[None])
        return first(observations), float(rewards[0]), bool(terminated[0]), bool(truncated[0]), of_first(infos)

    def render(self) -> np.ndarray | None:
        """A picture, shape (height, width, 3), uint8; None where a window shows it."""
        pictures = self.worlds.render()
        return None if pictures is None else pictures[0]

    def close(self) -> None:
        """End the thread and close the window."""
        self.worlds.close()


def first(observations: Any) -> Any:
    """What is seen of the first world."""
    if isinstance(observations, dict):
        return {name: array[0] for name, array in observations.items()}
    return observations[0]


def of_first(infos: dict[str, Any]) -> dict[str, Any]:
    """What is told of the first world."""
    return {name: array[0] for name, array in infos.items() if not name.startswith("_")}
