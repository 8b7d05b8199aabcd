"""Profile of a pipeline: the time of every stage and of its labeled kernels. Profiling does not change results."""

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
"""Label of the time spent outside documented functions."""


@dataclass(frozen=True)
class PartTime:
    """Time spent in a stage, or in a part of it.

    Attributes:
        function: the documented function that the stage belongs to.
        stage: name of its kernel.
        label: label of the called kernels whose time this is; "" for all code of the stage except labeled kernels.
        seconds: time spent.
        calls: number of calls.
    """

    function: str
    stage: str
    label: str
    seconds: float
    calls: float


class Profile:
    """Context in which a pipeline measures the time of its stages.

    Within it, the run's table contains variants of the stages with clock readings; calls do not change. Only one thread
    at a time may run the profiled pipeline.

    Args:
        run: the run of a pipeline.
        stages: stages of that run.
        world: compiled variant for kernels that branch per world.
        block: compiled variant for all other kernels; None for a single world.
        rows: rows that the kernels read as `m`.
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
            # a stage that runs several times in a step is listed once
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
        """Return the costs of stages in this process, by stage and label: seconds, clock readings, calls.

        The first row is for code outside of stages. Its time without a label is unknown, and set to 0.
        """
        found = self._clock.read([*self._functions])
        found[0, 0, SECONDS] = 0.0
        return found

    def parts(self, taken: np.ndarray) -> list[PartTime]:
        """Return the times of stages and their parts in the order of the pipeline.

        Args:
            taken: difference of two results of `read`.
        """
        return [
            PartTime(function, stage, label, float(row[SECONDS]), float(row[COUNT]))
            for (stage, function), rows in zip(self._functions.items(), taken, strict=True)
            for label, row in zip(labels(), rows, strict=False)
            if row[COUNT]
        ]

    @staticmethod
    def seconds(taken: np.ndarray) -> float:
        """Return the seconds spent in all parts and in clock readings."""
        return float(taken[..., [SECONDS, READING]].sum())
