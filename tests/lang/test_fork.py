"""A process can fork while its threads compile, import or step: parent and child both continue to work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nearly_warm import nearly_warm_cache
from waiting import PATIENCE

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")

SCENE = """<mujoco><worldbody><geom type="plane" size="9 9 .1"/>
<body pos="0 0 .4"><freejoint/><geom type="box" size=".1 .08 .06"/></body></worldbody></mujoco>"""
PENDULUM = (
    """<mujoco><worldbody><body><joint axis="0 1 0"/><geom size=".1" pos=".1 0 0"/></body></worldbody></mujoco>"""
)

HANGS = PATIENCE / 3
"""Time, in seconds, after which another process or thread counts as hanging."""

PROGRAM = """
import multiprocessing, os, sys, threading, time
import conjoint
SCENE = {scene!r}

def child(answers):
    model = conjoint.MjModel.from_xml_string(SCENE)
    data = conjoint.MjData(model)
    conjoint.mj_step(model, data, 50)
    answers.put(data.qpos.tobytes())

def forked(count, pause):
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    children = []
    for _ in range(count):
        children.append(context.Process(target=child, args=(answers,)))
        children[-1].start()
        time.sleep(pause)
    for process in children:
        process.join({patience})
        assert process.exitcode == 0, f"a child ends with {{process.exitcode}}"
    return {{answers.get() for _ in children}}
"""

ALONE = """
import conjoint
model = conjoint.MjModel.from_xml_string({scene!r})
conjoint.mj_step(model, conjoint.MjData(model), 50)
"""

WHILE_ANOTHER_COMPILES = """
def work():
    model = conjoint.MjModel.from_xml_string(SCENE)
    data = conjoint.MjData(model)
    conjoint.mj_step(model, data, 50)
    done.append(data.qpos.tobytes())

done = []
thread = threading.Thread(target=work)
thread.start()
time.sleep({wait})
ends = forked({children}, {pause})
thread.join({patience})
assert not thread.is_alive(), "the parent hangs"
assert len(ends | set(done)) == 1
"""

WHILE_LOCKS_ARE_HELD = """
from conjoint.compiler.assets.cache import CACHE

def hold(lock):
    with lock.held:
        held.wait()
        over.wait()

over, held = threading.Event(), threading.Barrier(2)
threads = [threading.Thread(target=hold, args=(CACHE.lock,))]
for thread in threads:
    thread.start()
held.wait()
assert len(forked(1, 0)) == 1
over.set()
"""

WHILE_A_STAGE_HAS_STOPPED = """
model = conjoint.MjModel.from_xml_string(SCENE)
data = conjoint.MjData(model)
data.qvel[:] = 1
stopped, over, parent = threading.Event(), threading.Event(), os.getpid()

def control(model, data):
    if os.getpid() == parent:
        stopped.set()
        over.wait()

conjoint.set_mjcb_control(control)
thread = threading.Thread(target=conjoint.mj_step, args=(model, data))
thread.start()
stopped.wait()
pid = os.fork()
if not pid:
    fresh = conjoint.MjData(model)
    conjoint.mj_resetData(model, data)
    for each in (fresh, data):
        each.qvel[:] = range(model.nv)
        conjoint.mj_step(model, each)
    os._exit(0 if (data.qacc == fresh.qacc).all() and (data.xpos == fresh.xpos).all() else 3)
code = os.waitpid(pid, 0)[1]
over.set()
thread.join()
assert code == 0, code
"""

WITH_THREADS_IN_A_WORLD = """
from conjoint.batch import Batch
xml = SCENE.replace("</worldbody>", "".join(
    f'<body pos="{{i % 20}} {{i // 20}} 1"><freejoint/><geom size=".1"/></body>' for i in range(150)) + "</worldbody>")
model = conjoint.MjModel.from_xml_string(xml)
data = conjoint.MjData(model)
data.nthread = 2
batch = Batch(model, 4, nthread=2)
conjoint.mj_step(model, data)
batch.step()
over = threading.Event()
def work():
    while not over.is_set():
        conjoint.mj_step(model, data)
        batch.step()
thread = threading.Thread(target=work)
thread.start()
ends = []
for _ in range(6):
    pid = os.fork()
    if not pid:
        # the world and the batch as they are in the midst of a step, and others
        import faulthandler
        faulthandler.dump_traceback_later({patience}, exit=True)
        fresh = conjoint.MjData(model)
        fresh.nthread = 2
        conjoint.mj_step(model, fresh, 2)
        conjoint.mj_resetData(model, data)
        conjoint.mj_step(model, data, 2)
        own = Batch(model, 4, nthread=2)
        own.step(2)
        os._exit(0 if (data.qpos == fresh.qpos).all() else 3)
    ends.append(os.waitpid(pid, 0)[1])
over.set()
thread.join()
assert ends == [0] * 6, ends
"""


def ends_well(text: str, scene: str = SCENE, **environment: str) -> None:
    """Run a program in a new process; fail if it hangs or reports an error."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(scene=scene, patience=HANGS) + text],
        capture_output=True, text=True, timeout=PATIENCE, env=os.environ | environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("wait, pause", [(0.0, 0.01), pytest.param(0.3, 0.1, marks=pytest.mark.nightly)])
def test_forks_while_another_thread_finds_its_code(wait: float, pause: float) -> None:
    """Forks succeed while another thread imports modules or loads machine code."""
    ends_well(WHILE_ANOTHER_COMPILES.format(wait=wait, pause=pause, children=3, patience=HANGS))


@pytest.mark.nightly
def test_forks_while_another_thread_compiles(tmp_path: Path) -> None:
    """Parent and child both compile after a fork, and the parent's helpers end although the child holds their pipes."""
    program = WHILE_ANOTHER_COMPILES.format(wait=1.0, pause=1.0, children=1, patience=HANGS)
    nearly_warm_cache(tmp_path, 12, ALONE.format(scene=PENDULUM))
    ends_well(program, PENDULUM, CONJOINT_CACHE_DIR=str(tmp_path))


def test_locks_that_others_held_are_free_in_a_child() -> None:
    ends_well(WHILE_LOCKS_ARE_HELD.format())


def test_a_step_in_a_child_begins_with_its_first_stage() -> None:
    """A child's step starts with the first stage, even if a thread of the parent was in the middle of a step."""
    ends_well(WHILE_A_STAGE_HAS_STOPPED.format())


def test_forks_in_the_midst_of_steps_by_several_threads() -> None:
    """Worlds and batches start new threads in a child, because a fork copies none."""
    ends_well(WITH_THREADS_IN_A_WORLD.format(patience=HANGS))


POOL = """
import numpy as np
from conjoint.rollout import rollout
model = conjoint.MjModel.from_xml_string(SCENE)
worlds = [conjoint.MjData(model) for _ in range(2)]
start = np.zeros((2, conjoint.mj_stateSize(model, conjoint.mjtState.mjSTATE_FULLPHYSICS)))
conjoint.mj_getState(model, worlds[0], start[0], conjoint.mjtState.mjSTATE_FULLPHYSICS)
start[1] = start[0]
def go():
    return rollout(model, worlds, start, nstep=3, persistent_pool=True)[0].tobytes()
before = go()
def child(answers):
    answers.put(go())
assert forked(2, 0) == {before}
"""


def test_a_pool_of_rollouts_is_made_anew_in_a_child() -> None:
    ends_well(POOL)
