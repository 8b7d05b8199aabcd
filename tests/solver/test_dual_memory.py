"""Memory and results of the dual solvers, which can do without a stored matrix J M^-1 J'."""

import mujoco
import numpy as np
import pytest

import conjoint

SCENE = """<mujoco><option solver="{solver}" noslip_iterations="{noslip}" cone="{cone}" jacobian="{jacobian}" iterations="8" tolerance="0"/>
<worldbody><geom type="plane" size="9 9 .1"/>{bodies}</worldbody></mujoco>"""
LEG = """<body pos="{x} 0 .049"><freejoint/><geom size=".05" pos="0 .2 0"/><geom size=".05" pos="0 -.2 0"/><geom size=".05"/>
<body><joint axis="0 1 0" range="0 1" limited="true" ref=".1" frictionloss=".2"/><geom size=".05" pos=".3 0 0" condim="{condim}"/></body></body>"""


def scene(solver: str, noslip: int, cone: str, jacobian: str) -> str:
    """Return a scene of two bodies with many contacts. Each body has more than twice as many rows as dofs."""
    bodies = "".join(LEG.format(x=x, condim=condim) for x, condim in ((0, 4), (1, 6)))
    return SCENE.format(solver=solver, noslip=noslip, cone=cone, jacobian=jacobian, bodies=bodies)


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver, noslip", [("PGS", 0), ("PGS", 3), ("CG", 3)])
def test_sweeps_without_the_matrix_are_the_official_ones(solver: str, noslip: int, cone: str, jacobian: str) -> None:
    xml = scene(solver, noslip, cone, jacobian)
    theirs, ours = mujoco.MjModel.from_xml_string(xml), conjoint.MjModel.from_xml_string(xml)
    official, d = mujoco.MjData(theirs), conjoint.MjData(ours)
    for data in (official, d):
        data.qvel[::6] = 0.3
    mujoco.mj_forward(theirs, official)
    conjoint.mj_forward(ours, d)
    assert d.nefc == official.nefc > 2 * theirs.nv
    if solver == "PGS":
        assert not d.world.arena.view("dual.stored")
        np.testing.assert_allclose(d.efc_force, official.efc_force, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(d.qacc, official.qacc, rtol=1e-6, atol=1e-7)
    assert (d.nA, d.solver_niter[0]) == (official.nA, official.solver_niter[0])
    np.testing.assert_allclose(d.efc_AR, official.efc_AR.ravel(), rtol=1e-9, atol=1e-9)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("solver, noslip", [("PGS", 0), ("Newton", 2)])
def test_memory_is_linear_in_the_rows(solver: str, noslip: int, jacobian: str) -> None:
    """Memory grows linearly with the number of rows; formerly it took 8 bytes for every pair of rows."""
    d = conjoint.MjData(conjoint.MjModel.from_xml_string(scene(solver, noslip, "pyramidal", jacobian)))
    sizes = []
    for rows in (2000, 4000, 8000):
        d.world.grow(nefc=rows)
        sizes.append(d.world.arena.layout.nbytes)
    assert sizes[2] - sizes[1] < 2.01 * (sizes[1] - sizes[0])
