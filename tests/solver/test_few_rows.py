"""Newton's method visits MuJoCo's iterates if few rows act on many dofs, even with elliptic contacts."""

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled

LINK = '<body pos="0 0 .2"><joint axis="{axis}"/><geom type="capsule" size=".03" fromto="0 0 0 0 0 .2" contype="0" conaffinity="0"/>'
AXES = "1 0 0", "0 1 0", "0 0 1"
LIMB = "".join(LINK.format(axis=AXES[i % 3]) for i in range(12)) + 12 * "</body>"
ROBOT = f"""<mujoco><option cone="elliptic" jacobian="dense" impratio="{{impratio}}"/><worldbody><geom type="plane" size="9 9 .1"/>
<body pos="0 0 .099"><freejoint/><geom size=".1" condim="{{condim}}"/><body>{LIMB}</body><body pos=".2 0 0">{LIMB}</body></body>
<body pos="1 0 1"><joint axis="0 1 0" range="-1 1" limited="true"/><geom size=".1" pos=".3 0 0" contype="0" conaffinity="0"/></body>
</worldbody></mujoco>"""


def states(count: int, nv: int) -> np.ndarray:
    """Return random velocities of `count` worlds, in most of which the contact slides; in the first, the velocity is zero."""
    velocity = np.random.default_rng(1).normal(0, 0.3, (count, nv))
    velocity[0] = 0
    return velocity


@pytest.mark.parametrize("condim, impratio", [(3, 1), (4, 5), (6, 1)])
def test_a_sliding_contact_of_a_large_robot(condim: int, impratio: float) -> None:
    xml = ROBOT.format(condim=condim, impratio=impratio)
    theirs, ours = mujoco.MjModel.from_xml_string(xml), conjoint.MjModel.from_xml_string(xml)
    official, d = mujoco.MjData(theirs), conjoint.MjData(ours)
    seen = set()
    for k, velocity in enumerate(states(8, theirs.nv)):
        for data in (official, d):
            data.qpos[-1] = 1.01 if k > 4 else 0
            data.qvel[:] = velocity
            data.qacc_warmstart[:] = 0
        mujoco.mj_forward(theirs, official)
        conjoint.mj_forward(ours, d)
        assert 0 < 4 * d.nefc <= theirs.nv
        seen.update(official.efc_state.tolist())
        scale = np.abs(official.qacc).max()
        np.testing.assert_allclose(d.qacc, official.qacc, rtol=0, atol=1e-9 * scale)
        # without forces, rounding decides whether an iteration is made
        assert not official.efc_force.any() or d.solver_niter[0] == official.solver_niter[0]
        np.testing.assert_array_equal(d.efc_state, official.efc_state)
    assert {mujoco.mjtConstraintState.mjCNSTRSTATE_CONE, mujoco.mjtConstraintState.mjCNSTRSTATE_QUADRATIC} <= seen


@pytest.mark.usefixtures("edition")
@pytest.mark.skipif(not jit_enabled(), reason="minutes of uncompiled steps")
def test_worlds_with_and_without_contacts_side_by_side() -> None:
    """Each world of a batch agrees with a single world: in the air, on the ground and at a joint limit."""
    m = conjoint.MjModel.from_xml_string(ROBOT.format(condim=3, impratio=1))
    # in edition 4.0, a single world solves each island separately, but a batch solves all islands at once
    m.opt.disableflags |= int(conjoint.mjtDisableBit.mjDSBL_ISLAND)
    batch = Batch(m, 9, nthread=1)
    qpos, qvel = batch.qpos.copy(), states(9, m.nv)
    qpos[::3, 2] += 1
    qpos[1::2, -1] = 1.01
    batch.qpos, batch.qvel = qpos, qvel
    batch.step(5)
    for world in range(9):
        d = conjoint.MjData(m)
        d.qpos[:], d.qvel[:] = qpos[world], qvel[world]
        conjoint.mj_step(m, d, 5)
        np.testing.assert_allclose(batch.qvel[world], d.qvel, rtol=1e-8, atol=1e-8)


@pytest.mark.plain
@pytest.mark.parametrize("speed", [1e-3, 1e-6, 1e-8])
def test_rows_that_do_nearly_nothing_together(speed: float) -> None:
    """If contact rows nearly cancel, the solver works in the space of dofs, with MuJoCo's forces and iterations."""
    xml = """<mujoco><worldbody><geom type="plane" size="5 5 1"/>
    <body pos="0 0 .09"><joint type="slide" axis="1 0 0"/><geom size=".1"/></body>
    <body pos="0 0 5"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
    theirs, ours = mujoco.MjModel.from_xml_string(xml), conjoint.MjModel.from_xml_string(xml)
    official, d = mujoco.MjData(theirs), conjoint.MjData(ours)
    official.qvel[0] = d.qvel[0] = speed
    mujoco.mj_forward(theirs, official)
    conjoint.mj_forward(ours, d)
    assert d.nefc == 4 and d.solver_niter[0] == official.solver_niter[0]
    np.testing.assert_allclose(d.efc_force, official.efc_force, rtol=1e-9)
    np.testing.assert_allclose(d.qacc, official.qacc, rtol=1e-6, atol=1e-12)
