"""Observations of a task: their named parts, their bounds and their space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

from conjoint.envs.task import Named, Task
from conjoint.spec.problems import suggestion

WHOLE = "observation"
"""Name for the observation of a task that returns a single array."""


class Observations:
    """Converter from a task's observations to those of its environment.

    Args:
        task: the task, which may declare bounds.
        seen: example of a result of `Task.observe`.
        count: number of worlds.

    Attributes:
        space: observation space of one world: a Box, or a Dict of Boxes if the task does not join its parts.
        parts: slices of a joined observation, by name.

    Raises:
        ValueError: a part does not have one row per world, declared and observed parts differ, or bounds do not match
            the shape of a part.
    """

    def __init__(self, task: Task, seen: np.ndarray | Named, count: int):
        named, self.dtype = by_name(seen), np.dtype(task.dtype)
        declared = by_name(task.observations) if task.observations is not None else {}
        if declared and (declared.keys() != named.keys()):
            wrong = sorted(declared.keys() ^ named.keys())[0]
            others = [name for name in {*declared, *named} if name != wrong]
            where = "declares" if wrong in declared else "observes"
            missing = "does not observe" if wrong in declared else "does not declare"
            hint = suggestion(wrong, others)
            raise ValueError(f"the task {task.name!r} {where} {wrong!r} and {missing} it in observations{hint}")
        self.flat, self.parts, self.bounds, begin = task.flat, {}, {}, 0
        boxes: dict[str, gymnasium.Space] = {}
        for name, array in named.items():
            shape = np.shape(array)
            if not shape or shape[0] != count:
                raise ValueError(f"observe: {name!r} has shape {shape}, but needs one row for each of {count} worlds")
            low, high = limits(task, name, declared.get(name, (-np.inf, np.inf)), shape[1:])
            self.bounds[name] = low, high
            boxes[name] = gymnasium.spaces.Box(low.astype(self.dtype), high.astype(self.dtype), dtype=self.dtype.type)
            size = int(np.prod(shape[1:]))
            self.parts[name] = slice(begin, begin + size)
            begin += size
        self.limited = {name for name, ends in self.bounds.items() if np.isfinite(ends).any()}
        if self.flat:
            low, high = (
                np.concatenate([np.ravel(ends[k]) for ends in self.bounds.values()]).astype(self.dtype) for k in (0, 1)
            )
            self.space: gymnasium.Space = gymnasium.spaces.Box(low, high, dtype=self.dtype.type)
        else:
            self.space = gymnasium.spaces.Dict(dict(boxes))

    def made(self, seen: np.ndarray | Named) -> Any:
        """Convert a task's observation to the environment's: an array of shape (nworld, n), or arrays by name."""
        named = {
            name: np.clip(array, *self.bounds[name]) if name in self.limited else array
            for name, array in by_name(seen).items()
        }
        if not self.flat:
            return {name: np.asarray(array, self.dtype) for name, array in named.items()}
        arrays = [np.reshape(array, (len(array), -1)) for array in named.values()]
        return np.concatenate(arrays, axis=1, dtype=self.dtype, casting="unsafe")


def by_name(seen: Any) -> dict[str, Any]:
    """Return the parts of an observation by name; a single array becomes one part."""
    return dict(seen) if isinstance(seen, Mapping) else {WHOLE: seen}


def of_each_world(task: Task, method: str, returned: Any, kind: type, count: int) -> np.ndarray:
    """Return the result of a task's method as an array of shape (count,).

    Raises:
        ValueError: the result is neither a single number nor an array with one number per world.
    """
    array = np.asarray(returned)
    if array.dtype.kind not in "biuf" or array.shape not in ((), (count,)):
        what = f"an array of {array.dtype} of shape {array.shape}" if array.size > 1 else repr(returned)
        raise ValueError(
            f"the task {task.name!r}: {method} must return a number for each of {count} worlds, an array of shape "
            f"({count},), not {what:.60}"
        )
    return np.broadcast_to(array.astype(kind), count)


def joined(seen: np.ndarray | Named) -> np.ndarray:
    """Return all parts of an observation in one array of shape (nworld, n), as a `Policy` requires."""
    arrays = [np.reshape(array, (len(array), -1)) for array in by_name(seen).values()]
    return np.concatenate(arrays, axis=1)


def limits(task: Task, name: str, given: Any, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of a part of the observation, broadcast to its shape.

    Raises:
        ValueError: the bounds do not match the shape, or a lower bound exceeds an upper bound.
    """
    try:
        low, high = (np.broadcast_to(np.asarray(end, float), shape) for end in given)
    except (TypeError, ValueError):
        raise ValueError(
            f"the task {task.name!r}: observations[{name!r}] needs a pair (low, high), each a number or of shape "
            f"{shape}, not {given!r:.60}"
        ) from None
    if not (low <= high).all():
        raise ValueError(f"the task {task.name!r}: observations[{name!r}]: low must not exceed high")
    return low, high


def of_world(seen: Any, world: int) -> Any:
    """Return the observation of one world: a row of an array, or of each of several arrays by name."""
    return {name: array[world] for name, array in seen.items()} if isinstance(seen, Mapping) else seen[world]


def infos_of_world(infos: Mapping[str, Any], world: int) -> dict[str, Any]:
    """Return the infos of one world, without entries that do not apply to it."""
    return {
        name: array[world]
        for name, array in infos.items()
        if not name.startswith("_") and infos.get(f"_{name}", np.ones(world + 1, bool))[world]
    }
