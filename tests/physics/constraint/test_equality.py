"""Equality constraints agree with MuJoCo in rows, forces, forward and inverse dynamics, and carry the expected loads."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_state
from collision_scenes import adopted, differences
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled

SCENE = """
<mujoco>
  <option jacobian="{jacobian}" timestep=".004"/>
  <default><geom size=".1" contype="0" conaffinity="0"/></default>
  <worldbody>
    <site name="on world" pos=".1 0 0" euler="10 20 30"/>
    <body name="mocap" mocap="true" pos="1 1 1" euler="20 0 0"><geom/><site name="on mocap" pos="0 .1 0"/></body>
    <body name="fixed"><geom/></body>
    <body name="fixed too" pos="1 0 0"><geom/></body>
    <body name="free" pos="0 0 2"><freejoint/><geom type="box" size=".1 .2 .3"/></body>
    <body name="ball" pos="0 0 3"><joint type="ball"/><geom type="box" size=".1 .2 .3" pos=".1 0 0"/>
      <site name="on ball" pos=".1 .2 .3" euler="10 20 30"/></body>
    <body name="a" pos="0 0 1"><joint name="first" axis="0 1 0" ref=".1"/><geom pos=".2 0 0"/>
      <site name="on a"/><site name="far on a" pos=".3 0 0"/>
      <body name="b" pos=".5 0 0" euler="10 20 30"><joint name="second" axis="0 0 1"/><geom pos=".2 0 0"/><site name="on b"/>
        <body name="c" pos=".1 0 0" euler="0 40 30"><geom/>
          <body name="d"><joint name="third" type="slide"/><geom/></body></body></body></body>
  </worldbody>
  <tendon>
    <spatial name="rigid"><site site="on a"/><site site="far on a"/></spatial>
    <spatial name="string"><site site="on world"/><site site="on b"/></spatial>
    <fixed name="sum"><joint joint="first" coef="3"/><joint joint="third" coef="2"/></fixed>
    <fixed name="nothing" frictionloss="1" limited="true" range="1 2"><joint joint="third" coef="0"/></fixed>
  </tendon>
  <equality>
    <connect body1="fixed" body2="fixed too" anchor="0 0 0"/>
    <weld body1="a"/>
    <weld body1="free" body2="ball" torquescale="2.5" anchor=".1 .2 .3" relpose=".1 .2 .3 .4 .5 .6 .7"/>
    <connect body1="free" body2="b" anchor=".1 .2 .3" solimp=".1 .9 .5 .5 2" solref="-100 -10"/>
    <connect body1="d" anchor=".1 .2 .3" solref=".001 1" solimp=".5 .99 .1 .3 4"/>
    <connect body1="a" anchor="0 0 0"/>
    <weld body1="b" body2="c"/>
    <weld body1="mocap" body2="free"/>
    <weld site1="on mocap" site2="on ball"/>
    <connect site1="on a" site2="far on a"/>
    <weld site1="on world" site2="on b" torquescale=".1"/>
    <joint joint1="first" joint2="second" polycoef=".1 .2 .3 .4 .5"/>
    <joint joint1="third" polycoef=".1 .2 .3 .4 .5"/>
    <joint joint1="second" joint2="third" active="false"/>
    <tendon tendon1="rigid"/>
    <tendon tendon1="string" tendon2="sum" polycoef=".1 .2 .3 .4 .5"/>
    <tendon tendon1="sum" polycoef=".1 .2 .3 .4 .5"/>
    <tendon tendon1="nothing"/>
  </equality>
</mujoco>
"""
"""Model with equality constraints of every type between all types of objects.

Some constraints move nothing, or are distinguished from such constraints only by rounding.
"""


def shuffle(generator: np.random.Generator, official: Any) -> None:
    """Set a random state with quaternions of any length and sign, in which most constraints are active."""
    official.qpos[:] = 2.0 * generator.standard_normal(len(official.qpos))
    official.qvel[:] = generator.standard_normal(len(official.qvel))
    official.mocap_pos[:] = generator.standard_normal((1, 3))
    official.mocap_quat[:] = generator.standard_normal((1, 4))
    official.eq_active[:] = generator.random(len(official.eq_active)) < 0.7


def close(ours: Any, theirs: Any, tolerance: float) -> bool:
    return bool(np.max(np.abs(ours - theirs), initial=0.0) <= tolerance * np.max(np.abs(theirs), initial=1.0))


def check_wrenches(d: Any, official_model: Any, official: Any) -> None:
    """Check that body forces agree with MuJoCo, and that they move the dofs as the constraint rows do.

    Version 3.3.5 uses multipliers of welds as torques and ignores spatial tendons (corrected in 3.14).
    """
    held = [b for b in range(official_model.nbody) if official_model.body(b).name != "b"]
    assert close(d.cfrc_ext[held, 3:], official.cfrc_ext[held, 3:], 1e-10)
    more = d.cfrc_ext - official.cfrc_ext
    below, more_below = d.cfrc_ext.copy(), more.copy()
    for b in range(official_model.nbody - 1, 0, -1):
        below[official_model.body_parentid[b]] += below[b]
        more_below[official_model.body_parentid[b]] += more_below[b]
    assert np.abs(more).max() > 1e-3
    assert close(d.cfrc_int[1:], official.cfrc_int[1:] - more_below[1:], 1e-10)
    kinds = official_model.eq_type[official.efc_id[: official.ne]]
    rows = np.flatnonzero((kinds == mujoco.mjtEq.mjEQ_CONNECT) | (kinds == mujoco.mjtEq.mjEQ_WELD))
    forces, expected = np.zeros(official.nefc), np.zeros(official_model.nv)
    forces[rows] = official.efc_force[rows]
    mujoco.mj_mulJacTVec(official_model, official, expected, forces)
    arms = np.zeros((official_model.ntendon, official_model.nv))
    if mujoco.mj_isSparse(official_model):
        structure = official.ten_J_rownnz, official.ten_J_rowadr, official.ten_J_colind.ravel()
        mujoco.mju_sparse2dense(arms, official.ten_J.ravel(), *structure)
    else:
        arms[:] = official.ten_J
    for r in np.flatnonzero(kinds == mujoco.mjtEq.mjEQ_TENDON):
        t = official_model.eq_obj1id[official.efc_id[r]]
        if official_model.wrap_type[official_model.tendon_adr[t]] == mujoco.mjtWrap.mjWRAP_SITE:
            expected += arms[t] * official.efc_force[r]
    found = np.sum(official.cdof * below[official_model.dof_bodyid], axis=1)
    assert close(found, expected, 1e-9)


@pytest.mark.plain
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_rows_forces_and_inverse(jacobian: str) -> None:
    official_model, official, m = adopted(SCENE.format(jacobian=jacobian))
    generator = np.random.default_rng(0)
    for _ in range(10 if jit_enabled() else 1):
        shuffle(generator, official)
        d = adopt_state(m, official_model, official)
        for package, model, data in ((mujoco, official_model, official), (conjoint, m, d)):
            package.mj_forward(model, data)
            package.mj_rnePostConstraint(model, data)
        assert official.ne > 8
        assert differences(d, official_model, official) == {}
        for name in ("qacc", "qfrc_constraint", "cacc"):
            assert close(getattr(d, name), getattr(official, name), 1e-10), name
        check_wrenches(d, official_model, official)
        acceleration = generator.standard_normal(m.nv)
        for package, model, data in ((mujoco, official_model, official), (conjoint, m, d)):
            data.qacc[:] = acceleration
            package.mj_inverse(model, data)
        assert close(d.qfrc_inverse, official.qfrc_inverse, 1e-10)


def test_worlds_of_a_batch_have_their_own(edition: str) -> None:
    """Each world of a batch has its own active equality constraints, and so its own number of rows."""
    official_model, official, _ = adopted(SCENE.format(jacobian="dense"))
    m = conjoint.MjModel.from_xml_string(SCENE.format(jacobian="dense"))
    # in edition 4.0, a single world solves each island separately, but a batch solves all islands at once
    m.opt.disableflags |= int(conjoint.mjtDisableBit.mjDSBL_ISLAND)
    generator = np.random.default_rng(1)
    batch = Batch(m, 8, precision="float64", nthread=1)
    expected, own, rows = [], [], set()
    for i in range(8):
        shuffle(generator, official)
        d = conjoint.MjData(m)
        for name in ("qpos", "qvel", "mocap_pos", "mocap_quat", "eq_active"):
            getattr(batch, name)[i] = getattr(d, name)[...] = getattr(official, name)
        mujoco.mj_forward(official_model, official)
        expected.append(official.qacc.copy())
        conjoint.mj_forward(m, d)
        own.append(d.qacc.copy())
        rows.add(d.nefc)
    batch.forward()
    assert len(rows) > 3
    assert close(np.array(batch.qacc), np.array(own), 1e-9)
    assert edition == "4.0" or close(np.array(batch.qacc), np.array(expected), 1e-9)


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
@pytest.mark.parametrize("flag", ["equality", "constraint"])
def test_flags_leave_them_out(flag: str) -> None:
    text = SCENE.format(jacobian="dense").replace("<default>", f'<option><flag {flag}="disable"/></option><default>', 1)
    official_model, official, m = adopted(text)
    d = adopt_state(m, official_model, official)
    mujoco.mj_forward(official_model, official)
    conjoint.mj_forward(m, d)
    assert (d.ne, d.nefc) == (official.ne, official.nefc) == (0, 0)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("solver", ["Newton", "CG", "PGS"])
def test_forward_and_inverse_are_each_others(solver: str) -> None:
    """Inverse dynamics recovers the constraint forces of forward dynamics and finds no other force."""
    text = SCENE.format(jacobian="dense")
    text = text.replace("<default>", f'<option solver="{solver}" tolerance="0" iterations="3000"/><default>', 1)
    _, official, m = adopted(text)
    d = conjoint.MjData(m)
    shuffle(np.random.default_rng(2), official)
    for name in ("qpos", "qvel", "mocap_pos", "mocap_quat"):
        getattr(d, name)[:] = getattr(official, name)
    # these constraints can all be satisfied; multipliers of others are only unique up to rounding
    d.eq_active[:] = np.isin(np.arange(m.neq), [3, 8, 11])
    conjoint.mj_forward(m, d)
    force = d.qfrc_constraint.copy()
    conjoint.mj_inverse(m, d)
    assert d.nefc == 10
    assert np.max(np.abs(d.qfrc_constraint - force)) < 1e-8 * np.max(np.abs(force))
    assert np.max(np.abs(d.qfrc_inverse)) < 1e-8 * np.max(np.abs(force))


FOUR_BARS = """
<mujoco><option timestep=".001"/><default><geom type="capsule" size=".02" contype="0" conaffinity="0"/></default><worldbody>
  <body name="left"><joint name="left" axis="0 1 0"/><geom fromto="0 0 0 0 0 1"/>
    <body name="top" pos="0 0 1"><joint axis="0 1 0"/><geom fromto="0 0 0 2 0 0"/></body></body>
  <body name="right" pos="2 0 0"><joint name="right" axis="0 1 0"/><geom fromto="0 0 0 0 0 1"/></body>
</worldbody><equality><connect body1="top" body2="right" anchor="2 0 0"/></equality></mujoco>"""


@pytest.mark.usefixtures("edition")
def test_a_loop_stays_closed() -> None:
    """A falling parallelogram stays closed, so its opposite sides rotate by the same angle."""
    m = conjoint.MjModel.from_xml_string(FOUR_BARS)
    d = conjoint.MjData(m)
    d.qvel[[0, 2]] = 0.5
    d.qvel[1] = -0.5
    conjoint.mj_step(m, d, 800)
    assert abs(d.joint("left").qpos[0]) > 1.0
    assert abs(d.joint("left").qpos[0] - d.joint("right").qpos[0]) < 2e-3
    assert np.linalg.norm(d.efc_pos) < 1e-3


HARD = """
<mujoco><option timestep=".015"/><worldbody><body name="base" pos="-3 0 0"/>
  <body name="beam" pos="-3 0 0"><joint name="j" axis="0 1 0"/><geom type="box" size=".2" fromto="0 0 0 0 -2 0"/></body>
  <body pos="0 5 5"><freejoint/><geom size=".1"/></body>
</worldbody><equality><connect body1="base" body2="beam" anchor="1 0 -1"/></equality>
<actuator><motor joint="j" gear="50000"/></actuator></mujoco>"""


@pytest.mark.parametrize("angle", [-0.0003, 0.0002, 0.3])
def test_hard_rows_at_odds(angle: float) -> None:
    """Velocities agree with MuJoCo although huge forces of contradictory rows cancel.

    A body with its center of mass on the joint axis has no inverse weight, so that its rows are as stiff as possible.
    """
    official_model, official, m = adopted(HARD)
    official.qpos[0], official.qvel[0], official.ctrl[0] = angle, 0.3, 1.0
    d = adopt_state(m, official_model, official)
    for _ in range(3):
        mujoco.mj_step(official_model, official)
        conjoint.mj_step(m, d)
        # forces amplify the last bit of a reference acceleration by stiffnesses of up to 1e17
        assert np.max(np.abs(official.efc_force)) > 1e9
        assert np.max(np.abs(d.qfrc_constraint - official.qfrc_constraint)) < 100.0
        assert np.max(np.abs(d.qvel - official.qvel)) < 1e-12


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
def test_activity_is_part_of_the_state() -> None:
    """A lamp that a weld holds falls when the weld is deactivated; a reset activates the weld again."""
    text = """<mujoco><worldbody><body name="lamp" pos="0 0 2"><freejoint/><geom size=".1"/></body></worldbody>
    <equality><weld body1="lamp" solref="0.005 1"/></equality></mujoco>"""
    m = conjoint.MjModel.from_xml_string(text)
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    assert abs(d.qacc[2]) < 1.0
    d.eq_active[0] = 0
    conjoint.mj_forward(m, d)
    assert d.ne == 0 and d.qacc[2] == pytest.approx(-9.81)
    conjoint.mj_resetData(m, d)
    assert d.eq_active[0] == 1
