"""Exact derivatives agree with central differences and satisfy identities of mechanics."""

from __future__ import annotations

import copy
import operator
from typing import Any

import numpy as np
import pytest

import conjoint as mj
import derivative_differences as differences
from conjoint.derivative import jacobian, jvp, mjd_inverse, mjd_transition, vjp

LENGTHS = (1e-3, 1e-4, 1e-5)
CLOSE = 1e-7
"""Tolerance of extrapolated central differences, which agree with derivatives to about 1e-10 of the largest element."""

RICH = """<mujoco><option timestep="0.004" density="1.2" viscosity="0.01" wind="1 0 0.5" integrator="{integrator}">
<flag energy="enable" {flags}/></option>
<default><geom density="600"/></default>
<worldbody>
  <geom name="floor" type="plane" size="5 5 .1" friction=".8"/>
  <site name="ceiling" pos="0.3 -0.6 2"/>
  <body name="hand" mocap="true" pos="0 0.6 1.2"><site name="grip"/></body>
  <body name="ball" pos="1 0 0.099"><freejoint name="root"/><geom name="sphere" size=".1"/><site name="spot" size=".2"/></body>
  <body name="arm" pos="0 0 1" gravcomp="0.4">
    <joint name="swing" type="ball" damping=".05" stiffness="1.5"/>
    <geom type="capsule" fromto="0 0 0 .3 0 0" size=".04" fluidshape="ellipsoid"/><site name="wrist" pos=".3 0 .05"/>
    <camera name="eye" pos="0 0 .2"/>
    <body name="fore" pos=".3 0 0">
      <joint name="elbow" axis="0 1 .2" damping=".1" limited="true" range="-10 5" frictionloss=".02" armature=".01"/>
      <geom name="roll" type="cylinder" size=".05 .1" pos=".1 0 0" euler="90 0 0"/><site name="tip" pos=".25 .02 0"/>
      <body name="finger" pos=".25 0 0">
        <joint name="push" type="slide" axis="1 .3 0" stiffness="30" springref=".02" damping=".2"/>
        <geom type="box" size=".03 .02 .02"/><site name="nail" pos=".05 0 0"/>
      </body>
    </body>
  </body>
  <body name="held" pos="0 0.6 1.1"><freejoint/><geom type="box" size=".05 .06 .07"/></body>
  <body name="chained" pos="-.4 0 1"><joint name="loose" type="ball"/><geom type="capsule" fromto="0 0 0 .2 0 0" size=".03"/></body>
  <body name="weight" pos="-.2 0 .9"><freejoint/><geom size=".05" pos=".02 0 -.1"/></body>
</worldbody>
<tendon>
  <fixed name="coupled" armature=".01" limited="true" range="-.1 .15" frictionloss=".01" damping=".1" stiffness="2">
    <joint joint="elbow" coef="1"/><joint joint="push" coef="2"/></fixed>
  <spatial name="cable" stiffness="15" damping=".3" springlength=".2">
    <site site="ceiling"/><geom geom="roll"/><site site="nail"/></spatial>
</tendon>
<equality>
  <connect body1="chained" body2="weight" anchor=".2 0 0"/><weld body1="hand" body2="held" solref=".05 1"/>
  <joint joint1="push" joint2="elbow" polycoef="0 .1 .2 0 0" solref=".1 1"/>
</equality>
<actuator>
  <position joint="elbow" kp="4" kv=".2"/><velocity joint="push" kv="2"/><damper joint="elbow" kv=".5" ctrlrange="0 1"/>
  <intvelocity joint="push" kp="3" actrange="-1 1"/><muscle tendon="cable" lengthrange=".3 1.5" force="20"/>
  <general joint="elbow" dyntype="filterexact" dynprm=".05" gainprm="2" forcerange="-9 9"/><motor site="tip" refsite="wrist" gear="1 0 .5 0 .1 0"/>
  <motor joint="swing" gear="1 2 3"/><cylinder tendon="coupled" timeconst=".1" area=".5"/><adhesion body="ball" gain="5" ctrlrange="0 1"/>
</actuator>
<sensor>
  <accelerometer site="tip"/><gyro site="tip"/><velocimeter site="nail"/><force site="wrist"/><torque site="wrist"/>
  <touch site="spot"/><jointlimitfrc joint="elbow"/><tendonpos tendon="cable"/><tendonvel tendon="cable"/><tendonactuatorfrc tendon="cable"/>
  <actuatorfrc actuator="{actuator}"/><ballquat joint="swing"/><framepos objtype="site" objname="tip" reftype="body" refname="ball"/>
  <framequat objtype="body" objname="fore"/><framelinvel objtype="site" objname="tip" reftype="body" refname="ball"/>
  <frameangacc objtype="body" objname="fore"/><framelinacc objtype="body" objname="fore"/><subtreecom body="arm"/>
  <subtreelinvel body="arm"/><subtreeangmom body="arm"/><e_potential/><e_kinetic/><rangefinder site="wrist"/><camprojection site="tip" camera="eye"/>
  <jointactuatorfrc joint="elbow"/><magnetometer site="tip"/><clock/>
</sensor></mujoco>"""
"""Model with every joint type and many types of other elements. Its limits, couplings and contacts are active."""


def rich(integrator: str = "Euler", flags: str = "", nstep: int = 25) -> tuple[mj.MjModel, mj.MjData]:
    """Return the rich model and its data in a state of motion."""
    text = RICH.replace('<position joint="elbow"', '<position name="servo" joint="elbow"')
    m = mj.MjModel.from_xml_string(text.format(integrator=integrator, flags=flags, actuator="servo"))
    d = differences.moved(m, nstep)
    d.qvel[:] += 0.3 * np.random.default_rng(1).standard_normal(m.nv)
    d.qpos[m.jnt_qposadr[2]], d.qvel[m.jnt_dofadr[2]] = 0.2, 2.0
    d.xfrc_applied[2, 2] = 0.1
    return differences.tighten(m), d


def transition(m: mj.MjModel, d: mj.MjData) -> list[np.ndarray]:
    """Return the exact transition matrices A, B, C and D."""
    nx = 2 * m.nv + m.na
    found = [np.zeros(s) for s in ((nx, nx), (nx, m.nu), (m.nsensordata, nx), (m.nsensordata, m.nu))]
    mjd_transition(m, d, *found)
    return found


@pytest.mark.usefixtures("edition")
def test_the_model_is_rich() -> None:
    """All constraint types of the rich model exert forces in its state, and a tendon wraps around a geom."""
    m, d = rich()
    mj.mj_forward(m, d)
    kinds = set(d.efc_type[np.abs(d.efc_force) > 0].tolist())
    assert {mj.mjtConstraint.mjCNSTR_EQUALITY, mj.mjtConstraint.mjCNSTR_FRICTION_DOF} <= kinds
    assert {mj.mjtConstraint.mjCNSTR_LIMIT_JOINT, mj.mjtConstraint.mjCNSTR_CONTACT_PYRAMIDAL} <= kinds
    assert d.wrap_obj[d.ten_wrapadr[1] : d.ten_wrapadr[1] + d.ten_wrapnum[1]].max() >= 0


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("integrator", ["Euler", "implicitfast", "implicit"])
def test_steps_are_differentiated(integrator: str) -> None:
    m, d = rich(integrator)
    before = d.qpos.copy(), d.qvel.copy(), d.act.copy(), d.time
    errors = differences.compare(m, d, lengths=LENGTHS)
    assert max(errors) < CLOSE, errors
    for now, then in zip((d.qpos, d.qvel, d.act, d.time), before, strict=True):
        np.testing.assert_array_equal(now, then)


@pytest.mark.usefixtures("edition")
def test_runge_kutta_steps_are_differentiated() -> None:
    """Runge-Kutta steps are differentiated through all four evaluations."""
    m, d = passive("0 0 -9.81")
    errors = differences.compare(m, d, lengths=LENGTHS)
    assert max(errors) < CLOSE, errors


@pytest.mark.usefixtures("edition")
def test_two_steps_have_the_product_of_their_matrices() -> None:
    m, d = rich()
    first, *_ = transition(m, d)
    between = copy.copy(d)
    mj.mj_step(m, between)
    second, *_ = transition(m, between)

    def twice(m: mj.MjModel, d: mj.MjData) -> None:
        mj.mj_step(m, d, 2)

    found, product = differences.Differences(m, d, twice), second @ first
    for k, change in enumerate(differences.changes(m)[: 2 * m.nv + m.na : 5]):
        column = product[:, 5 * k]
        central, _ = found.nearest(column, change, ("qpos", "qvel", "act"), (1e-5, 1e-6, 1e-7))
        np.testing.assert_allclose(column, central, atol=CLOSE * np.abs(product).max())


@pytest.mark.usefixtures("edition")
def test_forces_of_inverse_dynamics_give_the_acceleration_back() -> None:
    """Inverse dynamics followed by forward dynamics has the identity as derivative with respect to accelerations.

    The derivative with respect to positions and velocities is zero.
    """
    m, d = rich(flags='eulerdamp="disable"')
    mj.mj_forward(m, d)
    # inverse dynamics ignores external forces
    forward = jacobian(m, d, ("qacc", "qfrc_actuator"), ("qfrc_applied", "qpos", "qvel"), "mj_forward")
    inverse = jacobian(m, d, ("qfrc_inverse",), ("qacc", "qpos", "qvel"), "mj_inverse")["qfrc_inverse"]
    response = forward["qacc"]["qfrc_applied"]
    np.testing.assert_allclose(response @ inverse["qacc"], np.eye(m.nv), atol=1e-7)
    d.xfrc_applied[:] = 0.0
    mj.mj_forward(m, d)
    forward = jacobian(m, d, ("qacc", "qfrc_actuator"), ("qfrc_applied", "qpos", "qvel"), "mj_forward")
    inverse = jacobian(m, d, ("qfrc_inverse",), ("qacc", "qpos", "qvel"), "mj_inverse")["qfrc_inverse"]
    for name in ("qpos", "qvel"):
        # inverse dynamics does not include the changes in actuator forces
        needed = inverse["qacc"] @ forward["qacc"][name] + inverse[name] - forward["qfrc_actuator"][name]
        np.testing.assert_allclose(needed, 0.0, atol=1e-7 * np.abs(inverse[name]).max())


@pytest.mark.usefixtures("edition")
def test_matrices_of_inverse_dynamics_are_those_of_differences() -> None:
    m, d = rich()
    mj.mj_forward(m, d)
    widths = {"qfrc_inverse": m.nv, "sensordata": m.nsensordata, "qM": m.nM}
    exact = [np.zeros((m.nv, widths[name])) for name in ["qfrc_inverse"] * 3 + ["sensordata"] * 3 + ["qM"]]
    mjd_inverse(m, d, 0, *exact)
    found, changes = differences.Differences(m, d, mj.mj_inverse), differences.changes(m)
    scales = dict(zip(widths, (np.abs(np.array(exact[k : k + 3])).max() for k in (0, 3, 6)), strict=True))

    def accelerate(d: mj.MjData, length: float) -> None:
        d.qacc[4] += length

    for matrices, change, row in (
        ((exact[0], exact[3], exact[6]), changes[8], 8), ((exact[1], exact[4]), changes[m.nv + 7], 7),
        ((exact[2], exact[5]), accelerate, 4),
    ):  # fmt: skip
        for matrix, name in zip(matrices, widths, strict=False):
            central, _ = found.nearest(matrix[row], change, (name,), LENGTHS)
            np.testing.assert_allclose(matrix[row], central, atol=CLOSE * scales[name])
            assert np.abs(matrix[row]).max() > 0.0


@pytest.mark.usefixtures("edition")
def test_forces_of_actuators_can_be_subtracted_from_those_of_inverse_dynamics() -> None:
    m, d = rich()
    mj.mj_forward(m, d)
    exact, high, low = ([np.zeros((m.nv, m.nv)) for _ in range(3)] for _ in range(3))
    rest = [None] * 4
    mjd_inverse(m, d, 1, *exact, *rest)
    mj.mjd_inverseFD(m, copy.copy(d), 2e-7, 1, *high, *rest)
    mj.mjd_inverseFD(m, copy.copy(d), -2e-7, 1, *low, *rest)
    for mine, plus, minus in zip(exact, high, low, strict=True):
        np.testing.assert_allclose(mine, (plus + minus) / 2, atol=1e-6 * np.abs(mine).max())


PASSIVE = """<mujoco><option gravity="{gravity}" integrator="RK4"><flag energy="enable" contact="disable"/></option><worldbody>
<body name="all" pos="0 0 1"><freejoint/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".04"/>
  <body pos=".3 0 0"><joint name="b" type="ball" stiffness=".5"/><geom type="capsule" fromto="0 0 0 .2 .1 0" size=".03"/><site name="p" pos=".2 .1 0"/>
    <body pos=".2 .1 0"><joint name="h" axis="0 1 .2" stiffness="2" springref="20"/><geom size=".05" pos="0 0 .1"/><site name="q" pos="0 0 .1"/></body></body></body>
</worldbody><tendon><spatial name="t" stiffness="5" springlength=".1"><site site="p"/><site site="q"/></spatial></tendon>
<actuator><motor joint="h"/><motor joint="b" gear="1 2 3"/><motor tendon="t"/></actuator>
<sensor><subtreelinvel body="all"/><subtreeangmom body="all"/></sensor></mujoco>"""


def passive(gravity: str) -> tuple[mj.MjModel, mj.MjData]:
    """Return a chain with a free joint and springs, as a model and data in motion."""
    m = mj.MjModel.from_xml_string(PASSIVE.format(gravity=gravity))
    d = mj.MjData(m)
    d.qvel[:] = np.random.default_rng(2).standard_normal(m.nv)
    mj.mj_step(m, d, 50)
    mj.mj_forward(m, d)
    return m, d


@pytest.mark.usefixtures("edition")
def test_energy_of_a_passive_motion_stays() -> None:
    m, d = passive("0 0 -9.81")
    found = jacobian(m, d, ("energy",), ("qpos", "qvel"), "mj_forward")["energy"]
    rates = found["qpos"] @ d.qvel + found["qvel"] @ d.qacc
    assert np.abs(rates).max() > 0.1
    np.testing.assert_allclose(rates.sum(), 0.0, atol=1e-10)


@pytest.mark.usefixtures("edition")
def test_inner_forces_leave_the_momentum() -> None:
    m, d = passive("0 0 0")
    momentum = jacobian(m, d, ("sensordata",), ("qpos", "qvel"), "mj_forward")["sensordata"]
    response = jacobian(m, d, ("qacc",), ("ctrl",), "mj_forward")["qacc"]["ctrl"]
    assert np.abs(response).max() > 1.0
    np.testing.assert_allclose(momentum["qvel"] @ response, 0.0, atol=1e-9)
    np.testing.assert_allclose(momentum["qpos"] @ d.qvel + momentum["qvel"] @ d.qacc, 0.0, atol=1e-9)


@pytest.mark.usefixtures("edition")
def test_products_are_those_of_the_matrices() -> None:
    m, d = passive("0 0 -9.81")
    inputs, outputs, function = ("qpos", "qvel"), ("qacc", "sensordata"), "mj_forward"
    matrices, generator = jacobian(m, d, outputs, inputs, function), np.random.default_rng(0)
    along = {name: generator.standard_normal((11, m.nv)) for name in inputs}
    found = jvp(m, d, along, outputs, function)
    for output in outputs:
        expected = sum(along[name] @ matrices[output][name].T for name in inputs)
        np.testing.assert_allclose(found[output], expected, rtol=1e-12, atol=1e-11)
    back = {name: generator.standard_normal(len(matrices[name]["qpos"])) for name in outputs}
    gradients = vjp(m, d, back, inputs, function)
    forward = sum(back[name] @ found[name].T for name in outputs)
    backward = sum(along[name] @ gradients[name] for name in inputs)
    np.testing.assert_allclose(forward, backward, rtol=1e-12, atol=1e-10)


@pytest.mark.usefixtures("edition")
def test_passes_do_not_see_what_earlier_ones_left() -> None:
    """Tangents of positions and velocities start at zero, even if no derivatives with respect to them were requested.

    A step adds to these tangents, so that values of an earlier pass would change the result.
    """
    bodies = "".join(
        f'<body pos="{k} 0 0"><joint name="j{k}" type="slide"/><geom size=".1"/></body>' for k in range(10)
    )
    motors = "".join(f'<motor joint="j{k}"/>' for k in range(10))
    m = mj.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody><actuator>{motors}</actuator></mujoco>")
    alone, both = (
        jacobian(m, mj.MjData(m), names, ("ctrl",))["qpos"]["ctrl"] for names in (("qpos",), ("qpos", "qvel"))
    )
    np.testing.assert_array_equal(alone, both)
    assert np.count_nonzero(alone) == 10


NOSLIP = """<mujoco><option noslip_iterations="{sweeps}" noslip_tolerance="0" cone="{cone}" integrator="{integrator}"/><worldbody><geom type="plane" size="5 5 .1"/>
<body pos="0 0 .09"><freejoint/><geom size=".1" condim="{condim}"/></body>
<body pos="1 0 1"><joint name="a" axis="0 1 0" frictionloss=".3"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/></body>
</worldbody><actuator><motor joint="a"/></actuator></mujoco>"""


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(
    ("cone", "condim", "sweeps", "integrator"),
    [("pyramidal", 3, 3, "Euler"), ("elliptic", 3, 2, "Euler"), ("elliptic", 4, 3, "Euler"), ("elliptic", 4, 0, "RK4")],
)
def test_values_that_a_step_overwrites_are_found_again(cone: str, condim: int, sweeps: int, integrator: str) -> None:
    """Derivatives include the noslip sweeps and all Runge-Kutta stages although these overwrite values of the step."""
    m = mj.MjModel.from_xml_string(NOSLIP.format(cone=cone, condim=condim, sweeps=sweeps, integrator=integrator))
    d = differences.moved(m, 20)
    d.qvel[:] += 0.1
    errors = differences.compare(differences.tighten(m), d, lengths=LENGTHS)
    assert max(errors) < CLOSE, errors


BOX = """<mujoco><option noslip_iterations="3" noslip_tolerance="0" tolerance="0" cone="{}"/><worldbody>
<geom type="plane" size="5 5 .1"/><body pos="0 0 .095"><freejoint/><geom type="box" size=".1 .12 .1"/>
<body pos=".2 0 .1"><joint axis="0 1 0" frictionloss=".3"/><geom size=".05"/></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("island", ["disable", "enable"])
def test_noslip_is_differentiated(edition: str, island: str) -> None:
    """Accelerations are differentiated through noslip sweeps, over all rows or by island.

    In edition 4.0, the warm start is restored after the sweeps.
    """
    flag = f'<mujoco><option><flag island="{island}"/></option>'
    m = mj.MjModel.from_xml_string(BOX.format("pyramidal").replace("<mujoco>", flag))
    d = mj.MjData(m)
    generator = np.random.default_rng(0)
    d.qvel[:] = 0.3 * generator.normal(size=m.nv)
    d.qfrc_applied[:] = generator.normal(size=m.nv)
    mj.mj_forward(m, d)
    exact = jacobian(m, d, ["qacc"], ["qvel"])["qacc"]["qvel"]
    before, columns = d.qvel.copy(), []
    for i in range(m.nv):
        sides = []
        for side in (1e-6, -1e-6):
            d.qvel[:] = before
            d.qvel[i] += side
            mj.mj_forward(m, d)
            sides.append(d.qacc.copy())
        columns.append((sides[0] - sides[1]) / 2e-6)
    np.testing.assert_allclose(exact, np.array(columns).T, rtol=0, atol=1e-6 * np.abs(columns).max())


@pytest.mark.usefixtures("edition")
def test_a_comparison_of_forward_and_inverse_dynamics_changes_nothing() -> None:
    text = NOSLIP.format(cone="elliptic", condim=3, sweeps=0, integrator="Euler")
    m = mj.MjModel.from_xml_string(text)
    d = differences.moved(m, 20)
    expected = transition(m, d)
    m.opt.enableflags |= mj.mjtEnableBit.mjENBL_FWDINV
    for found, wanted in zip(transition(m, d), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


PARAMETERS = (
    "opt.timestep",
    "opt.gravity",
    "body_mass",
    "body_pos",
    "geom_friction",
    "actuator_gainprm",
    "dof_damping",
)


def varied(m: mj.MjModel, along: dict[str, np.ndarray], length: float) -> mj.MjModel:
    """Return a copy of a model with parameters moved by `length` times the directions `along`, and with recomputed constants."""
    found = copy.copy(m)
    for name, direction in along.items():
        rows: Any = found
        *groups, row = name.split(".")
        for group in groups:
            rows = getattr(rows, group)
        value = np.array(getattr(rows, row), float)
        value += length * direction.reshape(value.shape)
        setattr(rows, row, value if value.ndim else float(value))
    mj.mj_setConst(found, mj.MjData(found))
    return found


@pytest.mark.usefixtures("edition")
def test_parameters_change_what_follows_from_them() -> None:
    """Derivatives with respect to parameters include the constants that depend on them, as in batches that vary parameters.

    For example, masses and lengths change the inverse weights and tendon lengths of the initial configuration.
    """
    m, d = rich()
    sizes = {name: int(np.size(operator.attrgetter(name)(m))) for name in PARAMETERS}
    generator = np.random.default_rng(0)
    outputs, start = ("qpos", "qvel"), np.zeros(mj.mj_stateSize(m, differences.STATE))
    mj.mj_getState(m, d, start, differences.STATE)
    between = differences.Differences(m, d).between
    directions = {name: generator.uniform(0.5, 1.0, (3, size)) for name, size in sizes.items()}
    directions["opt.timestep"] *= 0.01
    found = jvp(m, d, directions, outputs)
    for k in range(3):
        along = {name: rows[k] for name, rows in directions.items()}

        def at(length: float, along: dict[str, np.ndarray] = along) -> list[np.ndarray]:
            other = varied(m, along, length)
            after = mj.MjData(other)
            mj.mj_setState(other, after, start, differences.STATE)
            mj.mj_step(other, after)
            return [np.array(getattr(after, output)) for output in outputs]

        ends = [between(outputs, at(-h), at(h)) / (2 * h) for h in (2e-6, 1e-6)]
        exact = np.concatenate([found[output][k] for output in outputs])
        np.testing.assert_allclose((4 * ends[1] - ends[0]) / 3, exact, atol=1e-6 * np.abs(exact).max())


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(
    ("names", "function", "message"),
    [
        (("xpos",), "mj_step", "'xpos' cannot be an input of derivatives: it is a result"),
        (("body_subtreemass",), "mj_step", "mj_setConst computes it"),
        (("qacc",), "mj_step", "'qacc' cannot be an input"),
        (("body_mas",), "mj_step", "did you mean 'body_mass'"),
    ],
)
def test_what_is_no_input_is_refused_by_name(names: tuple[str, ...], function: str, message: str) -> None:
    m, d = passive("0 0 0")
    with pytest.raises(mj.FatalError, match=message):
        jacobian(m, d, ("qpos",), names, function)


@pytest.mark.usefixtures("edition")
def test_solvers_whose_forces_minimize_nothing_are_refused_by_name() -> None:
    m, d = passive("0 0 0")
    m.opt.solver = mj.mjtImpulse.mjIMP_DIAGONAL if hasattr(mj, "mjtImpulse") else 4
    with pytest.raises(mj.FatalError, match="mjIMP"):
        jacobian(m, d, ("qpos",), ("qpos",))
