"""Where the time of a batch goes: every stage timed in its place, block by block."""

from __future__ import annotations

import time
from typing import Any

from conjoint.batch.batch import worlds_of
from conjoint.batch.pipeline import BlockPipeline, Share
from conjoint.lang.calls.driver import Run
from conjoint.lang.calls.transfer import PlainTransfer


class TimedRun:
    """What `Run` does, stage by stage, with the seconds that each takes."""

    def __init__(self, pipeline: BlockPipeline):
        workspace = pipeline.workspace
        plan = workspace.plan
        table = pipeline.run.table
        self.names = [f"{stage.name}: {stage.kernel.__name__}" for stage in pipeline.stages]
        self.counts = table[:, 1]
        self.runs = [Run(row.reshape(1, 2), plan.address, workspace.address) for row in table]
        self.empty = Run(table[:0], plan.address, workspace.address)
        self.seconds: dict[str, float] = dict.fromkeys(self.names, 0.0)
        self.position = (0, 0, 0)

    def go(self, nstep: int = 1) -> int:
        """Run the stages `nstep` times; 0, or the answer of the one that stopped them."""
        clock = time.perf_counter_ns
        begin = clock()
        self.empty.go()
        nothing = clock() - begin
        step, first, lane = self.position
        for s in range(step, nstep):
            for i in range(first, len(self.runs)):
                run = self.runs[i]
                run.position = (0, 0, lane)
                lane = 0
                begin = clock()
                answer = run.go()
                self.seconds[self.names[i]] += max(0, clock() - begin - nothing) * 1e-9
                if answer:
                    self.position = (s, i, run.position[2])
                    return answer
            first = 0
        self.position = (0, 0, 0)
        return 0


def watch_stages(batch: Any) -> TimedRun:
    """From now on, steps of a batch of one thread tell the seconds of each stage."""
    worlds = worlds_of(batch)
    (pipeline,) = worlds.pipelines("mj_step")
    timed = TimedRun(pipeline)
    pipeline.run = timed
    pipeline.share = lambda fields, worlds, due: Share(pipeline, PlainTransfer(timed, fields, worlds, due))
    worlds.shares.clear()
    return timed
