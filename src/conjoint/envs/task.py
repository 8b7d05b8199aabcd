"""Base class of tasks: model, start of episodes, observations, rewards and termination."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.names import control_range
from conjoint.sample_models import FOLDERS
from conjoint.spec.problems import choices

SPEED_LIMIT = 10.0
"""Bound to which observed velocities are clipped, because peaks at joint limits would dominate them."""

Named = Mapping[str, np.ndarray]
"""Arrays by name, each with one row per world."""


class Task:
    """Base class of tasks; derive your own tasks from it.

    A derived class overrides attributes, and defines `reward` and other methods as needed:

        class Stand(Task):
            model_path = "robot.xml"
            frame_skip = 10

            def reward(self, worlds):
                return worlds.qpos[:, 2]

            def terminated(self, worlds):
                return worlds.qpos[:, 2] < 0.2

    The argument of most methods is a `Worlds`, whose arrays have one row per world. By default, actions are between -1
    and 1. They are multiplied by `stroke` times half of each actuator's control range, and added to its midpoint, or to
    the controls of the first keyframe if these are not all zero. Override `controls` for other actions.

    Args:
        settings: attributes that differ from those of the class, such as `frame_skip=4`.

    Attributes:
        id: Gymnasium's name of the task; only registered tasks need one.
        name: name of the task, by default that of its class.
        frame_skip: number of engine steps per step of the environment.
        max_steps: number of environment steps after which an episode is truncated.
        noise: bound of the noise in positions at the start of an episode, and standard deviation of the noise in
            velocities.
        stroke: fraction of the control range that actions span.
        model_path: model file (MJCF or URDF), or one of this package's models, such as "ant.xml"; by default the
            package's model with the name of the task.
        observations: bounds of each part of the observation, by the names that `observe` returns, such as
            {"angle": (-3.2, 3.2)}; each bound is a number, or one for each element. Observations are clipped to them.
        flat: whether the parts of an observation are joined to one array; otherwise they form a dictionary.
        dtype: data type of observations.
        vary: model fields that `begin` sets for each world, as in `Batch(vary=...)`.
        levels: number of difficulty levels, for a curriculum.
        remember: fields whose values at the start of a step are available as `last_NAME`, such as "xpos"; `last_qpos`
            and `last_action` are always available.
        forces: whether `cfrc_ext`, `cfrc_int` and `cacc` are computed (mj_rnePostConstraint).

    Raises:
        TypeError: the task does not have an attribute of that name.
    """

    id: str = ""
    name: str = ""
    frame_skip: int = 1
    max_steps: int = 1000
    noise: float = 0.05
    stroke: float = 1.0
    model_path: str | Path = ""
    observations: Mapping[str, Any] | None = None
    flat: bool = True
    dtype: str = "float32"
    vary: tuple[str, ...] = ()
    levels: int = 1
    remember: tuple[str, ...] = ()
    forces: bool = False

    def __init__(self, **settings: Any):
        self.name = self.name or type(self).__name__
        self.set(**settings)

    def set(self, **settings: Any) -> None:
        """Set attributes of this task.

        Args:
            settings: attribute values by name.

        Raises:
            TypeError: the task does not have an attribute of that name.
        """
        known = [name for name in dir(self) if name[0] != "_" and not callable(getattr(type(self), name, None))]
        for name, value in settings.items():
            if name not in known:
                hint = choices(name, known)
                raise TypeError(f"no argument {name!r}: the task {self.name!r} has no such attribute{hint}")
            setattr(self, name, value)

    # ---- the model

    def model(self) -> MjModel:
        """Load the model of the task; each call loads it again.

        Raises:
            FileNotFoundError: the model file does not exist.
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
            f"the task {self.name!r} has no model: define model_path = 'robot.xml', or a method model(self) "
            f"({wanted} is in none of {where})"
        )

    def first_keyframe(self, model: MjModel) -> int | None:
        """Return the keyframe at which episodes start; None for the reference configuration.

        Args:
            model: the model of the task.
        """
        return 0 if model.nkey else None

    def action_bounds(self, model: MjModel) -> tuple[Any, Any]:
        """Return the bounds of actions: two numbers, or arrays of shape (nu,).

        Args:
            model: the model of the task.
        """
        return -1.0, 1.0

    def controls(self, model: MjModel, actions: np.ndarray) -> np.ndarray:
        """Convert actions to controls, both of shape (..., nu).

        Args:
            model: the model of the task.
            actions: actions within `action_bounds`.
        """
        low, high = control_range(model)
        held = model.nkey and model.key_ctrl[0].any()
        middle = model.key_ctrl[0] if held else (low + high) / 2
        return np.clip(middle + self.stroke * (high - low) / 2 * actions, low, high)

    # ---- an episode

    def begin(self, worlds: Any, rng: np.random.Generator) -> None:
        """Begin an episode in some worlds, which have been reset; by default, add noise to positions and velocities.

        Args:
            worlds: the worlds that begin (`BeginningWorlds`). Their state and the task's own variables can be set.
            rng: random number generator, seeded by `reset`.
        """
        worlds.qpos += rng.uniform(-self.noise, self.noise, worlds.qpos.shape)
        worlds.qvel += rng.normal(0.0, self.noise, worlds.qvel.shape)

    def next_level(self, worlds: Any) -> np.ndarray:
        """Return the difficulty levels of the next episodes of some worlds; by default, levels do not change.

        Args:
            worlds: worlds whose episodes are over (`BeginningWorlds`), with `level`, `steps` and `returned` of the last
                episode.
        """
        return worlds.level

    def observe(self, worlds: Any) -> np.ndarray | Named:
        """Return the observation of every world, shape (nworld, n), or its parts by name.

        By default, these are the positions, and the velocities clipped to `SPEED_LIMIT`.

        Args:
            worlds: all worlds (`Worlds`): fields of `MjData` and of the episode, with one row per world.
        """
        return np.concatenate([worlds.qpos, np.clip(worlds.qvel, -SPEED_LIMIT, SPEED_LIMIT)], axis=1)

    def reward(self, worlds: Any) -> np.ndarray | Named:
        """Return the reward of a step in every world, shape (nworld,), or its terms by name.

        The reward is the sum of the terms; `infos["reward_NAME"]` contains each term.

        Args:
            worlds: all worlds, as in `observe`.
        """
        raise NotImplementedError(f"the task {self.name!r} has no reward: define reward(self, worlds)")

    def terminated(self, worlds: Any) -> np.ndarray:
        """Return a mask of the worlds whose episode terminates, such as after a fall, shape (nworld,); by default none.

        Args:
            worlds: all worlds, as in `observe`.
        """
        return np.zeros(len(worlds), bool)

    def truncated(self, worlds: Any) -> np.ndarray:
        """Return a mask of the worlds whose episode is truncated before `max_steps`, shape (nworld,); by default none.

        Args:
            worlds: all worlds, as in `observe`.
        """
        return np.zeros(len(worlds), bool)

    def metrics(self, worlds: Any) -> Named:
        """Return additional arrays for `infos` by name, one row per world, after steps and at the start of episodes.

        Args:
            worlds: all worlds, as in `observe`.
        """
        return {}
