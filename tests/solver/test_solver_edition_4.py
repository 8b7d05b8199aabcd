"""Solvers of edition 4.0 reproduce recorded figures of mujoco==4.0.0, in single worlds and in lanes.

The figures were printed by this program, with the official package (`mujoco==4.0.0`) instead of Conjoint:

    m, d = start(*case); mujoco.mj_forward(m, d); print(d.solver_niter[0], d.qacc)
"""

from __future__ import annotations

import numpy as np
import pytest

import conjoint as mj
from conjoint.batch import Batch

LEGS = """<mujoco><option {}><flag island="{}"/></option>
<default><geom contype="0"/></default><worldbody><geom type="plane" size="5 5 1" contype="1"/>
<body pos="0 0 .3"><freejoint/><geom type="box" size=".2 .1 .05" mass="3"/>
 <body pos=".2 .05 0"><joint axis="0 1 0" frictionloss=".5" damping=".1" range="-40 40"/>
  <geom type="capsule" fromto="0 0 0 .1 0 -.2" size=".04" mass=".5"/>
  <body pos=".1 0 -.2"><joint axis="0 1 0" limited="true" range="-30 10" armature=".01"/>
   <geom type="capsule" fromto="0 0 0 -.1 0 -.2" size=".03" mass=".2"/></body></body>
 <body pos="-.2 -.05 0"><joint axis="0 1 0" frictionloss=".2"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.2" size=".04" mass=".5"/></body></body>
</worldbody></mujoco>"""

# fmt: off
FIGURES = {
    "search": ('iterations="3" ls_iterations="4"', "disable", 7, 3, [-11.4808988, 6.9426306, 100.9451023, 988.7599735, -382.7568849, -312.4505787, -1040.9906266, 2600.9359758, -547.5747754]),
    "conjugate": ('iterations="6" solver="CG" ls_iterations="6"', "disable", 5, 6, [-173.4558494, 16.092001, 277.1232938, 295.1584858, -218.6128078, -416.2287602, -3047.9501542, 4774.1394788, 1837.7362223]),
    "rises": ('iterations="20" ls_iterations="3"', "disable", 39, 4, [10.3022949, -2.6597823, 41.691868, -757.6070624, -613.7407604, -29.5695535, -927.7954106, 2458.3164269, 571.774038]),
    "ends": ('cone="elliptic" tolerance="1e-7"', "enable", 10, 4, [-47.3235986, -7.029402, 50.626071, -263.0246658, -475.4970995, 28.4627921, -8.8270922, 390.3237837, -61.657986]),
    "shuffle": ('solver="PGS" iterations="4"', "disable", 6, 4, [-37.623332, -17.4900084, 170.7426046, -1928.5194675, -566.1342023, -250.4159222, -224.7090926, 3259.3569722, 1035.180698]),
    "momentum": ('solver="PGS" cone="elliptic"', "disable", 7, 26, [-12.793914, 7.9622437, 104.8043342, 1000.9561939, -379.3639166, -341.9904185, -1099.9070521, 2732.5941657, -563.7958877]),
    "brought inside": ('solver="PGS" cone="elliptic"', "disable", 1, 72, [-0.2444492, -20.2558618, 115.0759313, -716.9984765, -1368.5337927, -345.8033315, 2781.2080518, 36.8462028, 823.4284337]),
    "none inside": ('solver="PGS" cone="elliptic"', "disable", 4, 36, [280.6181361, 1.4817746, 621.8070018, -57.3863104, 130.6608437, -101.0913062, -858.0826613, -1249.3094625, -1572.7269767]),
    "trace": ('solver="CG" tolerance="1.364e-3"', "disable", 19, 13, [22.5758207, -0.5331108, 31.5876614, 1381.1143228, -237.2030902, 31.507285, 1123.5431398, -229.9834394, 230.7568094]),
}
# fmt: on
"""Recorded cases: solver options, flag `island`, seed of a state, number of iterations, and accelerations of the legs.

Each name is the feature that determines the figures: the line search, the directions of conjugate gradients, steps that
raise the cost, or the end of Newton's method. Other features are sweeps in another order, sweeps from extrapolated forces,
which must return into the cones, and the scale of the tolerance.
"""


ISLANDS = (
    (
        'solver="PGS" cone="elliptic" noslip_iterations="6"',
        7,
        [32, 2],
        [
            -13.0445149,
            8.822079,
            104.6387807,
            1019.1912664,
            -375.3581721,
            -361.0266523,
            -1144.3136809,
            2719.870605,
            -565.9814035,
            0,
            0,
            -9.81,
            0,
            0,
            0,
        ],
    ),
    (
        'solver="CG" noslip_iterations="6" iterations="30"',
        0,
        [15, 19],
        [
            3.855776,
            0.2102755,
            -0.4079727,
            -211.3745865,
            -173.1129937,
            -24.924093,
            336.4893757,
            -356.6994398,
            283.1196225,
            24.4056198,
            163.6131989,
            317.4163979,
            3885.8134745,
            -579.6334713,
            0,
        ],
    ),
    (
        'solver="PGS" noslip_iterations="6"',
        0,
        [14, 33],
        [
            3.8557809,
            0.2102743,
            -0.4079526,
            -211.3750896,
            -173.1132499,
            -24.9241527,
            336.489795,
            -356.6992287,
            283.1198928,
            24.4056198,
            163.6123511,
            317.4163703,
            3885.7933392,
            -579.6334713,
            0,
        ],
    ),
)
# fmt: on
"""Recorded cases: solver options, seed of a state, iterations of each island, and accelerations of legs beside a ball."""

BALL = '<body pos="2 0 .09"><freejoint/><geom size=".1"/></body></worldbody>'


def start(options: str, island: str, seed: int, scene: str = LEGS) -> tuple[mj.MjModel, mj.MjData]:
    """Return the model and data of the scene in a random state far from rest; `seed` selects the state."""
    m = mj.MjModel.from_xml_string(scene.format(options, island))
    d = mj.MjData(m)
    rng = np.random.default_rng(seed)
    d.qpos[2] -= 0.15 * rng.random()
    d.qpos[7:10] += 0.5 * rng.normal(size=3)
    d.qvel[:] = 4 * rng.normal(size=m.nv)
    d.qacc_warmstart[:] = 10 * rng.normal(size=m.nv)
    return m, d


def solved(edition: str, options: str, island: str, seed: int) -> mj.MjData:
    """Return the data of the scene with accelerations computed in an edition."""
    with mj.semantics(edition):
        m, d = start(options, island, seed)
    mj.mj_forward(m, d)
    return d


@pytest.mark.plain
@pytest.mark.parametrize("name", FIGURES)
def test_iterations_and_accelerations_are_those_of_4_0(name: str) -> None:
    """Iterations and accelerations equal the recorded figures of 4.0.0; edition 3.3.5 has different ones."""
    *case, iterations, figures = FIGURES[name]
    d, before = (solved(edition, *case) for edition in ("4.0", "3.3.5"))
    assert d.solver_niter[0] == iterations
    np.testing.assert_allclose(d.qacc, figures, rtol=0, atol=1e-6)
    assert before.solver_niter[0] != iterations or np.abs(before.qacc - figures).max() > 1


@pytest.mark.plain
@pytest.mark.parametrize(("options", "seed", "iterations", "figures"), ISLANDS)
def test_sweeps_of_each_island_end_by_themselves(options: str, seed: int, iterations: list, figures: list) -> None:
    """Gauss-Seidel and noslip stop separately in each island, as in mujoco==4.0.0."""
    with mj.semantics("4.0"):
        m, d = start(options, "enable", seed, LEGS.replace("</worldbody>", BALL))
    mj.mj_forward(m, d)
    assert d.nisland == 2 and d.solver_niter[:3].tolist() == [*iterations, 0]
    np.testing.assert_allclose(d.qacc, figures, rtol=0, atol=1e-6)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("options", "iterations"),
    [('tolerance="1e-3"', [8, 24, 17]), ('noslip_iterations="20" noslip_tolerance="1e-3"', [14, 50, 38])],
)
def test_what_is_in_no_island_has_no_part_in_the_tolerance(options: str, iterations: list[int]) -> None:
    """An island's tolerance depends on its own inertia, not on that of bodies without constraints, as in mujoco==4.0.0."""
    found = []
    for seed in range(len(iterations)):
        with mj.semantics("4.0"):
            scene = LEGS.replace("</worldbody>", BALL.replace(".09", ".5"))
            m, d = start(f'solver="PGS" {options}', "enable", seed, scene)
        mj.mj_forward(m, d)
        assert d.nisland == 1
        found.append(int(d.solver_niter[0]))
    assert found == iterations


@pytest.mark.plain
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_each_island_has_statistics(jacobian: str) -> None:
    """The statistics of the second island follow those of the first, as in mujoco==4.0.0."""
    with mj.semantics("4.0"):
        m, d = start(f'solver="PGS" jacobian="{jacobian}"', "enable", 7, LEGS.replace("</worldbody>", BALL))
    mj.mj_forward(m, d)
    assert d.solver_niter[:3].tolist() == [34, 2, 0] and d.solver_nnz[:3].tolist() == [324, 16, 0]
    second = slice(mj.mjNSOLVER, mj.mjNSOLVER + 2)
    np.testing.assert_allclose(d.solver.improvement[second], [507.327729105, 0], rtol=1e-9, atol=1e-9)
    assert d.solver.nactive[0] == 11
    assert d.solver.nactive[second].tolist() == [1, 1] and d.solver.nchange[second].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("solver", "distance", "begins"),
    [("Newton", 1e-9, False), ("Newton", 1e-5, True), ("Newton", 1e-4, True), ("CG", 1e-5, False), ("CG", 1e-4, True)],
)
def test_what_is_solved_is_left_as_it_is(solver: str, distance: float, begins: bool) -> None:
    """A warm start with a small duality gap (for Newton, also a small gradient) needs no iteration, as in 4.0.0."""
    with mj.semantics("4.0"):
        m, d = start(f'solver="{solver}"', "disable", 10)
    m.opt.tolerance, m.opt.iterations = 0, 100
    mj.mj_forward(m, d)
    m.opt.tolerance = 1e-8
    started = d.qacc_warmstart[:] = d.qacc + distance * np.linspace(-1, 1, m.nv)
    mj.mj_forward(m, d)
    assert (d.solver_niter[0] > 0) == begins
    assert np.array_equal(d.qacc, started) != begins


APART = LEGS.replace('<flag island="{}"/>', "").replace("</worldbody>", BALL)
"""Legs and a ball, with islands enabled by default."""


@pytest.mark.parametrize(
    ("options", "scene"),
    [('ls_iterations="4" cone="elliptic"', LEGS), ('solver="PGS" iterations="20" noslip_iterations="4"', APART)],
)
def test_lanes_end_where_worlds_do(options: str, scene: str) -> None:
    """Each world of a batch makes as many iterations as a single world and reaches the same accelerations."""
    with mj.semantics("4.0"):
        worlds = [start(options, "disable", seed, scene) for seed in range(9)]
    batch = Batch(worlds[0][0], 9)
    for i, (m, d) in enumerate(worlds):
        mj.mj_forward(m, d)
        m, d = start(options, "disable", i, scene)
        batch.qpos[i], batch.qvel[i], batch.qacc_warmstart[i] = d.qpos, d.qvel, d.qacc_warmstart
    batch.forward()
    assert [d.solver_niter[:2].tolist() for _, d in worlds] == batch.solver_niter[:, :2].tolist()
    np.testing.assert_allclose(batch.qacc, [d.qacc for _, d in worlds], rtol=1e-8, atol=1e-8)


@pytest.mark.plain
@pytest.mark.parametrize("edition", ["4.0", "3.3.5"])
def test_states_are_those_of_the_forces(edition: str) -> None:
    """The state of each constraint row matches its force: friction saturates, and other rows push or are inactive."""
    d = solved(edition, 'solver="PGS" iterations="20"', "disable", 7)
    states, kinds = mj.mjtConstraintState, d.efc_type
    bound = d.efc_frictionloss
    pushing = np.where(d.efc_force > 0, states.mjCNSTRSTATE_QUADRATIC, states.mjCNSTRSTATE_SATISFIED)
    # states are named by the sign of the residual, which forces oppose
    inside = np.where(d.efc_force > -bound, states.mjCNSTRSTATE_QUADRATIC, states.mjCNSTRSTATE_LINEARPOS)
    rubbing = np.where(d.efc_force < bound, inside, states.mjCNSTRSTATE_LINEARNEG)
    expected = np.where(kinds == mj.mjtConstraint.mjCNSTR_FRICTION_DOF, rubbing, pushing)
    assert d.efc_state.tolist() == expected.tolist() and len(set(expected)) > 2
