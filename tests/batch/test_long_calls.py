"""Ctrl-C ends calls that would take hours, in one thread and in several."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.compat.batch import Batch as OfficialBatch
from conjoint.derivative import StepFunction, jacobian, jvp, transition
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.errors import DivergenceWarning
from conjoint.lang.threads.caller import heed
from conjoint.lang.threads.thread_pool import ThreadPool
from conjoint.rollout import Rollout
from waiting import interrupted

PENDULUM = """<mujoco>
  <worldbody><body><joint/><geom size=".1" pos=".2 0 0"/><body pos=".2 0 0"><joint/><geom size=".1" pos=".2 0 0"/></body></body></worldbody>
</mujoco>"""

compiled = pytest.mark.skipif(not jit_enabled(), reason="machine code is what does not hear interrupts")


@pytest.fixture(scope="module")
def model() -> conjoint.MjModel:
    return conjoint.MjModel.from_xml_string(PENDULUM)


def derivatives(model: conjoint.MjModel, nthread: int, work: Callable[[Batch], object]) -> Callable[[], object]:
    work(Batch(model, 3, nthread=nthread))
    many = Batch(model, 300_000, nthread=nthread)
    return lambda: work(many)


def step_jacobian(model: conjoint.MjModel, nthread: int) -> Callable[[], object]:
    step = StepFunction(model, nthread=nthread)
    step.jacobian({"qvel": np.zeros((3, 2))})
    return lambda: step.jacobian({"qvel": np.zeros((2_000_000, 2))})


def official(model: conjoint.MjModel, nthread: int, lanes: bool) -> OfficialBatch:
    batch = OfficialBatch(model, nsim=5, nthread=nthread, lanes=lanes)
    batch.step()
    return batch


def rollout(model: conjoint.MjModel, nthread: int) -> Callable[[], object]:
    pool, worlds = Rollout(nthread=nthread), [conjoint.MjData(model) for _ in range(nthread)]
    start = np.zeros((3, conjoint.mj_stateSize(model, conjoint.mjtState.mjSTATE_FULLPHYSICS)))
    pool.rollout(model, worlds, start, nstep=2)
    return lambda: pool.rollout(model, worlds, start, nstep=1_000_000)


def pictures(model: conjoint.MjModel, nthread: int) -> Callable[[], object]:
    Batch(model, 2, nthread=nthread).render(width=8, height=8)
    many = Batch(model, 20_000, nthread=nthread)
    return lambda: many.render(width=64, height=64)


CALLS: dict[str, Callable[[conjoint.MjModel, int], Callable[[], object]]] = {
    "derivative.transition": lambda m, n: derivatives(m, n, transition),
    "derivative.jacobian": lambda m, n: derivatives(
        m, n, lambda b: jacobian(b, outputs=["qpos", "xpos"], inputs=["qpos", "qvel"])
    ),
    "derivative.jvp": lambda m, n: derivatives(
        m, n, lambda b: jvp(b, directions={"qvel": np.ones((b.nworld, 2))}, outputs=["qpos"])
    ),
    "StepFunction.jacobian": step_jacobian,
    "official step": lambda m, n: partial(official(m, n, False).step, nstep=10**9),
    "official step in lanes": lambda m, n: partial(official(m, n, True).step, nstep=10**9),
    "official rollout": lambda m, n: partial(official(m, n, False).rollout, 10**6),
    "rollout": rollout,
    "render": pictures,
}


@compiled
@pytest.mark.parametrize("nthread", [1, 2])
@pytest.mark.parametrize("name", CALLS)
def test_an_interrupt_ends_a_long_call(model, name: str, nthread: int) -> None:
    call = CALLS[name](model, nthread)
    with interrupted():
        call()


@compiled
def test_a_batch_goes_on_after_an_interrupt(model) -> None:
    """After an interrupt, unfinished simulations have their previous states, and the next call steps all simulations."""
    batch = official(model, 2, lanes=False)
    before = batch.state.copy()
    with interrupted():
        batch.step(nstep=10**9)
    assert np.array_equal(batch.state, before)
    batch.step()
    assert (batch.time > before[0, 0]).all() and not batch.status.any()


def test_an_error_ends_all_parts_and_is_raised() -> None:
    ended = []

    def endless() -> None:
        try:
            while True:
                heed()
                time.sleep(0.001)
        finally:
            ended.append(True)

    def failing() -> None:
        raise ValueError("this part failed")

    pool, inner = ThreadPool("outer"), ThreadPool("inner")
    for parts in ([endless, failing, endless], [failing, endless, endless]):
        with pytest.raises(ValueError, match="this part failed"):
            pool.do_all(parts)
    assert len(ended) == 4
    # if a part has parts of its own, these end as well
    with pytest.raises(ValueError, match="this part failed"):
        pool.do_all([failing, lambda: inner.do_all([endless, endless])])
    assert len(ended) == 6
    assert pool.do_all([lambda: 1, lambda: 2, lambda: 3]) == [1, 2, 3]
    assert pool.map(lambda place, task: place * task, range(9), [1, 1, 1]) == [*range(9)]
    pool.close()
    inner.close()


@pytest.mark.parametrize("nsim", [3, 40])
def test_a_rollout_records_simulations_that_have_all_stopped(model, nsim: int) -> None:
    batch = OfficialBatch(model, nsim=nsim)
    batch.qvel[:] = 1e12
    with pytest.warns(DivergenceWarning):
        found = batch.rollout(4, record=("qpos", int(conjoint.mjtState.mjSTATE_QVEL)))
    for array in found.values():
        assert array.shape == (nsim, 4, 2) and (array == array[:, :1]).all()
    assert batch.rollout(3, ids=[])["qpos"].shape == (0, 3, 2)
