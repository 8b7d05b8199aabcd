"""Compressed rows of the constraint Jacobian agree with dense rows and with MuJoCo, and need less memory."""

from __future__ import annotations

from copy import copy
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model, adopt_state
from collision_scenes import adopted, compare_along
from conjoint.batch import Batch
from solver_scenes import scene, solved_states

DENSE, SPARSE = mujoco.mjtJacobian.mjJAC_DENSE, mujoco.mjtJacobian.mjJAC_SPARSE
CONES = {"pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL, "elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC}

TENDONS = """<mujoco><option jacobian="sparse"/><worldbody>
<body name="a"><joint name="a" axis="1 0 0" type="hinge"/><geom size=".1" pos="0 0 .2"/>
  <body><joint name="b" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body>
  <body><joint name="c" axis="0 1 1"/><geom size=".1" pos="-.3 0 0"/></body></body>
<body pos="2 0 0"><joint name="d" type="slide" range="-.1 .1" limited="true"/><joint name="e" type="ball" range="0 .2" limited="true" margin="1"/><geom size=".1" pos=".1 0 0"/></body>
</worldbody><tendon>
<fixed name="s" limited="true" range="-.1 .1" margin=".3" frictionloss=".1"><joint joint="d" coef="1"/><joint joint="a" coef="2"/></fixed>
<fixed name="t" limited="true" range="-.1 .1" margin=".3"><joint joint="b" coef="1"/><joint joint="c" coef="-1"/></fixed>
<fixed name="u"><joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed>
</tendon><equality><joint joint1="c" joint2="a" polycoef="0 1 .2 0 0"/><joint joint1="b"/><tendon tendon1="t" tendon2="u"/>
<tendon tendon1="s"/></equality></mujoco>"""  # fmt: skip


def pile(count: int, option: str = "", apart: float = 0.19) -> str:
    """Return a model of spheres and capsules above a floor, in a heap or spread out, depending on `apart`."""
    shapes = ('type="sphere" size=".1"', 'type="capsule" size=".08 .1"')
    side = max(2, round(count ** (1 / 3)))
    bodies = "".join(
        f'<body pos="{apart * (i % side)} {apart * (i // side % side)} {0.1 + apart * (i // side**2)}" euler="{20 * i} 0 {30 * i}">'
        f"<freejoint/><geom {shapes[i % 2]}/></body>"
        for i in range(count)
    )
    return f'<mujoco><option {option}/><worldbody><geom type="plane" size="9 9 1"/>{bodies}</worldbody></mujoco>'


def solved(m: Any, official_model: Any, official: Any, start: np.ndarray, jacobian: Any) -> Any:
    """Return data after a forward pass from MuJoCo's state and warm start, with the given storage of rows."""
    m.opt.jacobian = jacobian
    d = adopt_state(m, official_model, official)
    d.qfrc_applied[:], d.qacc_warmstart[:] = official.qfrc_applied, start
    conjoint.mj_forward(m, d)
    assert conjoint.mj_isSparse(m) == (jacobian == SPARSE)
    return d


@pytest.mark.parametrize("island", [False, True], ids=["together", "by islands"])
@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("solver", ["CG", "NEWTON", "PGS", "noslip"])
@pytest.mark.parametrize("name", ["friction loss and limits", "tree with contacts and equalities"])
def test_dense_and_compressed_rows_have_one_solution(
    name: str, solver: str, cone: str, island: bool, edition: str
) -> None:
    options = {"cone": CONES[cone], "tolerance": 1e-12, "iterations": 200, "ls_iterations": 100}
    if solver == "noslip":
        options |= {"noslip_iterations": 5}
    else:
        options |= {"solver": getattr(mujoco.mjtSolver, f"mjSOL_{solver}")}
    official_model = scene(name, **options)
    states = solved_states(official_model, count=4)
    m = adopt_model(official_model)
    if island:
        m.opt.enableflags |= int(conjoint.mjtEnableBit.mjENBL_ISLAND)
    else:
        m.opt.disableflags |= int(conjoint.mjtDisableBit.mjDSBL_ISLAND)
    for official, start in states:
        dense, compressed = (solved(m, official_model, official, start, jacobian) for jacobian in (DENSE, SPARSE))
        assert compressed.nefc == dense.nefc > 0
        assert dense.nefc == official.nefc or edition == "4.0"
        assert (dense.nisland > 0) == (compressed.nisland > 0) == island
        scale = 1.0 + np.abs(dense.qacc).max()
        assert np.abs(compressed.qacc - dense.qacc).max() < 1e-7 * scale
        # stiff rows amplify the residual acceleration of conjugate gradients to forces
        close = (1e-4 if solver == "CG" else 1e-7) * (1.0 + np.abs(dense.qfrc_constraint).max())
        assert np.abs(compressed.qfrc_constraint - dense.qfrc_constraint).max() < close
        J = np.zeros((compressed.nefc, m.nv))
        index = compressed.efc_J_rownnz, compressed.efc_J_rowadr, compressed.efc_J_colind
        conjoint.mju_sparse2dense(J, compressed.efc_J, *index)
        assert np.array_equal(J, dense.efc_J[: J.size].reshape(J.shape))
        # products with J, and forces from accelerations
        x, y = np.sin(np.arange(m.nv)), np.cos(np.arange(compressed.nefc))
        product, back = np.zeros(compressed.nefc), np.zeros(m.nv)
        conjoint.mj_mulJacVec(m, compressed, product, x)
        conjoint.mj_mulJacTVec(m, compressed, back, y)
        assert np.allclose(product, J @ x) and np.allclose(back, J.T @ y)
        if solver in ("PGS", "noslip"):
            full = np.zeros((dense.nefc, dense.nefc))
            index = compressed.efc_AR_rownnz, compressed.efc_AR_rowadr, compressed.efc_AR_colind
            conjoint.mju_sparse2dense(full, compressed.efc_AR, *index)
            assert np.allclose(full.ravel(), dense.efc_AR, atol=1e-9 * np.abs(dense.efc_AR).max())
            continue
        forces = compressed.efc_force.copy()
        conjoint.mj_inverse(m, compressed)
        assert np.allclose(compressed.efc_force, forces, rtol=1e-5, atol=1e-5 * (1.0 + np.abs(forces).max()))


@pytest.mark.usefixtures("edition")
def test_rows_of_every_kind_have_the_oracles_columns() -> None:
    compare_along(TENDONS, states=4, apart=20)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("solver", ["CG", "Newton"])
def test_a_heap_moves_as_the_oracles(solver: str, cone: str) -> None:
    """A heap of twenty bodies moves as in MuJoCo.

    Its Hessian has a single block with fill-in, and its rows exceed the initial capacity.
    """
    official_model, official, m = adopted(
        pile(20, f'solver="{solver}" cone="{cone}" iterations="300" tolerance="1e-12"')
    )
    assert conjoint.mj_isSparse(m)
    mujoco.mj_step(official_model, official, 20)
    d = adopt_state(m, official_model, official)
    for package, model, data in ((mujoco, official_model, official), (conjoint, m, d)):
        package.mj_forward(model, data)
    assert d.nefc == official.nefc > 60
    assert np.abs(d.qacc - official.qacc).max() < 1e-6 * (1.0 + np.abs(official.qacc).max())


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
def test_compressed_rows_run_uncompiled() -> None:
    official_model, official, m = adopted(pile(3, 'jacobian="sparse"'))
    d = adopt_state(m, official_model, official)
    for package, model, data in ((mujoco, official_model, official), (conjoint, m, d)):
        package.mj_step(model, data)
    assert d.nefc == official.nefc > 6
    assert np.abs(d.qvel - official.qvel).max() < 1e-9


@pytest.mark.usefixtures("edition")
def test_rows_follow_option_jacobian_between_steps() -> None:
    m = conjoint.MjModel.from_xml_string(pile(4))
    d = conjoint.MjData(m)
    found = []
    for jacobian in (DENSE, SPARSE, DENSE, SPARSE):
        m.opt.jacobian = jacobian
        conjoint.mj_resetData(m, d)
        conjoint.mj_step(m, d, 3)
        found.append(d.qpos.copy())
        assert len(d.efc_J) == d.nJ > 0
    assert max(np.abs(qpos - found[0]).max() for qpos in found) < 1e-12


@pytest.mark.usefixtures("edition")
def test_worlds_of_large_scenes_step_one_by_one() -> None:
    """Worlds of large scenes are stepped one at a time, with results that are bit-identical to single worlds."""
    m = conjoint.MjModel.from_xml_string(pile(40))
    batch = Batch(m, 3, nthread=2)
    assert batch.lanes == 1
    generator = np.random.default_rng(0)
    batch.qvel[:] = generator.uniform(-0.1, 0.1, batch.qvel.shape)
    worlds = []
    for qvel in np.array(batch.qvel):
        d = conjoint.MjData(m)
        d.qvel[:] = qvel
        conjoint.mj_step(m, d, 5)
        worlds.append(d.qpos.copy())
    batch.step(5)
    assert np.array_equal(batch.qpos, worlds)
    single = Batch(m, 2, precision="float32", nthread=1)
    single.step(2)
    assert np.isfinite(single.qpos).all()


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("apart", [0.19, 1.0])
def test_memory_follows_the_number_of_bodies(apart: float) -> None:
    """Memory grows linearly with the number of bodies, whatever their distance."""
    sizes = []
    for count in (64, 1000):
        m = conjoint.MjModel.from_xml_string(pile(count, 'solver="CG"', apart))
        d = conjoint.MjData(m)
        conjoint.mj_step(m, d)
        assert d.ncon > count / 15
        sizes.append((d.world.data.layout.nbytes + d.world.arena.layout.nbytes) / count)
    assert sizes[1] < 1.5 * sizes[0]


PARTS = ("", "_rownnz", "_rowadr", "_rowsuper", "_colind")
COMPRESSED = {
    "rows of all kinds": TENDONS,
    "pile": pile(12, 'jacobian="sparse"'),
    "row": pile(5, 'jacobian="sparse"', 0.5),
    "free": '<mujoco><option jacobian="sparse"/><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>',
}


@pytest.mark.parametrize("islands", [False, True])
@pytest.mark.parametrize("solver", ["PGS", "NEWTON", "noslip"])
@pytest.mark.parametrize("name", COMPRESSED)
def test_all_compressed_matrices_are_the_official_ones(name: str, solver: str, islands: bool) -> None:
    """Compressed Jacobians and J M^-1 J' + R agree with MuJoCo, with and without islands."""
    official_model, official, m = adopted(COMPRESSED[name])
    for model in (official_model, m):
        model.opt.noslip_iterations = 3 if solver == "noslip" else 0
        model.opt.solver = mujoco.mjtSolver.mjSOL_PGS if solver == "PGS" else mujoco.mjtSolver.mjSOL_NEWTON
        model.opt.enableflags = mujoco.mjtEnableBit.mjENBL_ISLAND if islands else 0
    mujoco.mj_step(official_model, official, 10)
    d = adopt_state(m, official_model, official)
    mujoco.mj_forward(official_model, official)
    conjoint.mj_forward(m, d)
    assert (d.nefc == official.nefc > 0) == (name != "free")
    names = ["nA", *(f"efc_JT{part}" for part in PARTS if d.nefc)]
    names += [f"iefc_JT{part}" for part in PARTS if official.nisland]
    # MuJoCo keeps old counts of islands that no longer exist
    solved = max(d.nisland if solver == "NEWTON" else 1, 1) if d.nefc else 0
    assert np.array_equal(d.solver_nnz[:solved], official.solver_nnz[:solved])
    if solver != "NEWTON":
        names += [f"efc_AR{part}" for part in PARTS if part != "_rowsuper"]
    for field in names:
        np.testing.assert_allclose(getattr(d, field), getattr(official, field), rtol=1e-7, atol=1e-7, err_msg=field)


@pytest.mark.plain
@pytest.mark.parametrize("solver", ["Newton", "PGS"])
def test_elements_are_counted_for_who_holds_the_array(solver: str) -> None:
    """Arrays of `solver_nnz` that were read before, and copies of the data, have the current count.

    Without constraint rows, the last count remains.
    """
    official_model, official, m = adopted(pile(4, f'jacobian="sparse" cone="elliptic" solver="{solver}"', 0.5))
    d = adopt_state(m, official_model, official)
    other = conjoint.MjData(m)
    held, held_by_other = d.solver_nnz, other.solver_nnz
    seen = set()
    for height in (-0.01, -0.3, 9.0):
        for world in (official, d):
            world.qpos[2::7] += height
        mujoco.mj_forward(official_model, official)
        conjoint.mj_forward(m, d)
        assert (d.nefc > 0) == (height < 9)
        assert held[0] == official.solver_nnz[0] == d.solver_nnz[0]
        seen.add(int(held[0]))
        late = copy(d)
        conjoint.mj_copyData(other, m, d)
        assert held_by_other[0] == late.solver_nnz[0] == held[0]
    assert 0 not in seen
    # the array of the copied data was never read
    unread = adopt_state(m, official_model, official)
    unread.qpos[2::7] -= 9.0
    conjoint.mj_forward(m, unread)
    conjoint.mj_copyData(other, m, unread)
    assert held_by_other[0] == unread.solver_nnz[0] > 0
    # without rows, the count does not change
    fresh = adopt_state(m, official_model, official)
    fresh.qpos[2::7] -= 9.0
    conjoint.mj_forward(m, fresh)
    fresh.qpos[2::7] += 9.0
    conjoint.mj_forward(m, fresh)
    assert fresh.nefc == fresh.solver_nnz[0] == 0
