"""Tests of calls that machine code repeats (`lang.calls.call_cache`), and of conditions under which Python runs the next call."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="machine code repeats calls")

BOXES = 12
XML = f"""<mujoco><worldbody><geom type="plane" size="9 9 .1"/>{
    "".join(f'<body pos="{k} 0 1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>' for k in range(BOXES))
}</worldbody></mujoco>"""


@pytest.fixture(scope="module")
def model() -> Any:
    return conjoint.MjModel.from_xml_string(XML)


@pytest.fixture
def data(model: Any) -> Iterator[Any]:
    d = conjoint.MjData(model)
    conjoint.mj_step(model, d)
    assert functions_of(lambda: conjoint.mj_step(model, d)) == []
    yield d
    # whatever a test has done, later calls succeed, in machine code or through Python
    conjoint.mj_step(model, d)


def functions_of(call: Callable[[], None]) -> list[str]:
    """Return the names of the Python functions that run during a call."""
    names: list[str] = []

    def note(frame: FrameType, event: str, arg: object) -> None:
        if event == "call":
            names.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return names[1:]


def on_the_ground(d: Any) -> None:
    """Put all boxes on the plane, which creates more contacts than the world has memory for."""
    d.qpos.reshape(BOXES, 7)[:, 2] = 0.0999


def test_any_number_of_steps_can_be_asked_for(model: Any, data: Any) -> None:
    """Any step count works: the fast path handles small plain integers, and Python handles all other counts."""
    few: list[Callable[[], None]] = [
        lambda: conjoint.mj_step(model, data, 3),
        lambda: conjoint.mj_step(model, data, nstep=3),
    ]
    others: list[Callable[[], None]] = [
        lambda: conjoint.mj_step(model, data, np.int64(3)),  # type: ignore[arg-type]
        lambda: conjoint.mj_step(m=model, d=data, nstep=3),
        lambda: conjoint.mj_step(model, d=data, nstep=3),
        lambda: conjoint.mj_step(model, data, 30),
    ]
    taken = 2
    for call in (*few, *others, *few):
        names = functions_of(call)
        assert ("run" in names) is (call in others)
        taken += 30 if call is others[-1] else 3
        assert data.time == pytest.approx(taken * model.opt.timestep)
    for wrong in (0, -1):
        conjoint.mj_step(model, data, wrong)
        assert data.time == pytest.approx(taken * model.opt.timestep)
    with pytest.raises(TypeError, match="nstep"):
        conjoint.mj_step(model, data, 1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="steps"):
        conjoint.mj_step(model, data, steps=2)  # type: ignore[call-arg]


CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "integers of contacts": lambda m, d: setattr(d.contact[0], "dim", 1),
    "threads": lambda m, d: setattr(d, "nthread", 2),
    "a restored world": lambda m, d: d.world.restore(*d.world.contents()),
    "a callback": lambda m, d: conjoint.set_mjcb_passive(lambda m, d: None),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_python_has_to_look_at_goes_through_python(model: Any, data: Any, name: str) -> None:
    on_the_ground(data)
    conjoint.mj_step(model, data)
    try:
        CHANGES[name](model, data)
        assert "run" in functions_of(lambda: conjoint.mj_step(model, data))
    finally:
        conjoint.set_mjcb_passive(None)


def test_integers_of_contacts_are_checked_before_stages_follow_them(model: Any, data: Any) -> None:
    on_the_ground(data)
    for _ in range(2):
        conjoint.mj_forward(model, data)
        conjoint.mj_makeConstraint(model, data)
    data.contact[0].dim = 7
    with pytest.raises(conjoint.FatalError, match="dim = 7"):
        conjoint.mj_makeConstraint(model, data)


def test_a_callback_that_removes_itself_is_not_repeated(model: Any, data: Any) -> None:
    called = []

    def once(m: Any, d: Any) -> None:
        called.append(d.time)
        conjoint.set_mjcb_passive(None)

    conjoint.set_mjcb_passive(once)
    for _ in range(3):
        conjoint.mj_step(model, data)
    assert len(called) == 1


def test_each_model_has_its_own_runs(model: Any, data: Any) -> None:
    """A cached call with one model is not reused for a different model of the same sizes."""
    other = conjoint.MjModel.from_xml_string(XML)
    other.opt.gravity[:] = 0
    for _ in range(3):
        data.qvel[:] = 0
        conjoint.mj_step(other, data)
        assert not data.qvel.any()
        conjoint.mj_step(model, data)
        assert data.qvel.any()


def test_an_edited_model_is_followed(model: Any, data: Any) -> None:
    edited = conjoint.MjModel.from_xml_string(XML)
    for _ in range(3):
        conjoint.mj_step(edited, data)
    edited.opt.integrator = conjoint.mjtIntegrator.mjINT_RK4
    edited.opt.timestep = 0.01
    alone = conjoint.MjData(edited)
    for d in (data, alone):
        conjoint.mj_resetData(edited, d)
        for _ in range(3):
            conjoint.mj_step(edited, d)
    np.testing.assert_array_equal(data.qpos, alone.qpos)


def test_a_stage_that_stops_is_repeated_by_python(model: Any, data: Any) -> None:
    """If the arena must grow in the middle of a repeated step, Python completes the step with the same result."""
    alone = conjoint.MjData(model)
    conjoint.mj_step(model, alone, 2)
    for d in (data, alone):
        on_the_ground(d)
        d.qvel[:] = 0
    names = functions_of(lambda: conjoint.mj_step(model, data))
    assert names[0] == "go_on" and "grow" in names and data.ncon == 4 * BOXES
    conjoint.mj_step(model, alone)
    np.testing.assert_array_equal(data.qpos, alone.qpos)
    assert functions_of(lambda: conjoint.mj_step(model, data)) == []


def test_an_interrupt_before_python_goes_on_leaves_a_whole_step(model: Any, data: Any) -> None:
    """An interrupt before Python runs the end of a step leaves a completed step."""

    def interrupt(frame: FrameType, event: str, arg: object) -> None:
        if event == "call" and frame.f_code.co_name == "go_on":
            raise KeyboardInterrupt

    alone = conjoint.MjData(model)
    conjoint.mj_step(model, alone, 2)
    for d in (data, alone):
        on_the_ground(d)
        d.qvel[:] = 0
    time = data.time
    sys.settrace(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            conjoint.mj_step(model, data)
    finally:
        sys.settrace(None)
    conjoint.mj_step(model, alone)
    assert data.time == time + model.opt.timestep and data.ncon == 4 * BOXES
    np.testing.assert_array_equal(data.qpos, alone.qpos)
    # the lock has been released
    for d in (data, alone):
        conjoint.mj_step(model, d)
    np.testing.assert_array_equal(data.qpos, alone.qpos)
