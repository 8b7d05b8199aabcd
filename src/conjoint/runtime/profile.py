"""Profile of a pipeline: the time of every stage and its labeled kernels; results do not change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

import numpy as np

from conjoint.lang.calls.compiled import is_lean, optimized
from conjoint.lang.calls.driver import Run
from conjoint.lang.calls.profile_clock import COUNT, READING, SECONDS, labels, profile_clock
from conjoint.lang.calls.transfer import WorldTransfer
from conjoint.lang.errors import FatalError
from conjoint.lang.memory.layout import Field
from conjoint.lang.memory.realisation import WORLD, Realisation, profiled
from conjoint.lang.objects.profile_counters import OUTSIDE
from conjoint.runtime.run import PlainRun, stage_table
from conjoint.runtime.stage import Stage
from conjoint.schema.model import MODEL_ROWS

OUTSIDE_STAGES = "outside the stages"
"""Name of the time outside of documented functions."""


@dataclass(frozen=True)
class PartTime:
    """Time of a stage, or of a part of it.

    Attributes:
        function: the documented function that the stage belongs to.
        stage: name of its kernel.
        label: of kernels that it calls; "" for all of it but those with labels.
        seconds: time.
        calls: number of calls.
    """

    function: str
    stage: str
    label: str
    seconds: float
    calls: float


class Profile:
    """Context in which a pipeline measures the time of its stages.

    The run keeps its table of stages, which are compiled with clocks around them: steps are taken as always. One thread
    at a time may run what is profiled.

    Args:
        run: the run of a pipeline.
        stages: of that run.
        world: realization of kernels that branch per world.
        block: realization of the others; None for a single world.
        rows: rows that they read as `m`.
        transfers: transfers of worlds of a batch into its block and back.

    Raises:
        FatalError: kernels are not compiled (CONJOINT_JIT=0).
    """

    def __init__(
        self,
        run: Run | PlainRun,
        stages: Sequence[Stage],
        world: Realisation = WORLD,
        block: Realisation | None = None,
        rows: tuple[Field, ...] = MODEL_ROWS,
        transfers: Sequence[WorldTransfer] = (),
    ):
        if not isinstance(run, Run):
            raise FatalError("a profile needs compiled kernels: unset CONJOINT_JIT")
        self._functions = {OUTSIDE: OUTSIDE_STAGES}
        for stage in stages:
            # one that runs several times in a step is there once
            self._functions.setdefault(stage.kernel.__name__, stage.name)
        table = stage_table(stages, profiled(world), block and profiled(block), rows)
        addresses = table[:-1, 0].tolist()
        self._run, self._addresses = run, optimized(addresses) if is_lean(addresses) else addresses
        self._clock, self._transfers = profile_clock(), transfers

    def __enter__(self) -> Profile:
        table = self._run.table
        self._before = table.copy()
        table[:-1, 0], table[-1, 0] = self._addresses, 0
        for transfer in self._transfers:
            transfer.use(profiled(WORLD))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._run.table[...] = self._before
        for transfer in self._transfers:
            transfer.use()

    def read(self) -> np.ndarray:
        """Return the costs of stages in this process, by stage and label: seconds, readings of the clock, calls.

        The first row is of code outside of stages; time without a label is not known there.
        """
        found = self._clock.read([*self._functions])
        found[0, 0, SECONDS] = 0.0
        return found

    def parts(self, taken: np.ndarray) -> list[PartTime]:
        """Return the times of stages and their parts in the order of the pipeline.

        Args:
            taken: a difference of two results of `read`.
        """
        return [
            PartTime(function, stage, label, float(row[SECONDS]), float(row[COUNT]))
            for (stage, function), rows in zip(self._functions.items(), taken, strict=True)
            for label, row in zip(labels(), rows, strict=False)
            if row[COUNT]
        ]

    @staticmethod
    def seconds(taken: np.ndarray) -> float:
        """Return the seconds in all parts, and in readings of the clock."""
        return float(taken[..., [SECONDS, READING]].sum())
