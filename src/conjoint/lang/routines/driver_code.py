"""The kernel of the driver: runs a table of compiled stages, step by step, for one world or block."""

from __future__ import annotations

from ..language.kernel import kernel
from .addresses import call_stage, longs

TABLE, NSTAGE, MODEL, DATA, NSTEP, STEP, STAGE, LANE = range(8)
"""Words of a run: the table of stages, their number, addresses of `m` and `d`, steps; then its position."""

OFTEN = 4
"""Steps of a world after which compiling its stages again, with passes, pays off."""

OFTEN_IN_BLOCKS = 256
"""Steps of blocks of worlds after which it pays off."""

RUNS_OFTEN = 1 << 16
"""Status of a run whose table has taken this many steps. Stages return smaller numbers."""


@kernel
def drive(address):
    """Run each stage of each step in its lanes (as many as its count; 1 for a stage that runs all at once).

    A stage that answers other than 0 stops the run, whose words say where; the next call goes on from there. Behind
    the rows of the table stands how many steps are left until the run stops with `RUNS_OFTEN`; 0 if it does not. It
    answers so until the table is optimized.
    """
    run = longs(address)
    table = longs(run[TABLE])
    # a stage may write anywhere, as far as the compiler knows: what it does not change is read before
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
