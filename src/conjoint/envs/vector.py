"""Gymnasium environments over the worlds of a `Batch`: `BatchEnv` of many worlds, `SingleEnv` of one."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from conjoint.batch import Batch
from conjoint.envs.observations import Observations, of_each_world
from conjoint.envs.randomize import Randomization, Ranges
from conjoint.envs.rendering import MODES, Pictures, check_mode
from conjoint.envs.task import Task
from conjoint.envs.tasks import TASKS
from conjoint.envs.worlds import BeginningWorlds, Worlds
from conjoint.lang.errors import SimulationWarning
from conjoint.schema.enums import mjtWarning
from conjoint.spec.problems import choices

BAD = [mjtWarning.mjWARN_BADQPOS, mjtWarning.mjWARN_BADQVEL, mjtWarning.mjWARN_BADQACC]
"""Warnings after which the engine resets a world."""


class BatchEnv(VectorEnv):
    """Many worlds of one task, stepped together in lanes and on threads.

    Observations have shape (num_envs, n), actions (num_envs, nu); a task says what they are, by default float32 and
    between -1 and 1. `worlds` are the worlds as the task sees them, `batch` is what steps them.

    Args:
        task: the task, its class, or its name.
        num_envs: number of worlds.
        precision: of the engine, "float64" or "float32".
        nthread: threads; by default as many as processors that the process may use.
        autoreset_mode: when worlds whose episode is over begin a new one (`gymnasium.vector.AutoresetMode`, or its
            value): with the next step, with the same one (`infos["final_obs"]` has what was seen last), or when
            `reset` is called with `options={"reset_mask": ...}`.
        max_episode_steps: steps after which an episode is cut off; the task's own number by default.
        render_mode: "rgb_array": `render` returns a picture of every world; "human": a window shows the first world;
            None: nothing is drawn.
        randomize: ranges by name of a field of the model, as `Batch(vary=...)` takes it: every episode draws numbers of
            its own from them, with the generator of the environment. A pair (low, high) is a range of factors, a
            `conjoint.envs.Range` says more.
        batch: what steps the worlds: `Batch`, or `conjoint.batch.cluster.ClusterBatch`, or a function of the same
            arguments that makes one.
        width, height: of pictures in pixels.
        camera: that pictures are seen from, by name or number, -1 for a free one; by default one that follows.
        settings: attributes of the task that shall be others, such as `frame_skip=10`.

    Raises:
        ValueError: there is no such task or mode, or no world; a range that is none.
        TypeError: the task has no attribute that `settings` name.
        FatalError: a field that cannot differ between worlds.
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
        # the first observation shows the shapes, and whether the task reads results of the engine
        self._begin(self._all, np.random.default_rng(0))
        self._observations = Observations(self.task, self.task.observe(self.worlds), num_envs)
        self.task.metrics(self.worlds)
        self.single_observation_space = self._observations.space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._pictures: Pictures | None = None
        if render_mode is not None:
            self._pictures = Pictures(self.batch, render_mode, (width, height), camera, vary, fps)

    def _bound_actions(self) -> None:
        """Take over the bounds of actions from the task."""
        bounds = self.task.action_bounds(self.model)
        low, high = (np.broadcast_to(bound, self.model.nu).astype(np.float32) for bound in bounds)
        self.single_action_space: gymnasium.spaces.Box = gymnasium.spaces.Box(low, high)
        self._low, self._high = low.astype(float), high.astype(float)
        every = self.num_envs, 1
        self.action_space: gymnasium.spaces.Box = gymnasium.spaces.Box(np.tile(low, every), np.tile(high, every))

    @property
    def observation_parts(self) -> dict[str, slice]:
        """Which elements of an observation each part has, by the names that the task gives."""
        return self._observations.parts

    # ---- Gymnasium's face

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin new episodes, in all worlds or in those of `options["reset_mask"]`.

        Args:
            seed: of all that is random; levels of difficulty begin at 0 with it.
            options: "reset_mask", a boolean for each world; "level", the level that these worlds have from now on.

        Raises:
            ValueError: the mask is not one boolean for each world, or there is no such level.
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
        infos = self._told(self.task.metrics(self.worlds), mask)
        if self.render_mode == "human":
            self.render()
        return self._observed(), infos

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One step of every world.

        Args:
            actions: what to do in each world, of the shape of `action_space`.

        Returns:
            Observations, rewards, whether episodes are over for good (terminated) and whether they are cut off
                (truncated), and infos: a row for each world.

        Raises:
            ValueError: actions of another shape, or such as are not numbers.
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
        infos = self._told(terms | dict(self.task.metrics(worlds)), ~begun)
        for name in infos:
            infos[name][begun] = 0
        if diverged.any():
            infos["diverged"] = diverged
        if begun.any():
            rewards[begun], terminated[begun], truncated[begun] = 0.0, False, False
            self._begin(begun, self.np_random)
            self._tell_begun(infos, begun)
        self._over = terminated | truncated
        if self.autoreset is AutoresetMode.SAME_STEP and self._over.any():
            over = self._over.copy()
            final = {name: value.copy() if name[0] != "_" else value & over for name, value in infos.items()}
            infos = {name: value.copy() if name[0] != "_" else value & ~over for name, value in infos.items()}
            infos |= {"final_obs": self._observed(), "_final_obs": over, "final_info": final, "_final_info": over}
            self._begin(over, self.np_random)
            self._tell_begun(infos, over)
        if self.render_mode == "human":
            self.render()
        return self._observed(), rewards, terminated, truncated, infos

    def render(self) -> tuple[np.ndarray, ...] | None:
        """Pictures of all worlds, arrays of shape (height, width, 3), uint8; None where a window shows the first one.

        They are drawn with OpenGL, or by rays where there is none.

        Raises:
            FatalError: no display or no toolkit for a window; the message says what to install.
        """
        if self._pictures is None:
            gymnasium.logger.warn('render was called without a mode: make the environment with render_mode="rgb_array"')
            return None
        if self.render_mode == "human":
            self._pictures.show()
            return None
        return self._pictures.arrays()

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads and close the window, of an environment, too, that an error left half-made."""
        for part in (vars(self).get("_pictures"), vars(self).get("batch")):
            if part is not None:
                part.close()

    # ---- a step

    def _checked(self, actions: Any) -> np.ndarray:
        """Actions as numbers of the right shape."""
        checked = np.asarray(actions)
        if checked.dtype not in (np.float32, np.float64):
            checked = checked.astype(float)
        if checked.shape != self.action_space.shape:
            raise ValueError(f"actions must have shape {self.action_space.shape}, not {checked.shape}")
        if not np.isfinite(checked).all():
            raise ValueError("actions must be finite numbers: some are NaN or infinite")
        return checked

    def _remember(self, actions: np.ndarray) -> None:
        """Set the actions of this step, and the fields before it, in the worlds of the task."""
        worlds = self.worlds
        worlds.numbers.update(given=actions, last_action=worlds.action)
        worlds.numbers["action"] = np.clip(actions.astype(float), self._low, self._high)
        for name in ("qpos", *self.task.remember):
            worlds.numbers[f"last_{name}"] = np.array(getattr(worlds, name))

    def _advance(self, actions: np.ndarray) -> np.ndarray:
        """Step the engine, and return in which worlds the state diverged: the engine resets them."""
        self.batch.ctrl[...] = self.task.controls(self.model, actions)
        before = self.batch.warning.number[:, BAD]
        with warnings.catch_warnings():
            # `infos` has them
            warnings.simplefilter("ignore", SimulationWarning)
            self.batch.step(self.task.frame_skip, **self._forces)
        return (self.batch.warning.number[:, BAD] > before).any(axis=1)

    def _rewarded(self, diverged: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Rewards of the step, and their terms by the names that `infos` has; worlds that diverged get none."""
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
        """What a method of the task returned, as an array with a number for each world."""
        return of_each_world(self.task, method, returned, kind, self.num_envs)

    def _told(self, named: Mapping[str, np.ndarray], mask: np.ndarray) -> dict[str, Any]:
        """What `infos` has of arrays by name: each with a mask of the worlds that it is about."""
        infos: dict[str, Any] = {}
        for name, given in named.items():
            infos[name], infos[f"_{name}"] = array, _ = np.array(given), mask
            if array.shape[:1] != (self.num_envs,):
                raise ValueError(
                    f"the task {self.task.name!r}: metrics[{name!r}] has shape {array.shape}, but needs a row for each "
                    f"of {self.num_envs} worlds"
                )
        return infos

    def _tell_begun(self, infos: dict[str, Any], begun: np.ndarray) -> None:
        """Add to `infos` what is told of episodes that begin."""
        for name, array in self.task.metrics(self.worlds).items():
            infos[name][begun] = array[begun]
            infos[f"_{name}"] = infos[f"_{name}"] | begun

    def _observed(self) -> Any:
        return self._observations.made(self.task.observe(self.worlds))

    # ---- the beginning of an episode

    def _begin(self, mask: np.ndarray, rng: np.random.Generator) -> None:
        """New episodes: numbers of the model, the first keyframe or the reference configuration, what the task says."""
        if not mask.any():
            return
        worlds, ended = self.worlds, mask & self._over
        if self.task.levels > 1 and ended.any():
            self._set_level(np.asarray(self.task.next_level(BeginningWorlds(worlds, ended))), ended, cut=True)
        self.randomization.draw(self.batch, mask, rng)
        self.batch.reset(mask, key=self.task.first_keyframe(self.model))
        for name in ("steps", "returned", "action", "last_action"):
            worlds.numbers[name][mask] = 0
        self._over &= ~mask
        beginning = BeginningWorlds(worlds, mask)
        self.task.begin(beginning, rng)
        beginning.write_back()
        if worlds.looks_at_results or self.task.remember:
            self.batch.forward(mask, **self._forces)
        for name in ("qpos", *self.task.remember):
            now = np.array(getattr(worlds, name))
            worlds.numbers.setdefault(f"last_{name}", now)[mask] = now[mask]

    def _set_level(self, level: Any, mask: np.ndarray, cut: bool = False) -> None:
        """Set the level of some worlds; with `cut` it is brought within those that there are.

        Raises:
            ValueError: there is no such level.
        """
        most = self.task.levels - 1
        if not cut and (np.any(np.asarray(level) < 0) or np.any(np.asarray(level) > most)):
            raise ValueError(f"there is no level {level} of the task {self.task.name!r}: they are 0 to {most}")
        self.worlds.level[mask] = np.clip(level, 0, most)


def find_task(task: Task | type[Task] | str, settings: Mapping[str, Any] | None = None) -> Task:
    """Return a copy of a task, or of the one of this name, with other attributes.

    Raises:
        TypeError: it is no task, or has no such attribute.
        ValueError: there is no such task.
    """
    if isinstance(task, str):
        if task not in TASKS:
            raise ValueError(f"there is no task {task!r}{choices(task, TASKS)}")
        task = TASKS[task]
    if isinstance(task, type) and issubclass(task, Task):
        task = task()
    if not isinstance(task, Task):
        raise TypeError(f"a task is a Task, or the name of one, not {task!r}")
    found = copy.copy(task)
    found.set(**settings or {})
    return found


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
