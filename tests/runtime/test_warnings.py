"""Simulation warnings have MuJoCo's text, are issued once per type until a reset, and point to the line that caused them."""

from __future__ import annotations

import inspect
import os
import re
import warnings
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint import rollout
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.errors import DivergenceWarning, ModelWarning, SimulationWarning

XML = """<mujoco><option timestep=".01"/><worldbody><geom type="plane" size="5 5 1"/>
<body pos="0 0 .05"><freejoint/><geom size=".1"/></body><body pos="1 0 1"><joint name="j"/><geom size=".1"/></body>
</worldbody><actuator><motor joint="j"/></actuator></mujoco>"""
compiled = pytest.mark.skipif(not jit_enabled(), reason="batches of many worlds: compiled only")


def spoil(d: Any, what: str, i: int, value: float) -> None:
    getattr(d, what)[i] = value


BAD: dict[str, Callable[[Any], Any]] = {
    "qpos": lambda d: spoil(d, "qpos", 2, np.nan),
    "qvel": lambda d: spoil(d, "qvel", 1, 1e11),
    "ctrl": lambda d: spoil(d, "ctrl", 0, np.inf),
    "qacc": lambda d: spoil(d, "qfrc_applied", 3, 1e30),
    "all": lambda d: (spoil(d, "qpos", 0, np.nan), spoil(d, "qvel", 0, np.nan), spoil(d, "ctrl", 0, np.nan)),
}
SETTINGS = {
    "Euler": {}, "Runge-Kutta": {"integrator": 1}, "implicit": {"integrator": 2}, "implicitfast": {"integrator": 3},
    "without resets": {"disableflags": int(conjoint.mjtDisableBit.mjDSBL_AUTORESET)},
}  # fmt: skip


def told_by(
    package: Any, bad: str, settings: dict[str, int], per_call: int
) -> tuple[list[str], list[list[int]], float]:
    """Corrupt a state repeatedly; return the warning texts, the warning counters with their details, and the simulation time.

    The state is corrupted twice, and once more after a reset; counters and time are those before the reset.
    """
    m = package.MjModel.from_xml_string(XML)
    for name, value in settings.items():
        setattr(m.opt, name, value)
    d = package.MjData(m)
    texts: list[str] = []
    package.set_mju_user_warning(texts.append)
    try:
        package.mj_step(m, d, 5)
        for _ in range(2):
            BAD[bad](d)
            package.mj_step(m, d, per_call)
            package.mj_step(m, d, per_call)
            package.mj_forward(m, d)
        numbers = [[int(w.number) for w in d.warning], [int(w.lastinfo) for w in d.warning]]
        time = d.time
        package.mj_resetData(m, d)
        package.mj_step(m, d, 2)
        BAD[bad](d)
        for function in (package.mj_checkPos, package.mj_checkVel, package.mj_forward, package.mj_checkAcc):
            function(m, d)
    finally:
        package.set_mju_user_warning(None)
    return texts, numbers, time


@pytest.mark.skipif(not jit_enabled(), reason="many steps")
@pytest.mark.parametrize("per_call", [1, 4])
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("bad", BAD)
def test_texts_and_times_are_the_official_ones(bad: str, settings: str, per_call: int) -> None:
    ours, official = (told_by(package, bad, SETTINGS[settings], per_call) for package in (conjoint, mujoco))
    assert official[0]
    if settings == "without resets":
        # it is random which coordinate first becomes NaN, and warnings of one step are issued in order of their types
        assert sorted(map(kind_and_time, ours[0])) == sorted(map(kind_and_time, official[0]))
    else:
        assert ours == official


def kind_and_time(text: str) -> tuple[str, ...]:
    """Return the kind of the bad value and the time in a warning text."""
    found = re.search(r"value in (\w+) .*Time = ([0-9.]+)\.$", text)
    assert found is not None
    return found.groups()


def reported(work: Callable[[], Any]) -> list[warnings.WarningMessage]:
    """Return the Python warnings that a call issues."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    return caught


def line_here(work: Callable[[], Any]) -> set[int]:
    """Return the line numbers of a function in this file."""
    lines, first = inspect.getsourcelines(work)
    return set(range(first, first + len(lines)))


def test_python_tells_time_and_line() -> None:
    m = conjoint.MjModel.from_xml_string(XML)
    d = conjoint.MjData(m)

    def work() -> None:
        conjoint.mj_step(m, d, 5)
        d.qvel[0] = np.nan
        conjoint.mj_step(m, d)
        conjoint.mj_step(m, d, nstep=2)

    (warning,) = reported(work)
    assert warning.category is DivergenceWarning and "(time = 0.05 s)" in str(warning.message)
    assert warning.filename == __file__ and warning.lineno in line_here(work)
    # each divergence after a reset has its own time, so Python shows both warnings
    conjoint.mj_resetData(m, d)

    def again() -> None:
        conjoint.mj_step(m, d, 3)
        d.qvel[0] = np.nan
        conjoint.mj_forward(m, d)
        conjoint.mj_step(m, d)

    (warning,) = reported(again)
    assert "(time = 0.03 s)" in str(warning.message) and warning.lineno in line_here(again)


def test_numbers_that_are_set_to_zero_let_a_warning_be_told_again() -> None:
    m = conjoint.MjModel.from_xml_string(XML)
    d = conjoint.MjData(m)
    d.ctrl[0] = np.nan
    assert len(reported(lambda: conjoint.mj_step(m, d, 3))) == 1
    assert len(reported(lambda: conjoint.mj_step(m, d, 3))) == 0
    d.ctrl[0] = 0
    d.warning.number[:] = 0
    conjoint.mj_step(m, d)
    d.ctrl[0] = np.nan
    assert len(reported(lambda: conjoint.mj_step(m, d, 3))) == 1


def test_a_full_scene_is_no_divergence() -> None:
    m = conjoint.MjModel.from_xml_string(XML)
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    scene = conjoint.MjvScene(m, 1)

    def work() -> None:
        conjoint.mjv_updateScene(m, d, conjoint.MjvOption(), None, conjoint.MjvCamera(), 7, scene)

    (warning,) = reported(work)
    assert warning.category is SimulationWarning and warning.lineno in line_here(work)
    assert (
        str(warning.message) == "the scene is full: it has space for 1 visual geoms; increase its maxgeom (time = 0 s)"
    )
    assert not reported(work)


def test_full_lists_are_no_divergence() -> None:
    # two spheres rest on the plane, but the list has capacity for one contact
    second = '<size nconmax="1"/><worldbody><body pos="2 0 .05"><freejoint/><geom size=".1"/></body>'
    m = conjoint.MjModel.from_xml_string(XML.replace("<worldbody>", second, 1))
    d = conjoint.MjData(m)
    (warning,) = reported(lambda: conjoint.mj_step(m, d, 3))
    assert warning.category is SimulationWarning and warning.filename == __file__
    assert str(warning.message).endswith("(time = 0 s)")


@compiled
@pytest.mark.parametrize("nworld", [1, 4, 40])
def test_batches_tell_time_and_line(nworld: int) -> None:
    batch = Batch(conjoint.MjModel.from_xml_string(XML), nworld, nthread=1 + (nworld > 4))
    last = nworld - 1
    steps: list[tuple[str, Callable[[], None], str]] = [
        ("qpos", lambda: spoil(batch.qpos, last, 2, np.nan), f"time = 0.05 s, in world {last} of the batch"),
        ("qvel", lambda: spoil(batch.qvel, last, 1, 1e12), f"time = 0.04 s, in world {last} of the batch"),
        ("qacc", lambda: spoil(batch.qfrc_applied, last, 3, 1e30), f"time = 0.04 s, in world {last} of the batch"),
        ("ctrl", lambda: spoil(batch.ctrl, last, 0, np.nan), f"time = 0.04 s, in world {last} of the batch"),
    ]

    def spoil(array: np.ndarray, world: int, i: int, value: float) -> None:
        array[world, i] = value

    def work() -> None:
        batch.step(4)

    batch.step(1)
    batch.step(4)
    for name, bad, words in steps:
        bad()
        (warning,) = reported(work)
        assert warning.category is DivergenceWarning and name in str(warning.message)
        assert words in str(warning.message)
        assert warning.filename == __file__ and warning.lineno in line_here(work)
        batch.reset()
        batch.step(4)
    batch.qpos[:, 2] = np.nan
    (warning,) = reported(work)
    several = {1: "in world 0 of", 4: "first at time = 0.04 s, in worlds 0, 1, 2 and 3 of", 40: "in 40 worlds (0, 1, "}
    assert several[nworld] in str(warning.message)


@compiled
def test_batches_of_varied_timesteps() -> None:
    batch = Batch(conjoint.MjModel.from_xml_string(XML), 20, vary=["opt.timestep"])
    batch.opt.timestep = np.linspace(0.001, 0.02, 20)
    batch.step(5)
    batch.ctrl[9] = np.nan
    (warning,) = reported(lambda: batch.step(3))
    assert "time = 0.05 s" in str(warning.message)


@compiled
@pytest.mark.parametrize("count", [3, 40])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("own", [False, True])
def test_rollouts_tell_time_and_line(count: int, threads: int, own: bool) -> None:
    m = conjoint.MjModel.from_xml_string(XML)
    worlds = [conjoint.MjData(m) for _ in range(threads)]
    worlds[0].qpos[2] = 0.2
    state = np.zeros(conjoint.mj_stateSize(m, conjoint.mjtState.mjSTATE_FULLPHYSICS))
    conjoint.mj_getState(m, worlds[0], state, conjoint.mjtState.mjSTATE_FULLPHYSICS)
    control = np.zeros((count, 7, 1))
    control[1, 4] = np.nan

    def work() -> None:
        rollout.rollout([m] * count if own else m, worlds, np.tile(state, (count, 1)), control)

    (warning,) = reported(work)
    assert "time = 0.04 s" in str(warning.message)
    assert warning.filename == __file__ and warning.lineno in line_here(work)


def test_warnings_of_models_point_at_the_program(tmp_path: Any) -> None:
    xml = '<mujoco><worldbody><body pos="nan 0 0"><geom size=".1"/></body></worldbody></mujoco>'
    path = tmp_path / "nan.xml"
    path.write_text(xml)

    def work() -> None:
        conjoint.MjModel.from_xml_string(xml)
        conjoint.MjModel.from_xml_path(os.fspath(path))
        conjoint.MjSpec.from_string(xml).compile()

    caught = [each for each in reported(work) if each.category is ModelWarning]
    assert len(caught) >= 3
    assert {each.filename for each in caught} == {__file__}
    assert {each.lineno for each in caught} <= line_here(work)
