"""Views of worlds for tasks: all worlds (`Worlds`), or worlds that start an episode (`BeginningWorlds`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium.utils import seeding

from conjoint.batch.arrays import LIVE, READABLE
from conjoint.batch.varied_models import VARIABLE
from conjoint.batch.views import ACCESSORS, accessor
from conjoint.spec.problems import suggestion

FIELDS = frozenset({*READABLE, *VARIABLE})
"""Names of fields of a batch; all other names are variables of the task."""


class Worlds:
    """View of the worlds of a batch for a task.

    Attributes are the fields of the batch (`qpos`, `qvel`, `site_xpos`, `body("torso").xpos`, ...), and per-world
    variables of the environment and the task. All have one row per world. A task can add its own variables as
    attributes: `worlds.goal = ...`. They keep their values until they are set again.

    After a step, fields computed from positions (`xpos`, `site_xpos`, `sensordata`, ...) belong to the start of the
    engine's last step, as after `mj_step`. At the start of an episode, they belong to its initial state.

    Args:
        batch: the batch, or an object with its fields, `nworld` and `model`.
        duration: duration of a step of the environment (s).

    Attributes:
        action: actions of this step, within their bounds, shape (nworld, nu).
        given: actions of this step before clipping.
        last_action: actions of the previous step; 0 in the first step of an episode.
        last_qpos: positions at the beginning of this step.
        steps: number of steps of the episode so far.
        returned: sum of the rewards of the episode so far.
        level: difficulty level of the episode, from 0 to `Task.levels` - 1.
        duration: duration of a step of the environment (s); one number for all worlds.
        model: the model.
    """

    def __init__(self, batch: Any, duration: float):
        count = batch.nworld
        numbers: dict[str, np.ndarray] = {
            name: np.zeros((count, batch.model.nu)) for name in ("action", "last_action", "given")
        }
        numbers |= {"last_qpos": np.array(batch.qpos), "returned": np.zeros(count)}
        numbers |= {name: np.zeros(count, int) for name in ("steps", "level")}
        vars(self).update(_batch=batch, _own=numbers, _derived=[], _seeds={}, _generators={}, duration=duration)

    def __len__(self) -> int:
        return self._batch.nworld

    @property
    def model(self) -> Any:
        return self._batch.model

    @property
    def numbers(self) -> dict[str, np.ndarray]:
        """Variables of the environment and the task, by name."""
        return self._own

    def seed(self, seed: int, mask: np.ndarray) -> None:
        """Seed the generators of some worlds, each with `seed` plus the index of the world."""
        for world in np.flatnonzero(mask).tolist():
            self._seeds[world] = seed + world
            self._generators.pop(world, None)

    def generator(self, world: int) -> np.random.Generator:
        """Return the random number generator of one world, which is independent of the others."""
        if world not in self._generators:
            self._generators[world] = seeding.np_random(self._seeds.get(world))[0]
        return self._generators[world]

    @property
    def looks_at_results(self) -> bool:
        """True if the task has read a field that the engine computes."""
        return bool(self._derived)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"worlds have no attribute {name!r}")
        if name in self._own:
            return self._own[name]
        if name not in LIVE and name not in VARIABLE:
            self._derived[:] = [name]
        try:
            return getattr(self._batch, name)
        except AttributeError as error:
            raise AttributeError(unknown(name, self._own, error)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name in FIELDS:
            setattr(self._batch, name, value)
        else:
            self._own[name] = rows(name, value, len(self))

    def __dir__(self) -> list[str]:
        return [*vars(type(self)), *self._own, *dir(self._batch)]


class BeginningWorlds:
    """Worlds that start an episode, for `Task.begin`. Every array has one row per world.

    State, inputs, varying fields and variables of the task can be read and set. Results of the engine are not yet
    available.

    Args:
        worlds: all worlds.
        mask: mask of the worlds that start an episode.

    Attributes:
        index: indices of these worlds.
    """

    def __init__(self, worlds: Worlds, mask: np.ndarray):
        vars(self).update(_all=worlds, index=np.flatnonzero(mask), duration=worlds.duration, _rows={})

    def __len__(self) -> int:
        return len(self.index)

    @property
    def model(self) -> Any:
        return self._all.model

    @property
    def generators(self) -> list[np.random.Generator]:
        """Independent random generators of the worlds, seeded with the seed of `reset` plus the index of the world."""
        return [self._all.generator(world) for world in self.index.tolist()]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"worlds have no attribute {name!r}")
        if name in ACCESSORS:
            return accessor(self, name, LIVE | VARIABLE)
        if name in FIELDS and name not in LIVE and name not in VARIABLE:
            raise AttributeError(f"{name!r} is not available before the episode begins: read it in observe or reward")
        if name not in self._rows:
            self._rows[name] = np.array(getattr(self._all, name))[self.index]
        return self._rows[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in FIELDS:
            getattr(self, name)[...] = value
        else:
            self._rows[name] = rows(name, value, len(self))

    def write_back(self, fields: bool = True) -> None:
        """Write the values set here to the batch and to the view of all worlds.

        Args:
            fields: whether to write fields of the batch, too, not only variables of the task.

        Raises:
            ValueError: a variable's shape differs from its shape in earlier episodes.
        """
        for name, value in self._rows.items():
            if name in FIELDS:
                if fields:
                    getattr(self._all, name)[self.index] = value
                continue
            own = self._all.numbers
            if name not in own:
                own[name] = np.zeros((len(self._all), *value.shape[1:]), value.dtype)
            if own[name].shape[1:] != value.shape[1:]:
                shapes = f"{value.shape[1:]}, but {own[name].shape[1:]} in an earlier episode"
                raise ValueError(f"worlds.{name} has shape {shapes} for each world: use a single shape")
            own[name][self.index] = value


def rows(name: str, value: Any, count: int) -> np.ndarray:
    """Return a copy of a task variable's value, with one row for each of `count` worlds.

    Raises:
        ValueError: the value is neither a single number nor an array with one row per world.
    """
    array = np.array(value)
    if array.ndim == 0:
        return np.full(count, array)
    if len(array) != count:
        raise ValueError(
            f"worlds.{name} needs a row for each of {count} worlds, or one number; not shape {array.shape}"
        )
    return array


def unknown(name: str, own: Iterable[str], error: AttributeError) -> str:
    """Return the error message for a name that is not an attribute of worlds."""
    near = suggestion(name, own)
    return f"worlds have no {name!r}{near}" if near else f"{error}; numbers of the task: {', '.join(own) or 'none'}"
