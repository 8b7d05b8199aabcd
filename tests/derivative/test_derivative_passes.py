"""Derivative passes run only the kernels that they need; substitutes have the derivatives of the kernels that they replace."""

from __future__ import annotations

import numpy as np
import pytest

import conjoint
from conjoint.derivative import mjd_transition
from conjoint.derivative.worlds import pipeline_of

CHAIN = """
<mujoco>
  <option timestep="0.004" tolerance="1e-14" iterations="200"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <geom type="plane" size="3 3 .1" conaffinity="1"/>
    <body pos="0 0 .2">
      <freejoint/>
      <geom type="capsule" size=".1 .2" euler="0 70 0" contype="1"/>
      <body pos=".3 0 0">
        <joint type="slide" axis="0 0 1" damping="1"/>
        <joint name="h" axis="0 1 0" damping=".3" armature=".02"/>
        <geom type="capsule" size=".05 .1" pos=".1 0 0" euler="0 90 0"/>
        <body pos=".2 0 0" euler="10 20 30">
          <joint type="ball" damping=".1" pos=".01 .02 0"/>
          <joint type="slide" axis="1 1 0" damping="2"/>
          <geom type="box" size=".05 .03 .02" pos="0.02 0 0.03" euler="30 0 0"/>
          <body pos=".1 .1 0">
            <joint name="k" axis="1 0 0" pos="0 .03 0"/>
            <joint axis="0 0 1" damping=".1"/>
            <geom type="box" size=".05 .03 .02" pos="0.02 0 0.03" euler="30 0 0"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed armature=".03" damping=".2"><joint joint="h" coef="1"/><joint joint="k" coef="-.7"/></fixed>
  </tendon>
  <actuator><motor joint="h" gear="3"/><position joint="k" kp="5"/></actuator>
</mujoco>
"""
"""Model of a chain with every joint type and a contact.

It has a ball and a slide joint on one body, implicit damping, and armatures of a dof and a tendon.
"""

STATE = ("qpos", "qvel")


@pytest.fixture
def moving(edition: str) -> tuple[conjoint.MjModel, conjoint.MjData]:
    m = conjoint.MjModel.from_xml_string(CHAIN)
    d = conjoint.MjData(m)
    rng = np.random.default_rng(0)
    for _ in range(80):
        d.ctrl[:] = rng.normal(size=m.nu)
        conjoint.mj_step(m, d)
    assert d.nefc > 0
    return m, d


@pytest.mark.usefixtures("edition")
def test_substitutes_have_the_derivatives_of_what_they_replace(moving):
    m, d = moving
    nx = 2 * m.nv
    exact, differences = [[np.zeros((nx, nx)), np.zeros((nx, m.nu))] for _ in range(2)]
    mjd_transition(m, d, *exact, None, None)
    conjoint.mjd_transitionFD(m, d, 1e-6, 1, *differences, None, None)
    for found, expected in zip(exact, differences, strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


@pytest.mark.usefixtures("edition")
def test_passes_run_only_what_changes_and_is_asked_for(moving):
    m, d = moving
    pipeline = pipeline_of(m, "mj_step")
    pipeline.at(d)
    positions, velocities, controls = [
        {kernel.__name__ for kernel in group.kernels} for group in pipeline.groups(STATE, (*STATE, "ctrl"))
    ]
    # no pass computes the inertia matrix or its factor, and the pass for velocities computes no positions
    assert {"move_rigidly", "rne", "differentiate_euler"} <= positions
    assert {"rne", "differentiate_euler"} <= velocities
    assert not {"make_M", "factor_M", "smooth_acceleration"} & (positions | velocities | controls)
    assert not {"move_rigidly", "com_pos", "fill_rows", "differentiate_inertia"} & velocities
    assert not {"rne", "differentiate_rows", "differentiate_damped_inertia"} & controls


@pytest.mark.usefixtures("edition")
def test_products_are_those_of_the_matrices(moving):
    m, d = moving
    pipeline = pipeline_of(m, "mj_step")
    pipeline.at(d)
    directions = {name: np.random.default_rng(1).normal(size=(3, m.nv)) for name in STATE}
    before = pipeline.products(STATE, directions)
    matrices = pipeline.jacobian(STATE, STATE)
    after = pipeline.products(STATE, directions)
    for output in STATE:
        expected = sum(directions[name] @ matrices[output][name].T for name in STATE)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(before[output], expected, rtol=0, atol=1e-12 * scale)
        np.testing.assert_array_equal(after[output], before[output])


@pytest.mark.usefixtures("edition")
def test_passes_read_no_tangents_of_passes_before(moving):
    m, d = moving
    inputs = ("qpos", "qvel", "ctrl", "dof_damping")
    pipeline = pipeline_of(m, "mj_step")
    pipeline.at(d)
    alone = {name: pipeline.jacobian(STATE, (name,)) for name in inputs}
    for name in inputs:
        # fields that are computed before they are read may contain anything at first
        pipeline.world.tangents.bytes.view(np.float64)[:] = np.nan
        found = pipeline.jacobian(STATE, (name,))
        for output in STATE:
            np.testing.assert_array_equal(found[output][name], alone[name][output][name])


@pytest.mark.usefixtures("edition")
def test_steps_that_are_computed_again_see_the_same_history():
    """A step that is computed again starts from the same history buffers: a delayed control keeps its earlier value."""
    m = conjoint.MjModel.from_xml_string("""<mujoco><option timestep=".01"/><worldbody><body><joint name="j" damping=".1"/>
      <geom size=".1" pos=".3 0 0"/></body></worldbody><actuator><motor joint="j" nsample="1" delay=".01"/></actuator>
      <sensor><jointpos joint="j" nsample="2" interval=".03"/></sensor></mujoco>""")
    d = conjoint.MjData(m)
    for control in (1, 2, 3):
        d.ctrl = control
        conjoint.mj_step(m, d)
    d.ctrl = 50
    pipeline = pipeline_of(m, "mj_step")
    pipeline.at(d)
    before = d.history.copy()
    # derivatives restore the initial state, and outcomes are computed again
    pipeline.jacobian(STATE, STATE)
    outcomes = [pipeline.outcome("qvel")]
    pipeline.restore()
    outcomes.append(pipeline.outcome("qvel"))
    np.testing.assert_array_equal(d.history, before)
    conjoint.mj_step(m, d)
    for outcome in outcomes:
        np.testing.assert_allclose(outcome, d.qvel, rtol=1e-12)
