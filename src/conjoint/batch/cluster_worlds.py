"""Worlds of a `ClusterBatch`. They stay in the cluster between calls, and are fetched on access.

After a call, every block of worlds is a Ray object on the node where it was computed, and the next call starts from it.
The driver sends the values that were set since, and receives the fields that are recorded or have been read. New
objects replace the old ones only after all blocks of a call are finished. If a call fails before that, the worlds are
unchanged.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import ray

from conjoint.api.objects.model import MjModel
from conjoint.batch.arrays import RemoteArrays
from conjoint.batch.cluster_tasks import HEAD_LOST, HeadLost, Limits, check_connected, gathered, made_task
from conjoint.batch.cluster_worker import Rows, engine, same_bits
from conjoint.batch.exchange import MODEL
from conjoint.batch.world_set import WorldSet
from conjoint.lang import FatalError
from conjoint.lang.warn import warn
from conjoint.physics.plugins import OURS, PLUGINS
from conjoint.runtime.user import installed

MOST_CALLS = 32
"""Number of calls after which the driver fetches all worlds, so that few calls must be repeated if a node is lost."""


class HomeArrays(RemoteArrays):
    """Arrays of worlds in a cluster. `lasting` and `before` are fetched from the cluster when they are read."""

    @property
    def before(self) -> dict[str, np.ndarray]:
        if self.worlds is not None and (worlds := self.worlds()) is not None:
            worlds.bring_back()
        return self.past

    @before.setter
    def before(self, arrays: dict[str, np.ndarray]) -> None:
        self.past = arrays


class ClusterWorlds(WorldSet):
    """Worlds of a batch that are stepped by workers, block by block.

    Args:
        settings: settings of the workers' batches.
        model: a reference to the pickled model.
        blocks: ids of the worlds of each block.
        limits: time limits and retry counts.
        checkpoint: file to which the whole state is written after every call, or None.
        given: the arguments of `WorldSet`.

    Attributes:
        sent, received: number of bytes of worlds and controls so far.
        repeatable: True if the inputs of the last call are known, so that it can be repeated to compute more fields.
    """

    ARRAYS = HomeArrays
    arrays: HomeArrays

    def __init__(
        self, settings: tuple[Any, ...], model: Any, blocks: list[np.ndarray], limits: Limits, checkpoint: Path | None,
        *given: Any,
    ):  # fmt: skip
        super().__init__(*given)
        self.settings, self.model, self.blocks, self.limits = settings, model, blocks, limits
        self.checkpoint, self.repeatable = checkpoint, True
        self.sent = self.received = 0
        self._timeout = limits.timeout
        self._engine, self._task = engine(), made_task(limits)
        # references to the blocks, names of their fields, fields with equal local copies, and fields that programs may
        # access at any time
        self._states: list[Any] | None = None
        self._there: set[str] = set()
        self._known: dict[str, np.ndarray] = {}
        self._live: set[str] = set()
        self._calls = 0
        # inputs of the last call: Ray objects, and the values sent with them
        self._prior: tuple[list[Any] | None, list[Rows]] | None = None
        self.arrays.worlds = weakref.ref(self)

    # ---- running

    def run(self, name: str, nstep: int = 1) -> None:
        """Run the documented function `name` on all worlds in the cluster."""
        self.follow_model()
        job = {"function": name, "nstep": nstep, "ctrl": None, "state": None}
        self.send([job] * len(self.blocks))
        self.last, self._last_nstep, self.repeatable = name, nstep, True

    def find(self, name: str) -> None:
        """Compute a field by repeating the last call locally."""
        if not self.repeatable:
            raise FatalError(f"{name!r} was not recorded during the rollout: add it to keep= when you create the batch")
        super().find(name)

    def check_callbacks(self, name: str) -> None:
        """Raise FatalError if the program has registered functions that workers do not have."""
        refuse_registered()
        super().check_callbacks(name)

    def send(self, jobs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Run one job for each block of worlds, and return the results.

        Raises:
            FatalError: a worker or the cluster failed; the worlds are unchanged.
        """
        self.check_callbacks("mj_step")
        self._attended(check_connected)
        if self._calls >= MOST_CALLS:
            self.bring_home()
            self.forget_cluster()
        changed = self._changed()
        more = {"keep": tuple(self.arrays.results), "live": tuple(self._live & self.arrays.here.keys())}
        states = self._states or [None] * len(self.blocks)
        parts = [{name: array[worlds] for name, array in changed.items()} for worlds in self.blocks]
        pairs = []
        for state, rows, job in zip(states, parts, jobs, strict=True):
            self.sent += sum(a.nbytes for a in rows.values()) + (0 if job["ctrl"] is None else job["ctrl"].nbytes)
            pairs.append(self._task.remote(self._engine, self.settings, [self.model], state, rows, {**job, **more}))
        answers = self._attended(lambda: gathered([answer for answer, _ in pairs], self.limits))
        self._prior = self._states, parts
        self._states, self._calls = [state for _, state in pairs], self._calls + 1
        self._take(answers, changed)
        if self.checkpoint is not None:
            self.write(self.checkpoint)
        return answers

    def _attended(self, wait: Callable[[], Any]) -> Any:
        """Call a function that waits for the cluster; disconnect if the head is lost."""
        try:
            return wait()
        except HeadLost as error:
            self._leave(error)

    def _changed(self) -> dict[str, np.ndarray]:
        """Return the fields and model rows that differ from the workers' copies."""
        every = {**self.arrays.here, **self._rows()}
        if self._states is None:
            return every
        known = self._known
        return {
            name: array
            for name, array in every.items()
            if name not in self._there or (name in known and not same_bits(array, known[name]))
        }

    def _rows(self) -> dict[str, np.ndarray]:
        """Return the varying model rows, by their names in snapshots."""
        return {MODEL + name: self.varied.arrays[name] for name in self.varied.names}

    def _take(self, answers: Sequence[Mapping[str, Any]], changed: Mapping[str, np.ndarray]) -> None:
        """Store the results of all blocks."""
        here = self.arrays.here
        for worlds, answer in zip(self.blocks, answers, strict=True):
            live, results = answer["live"], answer["results"]
            for name, array in live.items():
                here[name][worlds] = array
            for name, array in results.items():
                self.arrays.results[name][worlds] = array
            recorded = answer["recorded"].values()
            self.received += sum(a.nbytes for a in (*live.values(), *results.values(), *recorded))
            for text, category, numbers in answer["warnings"]:
                warning = category(f"worlds {worlds[0]} to {worlds[-1]}: {text}")
                warning.worlds = tuple(int(worlds[number]) for number in numbers)
                warn(warning)
        stale = {name for answer in answers for name in answer["live"]} | changed.keys()
        still = {name: array for name, array in self._known.items() if name not in stale}
        now = {**{name: here[name] for name in self._live & here.keys()}, **self._rows()}
        self._known = {name: still[name] if name in still else array.copy() for name, array in now.items()}
        self._there |= changed.keys()
        self.fresh[...] = False

    # ---- location of the worlds

    def live(self, name: str) -> np.ndarray:
        """Return the array of a state or input field. Users may write to it, and it is up to date after every call."""
        here = self.arrays.here
        if name not in here:
            self.arrays.add_lasting(name)
            self.shares.clear()
        elif name not in self._live:
            self.bring_home()
        self._live.add(name)
        return here[name]

    def bring_home(self) -> None:
        """Fetch the fields from which the worlds continue, unless they are local."""
        missing = [] if self._states is None else sorted(self._there - self._known.keys())
        if not missing:
            return
        states, here = self._got(self._states), self.arrays.here
        for name in missing:
            for worlds, rows in zip(self.blocks, states, strict=True):
                here[name][worlds] = rows[name]
            self._known[name] = here[name].copy()
            self.received += here[name].nbytes

    def bring_back(self) -> None:
        """Fetch the inputs of the last call, unless they are local, so that it can be repeated."""
        if self._prior is None:
            return
        (objects, parts), self._prior = self._prior, None
        states = [{}] * len(parts) if objects is None else self._got(objects)
        for worlds, state, changes in zip(self.blocks, states, parts, strict=True):
            for name, array in {**state, **changes}.items():
                if not name.startswith(MODEL):
                    self.arrays.past[name][worlds] = array

    def forget_cluster(self) -> None:
        """Forget the copies in the cluster, so that the next call sends everything."""
        self._states, self._there, self._known, self._calls = None, set(), {}, 0

    def _got(self, objects: Sequence[Any] | None) -> list[Rows]:
        """Fetch and return the states of all blocks."""
        if not ray.is_initialized():
            raise FatalError(f"the connection to Ray was closed, and with it the worlds{self._where_kept()}")
        try:
            return list(ray.get(list(objects or ()), timeout=self._timeout))
        except ray.exceptions.RayError as error:
            raise FatalError(f"the cluster lost worlds: {error}{self._where_kept()}") from error

    def _where_kept(self) -> str:
        kept = self.checkpoint is not None and self.checkpoint.exists()
        return f"; their last complete state is in {self.checkpoint}: batch.restore(numpy.load(...))" if kept else ""

    def _leave(self, error: HeadLost) -> NoReturn:
        """Disconnect from a cluster with a lost head, before Ray ends this program; fetch reachable worlds first.

        Raises:
            FatalError: always; the message says what happened and where the worlds are.
        """
        self._timeout = min(self._timeout, HEAD_LOST)
        try:
            self.bring_home()
            reported = "; the worlds are in this process, in the state after the last complete call"
        except FatalError:
            reported = f"; the worlds are no longer reachable{self._where_kept()}"
        self.forget_cluster()
        ray.shutdown()
        raise FatalError(f"{error}{reported}. Ray was shut down: restore a snapshot into another batch") from None

    def write(self, path: Path) -> None:
        """Write the whole state to a file for `restore`. A temporary file is written first and then renamed."""
        aside = path.with_name(f".{path.name}.{os.getpid()}.npz")
        arrays: dict[str, Any] = {**self.arrays.lasting, **self._rows()}
        np.savez(aside, **arrays)
        os.replace(aside, path)


def refuse_plugins(model: MjModel) -> None:
    """Raise FatalError if the model uses plugins that are not part of the engine; the message lists them."""
    names = sorted({PLUGINS.names[slot] for slot in model.memory.view("plugin").tolist()} - OURS.keys())
    if names:
        raise FatalError(f"the workers of a cluster do not have the plugins {', '.join(names)}; use a Batch")


def refuse_registered() -> None:
    """Raise FatalError if the program has registered kernels or functions; the message lists them.

    Workers do not have them.
    """
    current = installed.current
    found = [f"{name} ({kernel.__name__})" for name, kernel in current.callbacks]
    found += [f"mjSTAGEFUNC[{name!r}] ({kernel.__name__})" for name, kernel in current.stages]
    found += [f"mjCOLLISIONFUNC ({getattr(function, '__name__', function)})" for _, function in current.colliders]
    found += [name for name in installed.active if name.startswith("mjcb_") or name == "plugins"]
    if found:
        raise FatalError(
            f"the workers of a cluster do not have what this program registered: {', '.join(found)}; "
            "remove it, or use a Batch"
        )
