"""Parts of the window that need no display: history, pace, what passes between simulation and window."""

from __future__ import annotations

import pytest

import conjoint
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.simulation import RATES, History, Pace, faster, slower

BALL = """
<mujoco><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>
"""


@pytest.fixture
def world() -> tuple:
    m = conjoint.MjModel.from_xml_string(BALL)
    return m, conjoint.MjData(m)


def test_history_goes_back_and_forgets_what_came_after(world) -> None:
    m, d = world
    history = History(m)
    for _ in range(5):
        history.add(d)
        conjoint.mj_step(m, d)
    assert history.go(d, -4) and d.time == 0
    assert history.go(d, -1) and d.time == pytest.approx(3 * m.opt.timestep)
    assert not history.go(d, -1)
    # before the first there is nothing
    assert history.go(d, -100) and d.time == 0
    history.go(d, -2)
    conjoint.mj_step(m, d)
    history.add(d)
    assert len(history) == 4 and history.position == 0


def test_history_keeps_the_newest(world) -> None:
    m, d = world
    history = History(m)
    room = len(history._states)
    for k in range(room + 3):
        d.time = k
        history.add(d)
    assert len(history) == room
    history.go(d, -room)
    assert d.time == 3


def test_pace_makes_up_for_little_and_forgets_much(monkeypatch) -> None:
    import conjoint.viewer.simulation as module

    now = 0.0
    monkeypatch.setattr(module.time, "perf_counter", lambda: now)
    pace = Pace(1.0)
    assert pace.due(0.0, 0.001) == 0
    pace.made(1, 1e-5, 0.0)
    now = 0.1
    assert pace.due(0.0, 0.001) == pytest.approx(100, abs=1)
    now = 10.0
    assert pace.due(0.0, 0.001) == 1
    # a slow model is asked for one step at a time
    pace.made(1, 1.0, 0.0)
    pace.cost = 1.0
    now = 10.3
    assert pace.due(0.0, 0.001) == 1


def test_rates_are_a_ladder() -> None:
    assert RATES[0] == 1.0 and RATES[-1] == 0.001
    assert slower(1.0) == RATES[1] and faster(slower(1.0)) == 1.0
    assert faster(1.0) == 1.0 and slower(0.001) == 0.001


def test_the_window_commands_and_the_owner_obeys(world) -> None:
    m, d = world
    exchange = Exchange(m, d)
    exchange.set("qpos", 2, 5.0)
    assert exchange.take().qpos[2] == 5.0 and d.qpos[2] == 0
    assert exchange.obey(d) and d.qpos[2] == 5.0
    assert not exchange.obey(d)
    d.time = 1.0
    exchange.publish(d)
    d.time = 2.0
    exchange.publish(d)
    # the first copy waits until it is taken
    assert exchange.take().time == 1.0
    exchange.publish(d)
    d.time = 3.0
    exchange.publish(d, again=True)
    assert exchange.take().time == 3.0


def test_a_pull_ends_when_it_is_let_go(world) -> None:
    m, d = world
    conjoint.mj_forward(m, d)
    exchange = Exchange(m, d)
    pert = exchange.pert
    pert.select, pert.active = 1, int(conjoint.mjtPertBit.mjPERT_TRANSLATE)
    pert.localmass, pert.refselpos = 1.0, (1.0, 0.0, 0.0)
    assert exchange.perturb(d, paused=False) and d.xfrc_applied[1, 0] > 0
    pert.active = 0
    assert not exchange.perturb(d, paused=False)
    assert not d.xfrc_applied.any()
