"""Adhesion actuators, which pull at the contacts of bodies, agree with MuJoCo and carry the expected loads."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_state
from collision_scenes import adopted
from conjoint.batch import Batch

SCENE = """
<mujoco>
  <option cone="{cone}"/>
  <worldbody>
    <geom type="plane" size="5 5 .1" margin=".03" gap=".02"/>
    <geom type="capsule" size=".1 .5" pos="0 0 .3"/>
    <body name="hand" pos="0 0 .6"><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/><joint axis="1 0 0" damping="1"/>
      <geom size=".12" condim="4" pos=".1 0 0"/><geom size=".12" condim="1" pos="-.1 0 0"/><geom size=".1" pos="-.15 .3 -.5"/>
      <body name="finger" pos=".3 0 0"><joint axis="0 1 0"/><geom type="capsule" size=".08" fromto="0 0 0 0 0 -.45" condim="6"/></body>
    </body>
    <body name="lump" pos=".4 0 .09"><freejoint/><geom size=".1" condim="3"/></body>
    <body name="still" pos="3 0 3"><geom size=".1"/></body>
  </worldbody>
  <contact><exclude body1="hand" body2="finger"/></contact>
  <actuator>
    <adhesion body="hand" ctrlrange="0 1" gain="30"/>
    <motor joint="{joint}"/>
    <adhesion body="lump" ctrlrange="0 2" gain="5"/>
    <general body="finger" gainprm="10" biastype="affine" biasprm="1 2 -3" dyntype="filter" dynprm=".1" forcerange="-2 2" gear="3"/>
    <adhesion body="still" ctrlrange="0 1"/>
  </actuator>
</mujoco>""".replace('joint="{joint}"', 'joint="swing"').replace('axis="1 0 0"', 'name="swing" axis="1 0 0"')
FIELDS = ("actuator_length", "actuator_velocity", "actuator_force", "qfrc_actuator", "act_dot", "qacc")


def dense_moment(package: Any, m: Any, d: Any) -> np.ndarray:
    """Return the moment arms as a dense matrix, with one row for each actuator."""
    moment = np.zeros((m.nu, m.nv))
    package.mju_sparse2dense(moment, d.actuator_moment, d.moment_rownnz, d.moment_rowadr, d.moment_colind)
    return moment


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_along_a_motion(cone: str) -> None:
    official_model, official, m = adopted(SCENE.format(cone=cone))
    generator = np.random.default_rng(0)
    batch = Batch(m, 8, precision="float64", nthread=1)
    met = set()
    for i in range(8):
        official.ctrl[:] = generator.uniform(0, 1, m.nu)
        official.qvel[:] += 0.2 * generator.standard_normal(m.nv)
        mujoco.mj_step(official_model, official, 20)
        d = adopt_state(m, official_model, official)
        for name in ("qpos", "qvel", "act", "ctrl", "qacc_warmstart"):
            getattr(batch, name)[i] = getattr(official, name)
        mujoco.mj_forward(official_model, official)
        conjoint.mj_forward(m, d)
        met |= set(official.contact.exclude)
        np.testing.assert_allclose(
            dense_moment(conjoint, m, d), dense_moment(mujoco, official_model, official), atol=1e-12
        )
        for name in FIELDS:
            np.testing.assert_allclose(getattr(d, name), getattr(official, name), rtol=1e-7, atol=1e-7, err_msg=name)
    assert met == {0, 1}
    batch.forward()
    np.testing.assert_allclose(np.array(batch.qacc)[-1], official.qacc, rtol=1e-7, atol=1e-7)


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
def test_a_ball_hangs_from_the_ceiling() -> None:
    """A ball hangs from the ceiling if the adhesion exceeds its weight; the force is not multiplied by the contacts."""
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1" zaxis="0 0 -1" pos="0 0 1"/>
    <body name="ball" pos="0 0 .9"><joint type="slide" axis="0 0 1"/><geom size=".1001" mass="1" pos=".2 0 0"/>
    <geom size=".1001" mass="1" pos="-.2 0 0"/></body></worldbody>
    <actuator><adhesion body="ball" ctrlrange="0 1" gain="40"/></actuator></mujoco>"""
    m = conjoint.MjModel.from_xml_string(text)
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    assert d.ncon == 2 and d.qacc[0] < -1.0
    d.ctrl[0] = 1.0
    conjoint.mj_forward(m, d)
    assert d.qfrc_actuator[0] == pytest.approx(40.0)
    assert d.qacc[0] > -0.5
