"""Constraint rows agree with MuJoCo's, and the impedance agrees with its definition."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model, adopt_state
from collision_scenes import LIMITS, adopted, compare_along, compare_here, differences, run_position, scene
from conjoint.batch import Batch
from conjoint.lang import solimp
from conjoint.physics.constraint.impedance import impedance


@pytest.mark.parametrize(
    "option",
    ["", 'cone="elliptic"', 'impratio="4"', 'cone="elliptic" impratio="4" jacobian="dense"', 'timestep=".016"'],
)
def test_contacts_of_every_dimension(option: str) -> None:
    _, rows = compare_along(scene(option), states=3, apart=35)
    assert rows > 0


def test_time_constants_below_two_steps_without_refsafe() -> None:
    compare_along(scene('timestep=".016"', 'refsafe="disable"'), states=2, apart=10)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("option", ["", 'timestep=".02"', 'jacobian="sparse"'])
@pytest.mark.parametrize("flag", ["", 'limit="disable"', 'frictionloss="disable"'])
def test_limits_and_friction_loss(option: str, flag: str) -> None:
    xml = LIMITS.format(option=option)
    if flag:
        xml = xml.replace("<worldbody>", f"<option><flag {flag}/></option><worldbody>", 1)
    compare_along(xml, states=8, apart=10)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("reference", ["0 1", "-100 .5", ".05 -3", ".05 0", "0 -10", "-50 0", "-50 -10", ".05 1"])
def test_reference_of_friction_in_both_formats(reference: str) -> None:
    """A friction reference in mixed formats is ignored: friction then has the damping of the contact normal."""
    floor = '<geom name="floor" type="plane" size="1 1 1"/>'
    ball = '<body pos="0 0 .09"><freejoint/><geom name="ball" size=".1"/></body>'
    pair = f'<pair geom1="floor" geom2="ball" solref="-900 -20" solreffriction="{reference}" condim="6"/>'
    text = f"<mujoco><worldbody>{floor}{ball}</worldbody><contact>{pair}</contact></mujoco>"
    for cone in ("pyramidal", "elliptic"):
        option = f'<option cone="{cone}"/><worldbody>'
        official_model, official, m = adopted(text.replace("<worldbody>", option))
        official.qvel[:] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
        assert compare_here(m, official_model, official) == {}
        assert official.nefc > 5


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("impedance", [0.0001, 0.2, 0.9])
def test_what_nothing_pushes_back_is_as_hard_as_can_be(impedance: float, cone: str) -> None:
    """The contact of a ball that can only rotate about its center meets no inertia and has the smallest regularization."""
    joint = f'<joint type="ball" range="0 1" limited="true" margin="9" solimplimit="{impedance} {impedance}"/>'
    body = f'<body pos="0 0 .09">{joint}<geom size=".1"/></body>'
    geom = f'<default><geom solimp="{impedance} {impedance}"/></default>'
    text = (
        f'<mujoco><option cone="{cone}"/>{geom}<worldbody><geom type="plane" size="1 1 1"/>{body}</worldbody></mujoco>'
    )
    official_model, official, m = adopted(text)
    assert compare_here(m, official_model, official) == {}
    assert np.min(official.efc_R) <= 2e-15


@pytest.mark.usefixtures("edition")
def test_rows_beyond_the_first_capacity() -> None:
    """Rows agree with MuJoCo's even when their number far exceeds the initial capacity."""
    body = '<body pos="{x} 0 .3"><freejoint/><geom size=".5" condim="6"/></body>'
    bodies = "".join(body.format(x=0.001 * i) for i in range(30))
    xml = f'<mujoco><worldbody><geom type="plane" size="9 9 1"/>{bodies}</worldbody></mujoco>'
    official_model = mujoco.MjModel.from_xml_string(xml)
    official = mujoco.MjData(official_model)
    mujoco.mj_fwdPosition(official_model, official)
    mujoco.mj_fwdVelocity(official_model, official)
    m = adopt_model(official_model)
    d = adopt_state(m, official_model, official)
    run_position(m, d)
    assert d.nefc == 10 * (30 * 29 // 2 + 30)
    assert differences(d, official_model, official) == {}


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0, 6.0])
def test_impedance_is_a_sigmoid(power: float) -> None:
    dmin, dmax, width, midpoint = 0.2, 0.9, 0.01, 0.3
    x = np.linspace(0.0, 1.0, 101)
    imp = solimp(dmin, dmax, width, midpoint, power)
    values = [impedance(imp, -width * s) for s in x]
    y = np.array([float(v) for v, _ in values])
    assert y[0] == dmin and np.isclose(y[-1], dmax) and np.all(np.diff(y) >= 0)
    # the slope is the derivative of the values
    slope = np.array([float(s) for _, s in values])
    assert np.allclose(slope[1:-1], -np.gradient(y, x * width)[1:-1], rtol=0.2, atol=2.0)
    # the impedance has its defined value at the midpoint, and is even
    at, _ = impedance(imp, midpoint * width)
    assert np.isclose(at, dmin + midpoint * (dmax - dmin))


def test_flat_impedance() -> None:
    assert impedance(solimp(0.5, 0.7, 0.0, 0.5, 2.0), 0.1) == (pytest.approx(0.6), 0.0)


def dense_rows(package: Any, m: Any, d: Any) -> np.ndarray:
    """Return the constraint Jacobian as a dense matrix, read through public fields."""
    if not package.mj_isSparse(m):
        return d.efc_J.reshape(d.nefc, m.nv)
    J = np.zeros((d.nefc, m.nv))
    package.mju_sparse2dense(J, d.efc_J, d.efc_J_rownnz, d.efc_J_rowadr, d.efc_J_colind)
    return J


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("solver", ["PGS", "Newton"])
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_rows_are_stored_as_is_said(jacobian: str, solver: str) -> None:
    """`mj_isSparse`, nJ and nA match the actual storage of efc_J and efc_AR, even after a change of the solver."""
    bodies = "".join(f'<body pos="{i} 0 .05"><freejoint/><geom size=".1"/></body>' for i in range(3))
    option = f'<option jacobian="{jacobian}" solver="{solver}"/>'
    xml = f'<mujoco>{option}<worldbody><geom type="plane" size="9 9 1"/>{bodies}</worldbody></mujoco>'
    official_model, official, m = adopted(xml)
    d = adopt_state(m, official_model, official)
    for package, model, data in ((mujoco, official_model, official), (conjoint, m, d)):
        package.mj_forward(model, data)
    assert d.nefc == official.nefc > 10
    np.testing.assert_allclose(dense_rows(conjoint, m, d), dense_rows(mujoco, official_model, official), atol=1e-9)
    assert (len(d.efc_J), len(d.efc_AR)) == (d.nJ, d.nA)
    assert d.nA == official.nA
    assert (d.nA > 0) == (solver == "PGS") and (d.nA < d.nefc**2) == (jacobian == "sparse" or solver != "PGS")
    m.opt.solver = conjoint.mjtSolver.mjSOL_NEWTON
    conjoint.mj_forward(m, d)
    assert d.nA == 0


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("solver, noslip", [("PGS", 0), ("Newton", 2), ("Newton", 0)])
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_project_constraint_alone(solver: str, noslip: int, jacobian: str) -> None:
    """`efc_AR` is available after mj_fwdPosition and mj_projectConstraint, for solvers that need it."""
    option = f'<option solver="{solver}" noslip_iterations="{noslip}" jacobian="{jacobian}"/>'
    bodies = "".join(f'<body pos="{i} 0 .05"><freejoint/><geom size=".1"/></body>' for i in range(3))
    xml = f'<mujoco>{option}<worldbody><geom type="plane" size="9 9 1"/>{bodies}</worldbody></mujoco>'
    official, theirs, m = adopted(xml)
    d = adopt_state(m, official, theirs)
    for package, model, data in ((conjoint, m, d), (mujoco, official, theirs)):
        package.mj_fwdPosition(model, data)
        package.mj_projectConstraint(model, data)
    assert (d.nefc > 0) and (theirs.efc_AR.size > 0) == (solver == "PGS" or noslip > 0)
    np.testing.assert_allclose(d.efc_AR, theirs.efc_AR.ravel(), rtol=1e-10, atol=1e-10)


def test_rows_that_a_block_fills_side_by_side_are_as_those_that_each_world_fills() -> None:
    """Rows that worlds of a block fill together equal rows that each world fills separately.

    Zeros outside the dofs of a contact are only omitted if all worlds have the contact in the same rows.
    """
    bodies = "".join(f'<body pos="{k} 0 .09"><freejoint/><geom type="box" size=".1 .1 .1"/></body>' for k in range(6))
    xml = f'<mujoco><worldbody><geom type="plane" size="9 9 1"/>{bodies}</worldbody></mujoco>'
    model = conjoint.MjModel.from_xml_string(xml)
    width = 2
    alike, other = Batch(model, width, nthread=1, lanes=width), Batch(model, width, nthread=1, lanes=width)
    for batch in (alike, other):
        batch.qvel[0] = np.random.default_rng(0).standard_normal(model.nv)
    # in the second world, the first box has no contact, so that all other contacts have different rows
    other.qpos[1, 2] += 1.0
    for _ in range(3):
        alike.step()
        other.step()
        assert alike.nefc[0] == other.nefc[0] > other.nefc[1]
    np.testing.assert_array_equal(alike.qpos[0], other.qpos[0])
