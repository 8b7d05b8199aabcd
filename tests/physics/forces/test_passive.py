"""Springs, dampers and gravity compensation of all joints and tendons, and energy, agree with MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.lang.calls.compiled import jit_enabled
from mended_oracle import mended_step
from oracle import difference

MODEL = """<mujoco><option gravity="{gravity}" {option}/><default><geom contype="0" conaffinity="0"/></default><worldbody>
<body gravcomp="1.5"><joint type="free" stiffness="3" damping=".5"/><geom type="box" size=".1 .2 .3"/>
  <body pos="0 0 1" gravcomp=".7"><joint type="ball" stiffness="2" damping=".2" actuatorgravcomp="true"/><geom size=".1" pos="1 0 0"/>
    <body pos="1 0 0" gravcomp="-1"><joint axis="1 0 0" stiffness="-2" springref="30" damping="-.1" actuatorgravcomp="true" actuatorfrcrange="-1 1"/>
      <joint type="slide" stiffness="4" springdamper=".1 1"/><geom size=".1" pos="1 .2 0"/><site name="a"/></body></body></body>
<body pos="3 0 0"><joint type="free"/><geom size=".1"/><site name="b"/></body>
<body gravcomp="1" pos="1 1 1"><geom size=".1"/><body><joint name="h" damping="1"/><geom size=".1" pos=".1 0 0"/></body></body>
<body mocap="true" gravcomp="1" pos="1 1 3"><geom size=".1"/></body></worldbody>
<tendon><spatial stiffness="3" damping=".3" springlength="1 2"><site site="a"/><site site="b"/></spatial>
  <spatial stiffness="-3" damping="-.3" springlength=".1"><site site="a"/><site site="b"/></spatial>
  <fixed stiffness="2" springlength="-.1 .1"><joint joint="h" coef="2"/></fixed></tendon>
<actuator><motor joint="h"/></actuator></mujoco>"""

OPTIONS = {
    "Euler": "",
    "explicit": '><flag eulerdamp="disable"/></option><option',
    "implicit": 'integrator="implicit"',
    "implicitfast": 'integrator="implicitfast"',
    "Runge-Kutta with energy": 'integrator="RK4"><flag energy="enable"/></option><option',
    "no gravity": '><flag gravity="disable"/></option><option',
    "no passive forces": '><flag passive="disable"/></option><option',
    "no actuators": '><flag actuation="disable"/></option><option',
}
FIELDS = (
    "qfrc_spring", "qfrc_damper", "qfrc_gravcomp", "qfrc_passive", "qfrc_actuator", "energy", "qpos", "qvel",
)  # fmt: skip


@pytest.mark.plain
@pytest.mark.parametrize("gravity", ["0 0 0", "1 2 -3"])
@pytest.mark.parametrize("option", OPTIONS)
def test_forces_and_steps_equal_the_oracle(option: str, gravity: str) -> None:
    """Passive forces and steps agree with MuJoCo, even for negative stiffness and unnormalized quaternions."""
    xml = MODEL.format(gravity=gravity, option=OPTIONS[option])
    m, official_model = conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    generator = np.random.default_rng(0)
    for _ in range(10 if jit_enabled() else 2):
        d, official = conjoint.MjData(m), mujoco.MjData(official_model)
        for name in ("qpos", "qvel", "ctrl"):
            getattr(official, name)[:] = getattr(d, name)[:] = generator.normal(size=getattr(d, name).shape)
        conjoint.mj_step(m, d)
        mended_step(official_model, official)
        for name in FIELDS:
            assert difference(getattr(d, name), getattr(official, name)) < 1e-11, name
    lifted = gravity != "0 0 0" and option not in ("no gravity", "no passive forces")
    assert np.any(d.qfrc_gravcomp) == lifted


@pytest.mark.plain
def test_full_compensation_lets_a_body_float() -> None:
    """Gravity compensation of 1 cancels gravity, and 2 reverses it.

    If it counts as an actuator force, the joint's force range limits it.
    """
    xml = """<mujoco><option gravity="0 0 -10"/><worldbody><body gravcomp="{}"><joint type="slide" axis="0 0 1" {}/>
    <geom size=".1" mass="2"/></body></worldbody><actuator><general site="s" gainprm="0"/></actuator></mujoco>"""
    xml = xml.replace("<geom", '<site name="s"/><geom')
    limited = 'actuatorgravcomp="true" actuatorfrcrange="-5 5"'
    for compensation, joint, acceleration in ((1, "", 0.0), (2, "", 10.0), (0.5, "", -5.0), (1, limited, -7.5)):
        m = conjoint.MjModel.from_xml_string(xml.format(compensation, joint))
        d = conjoint.MjData(m)
        conjoint.mj_forward(m, d)
        assert d.qacc[0] == pytest.approx(acceleration, abs=1e-12)


@pytest.mark.plain
@pytest.mark.parametrize("read", ["enable", "disable"])
@pytest.mark.parametrize("energy", ["enable", "disable"])
def test_energy_that_nobody_asks_for_is_zero(energy: str, read: str) -> None:
    """The energy is zero unless it is requested; with only a potential sensor, the kinetic energy is unchanged."""
    for sensors in ("", "<clock/>", "<e_potential/>", "<e_kinetic/>", "<e_potential/><e_kinetic/>"):
        xml = f"""<mujoco><option><flag energy="{energy}" sensor="{read}"/></option><worldbody><body pos="0 0 2"><freejoint/>
        <geom size=".1"/></body></worldbody><sensor>{sensors}</sensor></mujoco>"""
        found = []
        for package in (conjoint, mujoco):
            m = package.MjModel.from_xml_string(xml)
            d = package.MjData(m)
            d.energy[:], d.qvel[0] = (7, 8), 1
            package.mj_forward(m, d)
            found.append(np.array(d.energy))
        np.testing.assert_allclose(*found, err_msg=sensors)


@pytest.mark.plain
def test_no_force_is_felt_by_the_world() -> None:
    """The external force on the world body, cfrc_ext[0], is zero, whatever it was before."""
    m = conjoint.MjModel.from_xml_string(MODEL.format(gravity="0 0 -1", option=""))
    d = conjoint.MjData(m)
    d.cfrc_ext[:] = 7.0
    d.xfrc_applied[1] = 1.0
    conjoint.mj_forward(m, d)
    conjoint.mj_rnePostConstraint(m, d)
    np.testing.assert_array_equal(d.cfrc_ext[0], 0.0)
    assert d.cfrc_ext[1].any()
