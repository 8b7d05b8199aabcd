"""Threads of batches wait for work, report errors, end with their batch and survive a fork."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from types import FrameType

import numpy as np
import pytest

import conjoint
from conjoint.batch.batch import Batch, worlds_of
from conjoint.lang import kernel
from conjoint.lang.calls.compiled import jit_enabled, routine
from conjoint.lang.calls.fast_call import machine_call
from conjoint.lang.routines.addresses import longs, write_relaxed
from conjoint.lang.routines.worker_code import State
from conjoint.lang.threads.thread_pool import ThreadPool
from conjoint.lang.threads.worker import Worker
from places import ROOT
from programs import without_progress
from waiting import PATIENCE

CARTPOLE = str(ROOT / "models" / "cartpole.xml")

pytestmark = pytest.mark.plain

compiled = pytest.mark.skipif(not jit_enabled(), reason="threads run machine code only")


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "conjoint batch"]


def stepped(nthread: int) -> tuple[Batch, list[threading.Thread]]:
    """Return a batch after one step, and the threads that it started."""
    before = threads()
    batch = Batch(conjoint.MjModel.from_xml_path(CARTPOLE), 3, nthread=nthread, lanes=2)
    batch.step()
    return batch, [thread for thread in threads() if thread not in before]


MEMORY = np.zeros(1, np.int64)
PLACE = int(MEMORY.ctypes.data)


@kernel
def work(turns, a, b):
    """Return the sum of two numbers, after a loop that takes some time."""
    for i in range(turns):
        write_relaxed(longs(PLACE), 0, i)
    return a + b


class Sum:
    """Work of one thread that stops `stops` times with different status codes, then returns 0.

    `attend` handles a status code; with `bad`, it raises an error.
    """

    def __init__(self, stops: int, turns: int = 1, bad: bool = False):
        self.transfer, self.stops, self.turns, self.bad = self, stops, turns, bad
        self.seen: list[int] = []

    @property
    def arguments(self) -> tuple[int, int, int, int]:
        return routine(work), self.turns, 10 * self.stops, self.stops

    def go_on(self) -> int:
        return machine_call()(*self.arguments)

    def attend(self, answer: int) -> None:
        self.seen.append(answer)
        self.stops -= 1
        if self.bad:
            raise ValueError(f"answer {answer}")


@compiled
@pytest.mark.parametrize("turns", [1, 30_000_000])
def test_what_shares_ask_for_is_done_and_they_go_on(turns: int) -> None:
    """The pool handles each status code that a thread's work returns, and then resumes the work.

    Some work is too short to wake a thread, and some is so long that the caller sleeps.
    """
    pool = ThreadPool("conjoint batch")
    for _ in range(20 if turns == 1 else 1):
        shares = [Sum(stops, turns) for stops in (1, 0, 3)]
        pool.run(shares)
        assert [share.seen for share in shares] == [[11], [], [33, 22, 11]]
    pool.close()


@compiled
@pytest.mark.parametrize("bad", [(0,), (2,), (0, 1), (1, 2)])
def test_an_error_is_raised_after_all_have_ended(bad: tuple[int, ...]) -> None:
    pool = ThreadPool("conjoint batch")
    for _ in range(2):
        shares = [Sum(k + 1, bad=k in bad) for k in range(3)]
        with pytest.raises(ValueError, match=f"answer {11 * (bad[0] + 1)}"):
            pool.run(shares)
        assert all(share.stops == 0 for k, share in enumerate(shares) if k not in bad)
    pool.close()


@pytest.fixture
def interrupted() -> Iterator[None]:
    """Enable KeyboardInterrupt on SIGINT, even in a process that a shell started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def end_of(pool: ThreadPool) -> None:
    """Close a pool, and wait until its threads have ended."""
    pool.close()
    for thread in threads():
        thread.join(PATIENCE)
        assert not thread.is_alive()


@compiled
def test_an_interrupt_waits_for_the_threads(interrupted) -> None:
    """An interrupt ends a call only after its threads have finished; their pending status codes are still handled."""
    pool, shares = ThreadPool("conjoint batch"), [Sum(0), Sum(1, 2_000_000_000)]
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        pool.run(shares)
    assert [share.seen for share in shares] == [[], [11]]
    end_of(pool)


@compiled
@pytest.mark.parametrize("function", ["_work_together", "_attend", "wake", "wait", "attend"])
def test_interrupts_at_the_first_line_of_each_function_lose_no_share(function: str) -> None:
    """Whichever function is interrupted, the work of each thread finishes exactly once, and the thread stays usable."""
    pool, begun = ThreadPool("conjoint batch"), []

    def interrupt(frame: FrameType, event: str, arg: object) -> None:
        if event == "call" and frame.f_code.co_name == function and len(begun) < 3:
            begun.append(function)
            sys.settrace(None)
            raise KeyboardInterrupt

    pool.run([Sum(0)] * 3)
    for _ in range(4):
        shares = [Sum(1), Sum(2, 20_000_000), Sum(1)]
        sys.settrace(interrupt)
        try:
            pool.run(shares)
        except KeyboardInterrupt:
            assert begun
        finally:
            sys.settrace(None)
        # an interrupt of `attend`, like its other errors, ends the work of the thread
        ended = sum(share.stops == 0 for share in shares)
        assert ended == len(shares) if function != "attend" else ended >= 2
    assert begun
    pool.run(shares := [Sum(1), Sum(1), Sum(0)])
    assert [share.seen for share in shares] == [[11], [11], []]
    end_of(pool)


@compiled
@pytest.mark.parametrize("awake", [False, True])
def test_a_thread_at_work_for_a_call_that_was_left_is_waited_for(awake: bool) -> None:
    """If a second interrupt ended a call early, the next call waits for the threads that still work for the earlier call.

    Some of these threads may not even have woken yet.
    """
    pool, left = ThreadPool("conjoint batch"), Sum(1, 300_000_000)
    pool.run([Sum(0)] * 2)
    worker = pool._workers[0]
    while worker._slot[0] != State.ASLEEP:
        threading.Event().wait(0.001)
    for i, word in enumerate(left.arguments):
        worker._slot[1 + i] = word
    worker._slot[0] = State.ASKED
    if awake:
        worker.wake()
        while worker._slot[0] != State.BUSY:
            threading.Event().wait(0.001)
    pool.run(shares := [Sum(0), Sum(2)])
    assert [share.seen for share in shares] == [[], [22, 11]]
    end_of(pool)


@compiled
def test_a_thread_that_is_woken_up_twice_goes_back_to_sleep() -> None:
    before = threads()
    worker = Worker("conjoint batch")
    (thread,) = [thread for thread in threads() if thread not in before]
    for _ in range(3):
        worker.wake()
    while not worker._calls.empty():
        threading.Event().wait(0.001)
    assert worker._slot[0] == State.ASLEEP
    worker.end()
    thread.join(PATIENCE)
    assert not thread.is_alive()


@compiled
def test_a_thread_sleeps_also_while_its_answer_is_not_fetched() -> None:
    """A thread goes to sleep after its work, even if the caller has not yet fetched the result."""
    pool = ThreadPool("conjoint batch")
    for stops in (1, 2):
        shares = [Sum(0, 200_000_000), Sum(stops)]
        pool.run(shares)
        assert shares[1].seen[0] == 11 * stops
        assert pool._workers[0]._slot[0] in (State.ASLEEP, State.AWAKE)
    end_of(pool)


@compiled
def test_threads_start_with_a_call_and_end_with_close() -> None:
    batch, started = stepped(nthread=2)
    assert len(started) == 1
    for _ in range(2):
        batch.close()
        for thread in started:
            thread.join(PATIENCE)
            assert not thread.is_alive()
        started = []
    batch.step()
    np.testing.assert_allclose(batch.time, 2 * batch.model.opt.timestep)
    batch.close()


@compiled
def test_threads_hold_no_batch_and_end_with_it() -> None:
    batch, started = stepped(nthread=2)
    held = weakref.ref(batch), weakref.ref(worlds_of(batch).work.spaces[1])
    assert len(started) == 1
    del batch
    gc.collect()
    assert [ref() for ref in held] == [None, None]
    started[0].join(PATIENCE)
    assert not started[0].is_alive()


FORK = """
import os, sys, conjoint
from conjoint.batch import Batch
batch = Batch(conjoint.MjModel.from_xml_path(sys.argv[1]), 3, nthread=2, lanes=2)
batch.step()
child = os.fork()
batch.step()
if child == 0:
    os._exit(7 if (batch.time == batch.time[0]).all() and batch.time[0] > 1.5 * batch.model.opt.timestep else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@compiled
def test_a_forked_process_starts_threads_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK, CARTPOLE], capture_output=True, text=True, timeout=PATIENCE
    )
    assert (done.stdout.strip(), without_progress(done.stderr)) == ("7", "")


@compiled
@pytest.mark.parametrize("late", (False, True))
@pytest.mark.parametrize("nthread", (1, 2, 3))
def test_threads_take_all_worlds_whatever_they_have_to_stop_for(nthread: int, late: bool, monkeypatch) -> None:
    """Threads step all worlds and report divergence correctly, even if they stop to allocate memory.

    A thread also steps the worlds that other threads have not begun; if the others start too late, it steps all of them.
    """
    if late:
        at_once = ThreadPool.run
        monkeypatch.setattr(ThreadPool, "run", lambda pool, shares: [at_once(pool, [share]) for share in shares])
    text = """
    <mujoco><worldbody><geom type="plane" size="9 9 1"/>
    <body pos="0 0 .2"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body pos="0 0 .5"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    </worldbody></mujoco>"""
    m = conjoint.MjModel.from_xml_string(text)
    heights = np.random.default_rng(4).uniform(0.05, 0.6, 23)

    def run(threads: int) -> tuple[np.ndarray, str]:
        batch = Batch(m, len(heights), nthread=threads, lanes=2)
        batch.qpos[:, 2] = heights
        batch.qpos[:, 9] = heights + 0.15
        batch.step(3)
        batch.qvel[[5, 17], 0] = 1e30
        with pytest.warns(match="in worlds 5 and 17 of the batch") as reported:
            batch.step(3)
        return np.concatenate([batch.qpos, batch.nefc.reshape(-1, 1)], axis=1), str(reported[0].message)

    for found, alone in zip(run(nthread), run(1), strict=True):
        np.testing.assert_array_equal(found, alone)
