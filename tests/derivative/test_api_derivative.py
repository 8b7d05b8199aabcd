"""Finite-difference derivatives agree with MuJoCo's."""

from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model, adopt_state
from mended_oracle import mended_slopes
from places import ROOT

MODELS = ROOT / "models"
SMOOTH = """<mujoco><option {option}/><worldbody><body><freejoint/><geom size=".1 .2 .3" type="box" contype="0"/>
<body pos="0 0 .4"><joint name="b" type="ball" damping=".1"/><geom size=".1" pos="0 .1 .1" contype="0"/><site name="s" pos="0 0 .2"/>
<body pos="0 .3 0"><joint name="h" axis="1 0 0" damping=".2" armature=".1"/><geom size=".1" pos="0 .1 .1" contype="0"/></body></body></body></worldbody>
<actuator><motor joint="h" ctrllimited="true" ctrlrange="-1 1"/><general joint="h" dyntype="filter" dynprm=".1" biastype="affine" biasprm="0 -1 -.1"/><motor joint="b" gear="1 2 3"/></actuator>
<sensor><framepos objtype="site" objname="s"/><gyro site="s"/><accelerometer site="s"/></sensor></mujoco>"""


def both(option: str = "", ctrl: float = 0.2) -> tuple[Any, Any, Any, Any]:
    """Return a model and a random state in both packages: m, d, official model, official data."""
    official_model = mujoco.MjModel.from_xml_string(SMOOTH.format(option=option))
    generator = np.random.default_rng(0)
    official = mujoco.MjData(official_model)
    mujoco.mj_integratePos(official_model, official.qpos, generator.standard_normal(official_model.nv), 1.0)
    official.qvel[:] = generator.standard_normal(official_model.nv)
    official.act[:] = 0.3
    official.ctrl[:] = [ctrl, 0.4, -0.2]
    m = adopt_model(official_model)
    return m, adopt_state(m, official_model, official), official_model, official


@pytest.mark.parametrize("centered", [0, 1])
@pytest.mark.parametrize("ctrl", [0.2, 1.0, -1.0, 2.0])
def test_derivatives_of_a_step(centered: int, ctrl: float) -> None:
    """All four matrices agree with MuJoCo's for controls inside, at the ends of and outside their range.

    The state does not change.
    """
    m, d, official_model, official = both(ctrl=ctrl)
    nx = 2 * m.nv + m.na
    shapes = ((nx, nx), (nx, m.nu), (m.nsensordata, nx), (m.nsensordata, m.nu))
    ours, theirs = [np.ones(s) for s in shapes], [np.ones(s) for s in shapes]
    before = [d.qpos.copy(), d.qvel.copy(), d.act.copy(), d.ctrl.copy(), d.time]
    conjoint.mjd_transitionFD(m, d, 1e-6, centered, *ours)
    mujoco.mjd_transitionFD(official_model, official, 1e-6, centered, *theirs)
    mended_slopes(official_model, official, theirs, centered)
    for mine, expected in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, expected, atol=1e-6 * max(1.0, np.abs(expected).max()))
    for mine, expected in zip([d.qpos, d.qvel, d.act, d.ctrl, d.time], before, strict=True):
        np.testing.assert_array_equal(mine, expected)
    # request a single matrix
    only = np.ones((nx, nx))
    conjoint.mjd_transitionFD(m, d, 1e-6, centered, only, None, None, None)
    np.testing.assert_allclose(only, ours[0], atol=1e-6)


@pytest.mark.parametrize("actuation", [0, 1])
def test_derivatives_of_inverse_dynamics(actuation: int) -> None:
    """All seven matrices of `mjd_inverseFD` agree with MuJoCo's."""
    m, d, official_model, official = both()
    for world in (d, official):
        world.qacc[:] = np.linspace(-1, 1, m.nv)
    widths = [m.nv] * 3 + [m.nsensordata] * 3 + [m.nM]
    ours, theirs = [np.ones((m.nv, w)) for w in widths], [np.ones((m.nv, w)) for w in widths]
    conjoint.mjd_inverseFD(m, d, 1e-6, actuation, *ours)
    mujoco.mjd_inverseFD(official_model, official, 1e-6, actuation, *theirs)
    for mine, expected in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, expected, atol=1e-6 * max(1.0, np.abs(expected).max()))


def test_shapes_and_integrators_are_checked() -> None:
    m, d, official_model, official = both('integrator="RK4"')
    with pytest.raises(TypeError, match=r"A must have shape \(2 \* nv \+ na, 2 \* nv \+ na\), here \(21, 21\), not"):
        conjoint.mjd_transitionFD(m, d, 1e-6, 0, np.zeros((2, 2)), None, None, None)
    for package, model, data in ((conjoint, m, d), (mujoco, official_model, official)):
        with pytest.raises(package.FatalError):
            package.mjd_transitionFD(model, data, 1e-6, 0, None, None, None, None)
        with pytest.raises(package.FatalError):
            package.mjd_inverseFD(model, data, 1e-6, 0, *[None] * 7)


PENDULUM = """<mujoco><option {option}/><worldbody><body><joint name="j" damping=".1"/><geom size=".1" pos=".3 0 0"/></body></worldbody>
<actuator><motor joint="j"/></actuator><sensor><jointvel joint="j"/></sensor></mujoco>"""
"""Model with so few inputs that their perturbations do not fill a block of lanes."""


def transition(package: Any, m: Any, d: Any, centered: int) -> list[np.ndarray]:
    """Return the transition matrices A, B, C and D by finite differences."""
    nx = 2 * m.nv + m.na
    matrices = [np.ones(shape) for shape in ((nx, nx), (nx, m.nu), (m.nsensordata, nx), (m.nsensordata, m.nu))]
    package.mjd_transitionFD(m, d, 1e-6, centered, *matrices)
    if package is mujoco:
        mended_slopes(m, d, matrices, centered)
    return matrices


@pytest.mark.parametrize("model", ["pendulum", "humanoid"])
@pytest.mark.parametrize("centered", [0, 1])
def test_derivatives_follow_the_model(model: str, centered: int) -> None:
    """Derivatives agree with MuJoCo's in single worlds and in lanes, before and after changes in the options."""
    xml = PENDULUM.format(option="") if model == "pendulum" else (MODELS / f"{model}.xml").read_text()
    official_model = mujoco.MjModel.from_xml_string(xml)
    official = mujoco.MjData(official_model)
    if model == "humanoid":
        official.qpos[2] -= 0.02
    official.qvel[:] = np.linspace(-0.5, 0.5, official_model.nv)
    official.ctrl[:] = np.linspace(-0.3, 0.3, official_model.nu)
    m = adopt_model(official_model)
    d = adopt_state(m, official_model, official)
    for change in ({}, {"gravity": [0.0, 1.0, -3.0]}, {"integrator": 3}):
        for name, value in change.items():
            setattr(m.opt, name, value)
            setattr(official_model.opt, name, value)
        pairs = zip(
            transition(conjoint, m, d, centered), transition(mujoco, official_model, official, centered), strict=True
        )
        for mine, expected in pairs:
            if expected.size:
                np.testing.assert_allclose(
                    mine, expected, atol=1e-6 * max(1.0, np.abs(expected).max()), err_msg=str(change)
                )


@pytest.mark.parametrize("centered", [0, 1])
@pytest.mark.parametrize("name", ["cartpole", "hopper", "half_cheetah", "car", "chain"])
def test_derivatives_of_small_models_are_the_official_ones(name: str, centered: int) -> None:
    """Derivatives of small models agree with MuJoCo's. A control at the end of its range is only changed inward."""
    found = []
    for package in (conjoint, mujoco):
        m = package.MjModel.from_xml_path(str(MODELS / f"{name}.xml"))
        m.opt.integrator = package.mjtIntegrator.mjINT_EULER
        d = package.MjData(m)
        rng = np.random.default_rng(0)
        d.qvel[:] = rng.uniform(-0.1, 0.1, m.nv)
        d.ctrl[:] = m.actuator_ctrlrange[:, 1]
        for _ in range(3):
            package.mj_step(m, d)
        state, sensors = 2 * m.nv + m.na, m.nsensordata
        shapes = ((state, state), (state, m.nu), (sensors, state), (sensors, m.nu))
        matrices = [np.zeros(shape) for shape in shapes]
        before = d.qpos.copy()
        package.mjd_transitionFD(m, d, 1e-6, centered, *matrices)
        if package is mujoco:
            mended_slopes(m, d, matrices, centered)
        assert (d.qpos == before).all()
        found.append(matrices)
    for ours, official in zip(*found, strict=True):
        assert np.allclose(ours, official, rtol=1e-6, atol=1e-7)


SENSED_FORCES = """<mujoco><worldbody><body><joint name="j" damping=".1"/><geom size=".1" pos=".3 0 0"/></body></worldbody>
<actuator><motor name="a" joint="j" ctrlrange="-1 1"/><motor name="b" joint="j"/></actuator>
<sensor><actuatorfrc actuator="a"/><actuatorfrc actuator="b"/><jointactuatorfrc joint="j"/></sensor></mujoco>"""


@pytest.mark.parametrize("centered", [0, 1])
@pytest.mark.parametrize(("ctrl", "slope"), [(0.0, 1.0), (1.0, 1.0), (-1.0, 1.0), (2.0, 0.0)])
def test_sensors_by_controls_have_the_right_sign(ctrl: float, slope: float, centered: int) -> None:
    """The derivative of a motor's sensed force with respect to its control is 1, inside the range and at its ends."""
    m = conjoint.MjModel.from_xml_string(SENSED_FORCES)
    d = conjoint.MjData(m)
    d.ctrl[0] = ctrl
    D = transition(conjoint, m, d, centered)[3]
    np.testing.assert_allclose(D, [[slope, 0], [0, 1], [slope, 1]], atol=1e-6)


def test_derivatives_follow_callbacks() -> None:
    """While a callback is installed, derivatives come from steps of single worlds because lanes cannot call Python."""
    m, d, official_model, official = both()
    expected = transition(mujoco, official_model, official, 1)
    before = transition(conjoint, m, d, 1)

    def damper(model: Any, data: Any) -> None:
        data.qfrc_passive[:] -= 3.0 * data.qvel

    for package in (conjoint, mujoco):
        package.set_mjcb_passive(damper)
    try:
        damped = [transition(conjoint, m, d, 1), transition(mujoco, official_model, official, 1)]
    finally:
        for package in (conjoint, mujoco):
            package.set_mjcb_passive(None)
    after = transition(conjoint, m, d, 1)
    assert np.abs(damped[0][0] - before[0]).max() > 1e-3
    for found, wanted in ((before, expected), (damped[0], damped[1]), (after, before)):
        for mine, theirs in zip(found, wanted, strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-6 * max(1.0, np.abs(theirs).max()))


@pytest.mark.parametrize("name", ["hopper", "humanoid"])
def test_nothing_of_the_state_moves(name: str) -> None:
    """Derivatives do not change the state. A matrix that is requested alone equals that matrix requested with others."""
    m = conjoint.MjModel.from_xml_path(str(MODELS / f"{name}.xml"))
    m.opt.integrator = conjoint.mjtIntegrator.mjINT_EULER
    d = conjoint.MjData(m)
    d.ctrl[:] = 0.1
    conjoint.mj_step(m, d, 20)
    spec = conjoint.mjtState.mjSTATE_INTEGRATION
    states = [np.zeros(conjoint.mj_stateSize(m, spec)) for _ in range(2)]
    conjoint.mj_getState(m, d, states[0], spec)
    matrices = transition(conjoint, m, d, 1)
    conjoint.mj_getState(m, d, states[1], spec)
    np.testing.assert_array_equal(states[1], states[0])
    for i, together in enumerate(matrices):
        alone = [np.full_like(matrix, 7.0) if k == i else None for k, matrix in enumerate(matrices)]
        conjoint.mjd_transitionFD(m, d, 1e-6, 1, *alone)
        np.testing.assert_allclose(alone[i], together, rtol=1e-9, atol=1e-9)
