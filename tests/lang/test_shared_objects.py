"""Several threads may use the same object, interrupts end long calls, and memory is freed at once."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import signal
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.batch.batch import Batch, worlds_of
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.once import FREE
from conjoint.rollout import Rollout
from waiting import PATIENCE, interrupted

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="threads and long calls run machine code only")

XML = """<mujoco><worldbody><geom type="plane" size="2 2 .1"/><body name="box" pos="0 0 .3"><freejoint name="free"/>
<geom type="box" size=".1 .1 .1"/><site name="s"/></body></worldbody>
<sensor><framepos objtype="site" objname="s"/></sensor></mujoco>"""


@pytest.fixture
def model() -> Any:
    return conjoint.MjModel.from_xml_string(XML)


@pytest.mark.parametrize("nthread", [1, 2, 3])
def test_a_batch_that_threads_step_loses_no_step(model: Any, nthread: int) -> None:
    """Concurrent calls to a batch are serialized, so no step is lost."""
    batch = Batch(model, 16, nthread=nthread, vary=["body_mass"])
    others: list[Callable[[], Any]] = [
        lambda: batch.xpos,
        lambda: batch.contact(3),
        lambda: batch.snapshot(2),
        lambda: batch.get_model(1),
        lambda: batch.render(width=4, height=4),
        lambda: pickle.dumps(batch),
    ]

    def work(k: int) -> None:
        for _ in range(10):
            batch.step(5)
            others[k]()

    with ThreadPoolExecutor(len(others)) as threads:
        for done in [threads.submit(work, k) for k in range(len(others))]:
            done.result(timeout=PATIENCE)
    alone = Batch(model, 16, nthread=1)
    alone.step(5 * 10 * len(others))
    np.testing.assert_array_equal(batch.qpos, alone.qpos)


@pytest.mark.parametrize("nthread", [1, 2])
def test_data_that_threads_step_loses_no_step(model: Any, nthread: int) -> None:
    """Concurrent steps of the same data are serialized: the second caller waits."""
    d, alone = conjoint.MjData(model), conjoint.MjData(model)
    d.nthread = nthread
    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(lambda: [conjoint.mj_step(model, d, 3) for _ in range(50)]) for _ in range(4)]:
            done.result(timeout=PATIENCE)
    conjoint.mj_step(model, alone, 600)
    np.testing.assert_array_equal(d.qpos, alone.qpos)


def test_callbacks_may_call_functions_of_their_world(model: Any) -> None:
    """A callback can call functions of its own world while other threads wait."""
    d = conjoint.MjData(model)
    called = []

    def passive(m: Any, world: Any) -> None:
        called.append(threading.get_ident())
        conjoint.mj_kinematics(m, world)

    conjoint.set_mjcb_passive(passive)
    try:
        with ThreadPoolExecutor(2) as threads:
            for done in [threads.submit(conjoint.mj_step, model, d, 20) for _ in range(2)]:
                done.result(timeout=PATIENCE)
    finally:
        conjoint.set_mjcb_passive(None)
    assert len(called) == 40 and d.time == pytest.approx(40 * model.opt.timestep)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_fork_takes_the_turns_of_threads_that_are_not_there(model: Any) -> None:
    """After a fork, the child can step worlds whose locks were held by threads that do not exist in the child."""
    d, batch = conjoint.MjData(model), Batch(model, 4, nthread=1)
    conjoint.mj_step(model, d)
    held, free = threading.Event(), threading.Event()

    def hold() -> None:
        # acquire and release the world's lock as `mj_step` does
        del d.world.turn.slots[FREE]
        with worlds_of(batch).turn.held:
            held.set()
            free.wait(PATIENCE)
        d.world.turn.slots[FREE] = True

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(PATIENCE)
    child = os.fork()
    if child == 0:
        signal.alarm(int(PATIENCE))
        conjoint.mj_step(model, d)
        batch.step()
        os._exit(7)
    status = os.waitpid(child, 0)[1]
    free.set()
    thread.join()
    assert os.waitstatus_to_exitcode(status) == 7


def test_an_interrupt_ends_a_long_call_between_steps(model: Any) -> None:
    """An interrupt ends a long call after a whole step, and the simulation can continue from there."""
    d, alone = conjoint.MjData(model), conjoint.MjData(model)
    conjoint.mj_step(model, d)
    with interrupted():
        conjoint.mj_step(model, d, 10**9)
    conjoint.mj_step(model, alone, round(d.time / model.opt.timestep))
    np.testing.assert_array_equal(d.qpos, alone.qpos)
    for world in (d, alone):
        conjoint.mj_step(model, world, 5)
    np.testing.assert_array_equal(d.qpos, alone.qpos)


@pytest.mark.parametrize("nthread", [1, 2, 3])
def test_an_interrupt_ends_a_long_call_of_a_batch(model: Any, nthread: int) -> None:
    """After an interrupt, all worlds of a batch have made the same number of steps."""
    batch, alone = (Batch(model, 40, nthread=nthread) for _ in range(2))
    batch.step()
    with interrupted():
        batch.step(10**8)
    times = np.round(batch.time / model.opt.timestep).astype(int).ravel()
    assert len(set(times.tolist())) == 1 and times[0] > 0
    alone.step(int(times[0]))
    np.testing.assert_array_equal(batch.qpos, alone.qpos)
    np.testing.assert_array_equal(batch.xpos, alone.xpos)
    batch.step(5)
    alone.step(5)
    np.testing.assert_array_equal(batch.qpos, alone.qpos)


@pytest.mark.parametrize("count", [1, 4, 40])
def test_an_interrupt_ends_a_rollout(model: Any, count: int) -> None:
    """After an interrupt, no thread uses the rollout's data, and the threads accept new work."""
    worlds = [conjoint.MjData(model) for _ in range(2)]
    spec = conjoint.mjtState.mjSTATE_FULLPHYSICS
    state = np.zeros((1, conjoint.mj_stateSize(model, spec)))
    conjoint.mj_getState(model, worlds[0], state[0], spec)
    with Rollout(nthread=2) as pool:
        pool.rollout(model, worlds, state.repeat(count, 0), nstep=1)
        with interrupted():
            pool.rollout(model, worlds, state.repeat(count, 0), nstep=1_000_000 // count)
        before = worlds[0].time
        short = pool.rollout(model, worlds, state, nstep=3)[0]
    alone = conjoint.MjData(model)
    conjoint.mj_step(model, alone, 3)
    assert before >= 0
    np.testing.assert_array_equal(short[0, -1, 1 : 1 + model.nq], alone.qpos)


def test_steps_in_parts_are_steps_at_once(model: Any) -> None:
    """Long calls, which are split internally, give the same results as single steps, also for kept fields."""
    batch, one_by_one = Batch(model, 8, keep=["xpos"], nthread=2), Batch(model, 8, nthread=1)
    batch.step(200)
    for _ in range(200):
        one_by_one.step()
    for name in ("qpos", "xpos", "sensordata", "qacc", "ncon"):
        np.testing.assert_array_equal(getattr(batch, name), getattr(one_by_one, name))
    assert len(batch.contact(2)) == len(one_by_one.contact(2)) > 0


@pytest.mark.parametrize("settings", [{}, {"precision": "float32"}, {"vary": ["body_mass"], "keep": ["xpos"]}])
def test_a_copy_of_a_batch_goes_on_as_the_batch(model: Any, settings: dict[str, Any]) -> None:
    """Copies and pickles of a batch include its state, its varied fields and its choice of kept fields."""
    batch = Batch(model, 5, **settings)
    batch.step(3)
    if "vary" in settings:
        batch.body_mass[:, 1] = np.linspace(1, 2, 5)
    copies = [copy.copy(batch), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    for each in (batch, *copies):
        each.step(4)
    for each in copies:
        np.testing.assert_array_equal(each.qpos, batch.qpos)
        np.testing.assert_array_equal(each.xpos, batch.xpos)
        assert each.precision == batch.precision and each.nworld == 5


def _used_data() -> list[Any]:
    model = conjoint.MjModel.from_xml_string(XML)
    d = conjoint.MjData(model)
    for name in ("mj_step", "mj_forward", "mj_inverse", "mj_step1"):
        getattr(conjoint, name)(model, d)
    assert d.contact is not None and d.body("box").xpos.shape == (3,)
    model.opt.cone = 1
    conjoint.mj_step(model, d)
    d.nthread = 2
    conjoint.mj_step(model, d)
    return [model, d, d.world, model.plans.current]


def _used_batch() -> list[Any]:
    model = conjoint.MjModel.from_xml_string(XML)
    batch = Batch(model, 8, nthread=2, vary=["body_mass"])
    batch.step(3)
    batch.contact(0)
    assert batch.xpos.shape == (8, 2, 3) and batch.joint("free").qpos.shape == (8, 7)
    return [model, batch, worlds_of(batch).plan]


def _used_rollout() -> list[Any]:
    model = conjoint.MjModel.from_xml_string(XML)
    worlds, pool = [conjoint.MjData(model) for _ in range(2)], Rollout(nthread=2)
    pool.rollout(model, worlds, np.zeros((3, 1 + model.nq + model.nv)), nstep=3)
    pool.close()
    return [model, *worlds, pool]


def _used_spec() -> list[Any]:
    spec = conjoint.MjSpec.from_string(XML)
    model = spec.compile()
    d = conjoint.MjData(model)
    conjoint.mj_step(model, d)
    return [spec, model, d]


@pytest.mark.parametrize("make", [_used_data, _used_batch, _used_rollout, _used_spec])
def test_what_nobody_holds_is_gone_at_once(make: Callable[[], list[Any]]) -> None:
    """Objects without references are freed immediately, without the cyclic garbage collector."""
    gc.collect()
    gc.disable()
    try:
        left = [weakref.ref(each) for each in make()]
        assert [type(each()).__name__ for each in left] == ["NoneType"] * len(left)
    finally:
        gc.enable()
