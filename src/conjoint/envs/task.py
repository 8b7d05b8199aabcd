"""What a task is: a model, how episodes begin, what is observed and rewarded, and when an episode ends."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from conjoint.api.objects.controls import control_range
from conjoint.api.objects.model import MjModel
from conjoint.sample_models import FOLDERS

SPEED_LIMIT = 10.0
"""Observed velocities are clipped: what bounces off a limit would drown the others."""

Named = Mapping[str, np.ndarray]
"""Arrays by name, each with a row for each world."""


@dataclass(frozen=True)
class Task:
    """A model and what is to be done with it. A task of one's own inherits from this class.

    It sets what differs of the attributes below, and defines `observe`, `reward` and what else it needs:

        class Stand(Task):
            model_path = "robot.xml"
            frame_skip = 10

            def reward(self, worlds):
                return worlds.qpos[:, 2]

    Methods get `Worlds`: every array has a row for each world. Actions lie between -1 and 1: the midpoint of every
    actuator's range of controls (or the controls of the keyframe that episodes begin with), plus `stroke` times half
    the range; `controls` says otherwise.

    Attributes:
        id: what Gymnasium calls it; needed only by tasks that are registered there.
        name: name of the task, by default that of its class.
        frame_skip: steps of the engine for each step of the environment.
        max_steps: steps of the environment, after which an episode is cut off (truncated).
        noise: positions of a new episode differ by as much from where it begins, velocities too.
        stroke: what part of the range of its controls an actuator uses.
        hidden: the first coordinates, which are not observed: where on the floor it is.
        model_path: file of the model (MJCF or URDF), or one of this package's models, such as "ant.xml"; by default the
            one with the name of the task.
        observations: least and largest numbers of each part of the observation, by the names that `observe` gives,
            such as {"angle": (-3.2, 3.2)}; each a number, or one for each element. Numbers beyond are cut off.
        flat: whether the parts of an observation are joined to one array; otherwise they are a dictionary.
        dtype: type of observations.
        vary: fields of the model that `begin` sets for each world, as in `Batch(vary=...)`.
        levels: of difficulty, for a curriculum.
        remember: fields whose numbers at the beginning of a step worlds have as `last_NAME`, such as "xpos".
        forces: whether `cfrc_ext`, `cfrc_int` and `cacc` are computed (mj_rnePostConstraint).
    """

    id: str = ""
    name: str = ""
    frame_skip: int = 1
    max_steps: int = 1000
    noise: float = 0.05
    stroke: float = 1.0
    hidden: int = 0
    model_path: str | Path = ""
    observations: Mapping[str, Any] | None = None
    flat: bool = True
    dtype: str = "float32"
    vary: tuple[str, ...] = ()
    levels: int = 1
    remember: tuple[str, ...] = ()
    forces: bool = False

    def __new__(cls, *given: Any, **named: Any) -> Task:
        task = super().__new__(cls)
        order = [each.name for each in fields(cls)]
        object.__setattr__(task, "_given", {*order[: len(given)], *named})
        return task

    def __post_init__(self) -> None:
        """What the class says holds, unless something else was given: no need to make it a dataclass."""
        for each in fields(self):
            if each.name not in vars(self)["_given"]:
                object.__setattr__(self, each.name, getattr(type(self), each.name, each.default))
        if not self.name:
            object.__setattr__(self, "name", type(self).__name__)

    # ---- the model

    def model(self) -> MjModel:
        """The model of the task, read again at each call.

        Raises:
            FileNotFoundError: there is no such file.
        """
        wanted = Path(self.model_path or f"{self.name}.xml")
        folders = [Path(), *FOLDERS] if self.model_path else [*FOLDERS]
        for path in (folder / wanted for folder in folders):
            if path.is_file():
                return MjModel.from_xml_path(str(path))
        where = ", ".join(str(folder.absolute()) for folder in folders)
        if self.model_path:
            raise FileNotFoundError(f"{wanted}, the model of the task {self.name!r}, is in none of {where}")
        raise FileNotFoundError(
            f"the task {self.name!r} has no model: give it model_path = 'robot.xml', or a method model(self) "
            f"({wanted} is in none of {where})"
        )

    def first_keyframe(self, model: MjModel) -> int | None:
        """The keyframe that episodes begin with; None for the reference configuration.

        Args:
            model: the model of the task.
        """
        return 0 if model.nkey else None

    def action_bounds(self, model: MjModel) -> tuple[Any, Any]:
        """The least and the largest actions: numbers, or arrays of shape (nu,).

        Args:
            model: the model of the task.
        """
        return -1.0, 1.0

    def controls(self, model: MjModel, actions: np.ndarray) -> np.ndarray:
        """The controls that actions stand for, both of shape (..., nu).

        Args:
            model: the model of the task.
            actions: numbers within `action_bounds`.
        """
        low, high = control_range(model)
        held = model.nkey and model.key_ctrl[0].any()
        middle = model.key_ctrl[0] if held else (low + high) / 2
        return np.clip(middle + self.stroke * (high - low) / 2 * actions, low, high)

    # ---- an episode

    def begin(self, worlds: Any, rng: np.random.Generator) -> None:
        """Begin an episode in some worlds, which are in their first configuration: by default, add noise.

        Args:
            worlds: those that begin (`BeginningWorlds`); what is set here holds for them.
            rng: source of random numbers, from the seed of `reset`.
        """
        worlds.qpos += rng.uniform(-self.noise, self.noise, worlds.qpos.shape)
        worlds.qvel += rng.normal(0.0, self.noise, worlds.qvel.shape)

    def next_level(self, worlds: Any) -> np.ndarray:
        """Levels of the next episode of some worlds, whose last one has ended; by default they stay.

        Args:
            worlds: those that ended (`BeginningWorlds`), with `level`, `steps` and `returned` of the last episode.
        """
        return worlds.level

    def observe(self, worlds: Any) -> np.ndarray | Named:
        """What is seen of every world, shape (nworld, n), or arrays by name.

        By default positions, and velocities within `SPEED_LIMIT`.

        Args:
            worlds: all worlds (`Worlds`): fields of `MjData` and of the episode, a row for each world.
        """
        return np.concatenate([worlds.qpos[:, self.hidden :], np.clip(worlds.qvel, -SPEED_LIMIT, SPEED_LIMIT)], axis=1)

    def reward(self, worlds: Any) -> np.ndarray | Named:
        """What a step earned in every world, shape (nworld,), or terms by name, whose sum it is.

        Terms are told as `infos["reward_NAME"]`. A reward with the parameters (worlds, before, action, duration), as
        tasks had at first, works too.

        Args:
            worlds: all worlds, as in `observe`, with what was before the step.
        """
        raise NotImplementedError(f"the task {self.name!r} has no reward: define reward(self, worlds)")

    def terminated(self, worlds: Any) -> np.ndarray:
        """In which worlds the episode is over for good, shape (nworld,); by default where it `failed`.

        Args:
            worlds: all worlds, as in `observe`.
        """
        return self.failed(worlds)

    def failed(self, worlds: Any) -> np.ndarray:
        """In which worlds the task failed, shape (nworld,); by default in none.

        Args:
            worlds: all worlds, as in `observe`.
        """
        return np.zeros(len(worlds), bool)

    def truncated(self, worlds: Any) -> np.ndarray:
        """Which episodes are cut off for another reason than `max_steps`, shape (nworld,); by default none.

        Args:
            worlds: all worlds, as in `observe`.
        """
        return np.zeros(len(worlds), bool)

    def metrics(self, worlds: Any) -> Named:
        """What else is told in `infos` after a step and when an episode begins, by name, a row for each world.

        Args:
            worlds: all worlds, as in `observe`.
        """
        return {}


def called_reward(task: Task) -> Callable[[Any], np.ndarray | Named]:
    """The reward of a task as a function of worlds; tasks may have it with the parameters that it had at first."""
    reward: Any = task.reward
    if len(inspect.signature(reward).parameters) == 4:
        return lambda worlds: reward(worlds, worlds.before, worlds.action, worlds.duration)
    return reward
