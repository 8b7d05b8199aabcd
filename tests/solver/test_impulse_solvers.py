"""The solvers and the post-hoc dynamics of the MuJoCo paper (IROS 2012) satisfy the paper's equations."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import conjoint
from benchmarks import paper_models
from conjoint import mjtConstraint, mjtImpulse
from conjoint.batch import Batch
from conjoint.lang import FatalError
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.solver.paper.complementarity import AGAIN
from places import TESTS
from solver_scenes import SCENES

LIGHT = "tree with contacts and equalities"
"""Scene that is also solved without compilation."""

ROUNDING = 1e-6
"""Tolerance of velocities and forces, relative to the largest: the solver reduces its residual to 1e-8."""


def world(
    scene: str, solver: str, cone: str = "elliptic", steps: int = 40 if jit_enabled() else 2, jacobian: str = "auto"
) -> tuple[Any, Any]:
    """Return the model and the solved data of a scene after some steps under random applied forces."""
    option = f'<mujoco><option solver="{solver}" cone="{cone}" jacobian="{jacobian}"/>'
    text = SCENES[scene].replace("<mujoco>", option, 1)
    # connected bodies touch: the contact and the equality cannot be satisfied together
    text = text.replace("<equality>", '<contact><exclude body1="tail" body2="ring"/></contact><equality>')
    m = conjoint.MjModel.from_xml_string(text)
    d = conjoint.MjData(m)
    generator = np.random.default_rng(0)
    d.qvel[:] = 0.3 * generator.standard_normal(m.nv)
    for _ in range(steps):
        d.qfrc_applied[:] = 2.0 * generator.standard_normal(m.nv)
        conjoint.mj_step(m, d)
    conjoint.mj_forward(m, d)
    return m, d


def jacobian(m: Any, d: Any) -> np.ndarray:
    """Return efc_J as a dense matrix."""
    rows = np.zeros((d.nefc, m.nv))
    for r in range(d.nefc):
        column = np.eye(m.nv)
        rows[r] = [_row_times(m, d, r, column[i]) for i in range(m.nv)]
    return rows


def _row_times(m: Any, d: Any, r: int, vector: np.ndarray) -> float:
    result = np.zeros(d.nefc)
    conjoint.mj_mulJacVec(m, d, result, vector)
    return result[r]


def velocities(m: Any, d: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the velocity of each constraint row after the step, and the desired velocity, which friction rows lack."""
    h, J = m.opt.timestep, jacobian(m, d)
    rate = 0.5 * d.efc_KBIP[:, 1]
    apart = (d.efc_pos > 0) & (d.efc_type != mjtConstraint.mjCNSTR_EQUALITY)
    wanted = -d.efc_pos * np.where(apart, 1.0, 1.0 - np.exp(-rate * h)) / h
    return J @ (d.qvel + h * d.qacc), wanted


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("storage", ["dense", "sparse"])
@pytest.mark.parametrize("scene", [pytest.param(s, marks=[pytest.mark.plain] * (s == LIGHT)) for s in SCENES])
def test_complementarity(scene: str, storage: str) -> None:
    """Solutions satisfy the paper's equations (3, 4, 5): complementarity, friction cones, friction opposite to slip."""
    m, d = world(scene, "complementarity", jacobian=storage)
    assert d.nefc > 2
    assert d.solver_niter[0] < m.opt.iterations
    slipping = assert_complementary(m, d)
    assert slipping or scene != "few bodies, many contacts"


def assert_complementary(m: Any, d: Any) -> int:
    """Check that equations (3, 4, 5) hold and that penetrations decay; return the number of slipping contacts."""
    v, wanted = velocities(m, d)
    f, kind = d.efc_force, d.efc_type
    speed, load = ROUNDING * max(1.0, np.abs(v).max()), ROUNDING * max(1.0, np.abs(f).max())
    # the accelerations result from the forces
    assert np.allclose(d.qfrc_constraint, jacobian(m, d).T @ f, atol=load)
    equal = kind == mjtConstraint.mjCNSTR_EQUALITY
    assert np.allclose(v[equal], wanted[equal], atol=speed)
    for r in np.flatnonzero(kind == mjtConstraint.mjCNSTR_FRICTION_DOF):
        assert abs(f[r]) <= d.efc_frictionloss[r] + load
        assert abs(v[r]) <= speed or f[r] == pytest.approx(-np.sign(v[r]) * d.efc_frictionloss[r])
    one_sided = (kind == mjtConstraint.mjCNSTR_LIMIT_JOINT) | (kind == mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS)
    normal = [c.efc_address for c in d.contact if c.dim > 1]
    for r in [*np.flatnonzero(one_sided), *normal]:
        assert f[r] >= 0.0
        assert v[r] >= wanted[r] - speed
        assert f[r] <= load or abs(v[r] - wanted[r]) <= speed
    slipping = 0
    for contact in d.contact:
        if contact.dim > 1:
            rows = slice(contact.efc_address + 1, contact.efc_address + contact.dim)
            mu = contact.friction[: contact.dim - 1]
            friction, slip, most = f[rows] / mu, mu * v[rows], f[contact.efc_address]
            assert np.linalg.norm(friction) <= most + load
            if np.linalg.norm(slip) > speed:
                slipping += most > load
                # the friction force is the largest in the cone, directly opposite to the slip
                assert np.allclose(friction, -most * slip / np.linalg.norm(slip), atol=10 * load)
    return slipping


def balls_in_a_cube(number: int) -> tuple[Any, Any]:
    """Return the model and the solved data of balls in a cube, in a recorded state that was hard for the solver."""
    state = json.loads((TESTS / "data" / "balls.json").read_text())[number]
    m = conjoint.MjModel.from_xml_string(paper_models.balls(state["balls"], state["friction"]))
    d = conjoint.MjData(m)
    d.qpos[:], d.qvel[:] = state["qpos"], state["qvel"]
    conjoint.mj_forward(m, d)
    assert d.ncon == state["contacts"]
    return m, d


@pytest.mark.parametrize("number", range(5))
def test_hard_contacts_are_solved(number: int) -> None:
    """With restarts, the solver finds the forces of 27 to 29 contacts between balls; a single search of 100 iterations fails."""
    m, d = balls_in_a_cube(number)
    assert d.solver_niter[0] < (AGAIN + 1) * m.opt.iterations
    assert_complementary(m, d)


def test_jammed_balls_stay() -> None:
    """Jammed balls keep the penetrations that no forces can reduce, but do not penetrate each other any deeper."""
    m, d = balls_in_a_cube(5)
    searches = (AGAIN + 1) * m.opt.iterations
    assert searches <= d.solver_niter[0] < searches + 20
    v, wanted = velocities(m, d)
    normal = [c.efc_address for c in d.contact]
    speed = ROUNDING * np.abs(v).max()
    assert np.all(v[normal] >= np.minimum(wanted[normal], 0.0) - speed)
    assert np.any(v[normal] < wanted[normal] - 100 * speed)
    assert np.all(
        d.efc_force[normal] * (v[normal] - np.minimum(wanted[normal], 0.0)) <= speed * np.abs(d.efc_force).max()
    )


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("storage", ["dense", "sparse"])
@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
@pytest.mark.parametrize("scene", [pytest.param(s, marks=[pytest.mark.plain] * (s == LIGHT)) for s in SCENES])
def test_diagonal(scene: str, cone: str, storage: str) -> None:
    """The diagonal solver solves each row separately and clips friction to the cone."""
    m, d = world(scene, "diagonal", cone, jacobian=storage)
    J, f = jacobian(m, d), d.efc_force
    solved = np.zeros((d.nefc, m.nv))
    conjoint.mj_solveM(m, d, solved, np.ascontiguousarray(J))
    expected = -(J @ d.qacc_smooth - d.efc_aref) / (np.einsum("ri,ri->r", J, solved) + d.efc_R)
    fixed, loss = d.ne + d.nf, d.efc_frictionloss
    expected[d.ne : fixed] = np.clip(expected[d.ne : fixed], -loss[d.ne : fixed], loss[d.ne : fixed])
    inner = np.zeros(d.nefc, bool)
    for contact in d.contact:
        if contact.dim > 1 and cone == "elliptic":
            rows = slice(contact.efc_address + 1, contact.efc_address + contact.dim)
            inner[rows] = True
            most = max(0.0, expected[contact.efc_address])
            length = np.linalg.norm(expected[rows] / contact.friction[: contact.dim - 1])
            expected[rows] *= min(1.0, most / length) if length else 1.0
    expected[fixed:] = np.where(inner[fixed:], expected[fixed:], np.maximum(expected[fixed:], 0.0))
    assert np.allclose(f, expected, rtol=1e-9, atol=1e-9 * np.abs(f).max())
    assert np.any(f)


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
def test_diagonal_of_a_single_row() -> None:
    """If there is only one row, the diagonal solver finds the force that the convex solvers find."""
    text = (
        '<mujoco><option solver="{}"/><worldbody><geom type="plane" size="1 1 1" condim="1"/>'
        '<body pos="0 0 .049"><freejoint/><geom size=".05" condim="1"/></body></worldbody></mujoco>'
    )
    found = {}
    for solver in ("Newton", "diagonal"):
        m = conjoint.MjModel.from_xml_string(text.format(solver))
        d = conjoint.MjData(m)
        conjoint.mj_step(m, d, 5)
        found[solver] = d.qacc.copy()
    assert np.allclose(found["Newton"], found["diagonal"], rtol=1e-9)


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
def test_diagonal_of_contacts_that_come_apart() -> None:
    """Separating contacts exert no force, not even friction."""
    text = (
        '<mujoco><option solver="diagonal" cone="elliptic"/><worldbody><geom type="plane" size="1 1 1"/>'
        '<body pos="0 0 .049"><freejoint/><geom size=".05"/></body></worldbody></mujoco>'
    )
    m = conjoint.MjModel.from_xml_string(text)
    d = conjoint.MjData(m)
    d.qvel[:3] = 1, 0, 5
    conjoint.mj_forward(m, d)
    assert d.nefc == 3 and not d.efc_force.any()
    assert (d.efc_state == conjoint.mjtConstraintState.mjCNSTRSTATE_SATISFIED).all()


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
def test_nothing_penetrates() -> None:
    """A ball that falls fast stops at the surface and stays there if the contact margin covers the motion of a step."""
    text = """<mujoco><option solver="complementarity" cone="elliptic" timestep=".01"/><worldbody>
      <geom type="plane" size="1 1 1" margin=".2"/><body pos="0 0 1"><freejoint/><geom size=".05"/></body></worldbody></mujoco>"""
    m = conjoint.MjModel.from_xml_string(text)
    d = conjoint.MjData(m)
    lowest = []
    for _ in range(100):
        conjoint.mj_step(m, d)
        lowest.append(d.qpos[2])
    assert min(lowest) > 0.05 - 1e-9
    assert lowest[-1] == pytest.approx(0.05, abs=1e-9)
    assert abs(d.qvel[2]) < 1e-9


@pytest.mark.usefixtures("edition")
def test_coulomb_friction_is_exact() -> None:
    """A box on a slope below the friction angle rests without creeping; on a steeper slope, it slides with g (sin - mu cos)."""
    text = """<mujoco><option solver="complementarity" cone="elliptic" gravity="{} 0 {}" tolerance="1e-12"/><worldbody>
      <geom type="plane" size="9 9 1" friction=".5"/><body pos="0 0 .1"><freejoint/><geom type="box" size=".2 .2 .1"
      friction=".5"/></body></worldbody></mujoco>"""
    for angle in (0.4, 0.6):
        m = conjoint.MjModel.from_xml_string(text.format(9.81 * np.sin(angle), -9.81 * np.cos(angle)))
        d = conjoint.MjData(m)
        conjoint.mj_step(m, d, 100)
        expected = max(0.0, 9.81 * (np.sin(angle) - 0.5 * np.cos(angle))) if np.tan(angle) > 0.5 else 0.0
        assert d.qacc[0] == pytest.approx(expected, abs=1e-5)
        assert d.qvel[0] == pytest.approx(0.2 * expected, abs=1e-5)


@pytest.mark.usefixtures("edition")
@pytest.mark.skipif(not jit_enabled(), reason="lanes exist compiled only")
@pytest.mark.parametrize("solver", ["complementarity", "diagonal"])
@pytest.mark.parametrize("scene", SCENES)
def test_worlds_side_by_side(scene: str, solver: str) -> None:
    """Worlds in lanes agree with single worlds up to the tolerance: boxes have too many contacts for unique forces."""
    m, _ = world(scene, solver, steps=0)
    nstep = 1 if scene == "few bodies, many contacts" else 10
    batch = Batch(m, 11, nthread=1)
    generator = np.random.default_rng(1)
    batch.qvel[...] = 0.5 * generator.standard_normal(batch.qvel.shape)
    single = []
    for i in range(11):
        d = conjoint.MjData(m)
        d.qvel[:] = batch.qvel[i]
        conjoint.mj_step(m, d, nstep)
        single.append(np.concatenate([d.qpos, d.qvel]))
    batch.step(nstep)
    found = np.concatenate([batch.qpos, batch.qvel], axis=1)
    assert np.allclose(found, single, rtol=1e-6, atol=1e-6)


@pytest.mark.usefixtures("edition")
def test_selected_by_name_and_number() -> None:
    """Model files select the solvers by name, programs by number; MuJoCo's solver numbers are unchanged."""
    m, _ = world("few bodies, many contacts", "diagonal", steps=0)
    assert m.opt.solver == mjtImpulse.mjIMP_DIAGONAL == 4
    m.opt.solver = mjtImpulse.mjIMP_COMPLEMENTARITY
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d, 20)
    assert d.solver_niter[0] > 0
    m.opt.cone = conjoint.mjtCone.mjCONE_PYRAMIDAL
    with pytest.raises(FatalError, match="set option cone to elliptic"):
        conjoint.mj_step(m, d)
    m.opt.solver = 5
    with pytest.raises(FatalError, match="unknown solver type 5"):
        conjoint.mj_step(m, d)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("solver", ["complementarity", "diagonal", "Newton", "PGS"])
@pytest.mark.parametrize("scene", [pytest.param(s, marks=[pytest.mark.plain] * (s == LIGHT)) for s in SCENES])
def test_posthoc_inverse_recovers_forces(scene: str, solver: str) -> None:
    """Inverse dynamics recovers the actuator forces and the applied forces for every solver, whatever the penetrations."""
    m, d = world(scene, solver)
    generator = np.random.default_rng(2)
    # without warm starts, a solve that ends early always has the same result
    m.opt.disableflags |= conjoint.mjtDisableBit.mjDSBL_WARMSTART
    applied = 3.0 * generator.standard_normal(m.nv)
    d.qfrc_applied[:] = applied
    d.xfrc_applied[1:] = generator.standard_normal((m.nbody - 1, 6))
    d.qfrc_actuator[:] = 0.0
    body = np.zeros(m.nv)
    for b in range(1, m.nbody):
        conjoint.mj_applyFT(m, d, d.xfrc_applied[b, :3], d.xfrc_applied[b, 3:], d.xipos[b], b, body)
    conjoint.mj_forwardPosthoc(m, d, equality=2.0, contact=5.0)
    reached, state = d.qacc.copy(), d.qacc_warmstart.copy()
    d.qfrc_applied[:] = 0.0
    d.xfrc_applied[:] = 0.0
    conjoint.mj_inversePosthoc(m, d, equality=2.0, contact=5.0)
    assert np.allclose(d.qfrc_inverse, applied + body, rtol=1e-6, atol=1e-6)
    assert np.array_equal(d.qacc, reached)
    assert np.array_equal(d.qacc_warmstart, state)
    # without the weights, the constraints would not resist
    conjoint.mj_inversePosthoc(m, d)
    assert not np.allclose(d.qfrc_inverse, applied + body, rtol=1e-3, atol=1e-3)


@pytest.mark.plain
@pytest.mark.usefixtures("edition")
def test_dry_friction_adds_no_inertia_after_the_fact() -> None:
    """In post-hoc mode, equalities and active limits add inertia, but dry friction does not."""
    m = conjoint.MjModel.from_xml_string("""<mujoco><worldbody>
    <body><joint name="a" type="slide" frictionloss=".1"/><geom size=".1" mass="2" contype="0"/></body>
    <body pos="1 0 0"><joint name="b" type="slide"/><geom size=".1" mass="2" contype="0"/></body>
    <body pos="2 0 0"><joint type="slide" limited="true" range="0 1"/><geom size=".1" mass="2" contype="0"/></body>
    </worldbody><equality><joint joint1="b"/></equality></mujoco>""")
    m.opt.gravity[:] = 0
    d = conjoint.MjData(m)
    d.qpos[2] = -0.01
    conjoint.mj_forward(m, d)
    still = d.qacc.copy()
    d.qfrc_applied[:] = 1
    conjoint.mj_forwardPosthoc(m, d, equality=3.0, contact=5.0)
    assert (d.ne, d.nf, d.nl) == (1, 1, 1)
    np.testing.assert_allclose(d.qacc - still, [1 / 2, 1 / (2 + 3), 1 / (2 + 5)], rtol=1e-9)


@pytest.mark.usefixtures("edition")
def test_posthoc_weights_are_checked() -> None:
    m, d = world("few bodies, many contacts", "diagonal", steps=0)
    with pytest.raises(FatalError, match=r"contact must be a real number of at least 0, not -1"):
        conjoint.mj_inversePosthoc(m, d, contact=-1.0)
