"""Flexes agree with MuJoCo (vertices, edges, boxes, forces, constraints, steps) and obey laws of physics."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from flex_models import BLOCK, EQUALITY, FLEXES, GRID, SHELL, SOLID, model
from oracle import difference

FIELDS = (
    "flexvert_xpos", "flexelem_aabb", "bvh_aabb_dyn", "flexedge_length", "flexedge_J_rownnz", "flexedge_J_rowadr",
    "flexedge_J_colind", "flexedge_J", "flexedge_velocity", "qfrc_spring", "qfrc_damper", "qfrc_passive", "energy", "nefc",
    "efc_J", "efc_pos", "efc_diagApprox", "efc_KBIP", "efc_D", "efc_aref", "qfrc_bias", "qacc_smooth",
)  # fmt: skip


def pair(xml: str, seed: int, amount: float = 0.02):
    """Return model and data of both packages, in the same random state."""
    m, official_model = conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    d, official = conjoint.MjData(m), mujoco.MjData(official_model)
    random = np.random.default_rng(seed)
    mujoco.mj_integratePos(official_model, official.qpos, amount * random.standard_normal(m.nv), 1.0)
    official.qvel[:] = random.standard_normal(m.nv)
    d.qpos[:], d.qvel[:] = official.qpos, official.qvel
    for one in (m, official_model):
        one.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        one.opt.tolerance = 0
    return m, d, official_model, official


@pytest.mark.plain
@pytest.mark.parametrize("name", FLEXES)
def test_positions_and_forces_equal_the_oracle(name: str) -> None:
    for seed in range(3 if jit_enabled() else 1):
        m, d, official_model, official = pair(FLEXES[name], seed)
        conjoint.mj_forward(m, d)
        mujoco.mj_forward(official_model, official)
        for field in FIELDS:
            assert difference(getattr(d, field), getattr(official, field)) < 1e-10, field


@pytest.mark.parametrize("name", FLEXES)
def test_steps_equal_the_oracle(name: str) -> None:
    m, d, official_model, official = pair(FLEXES[name], 5)
    for _ in range(5):
        conjoint.mj_step(m, d)
        mujoco.mj_step(official_model, official)
    for field in ("qpos", "qvel"):
        assert difference(getattr(d, field), getattr(official, field)) < 1e-8, field


@pytest.mark.usefixtures("edition")
@pytest.mark.skipif(not jit_enabled(), reason="batches need compiled kernels")
@pytest.mark.parametrize("name", FLEXES)
def test_batches_step_as_single_worlds(name: str) -> None:
    m, d, _, _ = pair(FLEXES[name], 7)
    batch = Batch(m, 9)
    batch.qpos[:], batch.qvel[:] = d.qpos, d.qvel
    batch.qvel[:5] *= 0.5
    for _ in range(3):
        batch.step()
        conjoint.mj_step(m, d)
    assert difference(batch.qpos[8], d.qpos) < 1e-9
    assert difference(batch.qvel[8], d.qvel) < 1e-7


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
@pytest.mark.parametrize("name", ["springs and dampers", "stretching and bending", "solid", "trilinear"])
def test_the_shape_of_the_file_is_in_equilibrium(name: str) -> None:
    m = conjoint.MjModel.from_xml_string(FLEXES[name])
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    assert np.abs(d.qfrc_passive).max() < 1e-12


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
@pytest.mark.parametrize("name", ["springs and dampers", "stretching", "bending", "solid", "trilinear"])
def test_inner_forces_keep_the_momentum(name: str) -> None:
    """Internal forces of a flex with free vertices, whose dofs are along world axes, do not change its momentum."""
    m, d, _, _ = pair(FLEXES[name], 3, amount=0.03)
    conjoint.mj_forward(m, d)
    force = d.qfrc_passive.reshape(-1, 3)
    points = d.xpos[m.dof_bodyid[::3]]
    size = np.abs(force).max()
    assert size > 1e-5
    assert np.abs(force.sum(axis=0)).max() < 1e-13 * max(1, size) * len(force)
    if name != "trilinear":
        # exempt from angular momentum: a trilinear box is rotated as a whole, by the rotation of its center
        assert np.abs(np.cross(points, force).sum(axis=0)).max() < 1e-13 * max(1, size) * len(force)


def elastic_energy(m, d) -> float:
    """Return the Saint Venant-Kirchhoff energy of all elements."""
    corner = {2: 3, 3: 6}[int(m.flex_dim[0])]
    edges = m.flex_elemedge.reshape(-1, corner)
    strain = (d.flexedge_length**2 - m.flexedge_length0**2)[edges]
    form = np.zeros((len(edges), corner, corner))
    rows, columns = np.triu_indices(corner)
    form[:, rows, columns] = m.flex_stiffness.reshape(-1, 21)[:, : len(rows)]
    form[:, columns, rows] = form[:, rows, columns]
    return 0.25 * float(np.einsum("ei,eij,ej->", strain, form, strain))


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("flex, inside", [(GRID, SHELL), (BLOCK, SOLID.replace(".05", "{}"))])
def test_energy_is_lost_to_damping_only(flex: str, inside: str) -> None:
    for damping in (0, 0.02):
        xml = model(flex, inside.format(damping, "stretch"), 'integrator="RK4" timestep="1e-3" gravity="0 0 0"')
        m, d, _, _ = pair(xml, 4)
        d.qvel[:] = 0
        totals = []
        for _ in range(500):
            conjoint.mj_forward(m, d)
            totals.append(elastic_energy(m, d) + d.energy[1])
            conjoint.mj_step(m, d)
        if damping == 0:
            assert np.ptp(totals) < 1e-4 * totals[0]
        else:
            assert totals[-1] < 0.95 * totals[0]
            assert np.diff(totals).max() < 1e-9


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("change", ["flex_edgestiffness", "flex_edgedamping", "flex_damping"])
def test_forces_that_begin_while_it_runs_are_seen(change: str) -> None:
    m, d, official_model, official = pair(model(GRID, SHELL.format(0, "both"), 'jacobian="sparse"'), 6)
    conjoint.mj_forward(m, d)
    for one in (m, official_model):
        getattr(one, change)[:] = 0.3
    conjoint.mj_forward(m, d)
    mujoco.mj_forward(official_model, official)
    for field in ("flexedge_J_rownnz", "flexedge_velocity", "qfrc_passive"):
        assert difference(getattr(d, field), getattr(official, field)) < 1e-10, field


BOX_ON_FLOOR = """<geom type="plane" size="9 9 1"/><body name="box" pos="0 0 .099"><freejoint/>
<geom type="box" size=".1 .1 .1"/></body>"""


@pytest.mark.usefixtures("edition")
def test_islands_keep_a_flex_from_what_it_does_not_touch() -> None:
    """With islands, a distant cloth changes neither the trajectory nor the iterations of a box."""
    option = '><flag island="enable"/></option><option'
    together = model(GRID + ' pos="5 0 5"', EQUALITY, option, world=BOX_ON_FLOOR)
    alone = f"<mujoco><option {option}/><worldbody>{BOX_ON_FLOOR}</worldbody></mujoco>"
    m, lonely = (conjoint.MjModel.from_xml_string(xml) for xml in (together, alone))
    d, single = conjoint.MjData(m), conjoint.MjData(lonely)
    for one, data in ((m, d), (lonely, single)):
        # step until the box rests on the floor
        conjoint.mj_step(one, data, nstep=150)
        data.qvel[0] = 0.05
    touching = 0
    for _ in range(30):
        conjoint.mj_step(m, d)
        conjoint.mj_step(lonely, single)
        assert d.nisland == single.nisland + 1
        if single.nisland:
            touching += 1
            assert d.solver_niter[0] == single.solver_niter[0]
    assert touching > 10
    assert single.qpos[0] > 1e-4
    assert difference(d.qpos[:7], single.qpos) < 1e-6


def test_the_first_dofs_of_vertices_are_pushed_where_a_fixed_body_is_turned() -> None:
    """Slide dofs of vertices are treated as if they were along world axes, even in a rotated fixed body, as in MuJoCo."""
    comp = model(BLOCK, SOLID)
    turned = comp.replace("<flexcomp", '<body name="b" euler="10 20 30"><flexcomp').replace(
        "</flexcomp>", "</flexcomp></body>"
    )
    m, d, official_model, official = pair(turned, 2)
    conjoint.mj_forward(m, d)
    mujoco.mj_forward(official_model, official)
    assert np.abs(official.qfrc_spring).max() > 1e-3
    assert difference(d.qfrc_spring, official.qfrc_spring) < 1e-10


@pytest.mark.plain
@pytest.mark.parametrize(
    "shape",
    ["circle", *(pytest.param(s, marks=pytest.mark.compiled_only) for s in ("grid", "disc", "cylinder", "ellipsoid"))],
)
def test_vertices_have_the_bits_of_the_oracle(shape: str) -> None:
    """Flex vertices and element boxes equal MuJoCo's bit for bit, because contacts of round shapes amplify the last bit."""
    count = {"circle": '"9 1 1" dim="1"', "disc": '"5 4 1" dim="2"', "grid": '"3 4 5" dim="3"'}.get(
        shape, '"4 5 4" dim="3"'
    )
    comp = f'<flexcomp name="f" type="{shape}" count={count} spacing=".08 .1 .09" pos=".1 .2 .3" euler="10 20 30"/>'
    xml = f'<mujoco><worldbody><body name="b" euler="0 50 0">{comp}</body></worldbody></mujoco>'
    m, d, official_model, official = pair(xml, 1)
    conjoint.mj_forward(m, d)
    mujoco.mj_forward(official_model, official)
    for field in ("flexvert_xpos", "flexelem_aabb"):
        assert np.array_equal(getattr(d, field), getattr(official, field)), field


@pytest.mark.plain
def test_a_box_of_few_elements_has_no_stiffness() -> None:
    """A trilinear flex of few elements has no stiffness, because its stiffness matrix takes the memory of 28 elements."""
    two = """<flexcomp name="g" type="direct" dim="3" dof="trilinear" mass="1" point="0 0 0 .2 0 0 0 .2 0 0 0 .2 .2 .2 .2"
element="0 1 2 3 1 2 3 4"><contact selfcollide="none"/></flexcomp>"""
    solid = model(GRID.replace('"2" count="3 3 1"', '"3" count="3 3 3"'), SOLID).split("<worldbody>")[1]
    m, d, _, _ = pair(f"<mujoco><worldbody>{two}{solid}", 1)
    conjoint.mj_forward(m, d)
    assert not d.qfrc_spring[:24].any()
