"""Contacts, friction and limits obey the laws of mechanics."""

from __future__ import annotations

import math

import numpy as np
import pytest

import conjoint

pytestmark = pytest.mark.usefixtures("edition")

SLOPE = """
<mujoco>
  <option timestep="0.002" gravity="{gx} 0 {gz}" cone="pyramidal"/>
  <worldbody>
    <geom type="plane" size="0 0 1" friction="{friction}"/>
    <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.2 0.2 0.1" friction="{friction}" density="500"/></body>
  </worldbody>
</mujoco>
"""

RESTING = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <geom type="plane" size="0 0 1" condim="{condim}"/>
    <body pos="0 0 0.1"><freejoint/><geom type="{type}" size="{size}" density="700" condim="{condim}"/></body>
  </worldbody>
</mujoco>
"""


def slide(friction, degrees, seconds=0.5):
    """Return the speed (m/s) of a box that starts at rest on a slope of `degrees`, after a time."""
    g, angle = 9.81, math.radians(degrees)
    xml = SLOPE.format(gx=g * math.sin(angle), gz=-g * math.cos(angle), friction=friction)
    model = conjoint.MjModel.from_xml_string(xml)
    data = conjoint.MjData(model)
    for _ in range(round(seconds / model.opt.timestep)):
        conjoint.mj_step(model, data)
    return float(data.qvel[0])


def test_a_box_rests_on_a_slope_below_the_friction_angle():
    # soft contacts creep, but do not accelerate
    assert abs(slide(friction=0.7, degrees=20)) < 0.02


def test_a_box_slides_on_a_slope_above_the_friction_angle():
    expected = 9.81 * (math.sin(math.radians(35)) - 0.3 * math.cos(math.radians(35))) * 0.5
    assert slide(friction=0.3, degrees=35) == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize(("type", "size"), [("sphere", "0.1"), ("capsule", "0.1 0.2"), ("box", "0.1 0.2 0.1")])
@pytest.mark.parametrize("condim", [1, 3, 4, 6])
def test_contact_forces_carry_the_weight(type, size, condim):
    model = conjoint.MjModel.from_xml_string(RESTING.format(type=type, size=size, condim=condim))
    data = conjoint.MjData(model)
    # the axis of the capsule is horizontal
    if type == "capsule":
        data.qpos[3:] = [math.sqrt(0.5), 0, math.sqrt(0.5), 0]
    for _ in range(500):
        conjoint.mj_step(model, data)
    assert data.ncon >= 1
    assert data.qfrc_constraint[2] == pytest.approx(9.81 * model.body_mass[1], rel=1e-3)
    assert all(-0.005 < data.contact[i].dist < 0.001 for i in range(data.ncon))


@pytest.mark.plain
def test_dry_friction_holds_below_its_limit_and_slides_above():
    model = conjoint.MjModel.from_xml_string("""
        <mujoco>
          <option gravity="0 0 0"/>
          <worldbody><body><joint type="slide" frictionloss="2"/><geom size="0.1" mass="1"/></body></worldbody>
        </mujoco>
    """)
    speeds = []
    for force in (1.5, 5.0):
        data = conjoint.MjData(model)
        for _ in range(50):
            data.qfrc_applied[0] = force
            conjoint.mj_step(model, data)
        speeds.append(float(data.qvel[0]))
    assert abs(speeds[0]) < 0.01
    assert speeds[1] == pytest.approx((5 - 2) * 50 * 0.002, rel=0.02)


@pytest.mark.plain
@pytest.mark.parametrize(
    "joint", ['type="slide" axis="1 0 0" range="-0.1 0.1"', 'type="hinge" axis="0 1 0" range="-6 6"']
)
def test_a_limit_stops_a_joint(joint):
    model = conjoint.MjModel.from_xml_string(f"""
        <mujoco>
          <option gravity="0 0 0"/>
          <worldbody><body><joint {joint} limited="true"/><geom size="0.1" mass="0.5" pos="0 0 -0.3"/></body></worldbody>
        </mujoco>
    """)
    data = conjoint.MjData(model)
    for _ in range(150):
        data.qfrc_applied[0] = 2.0
        conjoint.mj_step(model, data)
    assert data.qpos[0] == pytest.approx(model.jnt_range[0, 1], abs=0.02)
    assert data.nefc == 1


@pytest.mark.plain
def test_two_spheres_that_meet_keep_their_momentum():
    model = conjoint.MjModel.from_xml_string("""
        <mujoco>
          <option gravity="0 0 0"/>
          <worldbody>
            <body pos="-0.15 0.02 0"><freejoint/><geom size="0.1" density="500"/></body>
            <body pos="0.15 0 0"><freejoint/><geom size="0.1"/></body>
          </worldbody>
        </mujoco>
    """)
    data = conjoint.MjData(model)
    data.qvel[0] = 2.0
    mass = model.body_mass[1:, None]
    before = (mass * data.qvel.reshape(2, 6)[:, :3]).sum(axis=0)
    met = 0
    for _ in range(60):
        conjoint.mj_step(model, data)
        met += int(data.ncon)
    assert met > 0
    np.testing.assert_allclose((mass * data.qvel.reshape(2, 6)[:, :3]).sum(axis=0), before, atol=1e-9)
