"""Actuators, springs and sensors of newer versions agree with values recorded from MuJoCo 4.0.0 (`newer_actuation`)."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.derivative import mjd_transition
from newer_actuation import COMBINED, DATA, MODELS, begin, cases, controls, simulate, with_options, xml

OFFICIAL = json.loads(DATA.read_text())
SLIDER = """<mujoco><option timestep=".1" gravity="0 0 0"/><worldbody><body><joint name="j" type="slide" axis="1 0 0"/>
<geom size=".1" mass="2"/></body></worldbody>{}</mujoco>"""


def slider(rest: str) -> tuple[Any, Any]:
    """Return the model and data of a body on a slide joint; `rest` is the XML of further elements."""
    m = conjoint.MjModel.from_xml_string(SLIDER.format(rest))
    return m, conjoint.MjData(m)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(("name", "integrator"), cases())
def test_numbers_are_those_of_the_version(name: str, integrator: str) -> None:
    found = simulate(conjoint, name, integrator)
    for row, expected in zip(found, OFFICIAL[f"{name}, {integrator}"], strict=True):
        np.testing.assert_allclose(row, expected, rtol=1e-8, atol=1e-9)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(("name", "integrator"), [(name, "implicitfast") for name in MODELS] + [("delays", "RK4")])
def test_many_worlds_do_the_same(name: str, integrator: str) -> None:
    m = conjoint.MjModel.from_xml_string(xml(name, integrator))
    batch, worlds = Batch(m, 3), [conjoint.MjData(m) for _ in range(3)]
    for w, d in enumerate(worlds):
        begin(d)
        d.qvel[:] *= 1 + 0.2 * w
    batch.qpos, batch.qvel = ([getattr(d, field) for d in worlds] for field in ("qpos", "qvel"))
    for step in range(8):
        batch.ctrl = [controls(m.nu, step) * (1 + w) for w in range(3)]
        for d, control in zip(worlds, batch.ctrl, strict=True):
            d.ctrl[:] = control
            conjoint.mj_step(m, d)
        batch.step()
    for field in ("qpos", "qvel", "act", "history", "sensordata"):
        expected = np.array([getattr(d, field) for d in worlds])
        np.testing.assert_allclose(getattr(batch, field), expected, rtol=1e-11, atol=1e-12)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("name", COMBINED)
def test_steps_are_differentiated(name: str) -> None:
    m = conjoint.MjModel.from_xml_string(with_options(COMBINED[name], "Euler"))
    d = conjoint.MjData(m)
    begin(d)
    for step in range(5):
        d.ctrl[:] = controls(m.nu, step)
        conjoint.mj_step(m, d)
    nx, ns = 2 * m.nv + m.na, m.nsensordata
    shapes = (nx, nx), (nx, m.nu), (ns, nx), (ns, m.nu)
    exact, differences = ([np.zeros(shape) for shape in shapes] for _ in range(2))
    mjd_transition(m, d, *exact)
    conjoint.mjd_transitionFD(m, d, 1e-6, 1, *differences)
    for found, expected in zip(exact, differences, strict=True):
        # errors of differences are absolute, whatever the size of a derivative
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("name", MODELS)
def test_saved_models_are_the_same(name: str) -> None:
    spec = conjoint.MjSpec.from_string(xml(name, "implicit"))
    m = spec.compile()
    again = conjoint.MjModel.from_xml_string(spec.to_xml())
    for field in m.memory.layout.fields:
        if field.name.startswith(("actuator_", "sensor_", "jnt_", "tendon_", "dof_")) and field.kind != "long":
            np.testing.assert_array_equal(again.memory.view(field.name), m.memory.view(field.name), field.name)
    assert again.nhistory == m.nhistory


@pytest.mark.usefixtures("edition")
def test_polynomials_of_an_editable_model() -> None:
    spec = conjoint.MjSpec.from_string(xml("polynomials", "Euler"))
    joint, other = spec.joint("h"), spec.joint("s")
    assert joint.stiffness.tolist() == [3, 2, 5] and joint.damping.tolist() == [0.2, 0.3, 0.1]
    # a field with only one coefficient is a number, as in 3.3.5
    other.damping = 2
    other.stiffness = [1, 2]
    assert other.damping == 2.0 and other.stiffness.tolist() == [1, 2, 0]
    m = spec.compile()
    assert (
        m.dof_damping[1] == 2 and m.dof_dampingpoly[1].tolist() == [0, 0] and m.jnt_stiffnesspoly[1].tolist() == [2, 0]
    )
    m.jnt_stiffnesspoly[0] = 7, 8
    m.dof_damping[1] = 9
    spec.copy_back(m)
    assert joint.stiffness.tolist() == [3, 7, 8] and other.damping == 9


@pytest.mark.usefixtures("edition")
def test_motors_that_are_edited_in_the_model() -> None:
    m, d = slider('<actuator><motor joint="j" gear="3" armature=".1" damping=".2"/></actuator>')
    assert m.jnt_actuatorid.tolist() == [0] and m.dof_M0[0] == pytest.approx(2.9)
    d.qvel[0] = 1
    m.actuator_damping[0] = 0.5
    conjoint.mj_forward(m, d)
    assert d.qfrc_damper[0] == pytest.approx(-4.5) and d.M[0] == pytest.approx(2.9)
    m.jnt_actuatorid[0] = -1
    conjoint.mj_forward(m, d)
    assert d.qfrc_damper[0] == 0


@pytest.mark.usefixtures("edition")
def test_histories_are_part_of_the_state() -> None:
    m, d = slider(
        '<actuator><motor joint="j" nsample="3" delay=".2"/></actuator><sensor><jointpos joint="j" nsample="2"/></sensor>'
    )
    state = conjoint.mjtState
    assert m.nhistory == conjoint.mj_stateSize(m, state.mjSTATE_HISTORY) == 14
    assert conjoint.mj_stateSize(m, state.mjSTATE_FULLPHYSICS) == 1 + 2 + 14
    for step in range(4):
        d.ctrl[0] = step + 1
        conjoint.mj_step(m, d)
    whole = np.zeros(conjoint.mj_stateSize(m, state.mjSTATE_INTEGRATION))
    conjoint.mj_getState(m, d, whole, state.mjSTATE_INTEGRATION)
    other = conjoint.MjData(m)
    conjoint.mj_setState(m, other, whole, state.mjSTATE_INTEGRATION)
    assert np.array_equal(other.history, d.history)
    for world in (d, other):
        conjoint.mj_step(m, world)
    assert d.actuator_force[0] == other.actuator_force[0] == 3 and d.qpos[0] == other.qpos[0]
    conjoint.mj_resetData(m, d)
    assert d.history.tolist() == conjoint.MjData(m).history.tolist()
    assert d.history[2:5] == pytest.approx([-0.3, -0.2, -0.1])


@pytest.mark.usefixtures("edition")
def test_histories_are_carried_into_the_next_version_of_a_model() -> None:
    rest = '<actuator><motor name="a" joint="j" nsample="2" delay=".1"/></actuator>'
    spec = conjoint.MjSpec.from_string(SLIDER.format(rest))
    m = spec.compile()
    d = conjoint.MjData(m)
    d.ctrl[0] = 5
    conjoint.mj_step(m, d)
    spec.add_sensor(type=conjoint.mjtSensor.mjSENS_CLOCK, nsample=3)
    m, d = spec.recompile(m, d)
    conjoint.mj_step(m, d)
    assert m.nhistory == 14 and d.actuator_force[0] == 5


@pytest.mark.usefixtures("edition")
def test_histories_are_read_and_set() -> None:
    m, d = slider('<actuator><motor joint="j" nsample="5"/><pid joint="j" nsample="2"/><motor joint="j"/></actuator>')
    times, values = np.array([0.1, 0.2, 0.35, 0.4, 0.6]), np.array([1.0, 3, 2, 5, 4])
    conjoint.mj_initCtrlHistory(m, d, 0, times, values)
    result = np.zeros(1)
    # recorded results of 4.0.0
    for interp, expected in enumerate((
        [1, 1, 3, 3, 2, 5, 4, 4], [1, 2, 3, 2 + 13 / 15, 2, 4.75, 4, 4],
        [1, 1.95, 3, 2.9883851851851855, 2, 5.06875, 4, 4],
    )):  # fmt: skip
        found = [
            float(conjoint.mj_readCtrl(m, d, 0, t, result, interp)[0]) for t in (0, 0.15, 0.2, 0.22, 0.35, 0.45, 0.6, 9)
        ]
        assert found == pytest.approx(expected, abs=1e-12)
    # times between samples, at a sample, before all samples and after all samples
    for time, control in ((0.3, 77), (0.35, 78), (0.0, 79), (2.0, 80)):
        d.time, d.ctrl[0] = time, control
        conjoint.mj_step(m, d)
    assert d.history[:12].tolist() == [0, 0, 2, 0.3, 0.35, 0.4, 0.6, 80, 77, 78, 5, 4]
    conjoint.mj_initCtrlHistory(m, d, 0, None, np.arange(5.0))
    assert d.history[:12].tolist() == [0, 0, 2, 0.3, 0.35, 0.4, 0.6, 4, 0, 1, 2, 3]
    conjoint.mj_initCtrlHistory(m, d, 1, np.array([0.0, 1]), np.array([[1.0, 2], [3, 4]]))
    assert conjoint.mj_readCtrl(m, d, 1, 0.5, np.zeros(2), 1).tolist() == [2, 3]
    d.ctrl[3] = 6
    assert conjoint.mj_readCtrl(m, d, 2, 0.5, result, 0)[0] == 6
    with pytest.raises(conjoint.FatalError, match=r"strictly increasing, got times\[0\]=5 >= times\[1\]=4"):
        conjoint.mj_initCtrlHistory(m, d, 0, np.arange(5.0, 0, -1), np.arange(5.0))
    for wrong, message in (((5, None), "out of range"), ((0, np.zeros(3)), "times should have length")):
        with pytest.raises((IndexError, TypeError), match=message):
            conjoint.mj_initCtrlHistory(m, d, *wrong, np.arange(5.0))
    with pytest.raises(conjoint.FatalError, match="this actuator has no history: set nsample"):
        conjoint.mj_initCtrlHistory(m, d, 2, None, np.zeros((0, 1)))


@pytest.mark.usefixtures("edition")
def test_a_history_that_a_program_breaks_stays_inside() -> None:
    m, d = slider('<actuator><motor joint="j" nsample="3" delay=".1"/></actuator>')
    for place in (np.nan, 1e300, -5, 3):
        d.history[1] = place
        conjoint.mj_step(m, d)
        assert 0 <= d.history[1] < 3


@pytest.mark.usefixtures("edition")
def test_sensors_that_are_read_now_and_then() -> None:
    """A sensor with an interval of 2.5 s at steps of 1 s is evaluated as the manual says, with and without a phase."""
    for phase, expected in (("", [0, 3, 5, 8, 10, 13]), (" -1.5", [1, 4, 6, 9, 11])):
        rest = f'<sensor><clock nsample="1" interval="2.5{phase}"/></sensor>'
        m, d = slider(rest)
        m.opt.timestep = 1
        conjoint.mj_resetData(m, d)
        found = []
        for _ in range(14):
            conjoint.mj_step(m, d)
            found.append(d.sensordata[0])
        assert sorted(set(found) - {0.0}) == [time for time in expected if time]


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(
    ("rest", "reported"),
    [
        ('<actuator><motor joint="j" delay=".1"/></actuator>', "delay needs a history: set nsample"),
        ('<actuator><motor joint="j" nsample="-1"/></actuator>', "nsample is -1, but cannot be negative"),
        ('<actuator><motor joint="j" nsample="1" delay="-1"/></actuator>', "delay is -1"),
        ('<sensor><clock nsample="2" interval="-1"/></sensor>', "the interval cannot be negative"),
        ('<sensor><clock nsample="2" interval="1 .5"/></sensor>', "cannot be positive"),
        ('<sensor><clock nsample="2" interval="1 -1"/></sensor>', "must be greater than minus the first"),
        ('<option timestep="0"/><sensor><clock nsample="2"/></sensor>', "a history needs a positive timestep"),
        ('<actuator><adhesion body="b" damping="1"/></actuator>', "unknown attribute 'damping'"),
        ('<actuator><general body="b" damping="1"/></actuator>', "damping needs the attribute joint or tendon"),
        ('<actuator><pid joint="j" input="vel pos"/></actuator>', "'vel pos' is not one of"),
        ('<actuator><pid joint="j" input="vel" ki="1"/></actuator>', "needs the input pos"),
        ('<actuator><pid joint="j" ki="-1"/></actuator>', "ki cannot be negative"),
        ('<actuator><dcmotor joint="j" resistance="1"/></actuator>', "the motor constant must be positive"),
        ('<actuator><dcmotor joint="j" motorconst="1"/></actuator>', "the resistance must be positive"),
        ('<actuator><dcmotor joint="j" resistance="1" motorconst="1" controller="1"/></actuator>', "a controller needs"),
        ('<actuator><dcmotor joint="j" resistance="1" motorconst="1" thermal="1"/></actuator>', "thermal: resistance,"),
        ('<actuator><dcmotor joint="j" resistance="1" motorconst="1" inductance="-1"/></actuator>', "inductance cannot"),
        ('<actuator><dcmotor joint="j" resistance="1" input="none" nsample="2"/></actuator>', "a history needs a control"),
        ('<actuator><dcmotor joint="j" resistance="1" motorconst="1" input="pressure"/></actuator>', "inputs of a dcmotor"),
        ('<actuator><pid joint="j" input="pos voltage"/></actuator>', "inputs of a pid are some of pos, vel and ff"),
        ('<actuator><pid joint="j" inheritrange="1"/></actuator>', "the target has no range"),
        ('<actuator><general joint="j" input="pos vel"/></actuator>', "has one input: pos, vel or pressure"),
        ('<actuator><general joint="j" gaintype="user" input="pos"/></actuator>', "actuators of this gaintype have no input"),
        ('<actuator><general joint="j" gaintype="pid" biastype="affine"/></actuator>', "needs dyntype pid"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(rest: str, reported: str) -> None:
    xml = SLIDER.format(rest).replace("<body>", '<body name="b">')
    with pytest.raises(conjoint.ModelError, match=reported):
        conjoint.MjModel.from_xml_string(xml)


@pytest.mark.usefixtures("edition")
def test_controls_have_names() -> None:
    m, d = slider('<actuator><pid name="p" joint="j" input="pos vel ff"/><motor name="m" joint="j"/></actuator>')
    assert (m.nu, m.nactuator, m.nout) == (4, 2, 2) and m.actuator_ctrladr.tolist() == [0, 3]
    assert [conjoint.mj_actuatorInputName(m, 0, k) for k in range(4)] == ["pos", "vel", "ff", None]
    d.actuator("p").ctrl = 1, 2, 3
    d.actuator("m").ctrl = 4
    assert d.ctrl.tolist() == [1, 2, 3, 4] and m.actuator("p").ctrlrange.shape == (3, 2)
    assert m.actuator("m").ctrlrange.shape == (2,) and m.actuator("p").gear.shape == (6,)


@pytest.mark.usefixtures("edition")
def test_actuators_are_set_by_programs() -> None:
    spec = conjoint.MjSpec.from_string(SLIDER.format('<actuator><motor name="a" joint="j"/></actuator>'))
    actuator = spec.actuators[0]
    actuator.set_to_pid(kp=3, kv=1, ki=2, imax=0.5, slewmax=4)
    m = spec.compile()
    assert (m.nu, m.na) == (2, 2) and m.actuator_biasprm[0, :3].tolist() == [0, -3, -1]
    assert m.actuator_gainprm[0, 0] == 2 and m.actuator_dynprm[0, :2].tolist() == [0.5, 4]
    actuator.set_to_dcmotor([0.5, 0.4], 2, inductance=[0.1, 0], ctrlspec=conjoint.mjtCtrlInput.mjINPUT_NONE)
    actuator.damping = [1, 0, 2]
    m = spec.compile()
    assert (m.nu, m.na) == (0, 1) and m.actuator_dampingpoly.tolist() == [[0, 2]]
    assert m.actuator_gainprm[0, :2] == pytest.approx([2, np.sqrt(0.2)])
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d)


CLASSES = """<mujoco><default><default class="p"><general input="pos" gaintype="pid" biastype="affine" gainprm="0"/></default>
<default class="v"><general input="vel"/></default></default><worldbody><body><joint name="j" type="slide" range="-2 6"/>
<geom size=".1"/></body></worldbody><actuator>{}</actuator></mujoco>"""


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('<motor joint="j" class="p"/>', 0), ('<position joint="j" class="p"/>', 1), ('<pid joint="j" class="p"/>', 1),
        ('<pid joint="j" input="" class="p"/>', 3), ('<motor joint="j" class="v"/>', 0),
        ('<general joint="j" class="v"/>', 2), ('<general joint="j" class="v" input="pressure"/>', 32),
        ('<velocity joint="j" class="v"/>', 2), ('<pid joint="j" class="v"/>', 3), ('<cylinder joint="j" class="v"/>', 32),
        ('<dcmotor joint="j" resistance="1" motorconst="1" class="v"/>', 8), ('<muscle joint="j" class="v"/>', 0),
    ],
)  # fmt: skip
def test_classes_say_of_controls_what_suits_the_actuator(written: str, expected: int) -> None:
    """A default class sets only control inputs that suit the actuator, as in mujoco==4.0.0, before and after saving the model."""
    with conjoint.semantics("4.0"):
        spec = conjoint.MjSpec.from_string(CLASSES.format(written.replace("/>", ' lengthrange="0 1"/>')))
    assert spec.compile().actuator_ctrlspec.tolist() == [expected]
    assert conjoint.MjModel.from_xml_string(spec.to_xml()).actuator_ctrlspec.tolist() == [expected]


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(("rest", "expected"), [('inheritrange="1"', [-2, 6]), ('inheritrange=".5" ki="1"', [0, 4])])
def test_controllers_inherit_the_range_of_their_target(rest: str, expected: list[float]) -> None:
    m = conjoint.MjModel.from_xml_string(CLASSES.format(f'<pid joint="j" input="pos" {rest}/>'))
    assert m.actuator_ctrlrange.tolist() == [expected] and m.actuator_ctrllimited.tolist() == [1]


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(
    ("interval", "expected"),
    [(".0046 -.0004", [-0.01, -0.005, 0]), (".0046", [-0.015, -0.01, -0.005]), (".012 -.004", [-0.025, -0.015, 0])],
)
def test_readings_before_the_beginning(interval: str, expected: list[float]) -> None:
    """Before the first step, sensor histories contain the times of mujoco==4.0.0; intervals below the timestep become one step."""
    _, d = slider(f'<option timestep=".005"/><sensor><clock nsample="3" interval="{interval}"/></sensor>')
    np.testing.assert_allclose(d.history[2:5], expected, atol=1e-15)


@pytest.mark.usefixtures("edition")
def test_damping_ratios_of_orientations_are_of_all_three_axes() -> None:
    """The damping ratio of an orientation servo uses the mean of its three axes, as in mujoco==4.0.0."""
    inertial = '<inertial pos=".5 .2 .3" mass="1" diaginertia=".1 .2 .25"/>'
    m = conjoint.MjModel.from_xml_string(
        f'<mujoco><worldbody><body><joint name="b" type="ball"/>{inertial}</body></worldbody><actuator>'
        '<orientation joint="b" kp="3" dampratio=".5"/></actuator></mujoco>'
    )
    assert m.actuator_biasprm[0, 2] == pytest.approx(-np.sqrt(3 / m.dof_invweight0[0]), rel=1e-12)
    assert m.actuator_biasprm[0, 2] == pytest.approx(-np.sqrt(3 * 0.279162532248462), rel=1e-12)


@pytest.mark.usefixtures("edition")
def test_a_current_at_its_greatest_rate_does_not_damp() -> None:
    """While a motor current changes at its maximum rate, implicit steps equal Euler steps, as in mujoco==4.0.0."""
    xml = SLIDER.format(
        '<actuator><dcmotor joint="j" resistance="2" motorconst=".4" inductance="0 .02" saturation="0 0 {}"/></actuator>'
    )
    for rate, same in ((1, True), (1e9, False)):
        speeds = []
        for integrator in ("Euler", "implicitfast"):
            text = xml.format(rate).replace("<option ", f'<option integrator="{integrator}" ')
            m = conjoint.MjModel.from_xml_string(text)
            d = conjoint.MjData(m)
            d.qvel[:], d.ctrl[:] = 2, 9
            conjoint.mj_step(m, d)
            speeds.append(d.qvel[0])
        assert (speeds[0] == speeds[1]) == same
