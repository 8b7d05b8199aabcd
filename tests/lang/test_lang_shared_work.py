"""Threads share the iterations of a loop: each iteration runs once, and results are bit-identical for any number of threads."""

from __future__ import annotations

import gc
import threading
import time

import numpy as np
import pytest

from conjoint.lang import Buffer, FatalError, Field, Kernel, Layout, kernel, shared, vec3
from conjoint.lang.calls.compiled import jit_enabled, stage_addresses
from conjoint.lang.memory.realisation import WORLD
from conjoint.lang.threads.thread_team import Team
from realisations import ENTRY, NAMES, Bench
from waiting import PATIENCE, wait_for

pytestmark = pytest.mark.plain

compiled = pytest.mark.skipif(not jit_enabled(), reason="threads run machine code only")

N = 300
MODEL_FIELDS = (Field("n", "long"), Field("weight", "real", ("n",)))
DATA_FIELDS = (
    Field("x", "real", ("n",)), Field("y", "real", ("n",)), Field("turns", "int", ("n",)), Field("sum", "real"),
    Field("team", "long", uniform=True),
)  # fmt: skip
BENCH = Bench(MODEL_FIELDS, DATA_FIELDS, {"n": N})
WEIGHT = np.random.default_rng(1).normal(size=N)
STATE = {"x": np.random.default_rng(2).normal(size=(16, N)), "turns": np.zeros((16, N), np.int32)}


@kernel
def work(m, d, k, scale, offset, array):
    """Compute element k of y with a loop over all elements, so that each iteration takes some time."""
    s = 0.0
    for i in range(m.n):
        s = s + m.weight[i] * array[i] * scale
    d.y[k] = s * d.x[k] + offset.y
    d.turns[k] = d.turns[k] + 1


@kernel
def share_work(m, d):
    shared(work, m, d, m.n, 2.0 * m.weight[0], vec3(1.0, 2.0, 3.0), d.x)
    s = 0.0
    for k in range(m.n):
        s = s + d.y[k]
    d.sum = s


@kernel
def share_little(m, d):
    shared(work, m, d, 1, 2.0, vec3(1.0, 2.0, 3.0), d.x)
    shared(work, m, d, 0, 2.0, vec3(1.0, 2.0, 3.0), d.x)


@pytest.mark.parametrize("name", NAMES)
def test_every_piece_is_done_once(name: str) -> None:
    found = BENCH.run(share_work, name, STATE, {"weight": WEIGHT})
    precise = {"rtol": 1e-4, "atol": 1e-4} if "float32" in name else {"rtol": 1e-12}
    sums = 2 * WEIGHT[0] * (STATE["x"] @ WEIGHT)[:, None] * STATE["x"] + 2
    np.testing.assert_allclose(found["y"], sums, **precise)
    assert np.all(found["turns"] == 1)
    little = BENCH.run(share_little, name, STATE, {"weight": WEIGHT})["turns"]
    assert np.all(little[:, 0] == 1) and not little[:, 1:].any()


class Scene:
    """Compiled kernel with memory for its fields; a team of threads may run it."""

    def __init__(self, work: Kernel):
        self.m, self.d = (Buffer(Layout(fields, {"n": N})) for fields in (MODEL_FIELDS, DATA_FIELDS))
        self.m.view("n")[...], self.m.view("weight")[...], self.d.view("x")[...] = N, WEIGHT, STATE["x"][0]
        (self.address,) = stage_addresses([(work, WORLD)], MODEL_FIELDS, DATA_FIELDS)

    def run(self, team: Team | None) -> np.ndarray:
        """Run the kernel, check that every iteration ran once, and return y and the sum."""
        self.d.view("turns")[...] = 0
        if team is not None:
            assert team.begin()
            self.d.view("team")[...] = team.address
        ENTRY(self.address)(self.m.address, self.d.address, 0)
        if team is not None:
            self.d.view("team")[...] = 0
            team.end()
        assert np.all(self.d.view("turns") == 1)
        return np.append(self.d.view("y"), self.d.view("sum"))


@compiled
@pytest.mark.parametrize("nthread", [2, 3, 7])
def test_threads_find_the_same_bits(nthread: int) -> None:
    scene, team = Scene(share_work), Team(nthread)
    alone = scene.run(None)
    helped = 0

    def run() -> None:
        nonlocal helped
        assert np.array_equal(scene.run(team), alone)
        helped += team.helped

    for _ in range(2000):
        run()
    # on a busy machine, threads may start too late to help
    wait_for(lambda: helped, run)


@compiled
def test_threads_fall_asleep_and_wake_up() -> None:
    scene, team = Scene(share_work), Team(2)
    alone = scene.run(team)
    for _ in range(3):
        time.sleep(0.05)
        assert np.array_equal(scene.run(team), alone)


@compiled
def test_a_team_serves_one_caller_at_a_time() -> None:
    team = Team(2)
    assert team.begin()
    assert not team.begin()
    team.end()
    assert team.begin()
    team.end()


@compiled
def test_threads_end_with_their_team() -> None:
    def running() -> set[threading.Thread]:
        return {thread for thread in threading.enumerate() if thread.name == "conjoint world"}

    # teams of other tests may end at any time
    before, team = running(), Team(4)
    Scene(share_work).run(team)
    started = running() - before
    assert len(started) == 3
    del team
    gc.collect()
    for thread in started:
        thread.join(PATIENCE)
    assert not started & running()


@kernel
def nested(m, d, k):
    shared(work, m, d, m.n, 2.0, vec3(1.0, 2.0, 3.0), d.x)


@kernel
def returning(m, d, k):
    return k


@kernel
def shares_nested(m, d):
    shared(nested, m, d, m.n)


@kernel
def shares_returning(m, d):
    shared(returning, m, d, m.n)


@kernel
def shares_nothing(m, d):
    shared(work, m, d)


@compiled
@pytest.mark.parametrize(
    ("wrong", "reported"),
    [
        (shares_nested, "nested shares work itself"),
        (shares_returning, "returning returns a value"),
        (shares_nothing, "shared takes at least 4 arguments, not 3: count missing"),
    ],
)
def test_what_cannot_be_shared_is_told(wrong: Kernel, reported: str) -> None:
    with pytest.raises(FatalError, match=reported):
        BENCH.run(wrong, "world", STATE)
