"""Profile of a step: every stage timed in its place in the step, from the same state again and again."""

import time

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang.calls.driver import Run, table_of
from conjoint.lang.errors import FatalError
from conjoint.runtime.pipeline import pipeline


def profile_step(m: MjModel, d: MjData, nstep: int = 200) -> dict[str, float]:
    """Microseconds that each stage of `mj_step` takes on the state of `d`, which is left as it is.

    Stages run one by one in the order of the step, so that each meets what those before it wrote: a solver that ran
    twice would start the second time at its own solution. The median counts, less that of an empty pipeline.

    Args:
        m: model.
        d: state, at which a step has been made.
        nstep: how often the step is repeated, from the same state.

    Raises:
        FatalError: kernels are not compiled (CONJOINT_JIT=0).
    """
    world = d.world
    step = pipeline(world, m.plans, "mj_step")
    if not isinstance(step.run, Run):
        raise FatalError("a profile needs compiled kernels: unset CONJOINT_JIT")
    step.run.optimize()
    addresses = step.plan.address, world.address
    # each stage alone, and none of them
    tables = [table_of([address], [lanes]) for address, lanes in step.run.table[:-1].tolist()]
    runs = [Run(table, *addresses) for table in (*tables, table_of([], []))]
    data, arena = world.data.bytes.copy(), world.arena.bytes.copy()
    ticks = np.empty((nstep, len(runs)))
    for repetition in ticks:
        for i, run in enumerate(runs):
            start = time.perf_counter_ns()
            run.go()
            repetition[i] = time.perf_counter_ns() - start
        world.data.bytes[...], world.arena.bytes[...] = data, arena
    *nanoseconds, nothing = np.median(ticks, axis=0).tolist()
    times: dict[str, float] = {}
    for stage, spent in zip(step.stages, nanoseconds, strict=True):
        times[stage.name] = times.get(stage.name, 0.0) + max(0.0, spent - nothing) / 1000
    return times
