"""Constraint islands have MuJoCo's number and contents, and each has its part of the solution of the whole."""

from __future__ import annotations

import copy

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.schema.constants import mjNISLAND, mjNSOLVER

SCENE = """<mujoco><option jacobian="{jacobian}" solver="{solver}" cone="{cone}" tolerance="{tolerance}" iterations="200">
 <flag island="{island}"/></option><worldbody><geom type="plane" size="5 5 .1"/>
 <body pos="0 0 3"><freejoint/><geom size=".1"/></body>
 <body pos="0 0 .095"><freejoint/><geom size=".1" condim="1"/></body>
 <body pos="1 0 .095"><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/><geom size=".1"/>
  <body pos="0.3 0 0"><joint axis="0 1 0" frictionloss="1"/><geom size=".05"/></body></body>
 <body pos="2 0 2"><joint name="a" type="slide" axis="0 0 1" frictionloss=".3"/><geom size=".1"/></body>
 <body pos="3 0 2"><joint axis="0 1 0" range="5 10" limited="true"/><geom size=".1" pos=".1 0 0"/></body>
 <body pos="4 0 2"><joint name="b" type="slide" axis="0 0 1"/><geom size=".1"/></body>
 <body pos="5 0 2"><joint name="c" type="slide" axis="0 0 1"/><geom size=".1"/></body>
 <body pos="0 0 .28"><freejoint/><geom size=".1" condim="4"/></body>
 <body pos="7 0 1"><joint type="ball" armature=".05" range="0 10" limited="true"/><geom size=".1" pos=".2 0 0"/><site name="s" pos=".3 0 0"/></body>
 <body pos="8 0 1"><joint name="e" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/><site name="t" pos=".2 0 0"/></body>
 <body name="p" pos="9 0 1"><joint axis="0 1 0"/><geom size=".04" pos=".2 0 0"/></body>
 <body name="q" pos="9.25 0 1.3"><joint axis="0 1 0"/><geom size=".04" pos="0 0 -.2"/></body></worldbody>
 <tendon><spatial limited="true" range="0 .88"><site site="s"/><site site="t"/></spatial></tendon>
 <equality><joint joint1="c" joint2="a"/><connect body1="p" body2="q" anchor=".25 0 0"/></equality></mujoco>"""

OF_POSITIONS = (
    "nisland", "nidof", "island_nv", "island_idofadr", "island_dofadr", "map_dof2idof", "map_idof2dof", "dof_island",
    "efc_island", "island_ne", "island_nf", "island_nefc", "island_iefcadr", "map_efc2iefc", "map_iefc2efc",
    "iefc_type", "iefc_id", "iM_rownnz", "iM_rowadr", "iLDiagInv", "iefc_frictionloss", "iefc_D", "iefc_R",
)  # fmt: skip
OF_FORCES = ("iefc_aref", "ifrc_smooth", "iacc_smooth", "iacc", "iefc_force", "iefc_state", "ifrc_constraint")


def pair(solver: str = "Newton", cone: str = "pyramidal", island: str = "enable", **options) -> tuple:
    """Return the model and data of the scene in both packages."""
    options = {"tolerance": 1e-8, "jacobian": "dense"} | options
    xml = SCENE.format(solver=solver, cone=cone, island=island, **options)
    model, official = conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    return model, conjoint.MjData(model), official, mujoco.MjData(official)


def next_state(official, official_data, data, generator) -> None:
    """Advance MuJoCo's simulation by some steps, and copy its state to Conjoint's data."""
    for _ in range(12):
        official_data.qfrc_applied[:] = 0.01 * generator.normal(size=official.nv)
        mujoco.mj_step(official, official_data)
    for name in ("qpos", "qvel", "qfrc_applied", "qacc_warmstart"):
        getattr(data, name)[:] = getattr(official_data, name)


def assert_equal(ours, theirs, what: str, tolerance: float = 1e-9) -> None:
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    assert ours.shape == theirs.shape, what
    assert np.allclose(ours, theirs, rtol=0, atol=tolerance * max(1.0, np.abs(theirs).max(initial=0.0))), what


OF_COMPRESSED_ROWS = ("iefc_J_rownnz", "iefc_J_rowadr", "iefc_J_rowsuper", "iefc_J_colind", "iefc_J")


@pytest.mark.plain
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver", ["Newton", "CG"])
def test_islands_are_those_of_the_oracle(solver: str, cone: str, jacobian: str) -> None:
    """Islands have MuJoCo's order, contents and solution in many states."""
    model, data, official, official_data = pair(solver, cone, tolerance=1e-14, jacobian=jacobian)
    generator, counts = np.random.default_rng(3), set()
    for _ in range(6 if jit_enabled() else 3):
        next_state(official, official_data, data, generator)
        mujoco.mj_forward(official, official_data)
        conjoint.mj_forward(model, data)
        n, dofs = official_data.nisland, official_data.nidof
        counts.add(n)
        for name in OF_POSITIONS:
            assert_equal(getattr(data, name), getattr(official_data, name), name)
        elements = int(official_data.iM_rownnz.sum())
        for name in ("iM", "iLD", "iM_colind"):
            assert_equal(getattr(data, name)[:elements], getattr(official_data, name)[:elements], name)
        for name in OF_COMPRESSED_ROWS if jacobian == "sparse" else ():
            assert_equal(getattr(data, name), getattr(official_data, name), name)
        for k in range(n if jacobian == "dense" else 0):
            first = official_data.island_iefcadr[k] * dofs
            block = slice(first, first + official_data.island_nefc[k] * official_data.island_nv[k])
            assert_equal(data.iefc_J[block], official_data.iefc_J[block], "iefc_J")
        for name in OF_FORCES:
            assert_equal(getattr(data, name), getattr(official_data, name), name, 1e-6)
        assert_equal(data.solver_nnz[:n], official_data.solver_nnz[:n], "solver_nnz")
        assert not data.solver_niter[n:].any() and not data.solver_nnz[n:].any()
    assert max(counts) > (5 if jit_enabled() else 2)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver", ["Newton", "CG", "PGS"])
def test_islands_have_the_solution_of_the_whole(solver: str, cone: str, jacobian: str) -> None:
    """The solution by islands equals that of all rows together, because islands do not affect each other."""
    model, data, official, official_data = pair(solver, cone, tolerance=1e-15, jacobian=jacobian)
    whole_model, whole, _, _ = pair(solver, cone, "disable", tolerance=1e-15, jacobian=jacobian)
    generator = np.random.default_rng(4)
    for _ in range(6):
        next_state(official, official_data, data, generator)
        for name in ("qpos", "qvel", "qfrc_applied", "qacc_warmstart"):
            getattr(whole, name)[:] = getattr(data, name)
        conjoint.mj_forward(model, data)
        conjoint.mj_forward(whole_model, whole)
        assert data.nisland > 4 and whole.nisland == whole.nidof == 0
        for name in ("qacc", "qfrc_constraint", "efc_force", "efc_b", "qacc_warmstart"):
            assert_equal(getattr(data, name), getattr(whole, name), name, 1e-6)
        assert np.array_equal(data.efc_state, whole.efc_state)


@pytest.mark.plain
@pytest.mark.parametrize("warm", [True, False])
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("solver", ["Newton", "CG"])
def test_statistics_of_every_island(solver: str, jacobian: str, warm: bool) -> None:
    """The statistics of island k start at k * mjNSOLVER and describe its problem alone."""
    model, data, official, official_data = pair(solver, tolerance=1e-7, jacobian=jacobian)
    next_state(official, official_data, data, np.random.default_rng(5))
    official.opt.disableflags = model.opt.disableflags = 0 if warm else int(mujoco.mjtDisableBit.mjDSBL_WARMSTART)
    mujoco.mj_forward(official, official_data)
    conjoint.mj_forward(model, data)
    n = data.nisland
    assert np.array_equal(data.solver_niter, official_data.solver_niter)
    for k in range(n):
        for i in range(k * mjNSOLVER, k * mjNSOLVER + data.solver_niter[k]):
            for name in ("improvement", "gradient", "nactive", "nchange", "neval", "nupdate"):
                ours, theirs = getattr(data.solver[i], name), getattr(official_data.solver[i], name)
                assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-9), (k, i, name)


MANY = """<mujoco><option solver="{solver}" jacobian="{jacobian}"><flag island="enable"/></option><worldbody><geom type="plane" size="9 9 .1"/>
<replicate count="30" offset=".5 0 0"><body pos="0 0 .099"><freejoint/><geom size=".1"/></body></replicate>
</worldbody></mujoco>"""


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("solver", ["Newton", "CG"])
def test_more_islands_than_have_statistics(solver: str, jacobian: str) -> None:
    """All islands are solved, but only the first mjNISLAND have statistics."""
    model = conjoint.MjModel.from_xml_string(MANY.format(solver=solver, jacobian=jacobian))
    data = conjoint.MjData(model)
    conjoint.mj_forward(model, data)
    assert data.nisland == 30 > mjNISLAND
    assert (data.solver_niter > 0).all()
    assert np.ptp(data.qacc.reshape(30, 6), axis=0).max() < 1e-9
    conjoint.mj_step(model, data, nstep=200)
    assert np.abs(data.qpos.reshape(30, 7)[:, 2] - 0.1).max() < 1e-3


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_the_flag_may_change_between_steps(jacobian: str) -> None:
    """A step follows the current island flag, whether it was set or cleared before the step."""
    model, data, official, official_data = pair(jacobian=jacobian)
    for enabled in (True, False, True, False):
        flags = int(mujoco.mjtEnableBit.mjENBL_ISLAND) if enabled else 0
        model.opt.enableflags = official.opt.enableflags = flags
        for _ in range(5):
            conjoint.mj_step(model, data)
            mujoco.mj_step(official, official_data)
        assert data.nisland == official_data.nisland
        assert (data.nisland > 0) == enabled
    assert_equal(data.qpos, official_data.qpos, "qpos", 1e-7)


@pytest.mark.usefixtures("edition")
def test_nothing_to_solve() -> None:
    model, data, _, _ = pair()
    model.opt.disableflags |= int(conjoint.mjtDisableBit.mjDSBL_CONSTRAINT)
    conjoint.mj_forward(model, data)
    assert data.nefc == data.nisland == data.nidof == 0
    assert np.array_equal(data.qacc, data.qacc_smooth) and not data.solver_niter.any()


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_batches_solve_islands(jacobian: str) -> None:
    """Worlds of a batch with islands are bit-identical to a single world."""
    model, data, _, _ = pair(jacobian=jacobian)
    batch = Batch(model, 3)
    batch.step(20)
    conjoint.mj_step(model, data, nstep=20)
    assert np.array_equal(batch.qpos, np.tile(data.qpos, (3, 1)))


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize(
    "solver, cone", [("Newton", "pyramidal"), ("Newton", "elliptic"), ("CG", "pyramidal"), ("PGS", "pyramidal")]
)
def test_dofs_without_rows_start_at_rest_if_islands_are_solved_together(solver: str, cone: str, jacobian: str) -> None:
    """With noslip, all rows are solved together, and dofs in no island do not start at qacc_warmstart, as in MuJoCo."""
    model, data, official, official_data = pair(solver, cone, jacobian=jacobian)
    generator = np.random.default_rng(3)
    differed = False
    for _ in range(6):
        next_state(official, official_data, data, generator)
        warm = generator.normal(size=model.nv) + official_data.qacc
        for m in (model, official):
            m.opt.noslip_iterations, m.opt.iterations = 2, 1
        for package, m, d in ((conjoint, model, data), (mujoco, official, official_data)):
            d.qacc_warmstart[:], d.qfrc_applied[:] = warm, 0
            package.mj_forward(m, d)
        assert data.nisland == official_data.nisland > 1
        assert data.solver_niter[0] == official_data.solver_niter[0]
        assert_equal(data.qacc, official_data.qacc, "qacc")
        batch = Batch(model, 3)
        batch.qpos, batch.qvel, batch.qacc_warmstart = data.qpos, data.qvel, warm
        batch.step()
        # without the flag, the start and the result of one iteration are different
        together = copy.copy(official_data)
        together.qacc_warmstart[:] = warm
        official.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_ISLAND)
        mujoco.mj_forward(official, together)
        official.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ISLAND)
        differed |= not np.allclose(together.qacc, official_data.qacc, rtol=0, atol=1e-6)
        official_data.qacc_warmstart[:] = warm
        mujoco.mj_step(official, official_data)
        assert_equal(batch.qvel[1], official_data.qvel, "qvel of a batch")
        for m in (model, official):
            m.opt.noslip_iterations, m.opt.iterations = 0, 200
    assert differed == (solver != "PGS")
