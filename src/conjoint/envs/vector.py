"""`BatchEnv`: a Gymnasium `VectorEnv` over the worlds of a `Batch`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from conjoint.batch import Batch
from conjoint.envs.randomize import Randomization, Ranges
from conjoint.envs.task import Task
from conjoint.envs.tasks import TASKS
from conjoint.lang.errors import SimulationWarning
from conjoint.schema.enums import mjtWarning
from conjoint.spec.problems import choices

BAD = [mjtWarning.mjWARN_BADQPOS, mjtWarning.mjWARN_BADQVEL, mjtWarning.mjWARN_BADQACC]
"""Warnings after which the engine resets a world."""


class BatchEnv(VectorEnv):
    """Many worlds of one task, stepped together in lanes and on threads.

    Observations are float32 of shape (num_envs, n), actions between -1 and 1 of shape (num_envs, nu).

    Args:
        task: the task, or its name.
        num_envs: number of worlds.
        precision: of the engine, "float64" or "float32".
        nthread: threads; by default as many as processors that the process may use.
        autoreset_mode: when worlds whose episode is over begin a new one (`gymnasium.vector.AutoresetMode`, or its
            value): with the next step, with the same one (`infos["final_obs"]` has what was seen last), or when
            `reset` is called with `options={"reset_mask": ...}`.
        max_episode_steps: steps after which an episode is cut off; the task's own number by default.
        render_mode: None only: nothing is drawn.
        randomize: ranges by name of a field of the model, as `Batch(vary=...)` takes it: every episode draws numbers of
            its own from them, with the generator of the environment. A pair (low, high) is a range of factors, a
            `conjoint.envs.Range` says more.
        batch: what steps the worlds: `Batch`, or `conjoint.batch.cluster.ClusterBatch`, or a function of the same
            arguments that makes one.

    Raises:
        ValueError: there is no such task or mode, or no world; a range that is none.
        FatalError: a field that cannot differ between worlds.
    """

    def __init__(
        self,
        task: Task | str,
        num_envs: int = 1,
        precision: str = "float64",
        nthread: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        randomize: Ranges | None = None,
        batch: Callable[..., Batch] = Batch,
    ):
        if render_mode is not None:
            raise ValueError(f"render_mode {render_mode!r}: a BatchEnv draws nothing, leave it None")
        self.task = find_task(task)
        self.autoreset = AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset, "render_modes": []}
        self.num_envs = num_envs
        model = self.task.model()
        self.randomization = Randomization(randomize or {}, model)
        options: dict[str, Any] = {} if nthread is None else {"nthread": nthread}
        if randomize:
            options["vary"] = self.randomization.names
        self.batch = batch(model, num_envs, precision=precision, keep=["warning.number"], **options)
        self.model = model
        self.duration = model.opt.timestep * self.task.frame_skip
        self.max_steps = self.task.max_steps if max_episode_steps is None else max_episode_steps
        self._steps = np.zeros(num_envs, int)
        self._over = np.zeros(num_envs, bool)
        shape = self.task.observe(self.batch).shape[1:]
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float32)
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (model.nu,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin new episodes, in all worlds or in those of `options["reset_mask"]`.

        Raises:
            ValueError: the mask is not one boolean for each world.
        """
        super().reset(seed=seed)
        mask = np.asarray((options or {}).get("reset_mask", np.ones(self.num_envs, bool)))
        if mask.shape != (self.num_envs,) or mask.dtype != bool:
            raise ValueError(
                f"reset_mask must be {self.num_envs} booleans, not an array of {mask.dtype} of shape {mask.shape}"
            )
        self._begin(mask)
        return self._observed(), {}

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One step of every world.

        Raises:
            ValueError: actions of another shape, or such as are not numbers.
        """
        actions = self._checked(actions)
        begun = self._over.copy() if self.autoreset is AutoresetMode.NEXT_STEP else np.zeros(self.num_envs, bool)
        before = self.batch.qpos.copy()
        diverged = self._advance(actions)
        self._steps += 1
        rewards = np.where(diverged, 0.0, self.task.reward(self.batch, before, actions, self.duration))
        terminated = self.task.failed(self.batch) | diverged
        truncated = ~terminated & (self._steps >= self.max_steps)
        infos: dict[str, Any] = {"diverged": diverged} if diverged.any() else {}
        if begun.any():
            self._begin(begun)
            rewards[begun], terminated[begun], truncated[begun] = 0.0, False, False
        self._over = terminated | truncated
        if self.autoreset is AutoresetMode.SAME_STEP and self._over.any():
            infos |= {"final_obs": self._observed(), "_final_obs": self._over.copy()}
            infos |= {"final_info": {}, "_final_info": self._over.copy()}
            self._begin(self._over)
        return self._observed(), rewards, terminated, truncated, infos

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self.batch.close()

    def _checked(self, actions: Any) -> np.ndarray:
        """Actions as numbers of the right shape, within their limits."""
        checked = np.asarray(actions, float)
        if checked.shape != self.action_space.shape:
            raise ValueError(f"actions must have shape {self.action_space.shape}, not {checked.shape}")
        if not np.isfinite(checked).all():
            raise ValueError("actions must be finite numbers: some are NaN or infinite")
        return np.clip(checked, -1, 1)

    def _advance(self, actions: np.ndarray) -> np.ndarray:
        """Step the engine; which worlds it had to reset, since their state had become bad."""
        self.batch.ctrl[...] = self.task.controls(self.model, actions)
        warned = self._warned()
        with warnings.catch_warnings():
            # `infos` tells
            warnings.simplefilter("ignore", SimulationWarning)
            self.batch.step(self.task.frame_skip)
        return self._warned() > warned

    def _warned(self) -> np.ndarray:
        """How often the state of every world has been found bad, shape (nworld,)."""
        return getattr(self.batch, "warning.number")[:, BAD].sum(axis=1)

    def _begin(self, mask: np.ndarray) -> None:
        """New episodes: numbers of the model, the first keyframe or the reference configuration, and noise."""
        if not mask.any():
            return
        self.randomization.draw(self.batch, mask, self.np_random)
        self.batch.reset(mask, key=self.task.first_keyframe(self.model))
        count, noise = int(mask.sum()), self.task.noise
        self.batch.qpos[mask] += self.np_random.uniform(-noise, noise, (count, self.model.nq))
        self.batch.qvel[mask] += self.np_random.normal(0.0, noise, (count, self.model.nv))
        self._steps[mask], self._over[mask] = 0, False

    def _observed(self) -> np.ndarray:
        return self.task.observe(self.batch).astype(np.float32)


def find_task(task: Task | str) -> Task:
    """The task of this name."""
    if isinstance(task, Task):
        return task
    if not isinstance(task, str):
        raise TypeError(f"a task is a Task, or the name of one, not {task!r}")
    if task not in TASKS:
        raise ValueError(f"there is no task {task!r}{choices(task, TASKS)}")
    return TASKS[task]
