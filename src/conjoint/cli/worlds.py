"""Common interface to one or many worlds, for `simulate` and `testspeed`."""

from typing import Any, Protocol

import numpy as np

import conjoint
from conjoint.runtime.pipeline import pipeline
from conjoint.runtime.profile import Profile


class Worlds(Protocol):
    """Worlds that step together. Every array has a leading world axis.

    Attributes:
        nworld: number of worlds.
        width: number of worlds computed at once.
    """

    nworld: int
    width: int

    def reset(self, keyframe: int | None) -> None:
        """Reset every world to its initial state, or to a keyframe."""

    def step(self, ctrl: np.ndarray) -> None:
        """Advance every world by one time step under `ctrl`, shape (nworld, nu)."""

    def read(self, name: str) -> np.ndarray:
        """Return a copy of the data field `name` of every world."""

    def warnings(self) -> dict[str, int]:
        """Return the number of times that each warning was raised, summed over all worlds."""

    def profile(self) -> Profile:
        """Return a profile of the worlds, which must have stepped on one thread. While it is open, steps are timed."""


def make_worlds(model: Any, nworld: int, nthread: int, precision: str) -> Worlds:
    """Return one world, stepped by `mj_step`, if a single world in double precision is requested, else a batch."""
    if nworld == 1 and precision == "float64":
        return OneWorld(model, nthread)
    return ManyWorlds(model, nworld, nthread, precision)


class OneWorld:
    """A single `MjData` with the interface of `Worlds`, optionally with several threads."""

    def __init__(self, model: Any, nthread: int = 1):
        self.nworld = self.width = 1
        self.model = model
        self.data = conjoint.MjData(model)
        self.data.nthread = nthread

    def reset(self, keyframe: int | None) -> None:
        if keyframe is None:
            conjoint.mj_resetData(self.model, self.data)
        else:
            conjoint.mj_resetDataKeyframe(self.model, self.data, keyframe)

    def step(self, ctrl: np.ndarray) -> None:
        self.data.ctrl[:] = ctrl[0]
        conjoint.mj_step(self.model, self.data)

    def read(self, name: str) -> np.ndarray:
        return np.array(getattr(self.data, name))[None]

    def warnings(self) -> dict[str, int]:
        return count_warnings([warning.number for warning in self.data.warning])

    def profile(self) -> Profile:
        step = pipeline(self.data.world, self.model.plans, "mj_step")
        return Profile(step.run, step.stages)


class ManyWorlds:
    """A `Batch`, with the interface of `Worlds`."""

    def __init__(self, model: Any, nworld: int, nthread: int, precision: Any):
        from conjoint.batch import Batch

        self.nworld = nworld
        self.batch = Batch(model, nworld, precision=precision, nthread=nthread)
        self.width = self.batch.lanes

    def reset(self, keyframe: int | None) -> None:
        self.batch.reset(key=keyframe)

    def step(self, ctrl: np.ndarray) -> None:
        self.batch.step(ctrl=ctrl)

    def read(self, name: str) -> np.ndarray:
        return np.array(getattr(self.batch, name))

    def warnings(self) -> dict[str, int]:
        return count_warnings(np.sum(self.read("warning.number"), axis=0))

    def profile(self) -> Profile:
        from conjoint.batch.batch import worlds_of

        return worlds_of(self.batch).profile("mj_step")


def count_warnings(numbers: Any) -> dict[str, int]:
    """Return the nonzero counts by the warning's documented name, for example `BADQACC`."""
    kinds = [kind for kind in conjoint.mjtWarning.__members__ if kind != "mjNWARNING"]
    return {kind.removeprefix("mjWARN_"): int(n) for kind, n in zip(kinds, numbers, strict=True) if n}
