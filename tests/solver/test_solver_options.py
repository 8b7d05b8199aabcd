"""Solvers with options that change between steps, and with very light and very heavy bodies."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from oracle import difference

CHANGING = """<mujoco><option gravity="2 1 -9.81"/><worldbody><geom type="plane" size="5 5 .1" condim="4"/>
<body pos="0 0 .0995"><freejoint/><geom type="box" size=".2 .2 .1" condim="4"/></body>
<body pos="1 0 .0995"><freejoint/><geom size=".1" condim="6"/></body>
<body pos="2 0 1"><joint axis="0 1 0" frictionloss="1" range="0 20" limited="true"/><geom size=".1" pos=".2 0 0"/></body>
</worldbody></mujoco>"""


def test_options_may_change_between_steps() -> None:
    """Every step follows the current options: solver, cone, noslip, storage of rows and islands."""
    model, official = conjoint.MjModel.from_xml_string(CHANGING), mujoco.MjModel.from_xml_string(CHANGING)
    data, official_data = conjoint.MjData(model), mujoco.MjData(official)
    generator = np.random.default_rng(0)
    for _ in range(80):
        solver, cone, jacobian, noslip, island = (int(generator.integers(n)) for n in (3, 2, 3, 2, 2))
        for m in (model, official):
            m.opt.solver, m.opt.cone, m.opt.jacobian, m.opt.noslip_iterations = solver, cone, jacobian, 3 * noslip
            m.opt.enableflags = island * int(mujoco.mjtEnableBit.mjENBL_ISLAND)
        for name in ("qpos", "qvel", "qacc_warmstart"):
            getattr(data, name)[:] = getattr(official_data, name)
        mujoco.mj_step(official, official_data)
        conjoint.mj_step(model, data)
        assert data.nisland == official_data.nisland
        assert difference(data.qacc, official_data.qacc) < 1e-5
        # the next step does not start from the noslip solver's result
        assert difference(data.qacc_warmstart, official_data.qacc_warmstart) < 1e-5
        assert not data.solver_niter[max(1, data.nisland) :].any()


def test_limits_of_a_free_joint_are_none() -> None:
    """`jnt_limited` of a free joint has no effect."""
    model, official = conjoint.MjModel.from_xml_string(CHANGING), mujoco.MjModel.from_xml_string(CHANGING)
    data, official_data = conjoint.MjData(model), mujoco.MjData(official)
    model.jnt_limited[0] = official.jnt_limited[0] = 1
    model.jnt_range[0] = official.jnt_range[0] = 1, -1
    conjoint.mj_forward(model, data)
    mujoco.mj_forward(official, official_data)
    assert data.efc_type.tolist() == official_data.efc_type.tolist()


@pytest.mark.parametrize("solver", ["PGS", "Newton"])
@pytest.mark.parametrize("condim", [3, 4, 6])
@pytest.mark.parametrize("density", [1e-2, 1e3, 1e8])
def test_sweeps_over_light_and_heavy_bodies(density: float, condim: int, solver: str) -> None:
    """Friction sweeps agree with MuJoCo, which skips nearly singular cone slices of very heavy bodies."""
    xml = CHANGING.replace('condim="4"', f'condim="{condim}"').replace(
        "<geom type=", f'<geom density="{density}" type='
    )
    xml = xml.replace("<option", f'<option cone="elliptic" solver="{solver}" iterations="5" noslip_iterations="2"')
    model, official = conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    data, official_data = conjoint.MjData(model), mujoco.MjData(official)
    for _ in range(20):
        for name in ("qpos", "qvel", "qacc_warmstart"):
            getattr(data, name)[:] = getattr(official_data, name)
        mujoco.mj_step(official, official_data)
        conjoint.mj_step(model, data)
        assert difference(data.qacc, official_data.qacc) < 1e-7


@pytest.mark.parametrize("iterations", [1, 2, 3])
@pytest.mark.parametrize("island", ["enable", "disable"])
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_sliding_contacts_are_solved_iteration_by_iteration(jacobian: str, island: str, iterations: int) -> None:
    """Newton's steps equal MuJoCo's, including the curvature of cones for forces on their surface."""
    option = f'cone="elliptic" jacobian="{jacobian}" iterations="{iterations}" tolerance="0"'
    xml = CHANGING.replace("<option", f"<option {option}").replace(
        "/><world", f'><flag island="{island}"/></option><world'
    )
    model, official = conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    data, official_data = conjoint.MjData(model), mujoco.MjData(official)
    generator, sliding = np.random.default_rng(3), 0
    for _ in range(20):
        official_data.qvel[:] += generator.normal(0, 0.3, model.nv)
        for name in ("qpos", "qvel", "qacc_warmstart"):
            getattr(data, name)[:] = getattr(official_data, name)
        mujoco.mj_step(official, official_data)
        conjoint.mj_step(model, data)
        sliding += int(mujoco.mjtConstraintState.mjCNSTRSTATE_CONE) in official_data.efc_state
        assert difference(data.qacc, official_data.qacc) < 1e-7
    assert sliding >= 5


def test_an_unknown_solver_is_refused() -> None:
    """An unknown solver is refused, as in MuJoCo; otherwise constraints would be silently ignored."""
    m = conjoint.MjModel.from_xml_string(
        "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>"
    )
    m.opt.solver = 10
    with pytest.raises(conjoint.FatalError, match=r"^mj_fwdConstraint: unknown solver type 10$"):
        conjoint.mj_step(m, conjoint.MjData(m))


BODIES = "".join(
    f'<body pos="{i} 0 .1"><freejoint/><geom type="{kind}" size=".1 .12 .1"/></body>'
    for i, kind in enumerate(("box", "ellipsoid", "box", "sphere", "cylinder"))
)
AT_ODDS = "".join(
    f'<joint joint1="a" polycoef="{goal} 0 0 0 0" solref=".002 1" solimp=".9999 .9999 .001"/>' for goal in (1, -1)
)
HUGE = f"""<mujoco><option timestep=".001" jacobian="{{}}" cone="elliptic" tolerance="{{}}"/><worldbody><geom type="plane" size="9 9 1"/>
<body><joint name="a" type="slide"/><geom size=".1" mass="1" pos="0 0 5"/></body>{BODIES}</worldbody><equality>{AT_ODDS}</equality></mujoco>"""


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_newton_ends_where_a_huge_cost_hides_the_improvement(jacobian: str) -> None:
    """Newton's method ends early if a cost of 1e14, from two contradictory hard equalities, hides the gain of contacts.

    With a finer tolerance it makes more iterations.
    """
    same, finer = 0, 0
    official_model, model, fine = (
        package.MjModel.from_xml_string(HUGE.format(jacobian, tolerance))
        for package, tolerance in ((mujoco, 1e-8), (conjoint, 1e-8), (conjoint, 1e-13))
    )
    official, generator = mujoco.MjData(official_model), np.random.default_rng(0)
    for _ in range(30):
        official.qvel[:] = 0.5 * generator.standard_normal(model.nv)
        official.qacc_warmstart[:] = 0
        mujoco.mj_forward(official_model, official)
        data, further = conjoint.MjData(model), conjoint.MjData(fine)
        for m, d in ((model, data), (fine, further)):
            d.qvel[:] = official.qvel
            conjoint.mj_forward(m, d)
        same += data.solver_niter[0] == official.solver_niter[0]
        finer += further.solver_niter[0] > data.solver_niter[0]
    # in the other states, MuJoCo's rounding causes one more iteration or ends the search earlier
    assert same >= 24
    assert finer > 5


INFINITE = """<mujoco><option solver="{}" jacobian="{}" cone="elliptic"/><worldbody>
<body><joint name="a" type="slide"/><geom size=".1" contype="0" conaffinity="0"/></body>
<body pos="1 0 0"><joint name="b" type="slide"/><geom size=".1" contype="0" conaffinity="0"/></body>
</worldbody><equality><joint joint1="a" joint2="b" polycoef="0 1 1e308"/>{}</equality></mujoco>"""


@pytest.mark.plain
@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("more", [0, 3])
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("solver", ["Newton", "CG", "PGS", "diagonal", "complementarity"])
def test_an_infinite_row_has_no_solution(solver: str, jacobian: str, more: int) -> None:
    """If a row is infinite, the accelerations are NaN, which the check of accelerations reports; other worlds are unaffected."""
    m = conjoint.MjModel.from_xml_string(INFINITE.format(solver, jacobian, more * '<joint joint1="a" joint2="b"/>'))
    d = conjoint.MjData(m)
    d.qpos[1] = 3
    conjoint.mj_forward(m, d)
    assert d.nefc == 1 + more and np.isnan(d.qacc).all()
    if solver in ("PGS", "diagonal", "complementarity"):
        assert np.isnan(d.efc_force).all()
    batch = Batch(m, 3)
    batch.qpos = [[0, 0], [0, 3], [0, 0]]
    batch.forward()
    assert np.isnan(batch.qacc).all(1).tolist() == [False, True, False]
