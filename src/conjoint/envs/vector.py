"""Gymnasium environments over the worlds of a `Batch`: `BatchEnv` for many worlds, `SingleEnv` for one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from conjoint.batch import Batch
from conjoint.envs.observations import Observations, infos_of_world, of_each_world, of_world
from conjoint.envs.randomize import Randomization, Ranges
from conjoint.envs.rendering import MODES, Pictures, check_mode
from conjoint.envs.task import Task
from conjoint.envs.tasks import find_task
from conjoint.envs.worlds import BeginningWorlds, Worlds
from conjoint.lang.errors import SimulationWarning
from conjoint.schema.enums import mjtWarning

BAD = [mjtWarning.mjWARN_BADQPOS, mjtWarning.mjWARN_BADQVEL, mjtWarning.mjWARN_BADQACC]
"""Warnings after which the engine has reset a world."""


class BatchEnv(VectorEnv):
    """Many worlds of one task, stepped together in lanes and on threads.

    By default, observations have shape (num_envs, n) and are float32; actions have shape (num_envs, nu) and are between
    -1 and 1. A task may change this. `worlds` is the task's view of the worlds; `batch` is the batch that steps them.

    Args:
        task: the task, its class, or its name.
        num_envs: number of worlds.
        precision: precision of the engine, "float64" or "float32".
        nthread: number of threads; by default the number of processors that the process may use.
        autoreset_mode: when a finished world starts a new episode (`gymnasium.vector.AutoresetMode`, or its value).
            NEXT_STEP: with the next step. SAME_STEP: with the same step; `infos["final_obs"]` contains the last
            observation. DISABLED: when `reset` is called with `options={"reset_mask": ...}`.
        max_episode_steps: number of steps after which an episode is truncated; by default the task's number.
        render_mode: "rgb_array": `render` returns a picture of every world; "human": a window shows the first world;
            None: no rendering.
        randomize: ranges by the name of a model field, as for `Batch(vary=...)`. Every episode draws numbers from them,
            with the generator of the environment. A pair (low, high) is a range of factors; see `conjoint.envs.Range`
            for others.
        batch: `Batch`, `conjoint.batch.cluster.ClusterBatch`, or a function with the same arguments that returns such
            an object.
        width, height: size of pictures in pixels.
        camera: camera of pictures, by name or id, or -1 for a free one; by default one that follows a body.
        settings: attributes of the task, such as `frame_skip=10`.

    Raises:
        ValueError: the task or mode does not exist, or `num_envs` is 0; a range is invalid, or its field cannot differ
            between worlds.
        TypeError: the task does not have an attribute in `settings`.
    """

    def __init__(
        self,
        task: Task | type[Task] | str,
        num_envs: int = 1,
        precision: str = "float64",
        nthread: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        randomize: Ranges | None = None,
        batch: Callable[..., Batch] = Batch,
        *,
        width: int = 480,
        height: int = 480,
        camera: int | str | None = None,
        **settings: Any,
    ):
        check_mode(render_mode)
        self.task = find_task(task, settings)
        self.autoreset = AutoresetMode(autoreset_mode)
        self.num_envs, self.render_mode = num_envs, render_mode
        self.model = model = self.task.model()
        self.randomization = Randomization(randomize or {}, model)
        vary = list(dict.fromkeys([*self.randomization.names, *self.task.vary]))
        options: dict[str, Any] = {} if nthread is None else {"nthread": nthread}
        if vary:
            options["vary"] = vary
        self.batch = batch(model, num_envs, precision=precision, keep=["warning.number"], **options)
        self.duration = model.opt.timestep * self.task.frame_skip
        fps = max(1, round(1 / self.duration))
        self.metadata = {"autoreset_mode": self.autoreset, "render_modes": list(MODES), "render_fps": fps}
        self.max_steps = self.task.max_steps if max_episode_steps is None else max_episode_steps
        self._bound_actions()
        self._over = np.zeros(num_envs, bool)
        self._all = np.ones(num_envs, bool)
        self._forces = {"forces": True} if self.task.forces else {}
        self.worlds = Worlds(self.batch, self.duration)
        # the first observation determines the shapes, and whether the task reads results of the engine
        self._begin(self._all, np.random.default_rng(0))
        self._observations = Observations(self.task, self.task.observe(self.worlds), num_envs)
        self.task.metrics(self.worlds)
        self.single_observation_space = self._observations.space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._pictures: Pictures | None = None
        if render_mode is not None:
            self._pictures = Pictures(self.batch, render_mode, (width, height), camera, fps)

    def _bound_actions(self) -> None:
        """Create the action spaces from the bounds of the task."""
        bounds = self.task.action_bounds(self.model)
        low, high = (np.broadcast_to(bound, self.model.nu).astype(np.float32) for bound in bounds)
        self.single_action_space: gymnasium.spaces.Box = gymnasium.spaces.Box(low, high)
        self._low, self._high = low.astype(float), high.astype(float)
        every = self.num_envs, 1
        self.action_space: gymnasium.spaces.Box = gymnasium.spaces.Box(np.tile(low, every), np.tile(high, every))

    @property
    def observation_parts(self) -> dict[str, slice]:
        """Slices of the parts of an observation, by the names that the task gives them."""
        return self._observations.parts

    # ---- Gymnasium's interface

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin new episodes, in all worlds or in the worlds that `options["reset_mask"]` selects.

        Args:
            seed: seed of all random numbers. If it is given, difficulty levels restart at 0.
            options: "reset_mask", a boolean for each world; "level", a new difficulty level for these worlds.

        Raises:
            ValueError: the mask does not have one boolean per world, or the level does not exist.
        """
        super().reset(seed=seed)
        options = options or {}
        mask = np.asarray(options.get("reset_mask", self._all))
        if mask.shape != (self.num_envs,) or mask.dtype != bool:
            raise ValueError(
                f"reset_mask must be {self.num_envs} booleans, not an array of {mask.dtype} of shape {mask.shape}"
            )
        if seed is not None:
            self.worlds.seed(seed, mask)
            self.worlds.level[mask] = 0
        if "level" in options:
            self._set_level(options["level"], mask)
            self._over &= ~mask
        self._begin(mask, self.np_random)
        infos = self._infos(self.task.metrics(self.worlds), mask)
        if self.render_mode == "human":
            self.render()
        return self._observed(), infos

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Advance every world by one step of the task.

        Args:
            actions: actions of all worlds, with the shape of `action_space`.

        Returns:
            observations, rewards, masks of terminated and of truncated episodes, and infos, each with one row per
            world.

        Raises:
            ValueError: actions have a different shape, or are not finite numbers.
        """
        worlds = self.worlds
        self._remember(self._checked(actions))
        begun = self._over.copy() if self.autoreset is AutoresetMode.NEXT_STEP else np.zeros(self.num_envs, bool)
        diverged = self._advance(worlds.action)
        worlds.steps[...] += 1
        rewards, terms = self._rewarded(diverged)
        terminated = self._each("terminated", self.task.terminated(worlds), bool) | diverged
        cut = self._each("truncated", self.task.truncated(worlds), bool)
        truncated = ~terminated & ((worlds.steps >= self.max_steps) | cut)
        infos = self._infos(terms | dict(self.task.metrics(worlds)), ~begun)
        for name in infos:
            infos[name][begun] = 0
        if diverged.any():
            infos["diverged"] = diverged
        if begun.any():
            rewards[begun], terminated[begun], truncated[begun] = 0.0, False, False
            self._begin(begun, self.np_random)
            self._add_begun(infos, begun)
        self._over = terminated | truncated
        if self.autoreset is AutoresetMode.SAME_STEP and self._over.any():
            over = self._over.copy()
            final = {name: value.copy() if name[0] != "_" else value & over for name, value in infos.items()}
            infos = {name: value.copy() if name[0] != "_" else value & ~over for name, value in infos.items()}
            infos |= {"final_obs": self._observed(), "_final_obs": over, "final_info": final, "_final_info": over}
            self._begin(over, self.np_random)
            self._add_begun(infos, over)
        if self.render_mode == "human":
            self.render()
        return self._observed(), rewards, terminated, truncated, infos

    def render(self) -> tuple[np.ndarray, ...] | None:
        """Return pictures of all worlds, shape (height, width, 3), uint8; None if a window shows the first world.

        Pictures are drawn with OpenGL or, if it is not available, by ray casting.

        Raises:
            FatalError: there is no display or toolkit for a window. The message says what to install.
        """
        if self._pictures is None:
            gymnasium.logger.warn('render was called without a mode: create environments with render_mode="rgb_array"')
            return None
        if self.render_mode == "human":
            self._pictures.show()
            return None
        return self._pictures.arrays()

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads and close the window, even if the construction of the environment failed."""
        for part in (vars(self).get("_pictures"), vars(self).get("batch")):
            if part is not None:
                part.close()

    # ---- a step

    def _checked(self, actions: Any) -> np.ndarray:
        """Return actions as an array of numbers.

        Raises:
            ValueError: actions have a wrong shape, or are not finite.
        """
        checked = np.asarray(actions)
        if checked.dtype not in (np.float32, np.float64):
            checked = checked.astype(float)
        if checked.shape != self.action_space.shape:
            raise ValueError(f"actions must have shape {self.action_space.shape}, not {checked.shape}")
        if not np.isfinite(checked).all():
            raise ValueError("actions must be finite numbers: some are NaN or infinite")
        return checked

    def _remember(self, actions: np.ndarray) -> None:
        """Store the actions of this step, and fields before the step, in the task's view of the worlds."""
        worlds = self.worlds
        worlds.numbers.update(given=actions, last_action=worlds.action)
        worlds.numbers["action"] = np.clip(actions.astype(float), self._low, self._high)
        for name in ("qpos", *self.task.remember):
            worlds.numbers[f"last_{name}"] = np.array(getattr(worlds, name))

    def _advance(self, actions: np.ndarray) -> np.ndarray:
        """Step the engine, and return a mask of the worlds that diverged and that the engine has therefore reset."""
        self.batch.ctrl[...] = self.task.controls(self.model, actions)
        before = self.batch.warning.number[:, BAD]
        with warnings.catch_warnings():
            # divergence is reported in `infos`
            warnings.simplefilter("ignore", SimulationWarning)
            self.batch.step(self.task.frame_skip, **self._forces)
        return (self.batch.warning.number[:, BAD] > before).any(axis=1)

    def _rewarded(self, diverged: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the rewards of the step (0 in worlds that diverged), and their terms by names in `infos`."""
        reward = self.task.reward(self.worlds)
        terms = {}
        if isinstance(reward, Mapping):
            named = {name: self._each(f"reward[{name!r}]", term, float) for name, term in reward.items()}
            terms = {f"reward_{name}": term for name, term in named.items()}
            reward = np.sum(list(terms.values()), axis=0)
        rewards = np.where(diverged, 0.0, self._each("reward", reward, float))
        self.worlds.returned[...] += rewards
        return rewards, terms

    def _each(self, method: str, returned: Any, kind: type) -> np.ndarray:
        """Return the result of a method of the task as an array with one number per world."""
        return of_each_world(self.task, method, returned, kind, self.num_envs)

    def _infos(self, named: Mapping[str, np.ndarray], mask: np.ndarray) -> dict[str, Any]:
        """Return `infos` that contain each array by its name, and a mask of the worlds to which it applies."""
        infos: dict[str, Any] = {}
        for name, given in named.items():
            infos[name], infos[f"_{name}"] = array, _ = np.array(given), mask
            if array.shape[:1] != (self.num_envs,):
                raise ValueError(
                    f"the task {self.task.name!r}: metrics[{name!r}] has shape {array.shape}, but needs a row for each "
                    f"of {self.num_envs} worlds"
                )
        return infos

    def _add_begun(self, infos: dict[str, Any], begun: np.ndarray) -> None:
        """Add the task's metrics of worlds that begin an episode to `infos`."""
        for name, array in self.task.metrics(self.worlds).items():
            infos[name][begun] = array[begun]
            infos[f"_{name}"] = infos[f"_{name}"] | begun

    def _observed(self) -> Any:
        return self._observations.made(self.task.observe(self.worlds))

    # ---- the beginning of an episode

    def _begin(self, mask: np.ndarray, rng: np.random.Generator) -> None:
        """Begin episodes in some worlds: draw random model parameters, reset the state, and call the task."""
        if not mask.any():
            return
        worlds, ended = self.worlds, mask & self._over
        if self.task.levels > 1 and ended.any():
            self._set_level(np.asarray(self.task.next_level(BeginningWorlds(worlds, ended))), ended, cut=True)
        self.randomization.draw(self.batch, mask, rng)
        self.batch.reset(key=self.task.first_keyframe(self.model), worlds=mask)
        for name in ("steps", "returned", "action", "last_action"):
            worlds.numbers[name][mask] = 0
        self._over &= ~mask
        beginning = BeginningWorlds(worlds, mask)
        self.task.begin(beginning, rng)
        beginning.write_back()
        if worlds.looks_at_results or self.task.remember:
            self.batch.forward(worlds=mask, **self._forces)
        for name in ("qpos", *self.task.remember):
            now = np.array(getattr(worlds, name))
            worlds.numbers.setdefault(f"last_{name}", now)[mask] = now[mask]

    def _set_level(self, level: Any, mask: np.ndarray, cut: bool = False) -> None:
        """Set the difficulty level of some worlds; with `cut`, clip it to the task's levels.

        Raises:
            ValueError: the level does not exist.
        """
        most = self.task.levels - 1
        if not cut and (np.any(np.asarray(level) < 0) or np.any(np.asarray(level) > most)):
            raise ValueError(f"there is no level {level} of the task {self.task.name!r}: they are 0 to {most}")
        self.worlds.level[mask] = np.clip(level, 0, most)


class SingleEnv(gymnasium.Env):
    """One world of a task as a Gymnasium environment; `gymnasium.make` adds the limit on the number of steps.

    Args:
        task: the task, its class, or its name.
        precision: precision of the engine, "float64" or "float32".
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
        # Gymnasium limits the number of steps
        limit = np.iinfo(int).max
        given = precision, 1, AutoresetMode.DISABLED, limit, render_mode, randomize
        self.worlds = BatchEnv(task, 1, *given, **settings)
        self.metadata, self.render_mode = self.worlds.metadata, render_mode
        self.observation_space = self.worlds.single_observation_space
        self.action_space = self.worlds.single_action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a new episode.

        Args:
            seed: seed of all random numbers.
            options: "level", a new difficulty level.

        Returns:
            the observation and infos.
        """
        super().reset(seed=seed)
        observations, infos = self.worlds.reset(seed=seed, options=options)
        return of_world(observations, 0), infos_of_world(infos, 0)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Advance the world by one step of the task.

        Args:
            action: the action, with the shape of `action_space`.

        Returns:
            the observation, the reward, True if the episode is terminated, True if it is truncated, and infos.
        """
        observations, rewards, terminated, truncated, infos = self.worlds.step(np.asarray(action)[None])
        observation, info = of_world(observations, 0), infos_of_world(infos, 0)
        return observation, float(rewards[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self) -> np.ndarray | None:
        """Return a picture, shape (height, width, 3), uint8; None if a window shows the world."""
        pictures = self.worlds.render()
        return None if pictures is None else pictures[0]

    def close(self) -> None:
        """Stop the threads and close the window."""
        self.worlds.close()
