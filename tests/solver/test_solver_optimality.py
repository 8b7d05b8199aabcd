"""Optimality conditions that the solution of every solver must satisfy."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from solver_scenes import SCENES, constraint_stages, scene, solved_states, worlds_of
from stages import run_stages

CONES = {"pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL, "elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC}
SOLVERS = {"PGS": 5000, "CG": 500, "Newton": 50}
"""Number of iterations in which each solver converges; every problem is solved three times, from the previous solution."""


def solutions(name: str, cone: str, solver: str) -> list[tuple]:
    """Return tuples of MuJoCo's model, MuJoCo's data with constraint rows, and Conjoint's world, solved to rounding."""
    model = scene(name, cone=CONES[cone])
    states = solved_states(model, count=5)
    model.opt.solver = getattr(mujoco.mjtSolver, f"mjSOL_{solver.upper()}")
    model.opt.iterations, model.opt.tolerance, model.opt.ls_tolerance = SOLVERS[solver], 0.0, 1e-6
    m, worlds = worlds_of(model, states)
    for _, world in worlds:
        for _ in range(3):
            run_stages(world, *constraint_stages(m))
            # in edition 4.0, the solver does not set the warm start
            world.data.view("qacc_warmstart")[...] = world.data.view("qacc")
    return [(model, official, world) for (_, world), (official, _) in zip(worlds, states, strict=True)]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("name", SCENES)
def test_conditions_of_optimality(name: str, cone: str, solver: str, edition: str) -> None:
    """At the optimum, M (qacc - qacc_smooth) is J' times the forces of the residuals J qacc - aref.

    The primal problem is convex and unconstrained: its solution is where this gradient is zero.
    """
    # sweeps of edition 4.0 end when an extrapolated sweep gains nothing
    close = 1e-6 if solver == "PGS" and edition == "4.0" else 1e-8
    for model, official, world in solutions(name, cone, solver):
        qacc, force = world.data.view("qacc"), world.arena.view("efc_force")[: official.nefc]
        inertial = np.zeros(model.nv)
        mujoco.mj_mulM(model, official, inertial, qacc - official.qacc_smooth)
        residual = official.efc_J.reshape(-1, model.nv) @ qacc - official.efc_aref
        # the forces that belong to the residuals
        mujoco.mj_constraintUpdate(model, official, residual, None, 0)
        scale = 1.0 / (model.stat.meaninertia * model.nv)
        assert scale * np.linalg.norm(inertial - official.efc_J.reshape(-1, model.nv).T @ official.efc_force) < close
        # stiff rows turn rounding of the acceleration into force
        assert np.abs(force - official.efc_force).max() < 1e-6 * max(1.0, np.abs(force).max())
        assert np.allclose(world.data.view("qfrc_constraint"), inertial, atol=close / scale)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("name", SCENES)
def test_solvers_find_the_same(name: str, cone: str) -> None:
    """Newton's method, conjugate gradients and Gauss-Seidel agree because the problem has a unique solution."""
    found = {solver: solutions(name, cone, solver) for solver in SOLVERS}
    for of_newton, of_cg, of_pgs in zip(found["Newton"], found["CG"], found["PGS"], strict=True):
        expected = of_newton[2].data.view("qacc")
        for _, _, world in (of_cg, of_pgs):
            assert np.abs(world.data.view("qacc") - expected).max() < 1e-8 * max(1.0, np.abs(expected).max())


FRICTIONLESS = """<mujoco><option cone="{cone}" solver="{solver}"/><default><geom condim="1"/></default><worldbody>
<geom type="plane" size="5 5 .1"/>
<body pos="0 0 .3"><freejoint/><geom type="box" size=".1 .2 .1"/><geom type="sphere" size=".1" pos=".3 0 0"/>
<body pos="-.1 0 0"><joint axis="0 1 0" range="-30 30" limited="true" frictionloss=".01"/>
<geom type="capsule" size=".05" fromto="0 0 0 -.4 0 0"/></body></body>
<body pos=".2 .1 .8"><freejoint/><geom size=".15"/></body></worldbody></mujoco>"""


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("solver", SOLVERS)
def test_without_friction_cones_are_the_same(solver: str) -> None:
    """Contacts of condim 1 have no friction cone, so that the cone type changes trajectories only by rounding."""
    ends = []
    for cone in CONES:
        model = conjoint.MjModel.from_xml_string(FRICTIONLESS.format(cone=cone, solver=solver))
        model.opt.tolerance, model.opt.iterations = 1e-14, 500
        data = conjoint.MjData(model)
        contacts = 0
        for _ in range(300):
            conjoint.mj_step(model, data)
            contacts += data.ncon
        assert contacts > 100
        ends.append(data.qpos.copy())
    assert np.abs(ends[0] - ends[1]).max() < 1e-7


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("cone", CONES)
def test_forward_then_inverse_is_the_identity(cone: str, solver: str, edition: str) -> None:
    """Inverse dynamics recovers the applied forces with an error below 1e-8 of the constraint forces."""
    # sweeps of edition 4.0 end when an extrapolated sweep gains nothing
    close = 1e-6 if solver == "PGS" and edition == "4.0" else 1e-8
    model = conjoint.MjModel.from_xml_string(
        FRICTIONLESS.format(cone=cone, solver=solver).replace('condim="1"', 'condim="4"')
    )
    model.opt.tolerance, model.opt.iterations, model.opt.ls_tolerance = 0.0, SOLVERS[solver], 1e-6
    model.opt.enableflags |= int(conjoint.mjtEnableBit.mjENBL_FWDINV)
    data = conjoint.MjData(model)
    generator = np.random.default_rng(5)
    checked = 0
    for k in range(200):
        data.qfrc_applied[:] = generator.normal(size=model.nv)
        conjoint.mj_step(model, data)
        if k % 10 == 0 and data.ncon:
            checked += 1
            conjoint.mj_forward(model, data)
            # repeat a solve that ends at rounding
            data.qacc_warmstart[:] = data.qacc
            conjoint.mj_forward(model, data)
            size = max(1.0, np.abs(data.qfrc_constraint).max())
            conjoint.mj_inverse(model, data)
            assert np.abs(data.qfrc_inverse - data.qfrc_applied).max() < close * size
            conjoint.mj_compareFwdInv(model, data)
            assert data.solver_fwdinv.max() < 10 * close * size
    assert checked > 5


SUNKEN = """<mujoco><worldbody><geom type="box" size="1 1 .1" pos="0 0 -.1"/>
  <body><joint axis="{tilt} 0 1"/><geom pos=".5 .1 .02" size=".05" mass="{mass}" solref="-{stiffness} -100"/></body>
  <body pos="0 0 3"><freejoint/><geom size=".1" pos=".1 0 0"/></body></worldbody></mujoco>"""
"""Model of a ball deep in a box. The ball's hinge axis is nearly parallel to the contact normal."""


@pytest.mark.parametrize(("tilt", "mass", "stiffness"), [(1e-8, 1000, 1e7), (1e-7, 1000, 1e7), (3e-8, 1e-3, 1e9)])
@pytest.mark.parametrize("batched", [False, True])
def test_forces_that_cannot_move_anything_do_not_hide_those_that_can(
    tilt: float, mass: float, stiffness: float, batched: bool
) -> None:
    """The hinge moves by the difference of two opposing contact forces of up to 1e9 N."""
    text = SUNKEN.format(tilt=tilt, mass=mass, stiffness=stiffness)
    official = mujoco.MjModel.from_xml_string(text)
    expected = mujoco.MjData(official)
    mujoco.mj_step(official, expected)
    model = conjoint.MjModel.from_xml_string(text)
    found = Batch(model, 3, nthread=1) if batched else conjoint.MjData(model)
    if isinstance(found, Batch):
        found.step(1)
    else:
        conjoint.mj_step(model, found)
    assert expected.solver_niter[0] == 1 and np.all(np.asarray(found.solver_niter)[..., 0] == 1)
    np.testing.assert_allclose(np.atleast_2d(found.qvel)[-1], expected.qvel, rtol=1e-7, atol=1e-12)
