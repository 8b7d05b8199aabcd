"""Constraint solvers compared with MuJoCo: the same rows give the same accelerations, forces and iterations."""

from __future__ import annotations

import copy

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.lang import kernel
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.solver.forward import solve_newton as solve_in
from conjoint.solver.forward import spaces_in
from conjoint.solver.method.dofs import NEWTON
from conjoint.solver.method.editions import EDITION_3
from conjoint.solver.method.newton_rows import ROWS
from solver_scenes import SCENES, constraint_stages, scene, solved_states, unpacked, worlds_of
from stages import engine_stages, run_stages

pytestmark = pytest.mark.plain

inv_constraint, solve_conjugate, solve_newton = engine_stages("inv_constraint", "solve_conjugate", "solve_newton")

ROUNDING = 1e-9
"""Tolerance for two engines that both solve to rounding; the condition number of the rows amplifies rounding."""


IN_ROWS, IN_DOFS = spaces_in(EDITION_3, ROWS), spaces_in(EDITION_3, NEWTON)


@kernel
def in_rows(m, d):
    """Run Newton's method in the space of rows, whatever the number of rows."""
    solve_in(m, d, IN_ROWS)


@kernel
def in_dofs(m, d):
    """Run Newton's method in the space of dofs, whatever the number of dofs."""
    solve_in(m, d, IN_DOFS)


STATISTICS = ("improvement", "gradient", "lineslope", "nactive", "nchange", "neval", "nupdate")


def error(ours, theirs) -> float:
    """Return the largest difference, relative to the largest value or to 1, whichever is larger."""
    if np.size(theirs) == 0:
        return 0.0
    return float(np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max()))


def on_surface(official) -> np.ndarray:
    """Return a mask of the contact rows whose forces are on the surface of the cone, where rounding decides their state."""
    found = np.zeros(official.nefc, bool)
    for contact in official.contact:
        if (
            contact.efc_address >= 0
            and official.efc_type[contact.efc_address] == mujoco.mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC
        ):
            rows = slice(contact.efc_address, contact.efc_address + contact.dim)
            normal, *friction = official.efc_force[rows]
            found[rows] = abs(np.linalg.norm(friction / contact.friction[: contact.dim - 1]) - normal) < 1e-12 * normal
    return found


def compare(world, official, tolerance: float = ROUNDING, dual: bool = False, unsure: int = -1) -> None:
    """Check that solution, forces, states and statistics agree with MuJoCo.

    Changes in row states are not compared in iteration `unsure`, nor states of a dual method that depend on rounding.
    """
    n = official.nefc
    assert error(world.data.view("qacc"), official.qacc) < tolerance
    assert error(world.data.view("qfrc_constraint"), official.qfrc_constraint) < tolerance
    assert error(world.arena.view("efc_force")[:n], official.efc_force) < tolerance
    assert error(world.arena.view("efc_b")[:n], official.efc_b) < tolerance
    decided = ~(on_surface(official) & dual)
    assert np.array_equal(world.arena.view("efc_state")[:n][decided], official.efc_state[decided])
    iterations = int(official.solver_niter[0])
    assert world.data.view("solver_niter")[0] == iterations
    assert world.data.view("solver_nnz")[0] == official.solver_nnz[0]
    for name in STATISTICS:
        theirs = np.array([getattr(official.solver[i], name) for i in range(iterations)], float)
        counts = name.startswith("n")
        if not counts or decided.all():
            ours = world.data.view(f"solver.{name}")[:iterations]
            if name == "nchange" and unsure >= 0:
                ours, theirs = np.delete(ours, unsure), np.delete(theirs, unsure)
            assert error(ours, theirs) < (0.5 if counts else tolerance), name


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize(
    "options", [{}, {"disableflags": 1 << 8}, {"iterations": 2}], ids=["warm", "cold", "cut short"]
)
def test_newton(name: str, options: dict) -> None:
    """Primal and dual Newton make MuJoCo's iterations after warm and cold starts, even if the search is cut short."""
    model = scene(name, **options)
    states = solved_states(model)
    # both engines reach rounding; an iteration that begins there is optional
    states = [(d, start) for d, start in states if d.solver_niter[0] > 0]
    assert states
    _, worlds = worlds_of(model, states)
    for (_, world), (official, start) in zip(worlds, states, strict=True):
        if official.nefc <= model.nv:
            run_stages(world, in_rows)
            compare(world, official)
            world.data.view("qacc_warmstart")[...] = start
        run_stages(world, in_dofs)
        compare(world, official)
        world.data.view("qacc_warmstart")[...] = start
        run_stages(world, solve_newton)
        compare(world, official)
        assert np.array_equal(world.data.view("qacc_warmstart"), world.data.view("qacc"))


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("iterations", [1, 2, 3, 5])
def test_conjugate_gradients(name: str, iterations: int) -> None:
    """Every iteration of conjugate gradients agrees with MuJoCo's."""
    model = scene(name, solver=mujoco.mjtSolver.mjSOL_CG, iterations=iterations)
    _, worlds = worlds_of(model, states := solved_states(model))
    assert max(official.solver_niter[0] for official, _ in states) == iterations
    for (_, world), (official, _) in zip(worlds, states, strict=True):
        run_stages(world, solve_conjugate)
        compare(world, official)


@pytest.mark.parametrize("name", SCENES)
def test_conjugate_gradients_converge(name: str) -> None:
    """With enough iterations, conjugate gradients reach the solution of Newton's method."""
    model = scene(name, iterations=2000, tolerance=1e-14, ls_tolerance=1e-4)
    _, worlds = worlds_of(model, states := solved_states(model, count=3))
    for (_, world), (official, _) in zip(worlds, states, strict=True):
        run_stages(world, solve_conjugate)
        # the cost is flat at its minimum: an improvement of 1e-14 changes the acceleration by its square root
        assert error(world.data.view("qacc"), official.qacc) < 1e-7


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize(
    "ls_iterations", [1, 2, *(pytest.param(n, marks=pytest.mark.compiled_only) for n in (3, 5, 7)), 4, 10]
)
@pytest.mark.parametrize("stage", ["Newton in rows", "Newton in dofs", "CG"])
def test_short_line_searches(name: str, stage: str, ls_iterations: int) -> None:
    """A truncated line search ends at MuJoCo's point, or fails as MuJoCo's does."""
    kernel = {"Newton in rows": in_rows, "Newton in dofs": in_dofs, "CG": solve_conjugate}[stage]
    solver = mujoco.mjtSolver.mjSOL_CG if stage == "CG" else mujoco.mjtSolver.mjSOL_NEWTON
    model = scene(name, solver=solver, iterations=3, ls_iterations=ls_iterations, disableflags=1 << 8)
    _, worlds = worlds_of(model, states := solved_states(model, count=8 if jit_enabled() else 4))
    pairs = [(world, official) for (_, world), (official, _) in zip(worlds, states, strict=True)]
    if stage == "Newton in rows":
        pairs = [(world, official) for world, official in pairs if official.nefc <= model.nv]
        if not pairs:
            pytest.skip("in every state there are more rows than dofs")
    agreed = []
    for world, official in pairs:
        run_stages(world, kernel)
        agreed.append(error(world.data.view("qacc"), official.qacc) < ROUNDING)
    # between two directions of dry friction, slopes may be equal: rounding decides which is smaller
    assert agreed.count(False) <= (2 if name == "friction loss and limits" else 0)


def test_compressed_rows() -> None:
    """Newton's method in the space of dofs stores J without its zero blocks."""
    model = scene("few bodies, many contacts")
    m, worlds = worlds_of(model, states := solved_states(model))
    for (_, world), (official, _) in zip(worlds, states, strict=True):
        run_stages(world, in_dofs)
        rows, stored = unpacked(world.arena, official.nefc)
        assert np.array_equal(rows[:, 1 : m.nv + 1].ravel(), official.efc_J)
        assert stored < rows.size
        compare(world, official)


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("impratio", [pytest.param(1.0, marks=pytest.mark.compiled_only), 5.0])
@pytest.mark.parametrize("iterations", [1, 2, pytest.param(100, marks=pytest.mark.compiled_only)])
def test_elliptic_cones(name: str, impratio: float, iterations: int) -> None:
    """Newton's method and conjugate gradients agree with MuJoCo for elliptic cones, whose cost couples rows."""
    options = {"cone": mujoco.mjtCone.mjCONE_ELLIPTIC, "impratio": impratio, "iterations": iterations}
    for solver, stage in (("NEWTON", solve_newton), ("CG", solve_conjugate)):
        model = scene(name, solver=getattr(mujoco.mjtSolver, f"mjSOL_{solver}"), **options)
        _, worlds = worlds_of(model, states := solved_states(model))
        cone = mujoco.mjtConstraintState.mjCNSTRSTATE_CONE
        assert any(cone in official.efc_state for official, _ in states) == ("contact" in name)
        for (_, world), (official, _) in zip(worlds, states, strict=True):
            run_stages(world, stage)
            if iterations < 100:
                compare(world, official)
            else:
                # rounding decides where the search ends: both engines stop at an improvement of 1e-8
                assert error(world.data.view("qacc"), official.qacc) < 1e-6


@pytest.mark.parametrize("name", SCENES)
def test_forces_balance(name: str) -> None:
    """At the solution, the inertial force of the added acceleration equals the constraint force, and no contact pulls."""
    model = scene(name)
    states = solved_states(model, count=3, seed=1)
    _, worlds = worlds_of(model, states)
    for (_, world), (official, _) in zip(worlds, states, strict=True):
        run_stages(world, solve_newton)
        added = world.data.view("qacc") - world.data.view("qacc_smooth")
        inertial = np.zeros(model.nv)
        mujoco.mj_mulM(model, official, inertial, added)
        assert error(inertial, world.data.view("qfrc_constraint")) < ROUNDING
        n, fixed = official.nefc, official.ne + official.nf
        force, loss = world.arena.view("efc_force")[:n], official.efc_frictionloss
        assert np.all(force[fixed:] >= 0.0)
        assert np.all(np.abs(force[official.ne : fixed]) <= loss[official.ne : fixed] * (1 + 1e-12))


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("iterations", [1, pytest.param(20, marks=pytest.mark.compiled_only)])
def test_pgs(name: str, cone: str, iterations: int) -> None:
    """The projected Gauss-Seidel solver makes MuJoCo's sweeps over MuJoCo's matrix."""
    cones = {"pyramidal": 0, "elliptic": 1}
    model = scene(name, solver=mujoco.mjtSolver.mjSOL_PGS, iterations=iterations, cone=cones[cone])
    states = solved_states(model, count=4)
    m, worlds = worlds_of(model, states)
    for (_, world), (official, _) in zip(worlds, states, strict=True):
        run_stages(world, *constraint_stages(m))
        compare(world, official, dual=True)
        n = official.nefc
        if world.arena.view("dual.stored"):
            assert error(world.arena.view("efc_AR")[:n, :n].ravel(), official.efc_AR[: n * n]) < ROUNDING


def without_sweeps(model, official, start):
    """Return MuJoCo's data of the same state, solved without noslip iterations."""
    model, data = copy.copy(model), copy.copy(official)
    model.opt.noslip_iterations = 0
    data.qacc_warmstart[:] = start
    mujoco.mj_forward(model, data)
    return data


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("solver", ["PGS", "CG", "NEWTON"])
@pytest.mark.parametrize("iterations", [pytest.param(1, marks=pytest.mark.compiled_only), 10])
def test_noslip(name: str, cone: str, solver: str, iterations: int) -> None:
    """After any solver, noslip makes MuJoCo's sweeps until they bring no improvement, and keeps the next warm start unchanged."""
    options = {"cone": {"pyramidal": 0, "elliptic": 1}[cone], "noslip_iterations": iterations, "iterations": 3}
    model = scene(name, solver=getattr(mujoco.mjtSolver, f"mjSOL_{solver}"), noslip_tolerance=1e-5, **options)
    # without forces, rounding decides whether an iteration is made
    states = [(d, start) for d, start in solved_states(model, count=4) if np.any(d.efc_force)]
    m, worlds = worlds_of(model, states)
    for (_, world), (official, start) in zip(worlds, states, strict=True):
        run_stages(world, *constraint_stages(m))
        # if the forces are on the surface of cones before the sweeps, rounding decides their initial states
        begun = without_sweeps(model, official, start)
        compare(world, official, dual=True, unsure=begun.solver_niter[0] if on_surface(begun).any() else -1)
        assert error(world.data.view("qacc_warmstart"), official.qacc_warmstart) < ROUNDING


@pytest.mark.parametrize("name", SCENES)
def test_inverse(name: str) -> None:
    """Inverse dynamics recovers the constraint forces of forward dynamics."""
    model = scene(name, tolerance=1e-14)
    states = solved_states(model, count=3)
    _, worlds = worlds_of(model, states)
    for (_, world), (official, _) in zip(worlds, states, strict=True):
        world.data.view("qacc")[...] = official.qacc
        run_stages(world, inv_constraint)
        # stiff rows turn rounding of the acceleration into force
        assert error(world.arena.view("efc_force")[: official.nefc], official.efc_force) < 1e-7
        assert error(world.data.view("qfrc_constraint"), official.qfrc_constraint) < 1e-7


@pytest.mark.compiled_only
@pytest.mark.parametrize("gravity", [9.81, 13.7, 400.0])
def test_what_rests_comes_to_rest(gravity: float, edition: str) -> None:
    """A weight sinks into a soft stop until its acceleration vanishes to the last digits.

    The solver still reduces the small residual when it starts from a nearly exact solution.
    """
    text = f"""<mujoco><option gravity="0 0 -{gravity}" timestep=".01"/><worldbody><body pos="0 0 .1">
    <joint type="slide" axis="0 0 1" limited="true" range="-.03 .03"/><geom size=".01" mass="1"/></body></worldbody></mujoco>"""
    m = conjoint.MjModel.from_xml_string(text)
    # edition 4.0 omits a step that promises less than the tolerance
    m.opt.tolerance = 1e-8 if edition == "3.3.5" else 0
    d = conjoint.MjData(m)
    largest = 0.0
    for step in range(400):
        d.qvel[:] *= 0.99
        conjoint.mj_step(m, d)
        largest = max(largest, abs(d.qacc[0])) if step >= 300 else 0.0
    assert d.efc_force[0] == pytest.approx(gravity, rel=1e-12)
    assert largest < 1e-12


def test_nothing_to_solve() -> None:
    """Without constraint rows, qacc equals qacc_smooth."""
    model = scene("friction loss and limits", disableflags=1)
    official = mujoco.MjData(model)
    mujoco.mj_forward(model, official)
    _, [(_, world)] = worlds_of(model, [(official, official.qacc_warmstart + 0.0)])
    for stage in (solve_newton, inv_constraint):
        run_stages(world, stage)
        assert np.array_equal(world.data.view("qacc"), official.qacc_smooth)
        assert not world.data.view("qfrc_constraint").any()
    assert world.data.view("solver_niter")[0] == 0
