"""Implicit integrators: derivatives of forces, factors, steps, discrete inverse dynamics, and stability."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from mended_oracle import mended_inverse, mended_slopes, mended_step, standalone_joints
from oracle import difference
from places import ROOT

MODELS = ROOT / "models"

compiled = pytest.mark.skipif(not jit_enabled(), reason="uncompiled kernels are slow")

# the model has every joint type, two trees, dampers, tendons across branches, and gains and biases that depend on
# velocity
MODEL = """<mujoco><option timestep="0.01" {option}/>
<default><geom contype="0" conaffinity="0"/></default><worldbody><site name="o" pos="0 0 3"/>
<body><freejoint/><geom type="box" size=".1 .2 .3" fluidshape="ellipsoid" fluidcoef=".3 .2 1.2 .5 .4" euler="10 20 30" pos=".1 .05 0"/>
  <geom type="capsule" size=".1 .2" fluidshape="ellipsoid"/><geom size=".1"/>
  <body pos="0 0 1"><joint axis="1 0 0" damping=".2"/><joint name="h" axis="0 1 0" damping=".3" armature=".1"/><joint name="s" type="slide"/>
    <geom type="ellipsoid" size=".1 .2 .05" pos=".5 0 0"/><site name="e" pos=".5 0 0"/>
    <body pos="0 1 0"><joint type="ball" name="b" damping=".1"/><geom type="cylinder" size=".1 .2" pos=".6 0 0" fluidshape="ellipsoid"/>
      <site name="f" pos=".2 .1 0"/></body></body>
  <body pos="1 0 0"><joint type="slide" name="s2" axis="1 1 0"/><geom size=".1" pos="1 0 0" fluidshape="ellipsoid"/></body></body>
<body pos="3 0 0"><freejoint/><geom size=".1 .2 .3" type="box"/></body>
<body pos="5 0 0"><joint name="m"/><geom size=".1 .2 .3" type="box"/></body>
</worldbody>
<tendon><fixed name="t" damping="2"><joint joint="h" coef="1"/><joint joint="s2" coef="-2"/></fixed>
  <fixed damping="3"><joint joint="h" coef="1"/><joint joint="m" coef="2"/></fixed>
  <spatial armature="2" damping=".3"><site site="o"/><site site="e"/></spatial></tendon>
<actuator><position joint="h" kp="10" kv="3"/>
  <general joint="s" gaintype="affine" gainprm="1 2 3" dyntype="filter" dynprm=".3"/><velocity tendon="t" kv="3"/>
  <general joint="s" gaintype="affine" gainprm="1 0 3"/>
  <general joint="b" gear="1 2 3" biastype="affine" biasprm="1 0 -3"/><velocity site="f" refsite="e" gear="1 2 3 4 5 6" kv="2"/>
  <muscle joint="m" lengthrange="-.5 3"/><muscle joint="m" lengthrange="-3 -1" force="20"/><velocity joint="m" kv="5" group="3"/></actuator>
<sensor><framelinacc objtype="site" objname="f"/></sensor></mujoco>"""

OPTIONS = {
    "vacuum": "",
    "medium": 'density="50" viscosity=".3" wind="1 2 .5"',
    "liquid": 'density="1000"',
    "no passive forces": 'density="50"><flag passive="disable"/></option><option',
    "no actuators": '><flag actuation="disable"/></option><option',
    "a group without actuators": 'actuatorgroupdisable="3"',
}
INTEGRATORS = {"implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT, "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST}
STATE = ("qpos", "qvel", "act", "ctrl", "qfrc_applied")
INPUTS = (*STATE, "qacc")
DISCRETE = mujoco.mjtEnableBit.mjENBL_INVDISCRETE


def both(integrator: str, option: str = "", xml: str = MODEL) -> tuple[Any, Any, Any, Any]:
    """Return a model and its data in both packages."""
    text = xml.format(option=f'integrator="{integrator}" {option}')
    m, official = conjoint.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    return m, conjoint.MjData(m), official, mujoco.MjData(official)


def scatter(m: Any, d: Any, seed: int, speed: float = 1.0) -> None:
    """Set a random state with random controls, forces and accelerations."""
    generator = np.random.default_rng(seed)
    for name in INPUTS:
        getattr(d, name)[:] = generator.normal(size=getattr(d, name).shape)
    d.qvel[:] *= speed
    d.act[:] = generator.random(m.na)
    conjoint.mj_normalizeQuat(m, d.qpos)


def scattered(pair: tuple[Any, Any, Any, Any], seed: int, speed: float = 1.0) -> None:
    """Set the same random state in both packages."""
    m, d, _, official = pair
    scatter(m, d, seed, speed)
    for name in INPUTS:
        getattr(official, name)[:] = getattr(d, name)


def dense(d: Any, values: np.ndarray) -> np.ndarray:
    """Return a dense matrix from `values`, which has the sparsity structure of qDeriv (`D_rowadr`, `D_colind`)."""
    matrix = np.zeros((len(d.qvel),) * 2)
    for i in range(len(matrix)):
        row = slice(d.D_rowadr[i], d.D_rowadr[i] + d.D_rownnz[i])
        matrix[i, d.D_colind[row]] = values[row]
    return matrix


@pytest.mark.plain
@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_derivatives_factors_and_steps_equal_the_oracle(integrator: str, option: str) -> None:
    pair = both(integrator, OPTIONS[option])
    m, d, official_model, official = pair
    # without viscosity, 3.3.5 limits fluid forces on slow ellipsoids (docs/differences.md)
    slow = () if option == "liquid" else (1e-4,)
    for seed, speed in enumerate((1.0, 1.0, 10.0, *slow, 0.0)):
        scattered(pair, seed, speed)
        conjoint.mj_step(m, d)
        mended_step(official_model, official)
        factors = ("qLU",) if integrator == "implicit" else ("qH", "qHDiagInv")
        for name in ("qDeriv", *factors, "qpos", "qvel", "act"):
            assert difference(getattr(d, name), getattr(official, name)) < 1e-10, name


@pytest.mark.plain
def test_the_integrator_and_the_medium_may_change_between_steps() -> None:
    """Steps agree with MuJoCo if the integrator and the fluid change between them, with mj_step or mj_step1 and mj_step2."""
    pair = both("Euler")
    m, d, official_model, official = pair
    for seed, (integrator, density) in enumerate(((2, 0.0), (3, 0.0), (0, 50.0), (2, 50.0), (1, 0.0), (3, 50.0))):
        for model in (m, official_model):
            model.opt.integrator, model.opt.density = integrator, density
        scattered(pair, seed)
        for package, model, data in ((conjoint, m, d), (mujoco, official_model, official)):
            if package is mujoco and integrator in INTEGRATORS.values():
                mended_step(model, data)
                mended_step(model, data)
            else:
                package.mj_step(model, data)
                package.mj_step1(model, data)
                package.mj_step2(model, data)
        assert difference(d.qvel, official.qvel) < 1e-10


@pytest.mark.plain
@pytest.mark.parametrize("option", ["vacuum", "medium"])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_factors_are_those_of_the_matrix(integrator: str, option: str) -> None:
    """The factors satisfy (1 + U) L = M - h D for implicit, and L' D L equals M - h D for implicitfast.

    For implicitfast, only the elements that M stores are compared.
    """
    m, d, _, _ = both(integrator, OPTIONS[option])
    scatter(m, d, 3)
    conjoint.mj_forward(m, d)
    inertia = np.zeros((m.nv, m.nv))
    conjoint.mj_fullM(m, inertia, d.qM)
    conjoint.mj_implicit(m, d)
    matrix = inertia - m.opt.timestep * dense(d, d.qDeriv)
    if integrator == "implicit":
        factor = dense(d, d.qLU)
        np.testing.assert_allclose((np.eye(m.nv) + np.triu(factor, 1)) @ np.tril(factor), matrix, atol=1e-12)
        return
    lower, diagonal = np.eye(m.nv), np.zeros(m.nv)
    for i in range(m.nv):
        row = slice(d.M_rowadr[i], d.M_rowadr[i] + d.M_rownnz[i])
        lower[i, d.M_colind[row]] = d.qH[row]
        diagonal[i], lower[i, i] = lower[i, i], 1.0
    product = lower.T @ np.diag(diagonal) @ lower
    for i in range(m.nv):
        columns = d.M_colind[d.M_rowadr[i] : d.M_rowadr[i] + d.M_rownnz[i]]
        np.testing.assert_allclose(product[i, columns], matrix[i, columns], atol=1e-12)
    np.testing.assert_allclose(d.qHDiagInv, 1 / diagonal)


ONE_TREE = """<mujoco><option {option}/><default><geom contype="0" conaffinity="0"/></default><worldbody>
<body><freejoint/><geom type="box" size=".1 .2 .3" fluidshape="ellipsoid"/>
<body pos="0 0 1"><joint axis="1 0 0"/><joint axis="0 1 0" pos="0 .1 0"/><joint type="slide" axis="1 1 0"/><geom type="ellipsoid" size=".1 .2 .05" pos=".5 0 0"/>
<body pos="0 1 0"><joint type="ball"/><geom type="cylinder" size=".1 .2" pos=".6 0 0" fluidshape="ellipsoid" fluidcoef="1 2 3 4 5"/>
<body pos="0 0 1"><joint axis="1 2 3"/><geom size=".1" pos="0 1 0"/></body></body></body></body></worldbody></mujoco>"""


@pytest.mark.plain
@pytest.mark.parametrize("option", ["vacuum", "medium"])
def test_derivatives_are_those_of_our_forces(option: str) -> None:
    """Derivatives equal differences of passive forces minus bias with respect to every velocity.

    The model has only one branch, so that D stores all elements.
    """
    m, d, _, _ = both("implicit", OPTIONS[option], ONE_TREE)
    scatter(m, d, 5, 3.0)
    start, step, rates = np.array(d.qvel), 1e-6, np.zeros((m.nv, m.nv))
    for i in range(m.nv):
        for sign in (1.0, -1.0):
            d.qvel[:] = start
            d.qvel[i] += sign * step
            conjoint.mj_forward(m, d)
            rates[:, i] += sign * (d.qfrc_passive - d.qfrc_bias) / (2 * step)
    d.qvel[:] = start
    conjoint.mj_step(m, d)
    found = dense(d, d.qDeriv)
    np.testing.assert_allclose(found, rates, rtol=0, atol=2e-8 * np.abs(rates).max())
    assert np.abs(found - found.T).max() > 0.1 * np.abs(found).max()


LIMITS = """<mujoco><option timestep="0.01" {option}/><default><geom contype="0" conaffinity="0"/></default><worldbody>
<site name="o" pos="0 0 3"/><body><joint name="a" axis="1 .3 0" actuatorfrcrange="-3 2"/><geom size=".1" pos=".3 0 .2"/>
<body pos="0 0 .5"><joint name="c" type="slide" axis="0 0 1" actuatorfrcrange="-1 4"/><geom size=".1" pos=".2 .1 0"/></body></body>
<body pos="0 0 .5"><joint name="b" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/>
<body pos="0 0 .4"><joint name="d" type="ball"/><geom size=".1" pos=".2 .1 0"/><site name="s" pos=".3 0 0"/></body></body></worldbody>
<tendon><fixed name="t" actuatorfrcrange="-3 2" actuatorfrclimited="true"><joint joint="b" coef="1"/></fixed>
<spatial name="p"><site site="o"/><site site="s"/></spatial></tendon>
<actuator><position joint="a" kp="4" kv="2"/><velocity joint="a" kv="1.5" forcerange="-1 2"/>
<general joint="c" gaintype="affine" gainprm="1 2 -3" ctrllimited="true" ctrlrange="-.5 .5"/>
<general joint="c" gaintype="affine" gainprm="1 0 -2" dyntype="integrator" actearly="true" actlimited="true" actrange="-.5 .51"/>
<position tendon="t" kp="3" kv="1"/><velocity tendon="t" kv="2"/><velocity tendon="p" kv="2" forcerange="-2 1"/>
<velocity site="s" gear="0 1 2 0 0 1" kv="2" forcerange="-1 2"/><velocity joint="d" gear="1 2 1" kv="2" forcerange="-2 3"/>
<muscle joint="b" lengthrange="-2 2" forcerange="-5 0" force="8"/></actuator></mujoco>"""


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_forces_at_a_limit_do_not_change_with_velocity(integrator: str) -> None:
    """Actuator forces at a limit do not change with velocity, as differences with respect to every velocity show.

    The limits are those of actuators, controls and activations, and of joints and tendons; the model also has sites and muscles.
    MuJoCo corrected this in 3.5 and 4.0.
    """
    m, d, _, _ = both(integrator, "", LIMITS)
    step, at_limit = 1e-6, np.zeros(m.nu)
    for seed in range(20):
        scatter(m, d, seed, 2.0)
        start = {name: np.array(getattr(d, name)) for name in INPUTS}
        rates = np.zeros((m.nv, m.nv))
        for i in range(m.nv):
            for sign in (1.0, -1.0):
                d.qvel[:] = start["qvel"]
                d.qvel[i] += sign * step
                conjoint.mj_forward(m, d)
                rates[:, i] += sign * d.qfrc_actuator / (2 * step)
        slopes = []
        for flag in (0, int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)):
            for name, value in start.items():
                getattr(d, name)[:] = value
            conjoint.mj_forward(m, d)
            force = np.array(d.actuator_force)
            m.opt.disableflags = flag
            conjoint.mj_implicit(m, d)
            m.opt.disableflags = 0
            slopes.append(dense(d, d.qDeriv))
        at_limit += (force <= m.actuator_forcerange[:, 0]) | (force >= m.actuator_forcerange[:, 1])
        np.testing.assert_allclose(slopes[0] - slopes[1], rates, rtol=0, atol=1e-7 * (1 + np.abs(rates).max()))
    limited = m.actuator_forcelimited == 1
    assert (at_limit[limited] > 2).all() and (at_limit[limited] < 18).all()


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_servo_at_its_limit_arrives_as_with_a_small_step(integrator: str) -> None:
    """A servo at its force limit moves as fast as with a small timestep, because a saturated force has no velocity derivative."""
    servo = """<mujoco><option {option}/><worldbody><body><joint name="j" damping=".1"/>
    <geom type="capsule" fromto="0 0 0 .25 0 0" size=".03"/></body></worldbody>
    <actuator><position joint="j" kp="120" kv="30" forcerange="-2 2"/></actuator></mujoco>"""
    times = []
    for name, timestep in (("Euler", 1e-4), (integrator, 2e-3)):
        m, d, _, _ = both(name, f'timestep="{timestep}"', servo)
        d.ctrl[0] = 1.0
        while d.qpos[0] < 0.7 and d.time < 4:
            conjoint.mj_step(m, d)
        times.append(d.time)
    assert abs(times[1] - times[0]) < 0.005


STANDALONE = """<mujoco><option timestep="0.01" {option}/><default><geom contype="0" conaffinity="0"/></default><worldbody>
<site name="o" pos="0 0 3"/>
<body><freejoint/><geom type="box" size=".1 .2 .3"/></body>
<body pos="2 0 0"><joint type="free" armature=".3" damping=".2"/><geom type="box" size=".1 .2 .3" pos=".1 .2 0" euler="10 20 30"/>
  <body pos="0 .3 0" euler="0 20 0"><geom size=".1" fluidshape="ellipsoid"/><site name="s"/></body></body>
<body pos="4 0 0"><freejoint/><geom type="ellipsoid" size=".1 .2 .3" pos=".1 .2 0" fluidshape="ellipsoid" euler="30 20 10"/></body>
<body pos="6 0 0"><freejoint/><geom type="box" size=".1 .2 .3" pos=".1 .2 0"/>
  <body pos="0 0 .4"><joint axis="1 1 0"/><geom size=".1" pos="0 .1 0"/></body></body>
<body pos="8 0 0"><joint/><geom size=".1" pos="0 .1 0"/></body></worldbody>
<tendon><spatial damping="3"><site site="o"/><site site="s"/></spatial></tendon>
<actuator><general site="s" gear="1 0 0 0 2 1" biastype="affine" biasprm="0 0 -3"/></actuator></mujoco>"""


@pytest.mark.parametrize("option", ["vacuum", "medium"])
def test_implicitfast_moves_standalone_free_bodies_as_implicit(option: str) -> None:
    """The integrator implicitfast moves standalone free bodies as implicit does, and other bodies as in 3.3.5."""
    m, d, official_model, official = both("implicitfast", OPTIONS[option], STANDALONE)
    pair = (m, d, official_model, official)
    assert standalone_joints(official_model) == [0, 1, 2]
    for seed in range(4):
        scattered(pair, seed, 5.0)
        before = np.array(official.qvel)
        conjoint.mj_step(m, d)
        plain = mujoco.MjData(official_model)
        for name in INPUTS:
            getattr(plain, name)[:] = getattr(official, name)
        mujoco.mj_step(official_model, plain)
        mended_step(official_model, official)
        assert difference(d.qvel, official.qvel) < 1e-11
        assert difference(d.qpos, official.qpos) < 1e-11
        assert difference(d.qH, plain.qH) < 1e-11
        assert np.abs((plain.qvel - official.qvel) / np.abs(before).max()).max() > 1e-4


@compiled
@pytest.mark.parametrize("option", ["vacuum", "medium"])
@pytest.mark.parametrize("xml", [LIMITS, STANDALONE])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_limits_and_free_bodies_in_a_batch(integrator: str, xml: str, option: str) -> None:
    m, d, _, _ = both(integrator, OPTIONS[option], xml)
    batch = Batch(m, 9)
    velocities = []
    for world in range(9):
        scatter(m, d, world, 2.0)
        for name in STATE:
            getattr(batch, name)[world] = getattr(d, name)
        conjoint.mj_step(m, d)
        velocities.append(np.array(d.qvel))
        conjoint.mj_resetData(m, d)
    batch.step()
    assert difference(batch.qvel, velocities) < 1e-11


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_fast_spins_gain_no_energy(integrator: str) -> None:
    """Fast spins of any body gain no energy; if the frame is off the center of mass, energy oscillates by less than 1%."""
    for inertia in ("2e-4 8e-6 2.03e-4", "1e-4 1e-4 2e-4", "1e-4 1.1e-4 1.2e-4"):
        for pos, gain in (("0 0 0", 1e-9), (".01 .02 0", 0.01)):
            xml = f"""<mujoco><option timestep=".001" gravity="0 0 0" {{option}}><flag energy="enable"/></option><worldbody>
            <body><freejoint/><inertial pos="{pos}" mass=".2" diaginertia="{inertia}"/></body></worldbody></mujoco>"""
            m, d, _, _ = both(integrator, "", xml)
            d.qvel[3:] = 18, 28, -14
            conjoint.mj_forward(m, d)
            start = d.energy[1]
            for _ in range(20):
                conjoint.mj_step(m, d, 100)
                conjoint.mj_forward(m, d)
                assert d.energy[1] < start * (1 + gain)


@compiled
@pytest.mark.parametrize("option", ["vacuum", "medium"])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_worlds_of_a_batch_step_alike(integrator: str, option: str) -> None:
    m, d, _, _ = both(integrator, OPTIONS[option])
    batch, single = Batch(m, 5), Batch(m, 5, precision="float32")
    before = []
    for world in range(5):
        scatter(m, d, world)
        before.append({name: np.array(getattr(d, name)) for name in INPUTS})
        for some in (batch, single):
            for name in STATE:
                getattr(some, name)[world] = before[-1][name]
    batch.step(3)
    single.step()
    for world in range(5):
        for some, steps, tolerance in ((batch, 3, 1e-10), (single, 1, 2e-4)):
            other = conjoint.MjData(m)
            for name in INPUTS:
                getattr(other, name)[:] = before[world][name]
            conjoint.mj_step(m, other, steps)
            assert difference(some.qvel[world], other.qvel) < tolerance


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_models_with_contacts_step_as_officially(integrator: str, model_path: str) -> None:
    """Steps of every model in the repository agree with MuJoCo, with constraint forces in the implicit equations."""
    m, official_model = conjoint.MjModel.from_xml_path(model_path), mujoco.MjModel.from_xml_path(model_path)
    for model in (m, official_model):
        model.opt.integrator = INTEGRATORS[integrator]
        model.opt.tolerance = 0
    d, official = conjoint.MjData(m), mujoco.MjData(official_model)
    generator = np.random.default_rng(1)
    for _ in range(60):
        official.ctrl[:] = generator.uniform(-1, 1, m.nu)
        for name in ("qpos", "qvel", "act", "ctrl", "qacc_warmstart"):
            getattr(d, name)[:] = getattr(official, name)
        conjoint.mj_step(m, d)
        mended_step(official_model, official)
        assert difference(d.qvel, official.qvel) < 1e-6


# ---- inverse dynamics and derivatives of a step


@pytest.mark.plain
@pytest.mark.parametrize("option", ["vacuum", "medium"])
@pytest.mark.parametrize("integrator", [*INTEGRATORS, "Euler"])
def test_discrete_inverse_dynamics_equals_the_oracle_and_undoes_a_step(integrator: str, option: str) -> None:
    pair = both(integrator, OPTIONS[option])
    m, d, official_model, official = pair
    for model in (m, official_model):
        model.opt.enableflags |= DISCRETE
    scattered(pair, 1)
    given = np.array(d.qacc)
    conjoint.mj_inverse(m, d)
    mended_inverse(official_model, official)
    assert difference(d.qfrc_inverse, official.qfrc_inverse) < 1e-12
    np.testing.assert_array_equal(d.qacc, given)
    # compute forward dynamics, then inverse dynamics
    scatter(m, d, 2)
    conjoint.mj_forward(m, d)
    forces, start = d.qfrc_applied + d.qfrc_actuator, {name: np.array(getattr(d, name)) for name in INPUTS}
    conjoint.mj_step(m, d)
    after = np.array(d.qvel)
    for name, value in start.items():
        getattr(d, name)[:] = value
    d.qacc[:] = (after - start["qvel"]) / m.opt.timestep
    conjoint.mj_inverse(m, d)
    assert difference(d.qfrc_inverse, forces) < 1e-9
    # without the flag, inverse dynamics interprets the acceleration differently
    m.opt.enableflags &= ~int(DISCRETE)
    conjoint.mj_inverse(m, d)
    assert difference(d.qfrc_inverse, forces) > 1e-4


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("integrator", [*INTEGRATORS, "Euler"])
def test_forward_and_inverse_are_compared_as_officially(integrator: str, discrete: bool) -> None:
    """`solver_fwdinv` agrees with MuJoCo, even with the flag invdiscrete, for which inverse dynamics is discrete."""
    path = str(MODELS / "quadruped.xml")
    m, official_model = conjoint.MjModel.from_xml_path(path), mujoco.MjModel.from_xml_path(path)
    for model in (m, official_model):
        model.opt.integrator = INTEGRATORS.get(integrator, mujoco.mjtIntegrator.mjINT_EULER)
        model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_FWDINV | (DISCRETE if discrete else 0)
        # exclude forces at a limit, whose slopes differ from MuJoCo's
        model.actuator_forcelimited[:] = 0
        model.opt.tolerance = 0
    d, official = conjoint.MjData(m), mujoco.MjData(official_model)
    touching = 0
    for _ in range(40):
        official.ctrl[:] = d.ctrl[:] = 1.0
        for name in ("qpos", "qvel", "qacc_warmstart"):
            getattr(d, name)[:] = getattr(official, name)
        conjoint.mj_step(m, d)
        mujoco.mj_step(official_model, official)
        touching += official.nefc > 0
        assert difference(d.solver_fwdinv, official.solver_fwdinv) < 1e-6
    assert touching > 10
    assert (official.solver_fwdinv.max() > 1e-3) == discrete


@pytest.mark.parametrize("centered", [0, 1])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_derivatives_of_a_step_equal_the_oracle(integrator: str, centered: int) -> None:
    """Derivatives of a step agree with MuJoCo if gains depend on velocity and controls.

    These derivatives depend on fields that are stored at the start of the step.
    """
    pair = both(integrator, OPTIONS["medium"])
    scattered(pair, 4)
    m, d, official_model, official = pair
    nx = 2 * m.nv + m.na
    found = []
    for package, model, data in ((conjoint, m, d), (mujoco, official_model, official)):
        matrices = [np.zeros(s) for s in ((nx, nx), (nx, m.nu), (m.nsensordata, nx), (m.nsensordata, m.nu))]
        package.mjd_transitionFD(model, data, 1e-6, centered, *matrices)
        if package is mujoco:
            mended_slopes(model, data, matrices, centered)
        of_force = [np.zeros((m.nv, m.nv)) for _ in range(3)]
        package.mjd_inverseFD(model, data, 1e-6, 1, *of_force, None, None, None, None)
        found.append(matrices + of_force)
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6 * np.abs(theirs).max())


@pytest.mark.plain
def test_what_has_no_implicit_step_is_refused() -> None:
    m, d, official_model, official = both("Euler")
    for package, model, data in ((conjoint, m, d), (mujoco, official_model, official)):
        package.mj_forward(model, data)
        with pytest.raises(package.FatalError, match="integrator"):
            package.mj_implicit(model, data)
    for model in (m, official_model):
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        model.opt.enableflags |= DISCRETE
    for package, model, data in ((conjoint, m, d), (mujoco, official_model, official)):
        with pytest.raises(package.FatalError, match=r"discrete inverse dynamics .* RK4"):
            package.mj_inverse(model, data)


# ---- advantages of implicit integrators


DAMPED = """<mujoco><option timestep="0.01" gravity="0 0 0" {option}/><worldbody>
<body><joint name="a" {joint}/><inertial mass="1" diaginertia=".01 .01 .01" pos="0 0 0"/></body></worldbody>{actuator}</mujoco>"""
SERVO = '<actuator><velocity joint="a" kv="5"/></actuator>'


@pytest.mark.plain
def test_a_stiff_servo_is_stable_where_euler_is_not() -> None:
    """A stiff servo is stable with implicit integrators.

    Each step divides the speed by 1 + h kv / I = 6, whereas Euler multiplies it by 1 - 5.
    """
    speeds = {}
    for integrator in ("Euler", "RK4", *INTEGRATORS):
        m, d, _, _ = both(integrator, "", DAMPED.replace("{joint}", "").replace("{actuator}", SERVO))
        d.qvel[0] = 1.0
        conjoint.mj_step(m, d, 4)
        speeds[integrator] = float(d.qvel[0])
    assert speeds["Euler"] == pytest.approx((-4.0) ** 4)
    assert abs(speeds["RK4"]) > 1.0
    assert speeds["implicit"] == pytest.approx(6.0**-4)
    assert speeds["implicitfast"] == pytest.approx(6.0**-4)


@pytest.mark.plain
def test_dampers_alone_are_treated_as_euler_treats_them() -> None:
    """Joint damping has the same effect with Euler and implicit integrators; the flag eulerdamp only affects Euler."""
    found = {}
    for integrator in ("Euler", *INTEGRATORS):
        for flag in ("enable", "disable"):
            option = f'><flag eulerdamp="{flag}"/></option><option'
            m, d, _, _ = both(integrator, option, DAMPED.replace("{joint}", 'damping="5"').replace("{actuator}", ""))
            d.qvel[0] = 1.0
            conjoint.mj_step(m, d)
            found[integrator, flag] = float(d.qvel[0])
    assert found.pop(("Euler", "disable")) == pytest.approx(-4.0)
    assert list(found.values()) == pytest.approx([1 / 6] * 5)


TUMBLING = """<mujoco><option timestep="0.02" gravity="0 0 0" {option}><flag energy="enable"/></option><worldbody>
<body><freejoint/><geom type="box" size=".3 .1 .02"/></body></worldbody></mujoco>"""


def test_a_spinning_plate_keeps_its_energy_with_implicit_bias_alone() -> None:
    """Gyroscopic forces add energy to a tumbling plate with Euler; implicit integration removes a little instead."""
    ends = {}
    for integrator in ("Euler", *INTEGRATORS):
        m, d, _, _ = both(integrator, "", TUMBLING)
        d.qvel[3:] = 5, 8, 1
        conjoint.mj_forward(m, d)
        start = d.energy[1]
        conjoint.mj_step(m, d, 100)
        conjoint.mj_forward(m, d)
        ends[integrator] = d.energy[1] / start
    assert ends["Euler"] > 1.5
    assert ends["implicitfast"] == pytest.approx(ends["implicit"], rel=1e-9)
    assert 0.2 < ends["implicit"] < 1.0


def test_wind_carries_along_what_is_light() -> None:
    """With implicit drag, a balloon reaches the velocity of the wind, whereas Euler diverges."""
    balloon = """<mujoco><option timestep="0.01" gravity="0 0 0" {option}/><worldbody><body><freejoint/>
    <geom size=".3" mass="1e-3"/></body></worldbody></mujoco>"""
    for integrator, tame in (("Euler", False), *((name, True) for name in INTEGRATORS)):
        m, d, _, _ = both(integrator, 'density="1.2" viscosity="0.002" wind="10 0 3"', balloon)
        largest = 0.0
        for _ in range(200):
            conjoint.mj_step(m, d)
            largest = max(largest, float(np.abs(d.qvel[:3]).max()))
            if largest > 100:
                break
        assert (largest < 10.1) == tame, integrator
        if tame:
            np.testing.assert_allclose(d.qvel[:3], [10, 0, 3], atol=1e-3)
