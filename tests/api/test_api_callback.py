"""Callbacks are called at the same points as in MuJoCo, with the same effect."""

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model
from conjoint.batch import Batch

XML = """<mujoco><option {option}><flag {flags}/></option><worldbody><geom type="plane" size="1 1 1"/>
<body pos="0 0 .08"><joint name="z" type="slide" axis="0 0 1"/><joint name="y" axis="0 1 0"/><geom size=".1"/></body>
<body pos="1 0 .08"><joint type="slide" axis="0 0 1"/><geom size=".1"/></body></worldbody>
<actuator><motor joint="z"/><motor joint="y"/>{actuators}</actuator>
<sensor><user dim="2" needstage="pos"/><user dim="1" needstage="vel" cutoff="1"/><user dim="1" needstage="acc"/><jointpos joint="y"/></sensor></mujoco>"""


@pytest.fixture(autouse=True)
def no_callbacks_left() -> Iterator[None]:
    """Remove all callbacks after each test, because they are global."""
    yield
    for package in (mujoco, conjoint):
        for name in ("control", "passive", "sensor", "contactfilter", "act_dyn", "act_gain", "act_bias", "time"):
            getattr(package, f"set_mjcb_{name}")(None)


def install(package: Any, log: list) -> None:
    """Install callbacks that record their calls and change the simulation."""

    def control(m: Any, d: Any) -> None:
        log.append(("control", round(d.time, 6), m.nu))
        d.ctrl[:] = [3.0 - d.qpos[0], -d.qvel[1]]

    def passive(m: Any, d: Any) -> None:
        log.append("passive")
        d.qfrc_passive[:] += -0.3 * d.qvel

    def sensor(m: Any, d: Any, stage: int) -> None:
        log.append(("sensor", stage))
        d.sensordata[stage] = 2.0 + d.time + stage

    def contactfilter(m: Any, d: Any, geom1: int, geom2: int) -> int:
        log.append(("filter", geom1, geom2))
        return int(geom2 == 2)

    package.set_mjcb_control(control)
    package.set_mjcb_passive(passive)
    package.set_mjcb_sensor(sensor)
    package.set_mjcb_contactfilter(contactfilter)


FLAGS = ["", 'actuation="disable"', 'passive="disable"', 'sensor="disable"', 'contact="disable"']
FUNCTIONS = [
    "mj_forward",
    "mj_step",
    "mj_step1",
    "mj_step2",
    "mj_inverse",
    "mj_fwdActuation",
    "mj_passive",
    "mj_sensorVel",
]


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_callbacks_are_called_like_the_official_ones(name: str, flags: str) -> None:
    """Callbacks run in the same order as in MuJoCo, with the same calls and results."""
    official_model = mujoco.MjModel.from_xml_string(XML.format(option="", flags=flags, actuators=""))
    run_both(name, official_model, 1)


@pytest.mark.parametrize("option", ['integrator="Euler"', 'integrator="RK4"'])
def test_many_steps_with_callbacks(option: str) -> None:
    """Controllers in callbacks act on every one of many steps, as in MuJoCo."""
    run_both("mj_step", mujoco.MjModel.from_xml_string(XML.format(option=option, flags="", actuators="")), 20)


def run_both(name: str, official_model: Any, count: int) -> None:
    m = adopt_model(official_model)
    d, official = conjoint.MjData(m), mujoco.MjData(official_model)
    log: list = []
    official_log: list = []
    install(conjoint, log)
    install(mujoco, official_log)
    for world in (d, official):
        world.qvel[:] = [0.1, 0.2, 0.3]
    for _ in range(count):
        getattr(conjoint, name)(m, d)
        getattr(mujoco, name)(official_model, official)
    assert log == official_log
    for field in ("qpos", "qvel", "ctrl", "qfrc_passive", "sensordata", "qacc"):
        np.testing.assert_allclose(getattr(d, field), getattr(official, field), atol=1e-7, err_msg=field)
    assert d.ncon == official.ncon


def test_readings_of_the_user_are_limited_in_the_stage_of_their_sensor_alone() -> None:
    """A sensor callback's values for sensors of a different stage are not clamped, as in MuJoCo."""
    stages = "".join(f'<user dim="1" needstage="{stage}" cutoff="2.5"/>' for stage in ("pos", "vel", "acc"))
    xml = f"""<mujoco><worldbody><body><joint axis="0 1 0"/><geom size=".1"/></body></worldbody>
<sensor>{stages}</sensor></mujoco>"""
    results = []
    for package in (conjoint, mujoco):
        m = package.MjModel.from_xml_string(xml)
        d = package.MjData(m)

        def sensor(m: Any, d: Any, stage: int) -> None:
            d.sensordata[:] = 3.0 + stage

        package.set_mjcb_sensor(sensor)
        package.mj_forward(m, d)
        results.append(d.sensordata.tolist())
    assert results[0] == results[1] == [6.0, 6.0, 2.5]


def model_and_data() -> tuple[Any, Any]:
    m = adopt_model(mujoco.MjModel.from_xml_string(XML.format(option="", flags="", actuators="")))
    return m, conjoint.MjData(m)


ACTUATORS = """<general joint="y" dyntype="user" gaintype="user" biastype="user" actlimited="true" actrange="-1 .001" actearly="true"/>
<general joint="y" gaintype="user" gainprm="7" biastype="affine" biasprm="1 2 3" forcelimited="true" forcerange="-2 2"/>
<general joint="y" dyntype="integrator" gainprm="2" biastype="user"/><general joint="z" dyntype="user" actdim="2" group="3"/>"""


@pytest.mark.parametrize("installed", [(), ("dyn",), ("gain",), ("bias",), ("dyn", "gain", "bias")])
@pytest.mark.parametrize("flags", ["", 'actuation="disable"'])
@pytest.mark.parametrize("option", ["", 'actuatorgroupdisable="3"'])
def test_actuators_of_the_user(installed: tuple[str, ...], flags: str, option: str) -> None:
    """User-defined actuators agree with MuJoCo with and without callbacks for dynamics, gain and bias."""
    official_model = mujoco.MjModel.from_xml_string(XML.format(option=option, flags=flags, actuators=ACTUATORS))
    m = adopt_model(official_model)
    results = []
    for package, model in ((conjoint, m), (mujoco, official_model)):
        calls: list = []
        for name in ("dyn", "gain", "bias"):
            getattr(package, f"set_mjcb_act_{name}")(actuator_callback(name, calls) if name in installed else None)
        d = package.MjData(model)
        d.ctrl[:] = np.arange(1, 7)
        d.act[:] = np.arange(4)
        package.mj_step(model, d, 3)
        results.append((calls, [d.act_dot, d.actuator_force, d.qfrc_actuator, d.act, d.qpos]))
    assert sorted(results[0][0]) == sorted(results[1][0])
    for ours, theirs in zip(results[0][1], results[1][1], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)


def actuator_callback(name: str, calls: list) -> Callable:
    """Return a callback that records its calls and returns 0.5 plus the actuator's id."""

    def function(m: Any, d: Any, actuator: int) -> float:
        calls.append((name, actuator))
        return 0.5 + actuator

    return function


TIMED = (
    "mj_step", "mj_forward", "mj_inverse", "mj_step1", "mj_step2", "mj_fwdPosition", "mj_fwdVelocity", "mj_fwdActuation",
    "mj_fwdAcceleration", "mj_fwdConstraint", "mj_invPosition", "mj_sensorPos", "mj_Euler",
)  # fmt: skip


@pytest.mark.parametrize("option", ["", 'integrator="RK4"', 'integrator="implicit"'])
@pytest.mark.parametrize("flags", ["", 'fwdinv="enable"', 'island="enable"'])
@pytest.mark.parametrize("name", TIMED)
def test_timers(name: str, flags: str, option: str) -> None:
    """Timers count stages as in MuJoCo, the position timer includes its parts, and without a time callback nothing is timed."""
    official_model = mujoco.MjModel.from_xml_string(XML.format(option=option, flags=flags, actuators=""))
    m = adopt_model(official_model)
    counts = []
    for package, model in ((conjoint, m), (mujoco, official_model)):
        d = package.MjData(model)
        package.mj_step(model, d)
        before = [d.timer[k].number for k in range(mujoco.mjtTimer.mjNTIMER.value)]
        clock = iter(range(10000))
        package.set_mjcb_time(lambda clock=clock: float(next(clock)))
        getattr(package, name)(model, d)
        package.set_mjcb_time(None)
        counts.append([d.timer[k].number - before[k] for k in range(mujoco.mjtTimer.mjNTIMER.value)])
        if package is conjoint:
            assert not any(before)
            durations = np.array([d.timer[k].duration for k in range(mujoco.mjtTimer.mjNTIMER.value)])
    timer = conjoint.mjtTimer
    # here the projection is part of the solver, and `mj_step2` counts as a step
    left_out = {timer.mjTIMER_POS_PROJECT, *([timer.mjTIMER_STEP] if name == "mj_step2" else [])}
    for k in range(timer.mjNTIMER):
        if k not in left_out:
            assert counts[0][k] == counts[1][k], timer(k)
    parts = durations[timer.mjTIMER_POS_KINEMATICS : timer.mjTIMER_POS_MAKE + 1].sum()
    assert durations[timer.mjTIMER_POSITION] >= parts and (durations > 0).sum() == np.count_nonzero(counts[0])


def test_batches_refuse_callbacks_that_their_model_would_call() -> None:
    """A batch raises an error that names a callback its model would call; other callbacks are ignored."""
    m = adopt_model(mujoco.MjModel.from_xml_string(XML.format(option="", flags="", actuators="")))
    batch = Batch(m, 2)
    conjoint.set_mjcb_act_gain(lambda m, d, actuator: 1.0)
    batch.step()
    for name in ("control", "passive", "sensor", "contactfilter", "time"):
        getattr(conjoint, f"set_mjcb_{name}")(lambda *arguments: 0)
        with pytest.raises(conjoint.FatalError, match=f"a batch cannot call mjcb_{name}, as an MjData does: remove it"):
            batch.step()
        getattr(conjoint, f"set_mjcb_{name}")(None)
    before = batch.time.copy()
    batch.step()
    assert (batch.time > before).all()


def test_exceptions_reach_the_caller_and_the_next_call_starts_anew() -> None:
    m, d = model_and_data()

    def fail(m: Any, d: Any) -> None:
        raise ValueError("no control")

    conjoint.set_mjcb_control(fail)
    with pytest.raises(ValueError, match="no control"):
        conjoint.mj_step(m, d)
    assert d.time == 0.0
    conjoint.set_mjcb_control(None)
    conjoint.mj_step(m, d, 3)
    assert d.time == pytest.approx(3 * m.opt.timestep)


def test_callbacks_get_the_objects_of_the_caller_and_may_call_functions() -> None:
    m, d = model_and_data()
    seen = []

    def control(model: Any, data: Any) -> None:
        seen.append((model is m, data is d))
        result = np.zeros(model.nv)
        conjoint.mj_rne(model, data, 0, result)
        data.ctrl[:] = result[:2]

    conjoint.set_mjcb_control(control)
    conjoint.mj_step(m, d, 2)
    assert seen == [(True, True)] * 2
    np.testing.assert_allclose(d.ctrl, d.qfrc_bias[:2])


def test_installing_asking_and_removing() -> None:
    """Only callables can be installed as callbacks, and `mj_resetCallbacks` removes all of them."""
    with pytest.raises(TypeError, match=r"^callback is not an Optional\[Callable\]$"):
        conjoint.set_mjcb_control(3)  # type: ignore[arg-type]

    def sensor(m: Any, d: Any, stage: int) -> None: ...

    conjoint.set_mjcb_sensor(sensor)
    assert conjoint.get_mjcb_sensor() is sensor and conjoint.get_mjcb_control() is None
    conjoint.mj_resetCallbacks()
    assert conjoint.get_mjcb_sensor() is None


def test_filter_that_returns_no_number() -> None:
    m, d = model_and_data()
    conjoint.set_mjcb_contactfilter(lambda m, d, geom1, geom2: None)  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match="did not return an integer"):
        conjoint.mj_step(m, d)


def test_warnings_reach_the_handler_of_the_user() -> None:
    """The user's handler receives warnings in MuJoCo's wording; without a handler, Python warns."""
    m, d = model_and_data()
    texts: list[str] = []
    conjoint.set_mju_user_warning(texts.append)
    assert conjoint.get_mju_user_warning() == texts.append
    d.qpos[0] = np.nan
    conjoint.mj_step(m, d)
    conjoint.set_mju_user_warning(None)
    assert len(texts) == 1
    assert texts[0].startswith("Nan, Inf or huge value in QPOS at DOF 0. The simulation is unstable. Time = 0.0")
    d = conjoint.MjData(m)
    d.qpos[0] = np.nan
    with pytest.warns(conjoint.lang.errors.DivergenceWarning):
        conjoint.mj_step(m, d)


def test_warnings_of_functions_of_c() -> None:
    """Warning handlers that are ctypes functions, as in dm_control, receive bytes."""
    reported: list[bytes] = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(reported.append)
    m = conjoint.MjModel.from_xml_string(
        "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
    )
    d = conjoint.MjData(m)
    conjoint.set_mju_user_warning(function)
    try:
        d.qpos[0] = np.nan
        conjoint.mj_step(m, d)
    finally:
        conjoint.set_mju_user_warning(None)
    assert reported and reported[0].startswith(b"Nan, Inf or huge value in QPOS")
