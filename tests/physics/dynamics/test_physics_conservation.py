"""Conservation laws of physics, and the rates at which integrators violate them."""

from __future__ import annotations

import numpy as np
import pytest

import conjoint
from places import ROOT

CHAIN = str(ROOT / "models" / "chain.xml")

DOUBLE_PENDULUM = """
<mujoco>
  <option timestep="{timestep}" integrator="{integrator}"><flag contact="disable" energy="enable"/></option>
  <worldbody>
    <body>
      <joint axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 -0.2" size="0.02"/>
      <body pos="0.3 0 -0.2">
        <joint axis="0 1 0.2" stiffness="0.5" springref="30"/>
        <geom type="capsule" fromto="0 0 0 0.2 0 -0.3" size="0.03"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

FLOATING = """
<mujoco>
  <option timestep="0.001" integrator="RK4" gravity="0 0 0"><flag contact="disable" energy="enable"/></option>
  <default><geom type="capsule" size="0.05" fromto="0 0 0 0 0 0.4"/></default>
  <worldbody>
    <body pos="0 0 1" euler="20 10 30">
      <freejoint/>
      <geom size="0.1"/>
      <body pos="0 0 0.4"><joint name="a" axis="1 0 0" stiffness="2"/><geom/>
        <body pos="0 0 0.4"><joint name="b" axis="0 1 0" damping="0.3"/><geom/></body>
      </body>
      <body pos="0.1 0 0"><joint name="c" type="ball" damping="0.1"/><geom/></body>
      <body pos="-0.1 0 0"><joint name="d" type="slide" axis="1 0 1" armature="0"/><geom/></body>
    </body>
  </worldbody>
  <actuator><motor joint="a"/><motor joint="b"/><motor joint="d"/></actuator>
</mujoco>
"""


def total_energy(model, data):
    """Return the sum of potential and kinetic energy of the current state, in J."""
    conjoint.mj_forward(model, data)
    return float(data.energy[0] + data.energy[1])


def energy_error(integrator, timestep, seconds):
    """Return the largest change in the energy (J) of a double pendulum during a simulation."""
    model = conjoint.MjModel.from_xml_string(DOUBLE_PENDULUM.format(integrator=integrator, timestep=timestep))
    data = conjoint.MjData(model)
    before = total_energy(model, data)
    worst = 0.0
    for _ in range(round(seconds / timestep)):
        conjoint.mj_step(model, data)
        worst = max(worst, abs(float(data.energy.sum()) - before))
    return worst


def body_velocities(model, data):
    """Return the linear velocity of the center of mass of every body, in the world frame."""
    arm = data.xipos - data.subtree_com[model.body_rootid]
    return data.cvel[:, 3:] + np.cross(data.cvel[:, :3], arm)


def momenta(model, data):
    """Return linear momentum, and angular momentum about the common center of mass, of all bodies together."""
    conjoint.mj_forward(model, data)
    mass = model.body_mass[:, None]
    velocity, omega = body_velocities(model, data), data.cvel[:, :3]
    linear = (mass * velocity).sum(axis=0)
    centre = (mass * data.xipos).sum(axis=0) / mass.sum()
    angular = np.cross(data.xipos - centre, mass * velocity).sum(axis=0)
    for body in range(1, model.nbody):
        frame = data.ximat[body].reshape(3, 3)
        angular += frame @ (model.body_inertia[body] * (frame.T @ omega[body]))
    return linear, angular


def test_a_chain_without_losses_keeps_its_energy():
    model = conjoint.MjModel.from_xml_path(CHAIN)
    # the error of the integrator is proportional to the fourth power of the timestep
    model.opt.timestep = 0.0005
    data = conjoint.MjData(model)
    conjoint.mj_resetDataKeyframe(model, data, 0)
    before = total_energy(model, data)
    for _ in range(2000):
        conjoint.mj_step(model, data)
    # tens of joules are exchanged between potential, kinetic and spring energy
    assert total_energy(model, data) == pytest.approx(before, abs=1e-3)


@pytest.mark.plain
def test_runge_kutta_loses_energy_with_the_fourth_power_of_the_step():
    coarse, fine = (energy_error("RK4", timestep, 0.2) for timestep in (0.02, 0.01))
    assert 10 < coarse / fine < 64


@pytest.mark.plain
def test_euler_loses_energy_with_the_first_power_of_the_step():
    coarse, fine = (energy_error("Euler", timestep, 0.2) for timestep in (0.02, 0.01))
    assert 1.5 < coarse / fine < 3


def test_inner_forces_change_no_momentum():
    model = conjoint.MjModel.from_xml_string(FLOATING)
    data = conjoint.MjData(model)
    generator = np.random.default_rng(0)
    data.qvel[:] = generator.standard_normal(model.nv)
    linear, angular = momenta(model, data)
    for _ in range(500):
        data.ctrl[:] = 3 * generator.standard_normal(model.nu)
        conjoint.mj_step(model, data)
    linear_after, angular_after = momenta(model, data)
    np.testing.assert_allclose(linear_after, linear, atol=1e-7 * model.body_mass.sum())
    np.testing.assert_allclose(angular_after, angular, atol=1e-6 * model.body_mass.sum())


@pytest.mark.plain
def test_a_falling_body_follows_the_semi_implicit_rule_exactly():
    model = conjoint.MjModel.from_xml_string("""
        <mujoco><option timestep="0.01"/><worldbody><body pos="0 0 10"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>
    """)
    data = conjoint.MjData(model)
    steps = 20
    for _ in range(steps):
        conjoint.mj_step(model, data)
    # velocities are integrated first, then positions with the new velocity: z = z0 - g dt^2 (1 + 2 + ... + n)
    assert data.qpos[2] == pytest.approx(10 - 9.81 * 0.01**2 * steps * (steps + 1) / 2, abs=1e-12)
    assert data.qvel[2] == pytest.approx(-9.81 * 0.01 * steps, abs=1e-12)
    assert data.time == pytest.approx(0.2)
