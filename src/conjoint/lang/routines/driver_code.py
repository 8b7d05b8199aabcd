"""The kernel of the driver, which runs a table of compiled stages, step by step, for one world or block."""

from __future__ import annotations

from ..language.kernel import kernel
from .addresses import call_stage, longs

TABLE, NSTAGE, MODEL, DATA, NSTEP, STEP, STAGE, LANE = range(8)
"""Indices of words in a run: stage table, number of stages, addresses of `m` and `d`, number of steps, and position."""

OFTEN = 4
"""Number of steps of a world after which compiling its stages again, with optimization passes, pays off."""

OFTEN_IN_BLOCKS = 256
"""Number of steps of a block of worlds after which compiling its stages again, with optimization passes, pays off."""

RUNS_OFTEN = 1 << 16
"""Status of a run that has done enough steps for its stages to be optimized. Stages return smaller numbers."""


@kernel
def drive(address):
    """Run the stages of the table for a number of steps, each stage once for each of its lanes.

    A stage that processes all lanes at once has a lane count of 1. A stage that returns a nonzero status stops the run,
    whose words then contain its position; the next call continues there. The word after the rows of the table is the
    number of remaining steps until the run stops with `RUNS_OFTEN`, or 0 if it never does. The run returns this status
    until the table is optimized.
    """
    run = longs(address)
    table = longs(run[TABLE])
    # the compiler must assume that a stage writes anywhere, so words that no stage changes are read in advance
    nstep = run[NSTEP]
    nstage = run[NSTAGE]
    m = run[MODEL]
    d = run[DATA]
    step = run[STEP]
    stage = run[STAGE]
    lane = run[LANE]
    while step < nstep:
        left = table[2 * nstage]
        if left == 1:
            run[STEP] = step
            run[STAGE] = stage
            run[LANE] = lane
            return RUNS_OFTEN
        if left > 1:
            table[2 * nstage] = left - 1
        while stage < nstage:
            function = table[2 * stage]
            count = table[2 * stage + 1]
            while lane < count:
                answer = call_stage(function, m, d, lane)
                if answer != 0:
                    run[STEP] = step
                    run[STAGE] = stage
                    run[LANE] = lane
                    return answer
                lane += 1
            lane = 0
            stage += 1
        stage = 0
        step += 1
    run[STEP] = 0
    run[STAGE] = 0
    run[LANE] = 0
    return 0
