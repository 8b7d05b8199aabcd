"""Integration, inverse dynamics, checks and resets agree with MuJoCo."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from test_engine_smooth import compare, random_state

import conjoint
from adopt import adopt_model, adopt_state
from conjoint.physics.integration.checks import check_acc, check_pos, check_state, check_vel
from conjoint.runtime.pipeline import pipeline
from conjoint.runtime.reset import reset_diverged
from smooth_models import ACTUATORS, MODELS, SENSORS, TENDONS, TREE, flagged, model
from stages import run_stages

STEP_TOLERANCE = 1e-10  # tolerance for the solver's last iteration

STATE = ["time", "qpos", "qvel", "act", "qacc_warmstart", "energy"]

STEPPED = {
    "euler": MODELS["sensors"],
    "runge-kutta": model(TREE, TENDONS + ACTUATORS + SENSORS, 'integrator="RK4"'),
    "runge-kutta with energy": flagged('energy="enable"', 'integrator="RK4"'),
    "explicit damping": flagged('eulerdamp="disable"'),
    "no actuation": MODELS["no actuation"],
    "disabled group": MODELS["disabled group"],
    "negative armature": MODELS["negative armature"],
    "no sensors": flagged('sensor="disable"'),
    "empty": MODELS["empty"],
}


@pytest.mark.parametrize("name", STEPPED)
@pytest.mark.parametrize("seed", range(2))
def test_steps_equal_the_oracle(name: str, seed: int) -> None:
    """State, warm start, energy and sensors agree with MuJoCo's after each of three steps."""
    official_model = mujoco.MjModel.from_xml_string(STEPPED[name])
    official = random_state(official_model, seed)
    m = adopt_model(official_model)
    d = adopt_state(m, official_model, official)
    for _ in range(3):
        mujoco.mj_step(official_model, official)
        pipeline(d.world, m.plans, "mj_step").go(d.world)
        compare(d, official, [*STATE, "sensordata"], STEP_TOLERANCE)


INVERTED = ('energy="disable"', 'invdiscrete="enable"', 'eulerdamp="disable" invdiscrete="enable"')


@pytest.mark.parametrize("flags", INVERTED)
def test_inverse_equals_the_oracle(flags: str) -> None:
    """Inverse dynamics of random accelerations agrees with MuJoCo's, and qacc is restored."""
    official_model = mujoco.MjModel.from_xml_string(flagged(flags))
    official = random_state(official_model, 1)
    m = adopt_model(official_model)
    d = adopt_state(m, official_model, official)
    acceleration = np.random.default_rng(0).standard_normal(m.nv)
    official.qacc[:] = d.qacc[:] = acceleration
    mujoco.mj_inverse(official_model, official)
    pipeline(d.world, m.plans, "mj_inverse").go(d.world)
    compare(d, official, ["qfrc_inverse", "sensordata"], STEP_TOLERANCE)
    np.testing.assert_array_equal(d.qacc, acceleration)


TOUCHED = """<mujoco><option><flag filterparent="disable"/></option><worldbody><geom type="plane" size="5 5 1" friction="1 .1 .05" condim="6"/>
  <body pos="0 0 .09"><freejoint/><geom name="a" size=".1" condim="4"/><site name="ball" type="sphere" size=".05" pos="0 0 -.08"/>
    <site name="away" type="box" size=".1 .1 .02" pos="0 0 .2"/><site name="box" type="box" size=".03 .04 .05" pos="0 0 -.1"/></body>
  <body pos="1 0 .1"><joint type="slide" axis="0 0 1"/><joint axis="1 0 0"/><geom type="capsule" size=".11 .2" euler="0 90 0" condim="1"/>
    <site name="tube" type="cylinder" size=".05 .3" zaxis="1 0 0" pos="0 0 -.08"/><site name="pill" type="capsule" size=".02 .1" pos="-.2 0 -.1"/>
    <body pos="0 0 .18"><joint type="slide" axis="0 0 1"/><geom type="sphere" size=".08"/>
      <site name="egg" type="ellipsoid" size=".02 .03 .08" pos="0 0 -.1"/></body></body></worldbody>
  <sensor><touch site="ball"/><touch site="away"/><touch site="box"/><touch site="tube"/><touch site="pill"/><touch site="egg" cutoff="3"/>
    <force site="egg"/><torque site="tube"/><accelerometer site="box"/></sensor></mujoco>"""


def test_contact_forces_reach_bodies_and_touch_sensors() -> None:
    """Contacts of spheres, capsules and a plane give the body forces and touch sensor values of MuJoCo."""
    official_model = mujoco.MjModel.from_xml_string(TOUCHED)
    official = random_state(official_model, 0)
    official.qpos[:] = official_model.qpos0
    m = adopt_model(official_model)
    d = adopt_state(m, official_model, official)
    mujoco.mj_forward(official_model, official)
    mujoco.mj_rnePostConstraint(official_model, official)
    pipeline(d.world, m.plans, "mj_forward").go(d.world)
    assert official.ncon > 3 and np.count_nonzero(official.sensordata[:6]) > 3
    compare(d, official, ["sensordata", "cfrc_ext", "cfrc_int", "cacc"], 1e-6)


def test_forward_and_inverse_dynamics_agree() -> None:
    """With the flag fwdinv, the reported difference is rounding, and the forces of forward dynamics are kept."""
    official_model = mujoco.MjModel.from_xml_string(flagged('fwdinv="enable"'))
    official = random_state(official_model, 1)
    m = adopt_model(official_model)
    d = adopt_state(m, official_model, official)
    mujoco.mj_step(official_model, official)
    pipeline(d.world, m.plans, "mj_step").go(d.world)
    compare(d, official, ["qfrc_constraint", "efc_force"], 1e-6)
    assert d.nefc > 0
    assert 0 < np.max(d.solver_fwdinv) < 1e-6
    # without rows there is nothing to compare, and inverse dynamics does not run
    m.opt.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    before = d.qfrc_inverse.copy()
    pipeline(d.world, m.plans, "mj_step").go(d.world)
    assert not d.solver_fwdinv.any() and np.array_equal(d.qfrc_inverse, before)


def test_positions_move_and_come_back() -> None:
    """mj_differentiatePos inverts mj_integratePos, and mj_normalizeQuat normalizes quaternions, as in MuJoCo."""
    official_model = mujoco.MjModel.from_xml_string(MODELS["tree"])
    official = random_state(official_model, 1)
    m = adopt_model(official_model)
    d = adopt_state(m, official_model, official)
    conjoint.mj_normalizeQuat(m, d.qpos)
    mujoco.mj_normalizeQuat(official_model, official.qpos)
    compare(d, official, ["qpos"])
    second = official.qpos.copy()
    mujoco.mj_integratePos(official_model, second, official.qvel, 0.3)
    velocity = np.zeros(m.nv)
    conjoint.mj_differentiatePos(m, velocity, 0.3, d.qpos, second)
    np.testing.assert_allclose(velocity, official.qvel, atol=1e-11)


def warnings_of(data: Any) -> list[tuple[int, int]]:
    """Return number and lastinfo of each warning."""
    return [(int(w.number), int(w.lastinfo)) for w in data.warning]


def reset_if_marked(d: Any) -> None:
    """Reset the data if a check has marked them."""
    reset_diverged(d.world.data, d.world.data.view("was_reset"), d.model.plans.current)


@pytest.mark.parametrize("flags", ['energy="disable"', 'autoreset="disable"'])
@pytest.mark.parametrize("field", ["qpos", "qvel", "qacc"])
@pytest.mark.parametrize("bad", [np.nan, -np.inf, 2e10])
def test_divergence_warns_and_resets(flags: str, field: str, bad: float) -> None:
    """An invalid number increments its warning counter and sets `lastinfo`; the world is reset unless resets are disabled."""
    official_model = mujoco.MjModel.from_xml_string(flagged(flags))
    official = random_state(official_model, 1)
    m = adopt_model(official_model)
    d = adopt_state(m, official_model, official)
    for data in (official, d):
        data.warning[0].number = 3
        getattr(data, field)[[2, 4]] = bad
    check = {"qpos": check_pos, "qvel": check_vel, "qacc": check_acc}[field]
    getattr(mujoco, f"mj_check{field[1:].capitalize()}")(official_model, official)
    run_stages(d.world, check)
    reset_if_marked(d)
    assert warnings_of(d) == warnings_of(official)
    names = ["time", "qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat"]
    for name in names:
        np.testing.assert_array_equal(getattr(d, name), getattr(official, name))


def test_only_the_first_divergence_counts_before_a_reset() -> None:
    """A step reports only the first invalid number, because the reset that follows clears all others."""
    m = adopt_model(mujoco.MjModel.from_xml_string(MODELS["tree"]))
    d = adopt_state(
        m, mujoco.MjModel.from_xml_string(MODELS["tree"]), mujoco.MjData(mujoco.MjModel.from_xml_string(MODELS["tree"]))
    )
    d.qpos[3] = d.qvel[5] = np.nan
    run_stages(d.world, check_state)
    reset_if_marked(d)
    assert [kind for kind, (number, _) in enumerate(warnings_of(d)) if number] == [
        int(mujoco.mjtWarning.mjWARN_BADQPOS)
    ]
    np.testing.assert_array_equal(d.qpos, m.qpos0)
    d.qvel[:] = 1.0
    d.time = 3.0
    d.world.reset()
    assert not d.qvel.any() and d.time == 0 and not any(number for number, _ in warnings_of(d))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1e11])
@pytest.mark.parametrize("control", [0, 1])
def test_bad_controls_are_zeroed_together(bad: float, control: int) -> None:
    """One invalid control zeroes all controls for the step, whether it is limited or not."""
    official_model = mujoco.MjModel.from_xml_string(MODELS["actuators"])
    official = random_state(official_model, 1)
    m = adopt_model(official_model)
    official.ctrl[control] = bad
    d = adopt_state(m, official_model, official)
    mujoco.mj_forward(official_model, official)
    pipeline(d.world, m.plans, "mj_fwdPosition").go(d.world)
    pipeline(d.world, m.plans, "mj_fwdVelocity").go(d.world)
    pipeline(d.world, m.plans, "mj_fwdActuation").go(d.world)
    compare(d, official, ["actuator_force", "act_dot", "qfrc_actuator"])
    assert warnings_of(d) == warnings_of(official)
