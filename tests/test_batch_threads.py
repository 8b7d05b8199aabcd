"""Threads of batches: they wait for work, report errors, end with their batch and survive a fork."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.batch.batch import dealt
from conjoint.batch.crew import Crew

CARTPOLE = str(Path(__file__).parent.parent / "models" / "cartpole.xml")

pytestmark = pytest.mark.plain


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "conjoint batch"]


def stepped(nthread: int) -> tuple[Batch, list[threading.Thread]]:
    """A batch after a step, and its threads."""
    before = threads()
    batch = Batch(conjoint.MjModel.from_xml_path(CARTPOLE), 3, nthread=nthread, width=2)
    batch.step()
    return batch, [thread for thread in threads() if thread not in before]


def note(places: dict[int, threading.Thread], k: int) -> None:
    places[k] = threading.current_thread()


def test_every_job_has_a_thread_and_the_caller_does_the_first() -> None:
    crew = Crew()
    runs = []
    for _ in range(100):
        places: dict[int, threading.Thread] = {}
        crew.run([partial(note, places, k) for k in range(4)])
        assert places[0] is threading.current_thread()
        runs.append([places[k] for k in range(4)])
    assert len(set(runs[0])) == 4 and all(run == runs[0] for run in runs)
    crew.close()


@pytest.mark.parametrize("bad", [(0,), (2,), (0, 1), (1, 2)])
def test_an_error_is_raised_after_all_have_ended(bad: tuple[int, ...]) -> None:
    crew = Crew()
    ended = []

    def job(k: int) -> None:
        if k in bad:
            raise ValueError(f"job {k}")
        threading.Event().wait(0.05)
        ended.append(k)

    for _ in range(2):
        ended.clear()
        with pytest.raises(ValueError, match=r"job \d"):
            crew.run([partial(job, k) for k in range(3)])
        assert sorted([*ended, *bad]) == [0, 1, 2]
    crew.close()


def test_threads_start_with_a_call_and_end_with_close() -> None:
    batch, started = stepped(nthread=2)
    assert len(started) == 1
    for _ in range(2):
        batch.close()
        for thread in started:
            thread.join(10)
            assert not thread.is_alive()
        started = []
    batch.step()
    np.testing.assert_allclose(batch.time, 2 * batch.model.opt.timestep)
    batch.close()


def test_threads_hold_no_batch_and_end_with_it() -> None:
    batch, started = stepped(nthread=2)
    held = weakref.ref(batch), weakref.ref(batch._spaces[1])
    assert len(started) == 1
    del batch
    gc.collect()
    assert [ref() for ref in held] == [None, None]
    started[0].join(10)
    assert not started[0].is_alive()


FORK = """
import os, sys, conjoint
from conjoint.batch import Batch
batch = Batch(conjoint.MjModel.from_xml_path(sys.argv[1]), 3, nthread=2, width=2)
batch.step()
child = os.fork()
batch.step()
if child == 0:
    os._exit(7 if (batch.time == batch.time[0]).all() and batch.time[0] > 1.5 * batch.model.opt.timestep else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_process_starts_threads_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK, CARTPOLE], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout.strip(), done.stderr) == ("7", "")


@pytest.mark.parametrize(("nblock", "nthread"), [(1, 1), (2, 2), (12, 2), (12, 3), (7, 2), (64, 16)])
def test_blocks_are_dealt_evenly(nblock: int, nthread: int) -> None:
    """Every block once; where threads get equally many in pairs, the work is equal if it falls evenly."""
    blocks = dealt(nblock, nthread)
    assert sorted(np.concatenate(blocks)) == list(range(nblock))
    counts = [len(mine) for mine in blocks]
    assert max(counts) - min(counts) <= 1
    if nblock % (2 * nthread) == 0:
        assert len({int(mine.sum()) for mine in blocks}) == 1
