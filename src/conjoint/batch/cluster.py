"""`ClusterBatch`: a batch whose worlds are computed by the processes of a Ray cluster (needs the extra `ray`).

A call steps blocks of worlds on the nodes that store them (`cluster_worlds`), each on any free worker
(`cluster_worker`). If a worker dies, its blocks are sent again. Because worlds are independent, the results are the
same as those of a `Batch`, bit for bit.
"""

from __future__ import annotations

import hashlib
import math
import os
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from conjoint.lang.optional_packages import missing

try:
    import ray
except ImportError as error:
    raise missing("ray", "conjoint.batch.cluster", error) from None

from conjoint.api.argument_kinds import Real
from conjoint.api.arguments import Count, FieldNames, Precision, ThreadCount, WorldCount, checked
from conjoint.api.objects.model import MjModel
from conjoint.batch.batch import Batch
from conjoint.batch.cluster_tasks import Limits, check_room, connect, count_of_workers, watch_head
from conjoint.batch.cluster_worlds import ClusterWorlds, refuse_plugins, refuse_registered
from conjoint.batch.exchange import Snapshot
from conjoint.batch.world_set import WorldSet

LEAST_WORLDS = 64
"""Default minimum number of worlds in a block, because sending a block takes a few milliseconds."""


Timeout = Annotated[float, Real(above=0, most=math.inf, unit="s")]


class ClusterBatch(Batch):
    """A `Batch` whose worlds are computed by the workers of a Ray cluster.

    It has the full interface of a batch. Between calls the worlds stay in the cluster. `step` sends the values that
    were set since the last call, and receives the fields that are recorded or have been read.

    Args:
        model: the model; it is sent once, and every worker caches it.
        nworld: number of worlds, at least 1.
        precision: "float64" or "float32".
        nthread: number of threads of each worker, and of processors that Ray reserves for it.
        keep: names of fields to record after every step.
        vary: names of model fields that vary between worlds.
        block: number of worlds that are computed together; by default one block for each worker, of 64 worlds or more.
        retries: number of times that a block is sent again if its worker dies.
        address: address of the cluster. By default, the first that exists of: the cluster that Ray is connected to,
            RAY_ADDRESS, the cluster started here by `ray start`, or new processes that other machines cannot reach.
        timeout: time (s) without a finished block after which a call fails.
        checkpoint: file (.npz) to which the whole state is written after every call; load it with `numpy.load` and pass
            it to `restore`. None for no file.

    Attributes:
        sent: number of bytes of worlds and controls sent to workers so far.
        received: number of bytes received from workers so far.

    Raises:
        ValueError: an argument is out of range.
        FatalError: as in `Batch`; also if `nthread` is more than any node has, or if the program has registered kernels
            that workers do not have. Calls raise it if workers die more often than `retries`, have another version of
            this package, or do not respond; then the worlds are unchanged.
    """

    _worlds: ClusterWorlds

    @checked
    def __init__(
        self,
        model: MjModel,
        nworld: WorldCount,
        precision: Precision = "float64",
        nthread: ThreadCount = 1,
        keep: FieldNames = (),
        vary: FieldNames = (),
        block: WorldCount | None = None,
        retries: Count = 3,
        address: str | None = None,
        timeout: Timeout = 600.0,
        checkpoint: str | os.PathLike | None = None,
    ):
        refuse_registered()
        refuse_plugins(model)
        if not ray.is_initialized():
            connect(address)
        watch_head()
        check_room(nthread)
        if block is None:
            block = max(LEAST_WORLDS, -(-nworld // count_of_workers(nthread)))
        data, blocks = pickle.dumps(model), np.array_split(np.arange(nworld), -(-nworld // block))
        settings = hashlib.sha256(data).hexdigest(), precision, tuple(vary), nthread, len(blocks[0])
        path = None if checkpoint is None else Path(checkpoint)
        self._cluster = settings, ray.put(data), blocks, Limits(nthread, retries, timeout), path
        self._made = {"block": block, "retries": retries, "address": address, "timeout": timeout, "checkpoint": path}
        super().__init__(model, nworld, precision, nthread, keep=keep, vary=vary)

    def _made_worlds(self, lanes: int, vary: Sequence[str]) -> WorldSet:
        given = self.model.memory, self.nworld, self.precision, self.nthread, lanes, vary
        return ClusterWorlds(*self._cluster, *given)

    @property
    def sent(self) -> int:
        return self._worlds.sent

    @property
    def received(self) -> int:
        return self._worlds.received

    def _recorded(
        self, ctrl: np.ndarray, names: Sequence[str], progress: Callable[[int], None] | None
    ) -> dict[str, np.ndarray]:
        """Run all steps of the blocks of worlds in the cluster, and return the recorded fields by name.

        A progress bar shows how many blocks have finished. `progress` is called once, after the last step.
        """
        ctrl = ctrl.astype(self.dtype)
        nstep = ctrl.shape[1]
        if nstep == 0:
            return super()._recorded(ctrl, names, progress)
        worlds = self._worlds
        with worlds.turn.held:
            worlds.live("ctrl")
            answers = worlds.send([{"ctrl": ctrl[block], "record": names} for block in worlds.blocks])
            worlds.repeatable = False
        if progress is not None:
            progress(nstep)
        return {name: np.concatenate([answer["recorded"][name] for answer in answers]) for name in names}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle or copy the batch with its model, state and recorded fields, even if they are on a cluster."""
        _, (made, snapshot) = super().__reduce__()
        model, nworld, precision, nthread, _, kept, varied, _ = made
        return _restored, ((model, nworld, precision, nthread, kept, varied), self._made, snapshot)


def _restored(arguments: tuple[Any, ...], settings: dict[str, Any], snapshot: Snapshot) -> ClusterBatch:
    """Restore an unpickled batch."""
    batch = ClusterBatch(*arguments, **settings)
    batch.restore(snapshot)
    return batch
