"""Profile of a step."""

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang.driver import Run
from conjoint.lang.errors import FatalError
from conjoint.runtime.pipeline import pipeline
from conjoint.runtime.profile import time_stages


def profile_step(m: MjModel, d: MjData, nstep: int = 200) -> dict[str, float]:
    """Microseconds that each stage of `mj_step` takes on the state of `d`, which is left as it is.

    Args:
        m: model.
        d: state, at which a step has been made.
        nstep: how often the step is repeated, from the same state; each stage counts with its median.

    Raises:
        FatalError: kernels are not compiled (CONJOINT_JIT=0).
    """
    world = d.world
    step = pipeline(world, m.plans, "mj_step")
    if not isinstance(step.run, Run):
        raise FatalError("a profile needs compiled kernels: unset CONJOINT_JIT")
    data, arena = world.data.bytes.copy(), world.arena.bytes.copy()

    def restore() -> None:
        world.data.bytes[...] = data
        world.arena.bytes[...] = arena

    times: dict[str, float] = {}
    rows = time_stages(step.stages, step.run.table, step.plan.address, world.address, restore, nstep)
    for name, _, microseconds in rows:
        times[name] = times.get(name, 0.0) + microseconds
    return times
