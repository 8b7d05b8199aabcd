"""Rollouts are bit-identical to single worlds and validate arguments as MuJoCo does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import mujoco
import mujoco.rollout
import numpy as np
import pytest

import conjoint
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.errors import DivergenceWarning
from conjoint.rollout import Rollout, rollout, shutdown_persistent_pool
from places import ROOT
from waiting import PATIENCE

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="minutes of uncompiled steps")

MODELS = ROOT / "models"
FULLPHYSICS = conjoint.mjtState.mjSTATE_FULLPHYSICS
PENDULUM = """<mujoco><worldbody><body><joint name="j"/><geom size=".1" pos=".3 0 0"/></body></worldbody>
  <actuator><motor joint="j"/></actuator><sensor><jointvel joint="j"/></sensor></mujoco>"""


def start(model: Any, nbatch: int, nstep: int) -> tuple[np.ndarray, np.ndarray]:
    """Return random states near the initial state, and random controls."""
    generator = np.random.default_rng(1)
    d = conjoint.MjData(model)
    state = np.zeros(conjoint.mj_stateSize(model, FULLPHYSICS))
    conjoint.mj_getState(model, d, state, FULLPHYSICS)
    states = state + 0.01 * generator.standard_normal((nbatch, len(state)))
    return states, generator.uniform(-1, 1, (nbatch, nstep, model.nu))


@pytest.mark.parametrize("name", ["humanoid", "quadruped"])
def test_trajectories_are_the_officials(name: str) -> None:
    """Trajectories of eight steps agree with MuJoCo's to 1e-5; contacts amplify rounding."""
    path = str(MODELS / f"{name}.xml")
    model, official = conjoint.MjModel.from_xml_path(path), mujoco.MjModel.from_xml_path(path)
    states, controls = start(model, 3, 8)
    found = rollout(model, conjoint.MjData(model), states, controls)
    expected = mujoco.rollout.rollout(official, mujoco.MjData(official), states, controls)
    for mine, its in zip(found, expected, strict=True):
        assert mine.shape == its.shape
        np.testing.assert_allclose(mine, its, rtol=1e-5, atol=1e-6)


def test_threads_do_not_show() -> None:
    """Rollouts are bit-identical for any number of threads, any chunk size and any earlier use of the data."""
    model = conjoint.MjModel.from_xml_path(str(MODELS / "humanoid.xml"))
    states, controls = start(model, 7, 5)
    single = conjoint.MjData(model)
    expected = rollout(model, single, states, controls)
    d = conjoint.MjData(model)
    for k in range(7):
        conjoint.mj_resetData(model, d)
        conjoint.mj_setState(model, d, states[k], FULLPHYSICS)
        for step in range(5):
            d.ctrl[:] = controls[k, step]
            conjoint.mj_step(model, d)
        np.testing.assert_array_equal(expected[0][k, -1, 1 : 1 + model.nq], d.qpos)
    with Rollout(nthread=3) as threads:
        worlds = [conjoint.MjData(model) for _ in range(3)]
        for chunk_size in (None, 1, 4):
            found = threads.rollout(model, worlds, states, controls, chunk_size=chunk_size)
            np.testing.assert_array_equal(found[0], expected[0])
            np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_array_equal(rollout(model, worlds, states, controls, persistent_pool=True)[0], expected[0])
    shutdown_persistent_pool()
    with pytest.raises(RuntimeError, match="rollout requested after thread pool shutdown"):
        threads.rollout(model, worlds, states, controls)


def test_a_trajectory_stands_still_after_a_warning() -> None:
    """After a warning of any type, a trajectory repeats its last state, as in MuJoCo; the other trajectories continue."""
    model, official = conjoint.MjModel.from_xml_string(PENDULUM), mujoco.MjModel.from_xml_string(PENDULUM)
    controls = np.zeros((2, 5, 1))
    controls[0, 1] = np.nan
    with pytest.warns(DivergenceWarning):
        states, sensors = rollout(model, conjoint.MjData(model), np.zeros(3), controls)
    expected = mujoco.rollout.rollout(official, mujoco.MjData(official), np.zeros(3), controls)
    np.testing.assert_allclose(states, expected[0], atol=1e-12)
    np.testing.assert_allclose(sensors, expected[1], atol=1e-12)
    assert states[0, -1, 0] == states[0, 1, 0]
    assert states[1, -1, 0] > states[1, 1, 0]


def test_many_trajectories_run_in_lanes() -> None:
    """Rollouts in lanes agree with single worlds to rounding, for any number of trajectories and threads."""
    model = conjoint.MjModel.from_xml_path(str(MODELS / "humanoid.xml"))
    states, controls = start(model, 21, 5)
    warmstart = np.zeros((21, model.nv))
    single = rollout([model] * 21, conjoint.MjData(model), states, controls, initial_warmstart=warmstart)
    found = rollout(model, conjoint.MjData(model), states, controls, initial_warmstart=warmstart)
    for mine, its in zip(found, single, strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-6, atol=1e-7)
    assert not np.array_equal(found[0], single[0])
    worlds = [conjoint.MjData(model) for _ in range(3)]
    np.testing.assert_array_equal(rollout(model, worlds, states, controls)[0], found[0])
    np.testing.assert_array_equal(rollout(model, worlds, states[:17], controls[:17])[1], found[1][:17])
    np.testing.assert_array_equal(rollout(model, worlds, states[:17], controls[:17])[1], found[1][:17])
    # a change in the model takes effect
    model.opt.gravity[2] = 0.0
    assert np.abs(rollout(model, worlds, states[:17], controls[:17])[0] - found[0][:17]).max() > 1e-4
    shutdown_persistent_pool()


def test_what_stands_still_in_lanes() -> None:
    """Trajectories in lanes stop after warnings as single worlds do, whichever inputs are part of the controls."""
    model = conjoint.MjModel.from_xml_string(PENDULUM)
    spec = int(conjoint.mjtState.mjSTATE_CTRL | conjoint.mjtState.mjSTATE_QFRC_APPLIED)
    controls = np.tile([0.3, 0.2], (20, 6, 1))
    controls[3, 2, 1] = np.nan
    with pytest.warns(DivergenceWarning):
        found = rollout(model, conjoint.MjData(model), np.zeros(3), controls, control_spec=spec)
        single = rollout([model] * 20, conjoint.MjData(model), np.zeros(3), controls, control_spec=spec)
    for mine, its in zip(found, single, strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-9, atol=1e-12)
    assert found[0][3, -1, 0] == found[0][3, 2, 0] and found[0][4, -1, 0] > found[0][4, 2, 0]


BAD: dict[str, dict[str, Any]] = {
    "a text": {"control": "zero"},
    "too many dimensions": {"control": np.zeros((1, 1, 1, 1))},
    "a control too long": {"control": np.zeros(2)},
    "a state too long": {"initial_state": np.zeros(4)},
    "numbers of steps that differ": {"control": np.zeros((1, 3, 1)), "state": np.zeros((1, 4, 3))},
    "numbers of trajectories that differ": {"initial_state": np.zeros((2, 3)), "control": np.zeros((3, 1, 1))},
    "a control that is state": {"control_spec": int(conjoint.mjtState.mjSTATE_ACT)},
}


@pytest.mark.parametrize("case", BAD)
def test_what_the_official_refuses_is_refused_in_its_words(case: str) -> None:
    arguments = {"initial_state": np.zeros(3), "control": np.zeros(1)} | BAD[case]
    official = mujoco.MjModel.from_xml_string(PENDULUM)
    with pytest.raises(ValueError) as expected:
        mujoco.rollout.rollout(official, mujoco.MjData(official), **arguments)
    model = conjoint.MjModel.from_xml_string(PENDULUM)
    with pytest.raises(ValueError) as found:
        rollout(model, conjoint.MjData(model), **arguments)
    assert str(found.value) == str(expected.value)


KEPT = """<mujoco><option gravity="0 0 0"/><size nuserdata="2"/><worldbody>
  <body><joint name="j" armature=".01"/><geom size=".1" pos=".2 0 0"/></body>
  <body pos="1 0 0"><freejoint/><geom size=".1"/></body><body name="m" mocap="true" pos="1 0 .5"/>
  <body name="w" pos="1 0 .5"><joint/><joint type="slide" axis="0 0 1"/><geom size=".1" pos=".1 0 0"/></body>
  </worldbody><equality><weld body1="w" body2="m"/><joint joint1="j" active="false"/></equality>
  <actuator><motor joint="j"/></actuator></mujoco>"""
STATE = conjoint.mjtState
INPUTS = {
    "ctrl": STATE.mjSTATE_CTRL,
    "qfrc_applied": STATE.mjSTATE_QFRC_APPLIED,
    "xfrc_applied": STATE.mjSTATE_XFRC_APPLIED,
    "eq_active": STATE.mjSTATE_EQ_ACTIVE,
    "mocap_pos": STATE.mjSTATE_MOCAP_POS,
    "mocap_quat": STATE.mjSTATE_MOCAP_QUAT,
    "userdata": STATE.mjSTATE_USERDATA,
}


def filled(package: Any, model: Any) -> Any:
    """Return an `MjData` of a package in which no input has its default value."""
    d = package.MjData(model)
    generator = np.random.default_rng(3)
    for name in INPUTS:
        part = getattr(d, name)
        part[...] = 1 - part if name == "eq_active" else generator.uniform(0.1, 0.9, part.shape)
    return d


@pytest.mark.parametrize("control", [False, True], ids=["kept", "given"])
@pytest.mark.parametrize("count", [1, 3, 20])
@pytest.mark.parametrize(
    "names", [(), *((name,) for name in INPUTS), ("ctrl", "mocap_pos"), tuple(INPUTS)], ids=lambda n: " ".join(n) or "0"
)
def test_inputs_that_the_control_names_are_kept(names: tuple[str, ...], count: int, control: bool) -> None:
    """Inputs in `control_spec` keep their values, and all other inputs are cleared, as in MuJoCo."""
    spec = int(sum(INPUTS[name] for name in names))
    found = []
    for package in (mujoco, conjoint):
        model = package.MjModel.from_xml_string(KEPT)
        states, _ = start(conjoint.MjModel.from_xml_string(KEPT), count, 4)
        size = package.mj_stateSize(model, spec)
        controls = np.random.default_rng(5).uniform(0.1, 0.9, (count, 4, size)) if control and size else None
        module = mujoco.rollout.rollout if package is mujoco else rollout
        for nthread in (1, 2):
            worlds = [filled(package, model) for _ in range(nthread)]
            options = {"control_spec": spec, "nstep": 4}
            found.append(module(model, worlds if nthread > 1 else worlds[0], states, controls, **options)[0])
    for mine in found[1:]:
        np.testing.assert_allclose(mine, found[0], atol=1e-9, rtol=1e-9)


def test_sizes_that_do_not_fit_are_named() -> None:
    """Errors name models, data and arrays of the wrong size, even if checks are skipped."""
    small, large = (
        conjoint.MjModel.from_xml_string(PENDULUM.replace("<geom", f"{more}<geom"))
        for more in ("", '<joint type="slide"/>')
    )
    d, states = conjoint.MjData(small), np.zeros((2, 3))
    with pytest.raises(ValueError, match="model must be of the sizes of the first model: nq is 2, not 1"):
        rollout([small, large], d, states, nstep=2)
    with pytest.raises(ValueError, match="data must be of the sizes of the first model: nq is 1, not 2"):
        rollout(large, d, np.zeros((2, 5)), nstep=2)
    complete = {"state": np.zeros((2, 2, 3)), "sensordata": np.zeros((2, 2, 1)), "skip_checks": True}
    controls = np.zeros((2, 2, 1))
    rollout(small, d, states, controls, **complete)
    for name, wrong in {"state": None, "sensordata": None, "control": np.zeros((1, 2, 1))}.items():
        with pytest.raises(ValueError, match=f"skip_checks: {name} must be a complete array"):
            rollout(small, d, states, **({"control": controls, **complete} | {name: wrong}))
    with pytest.raises(ValueError, match="skip_checks: initial_state must be a complete array"):
        rollout(small, d, states[0], controls, **complete)
    # surplus models are ignored, as in MuJoCo
    rollout([small] * 3, d, states, controls, **complete)
    with pytest.raises(ValueError, match="skip_checks: nbatch is 3 but model is length 2"):
        more = {"state": np.zeros((3, 2, 3)), "sensordata": np.zeros((3, 2, 1)), "skip_checks": True}
        rollout([small] * 2, d, np.zeros((3, 3)), np.zeros((3, 2, 1)), **more)


def test_threads_of_a_program_share_a_pool() -> None:
    """Concurrent calls to one rollout pool are serialized, and each gets its own result."""
    model = conjoint.MjModel.from_xml_string(PENDULUM)
    states, controls = start(model, 5, 6)
    worlds = [conjoint.MjData(model) for _ in range(2)]
    expected = rollout(model, worlds, states, controls)[0]
    with Rollout(nthread=2) as pool, ThreadPoolExecutor(4) as threads:
        calls = [threads.submit(pool.rollout, model, worlds, states, controls) for _ in range(12)]
        assert all(np.array_equal(call.result(timeout=PATIENCE)[0], expected) for call in calls)
    shutdown_persistent_pool()
