"""`ClusterBatch`: the worlds of a batch computed by the processes of a Ray cluster (needs the extra `ray`).

The worlds stay with the program that made the batch. A call sends blocks of them, with all that they go on from, to
whichever worker is free, and gets them back further on. Workers remember nothing but the model, so that one that dies
is replaced by sending its blocks again; and since a world is alone, the results are those of a `Batch`, bit for bit.
"""

from __future__ import annotations

import hashlib
import pickle
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from conjoint.lang.optional_packages import missing

try:
    import ray
except ImportError as error:
    raise missing("ray", "conjoint.batch.cluster", error) from None

from rich.console import Console
from rich.progress import Progress

from conjoint.api.objects.model import MjModel
from conjoint.batch.batch import Batch, worlds_of
from conjoint.batch.exchange import Snapshot, put, take
from conjoint.batch.ray_start import connect
from conjoint.batch.world_set import WorldSet
from conjoint.lang import FatalError
from conjoint.lang.errors import SimulationWarning
from conjoint.lang.warn import Told, warn


@dataclass(frozen=True)
class Settings:
    """What a worker makes a batch from.

    Attributes:
        digest: of the model, by which workers know it again.
        precision: "float64" or "float32".
        vary: rows of the model that differ between worlds.
        nthread: threads of a worker.
    """

    digest: str
    precision: str
    vary: tuple[str, ...]
    nthread: int


@dataclass(frozen=True)
class Job:
    """What is to be done with a block of worlds.

    Attributes:
        function: the documented function, for `nstep` steps; unused where there are controls.
        ctrl: controls of a rollout, shape (nstep, worlds, nu), or None.
        state: field that a rollout records, or None.
        keep: fields to send back.
    """

    function: str = "mj_step"
    nstep: int = 1
    ctrl: np.ndarray | None = None
    state: str | None = None
    keep: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """A block of worlds that has got further: what it goes on from, fields that were asked for, what was told."""

    snapshot: Snapshot
    results: dict[str, np.ndarray]
    recorded: np.ndarray | None
    warnings: tuple[Told, ...]

    @property
    def nbytes(self) -> int:
        arrays = [*self.snapshot.values(), *self.results.values()]
        return sum(a.nbytes for a in arrays) + (0 if self.recorded is None else self.recorded.nbytes)


class ClusterBatch(Batch):
    """A `Batch` whose worlds are computed by the workers of a Ray cluster.

    Everything that a batch can do; `step` sends every world there and back, `rollout` only once for all its steps.

    Args:
        model: the model; it is sent once, and kept by every worker.
        nworld: number of worlds, at least 1.
        precision: "float64" or "float32".
        nthread: threads of each worker, and processors that Ray reserves for it.
        keep: names of fields to keep after every step.
        vary: names of fields of the model of which every world has its own.
        block: worlds that are sent together.
        retries: how often a block is sent again if its worker dies.
        address: of the cluster; by default the one that Ray is connected to, that of RAY_ADDRESS, the one that
            `ray start` began here, or processes of this machine that no other machine can reach.

    Attributes:
        sent: bytes of worlds and controls that were sent to workers so far.
        received: bytes that came back.

    Raises:
        FatalError: as of a batch; in calls also if workers die more often than `retries`.
    """

    _worlds: ClusterWorlds

    def __init__(
        self,
        model: MjModel,
        nworld: int,
        precision: str = "float64",
        nthread: int = 1,
        keep: Sequence = (),
        vary: Sequence = (),
        block: int = 64,
        retries: int = 3,
        address: str | None = None,
    ):
        if block < 1:
            raise FatalError(f"a block has at least one world, not {block}")
        if not ray.is_initialized():
            connect(address)
        data = pickle.dumps(model)
        settings = Settings(hashlib.sha256(data).hexdigest(), precision, tuple(vary), nthread)
        blocks = np.array_split(np.arange(nworld), -(-nworld // block))
        self._cluster = settings, ray.put(data), blocks, retries
        super().__init__(model, nworld, precision, nthread, keep=keep, vary=vary)

    def _made_worlds(self, width: int, vary: Sequence[str]) -> WorldSet:
        given = self.model.memory, self.nworld, self.precision, self.nthread, width, vary
        return ClusterWorlds(*self._cluster, *given)

    @property
    def sent(self) -> int:
        return self._worlds.sent

    @property
    def received(self) -> int:
        return self._worlds.received

    @overload
    def rollout(
        self, ctrl: np.ndarray, state: str = "qpos", progress: Callable[[int], None] | None = None
    ) -> np.ndarray: ...
    @overload
    def rollout(self, ctrl: np.ndarray, state: None, progress: Callable[[int], None] | None = None) -> None: ...
    def rollout(
        self, ctrl: np.ndarray, state: str | None = "qpos", progress: Callable[[int], None] | None = None
    ) -> np.ndarray | None:
        """As `Batch.rollout`, with blocks of worlds going through all steps where they are.

        Which blocks are done is shown; `progress` is called when all steps are.
        """
        ctrl = self._sequence(ctrl).astype(self.dtype)
        if len(ctrl) == 0:
            return super().rollout(ctrl, state, progress)
        worlds = self._worlds
        with worlds.turn.held:
            worlds.live("ctrl")
            kept = tuple(worlds.arrays.results)
            answers = worlds.send([Job(ctrl=ctrl[:, k], state=state, keep=kept) for k in worlds.blocks])
            worlds.repeatable = False
        if progress is not None:
            progress(len(ctrl))
        return None if state is None else np.concatenate([answer.recorded for answer in answers], axis=1)


class ClusterWorlds(WorldSet):
    """The worlds of a batch, which workers step, block by block.

    Args:
        settings: what workers make batches from.
        model: a reference to the model.
        blocks: numbers of the worlds of each block.
        retries: how often a block is sent again if its worker dies.
        given: the arguments of `WorldSet`.

    Attributes:
        sent, received: bytes of worlds and controls so far.
        repeatable: whether what came before the last call is known, so that fields not yet kept can be found.
    """

    def __init__(self, settings: Settings, model: Any, blocks: list[np.ndarray], retries: int, *given: Any):
        super().__init__(*given)
        self.settings, self.model, self.blocks, self.repeatable = settings, model, blocks, True
        self.sent = self.received = 0
        self._task = ray.remote(max_retries=retries, num_cpus=settings.nthread)(work)

    def run(self, name: str, nstep: int = 1) -> None:
        """Run the documented function `name` on all worlds, where they are sent."""
        self.check_callbacks(name)
        self.follow_model()
        for field, array in self.arrays.lasting.items():
            self.arrays.before[field][...] = array
        self.send([Job(name, nstep, keep=tuple(self.arrays.results))] * len(self.blocks))
        self.last, self._last_nstep, self.repeatable = name, nstep, True

    def find(self, name: str) -> None:
        """Find a field by repeating the last call here."""
        if not self.repeatable:
            raise FatalError(f"{name!r} was not kept during the rollout: name it in keep= when the batch is made")
        super().find(name)

    def send(self, jobs: Sequence[Job]) -> list[Answer]:
        """Every block of worlds through its job."""
        tasks = {}
        for k, (worlds, job) in enumerate(zip(self.blocks, jobs, strict=True)):
            rows = take(self.arrays, self.varied, worlds)
            self.sent += sum(a.nbytes for a in rows.values()) + (0 if job.ctrl is None else job.ctrl.nbytes)
            tasks[self._task.remote(self.settings, [self.model], rows, job)] = k
        answers = self._gathered(tasks)
        for worlds, answer in zip(self.blocks, answers, strict=True):
            put(self.arrays, self.varied, worlds, answer.snapshot)
            for name, array in answer.results.items():
                self.arrays.results[name][worlds] = array
            self.received += answer.nbytes
            for text, category in answer.warnings:
                warn(f"worlds {worlds[0]} to {worlds[-1]}: {text}", category)
        self.fresh[...] = False
        return answers

    def _gathered(self, tasks: Mapping[Any, int]) -> list[Answer]:
        """The answers in the order of blocks, as they come, with a bar on a terminal."""
        answers: dict[int, Answer] = {}
        waiting = list(tasks)
        console = Console(stderr=True)
        quiet = not console.is_terminal or len(waiting) == 1
        with Progress(console=console, transient=True, disable=quiet) as progress:
            bar = progress.add_task("blocks of worlds", total=len(waiting))
            while waiting:
                done, waiting = ray.wait(waiting)
                for task in done:
                    answers[tasks[task]] = answered(task)
                    progress.advance(bar)
        return [answers[k] for k in range(len(answers))]


def answered(task: Any) -> Answer:
    """The answer of a task; what went wrong in it is raised here."""
    try:
        return ray.get(task)
    except ray.exceptions.RayTaskError as error:
        # what a batch raises there is what it would raise here
        raise error.cause from None
    except ray.exceptions.RayError as error:
        raise FatalError(f"the cluster lost a block of worlds: {error}; try again, or give more retries") from error


def work(settings: Settings, model: list, rows: Snapshot, job: Job) -> Answer:
    """What a worker does with a block of worlds; the model comes as a reference, which is followed only once."""
    count = len(next(iter(rows.values())))
    batch = made_batch(settings, count, model)
    batch.restore(rows)
    worlds = worlds_of(batch)
    for name in job.keep:
        if name not in worlds.arrays.results:
            worlds.keep(name)
    recorded = None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", SimulationWarning)
        if job.ctrl is None:
            worlds.run(job.function, job.nstep)
        else:
            recorded = batch.rollout(job.ctrl, job.state)
    results = {name: worlds.arrays.results[name] for name in job.keep}
    # inputs that other programs used are as at the beginning
    further = {name: array for name, array in batch.snapshot().items() if name in rows}
    return Answer(further, results, recorded, tuple((str(warning.message), warning.category) for warning in told))


KNOWN: dict[tuple[Settings, int], Batch] = {}
"""Batches that this worker has made."""


def made_batch(settings: Settings, count: int, model: list) -> Batch:
    """The worker's batch of so many worlds, made when they first come."""
    key = settings, count
    if key not in KNOWN:
        data = pickle.loads(ray.get(model[0]))
        KNOWN[key] = Batch(data, count, settings.precision, nthread=settings.nthread, vary=settings.vary)
    return KNOWN[key]
