"""Runs of ten thousand steps of every model in the repository under random controls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import conjoint
from places import ROOT
from sweeps import mostly_nightly

NAMES = sorted(path.stem for path in (ROOT / "models").glob("*.xml"))
"""Names of the models in the repository."""

STEPS = 10_000


def resident_bytes():
    """Return the resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def random_run(model, steps, seed=0):
    """Yield the data after each of `steps` steps with new random controls."""
    data = conjoint.MjData(model)
    generator = np.random.default_rng(seed)
    limited = model.actuator_ctrllimited.astype(bool)
    low = np.where(limited, model.actuator_ctrlrange[:, 0], -1)
    high = np.where(limited, model.actuator_ctrlrange[:, 1], 1)
    if model.nkey:
        conjoint.mj_resetDataKeyframe(model, data, 0)
    for _ in range(steps):
        data.ctrl[:] = generator.uniform(low, high)
        conjoint.mj_step(model, data)
        yield data


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_nightly(NAMES, ["humanoid", "quadruped", "car"]))
def test_long_runs_stay_finite_and_need_no_more_memory(name):
    model = conjoint.MjModel.from_xml_path(str(ROOT / "models" / f"{name}.xml"))
    speed, before = 0.0, 0
    for step, data in enumerate(random_run(model, STEPS)):
        # by now, all caches are filled
        if step == STEPS // 10:
            before = resident_bytes()
        if step % 100 == 0:
            assert np.isfinite(data.qpos).all() and np.isfinite(data.qacc).all(), step
            speed = max(speed, float(np.abs(data.qvel).max()))
    assert [warning.number for warning in data.warning] == [0] * len(data.warning)
    assert data.time == pytest.approx(STEPS * model.opt.timestep)
    assert speed < 200
    assert resident_bytes() - before < 2**20


def test_runs_repeat_bit_for_bit(model_path):
    model = conjoint.MjModel.from_xml_path(model_path)
    first, second = ([*random_run(model, 200)][-1] for _ in range(2))
    assert np.array_equal(first.qpos, second.qpos) and np.array_equal(first.qvel, second.qvel)


def begun(name: str, key: str) -> tuple[conjoint.MjModel, conjoint.MjData]:
    """Return a model in one of its keyframes."""
    model = conjoint.MjModel.from_xml_path(conjoint.sample_model(name))
    data = conjoint.MjData(model)
    conjoint.mj_resetDataKeyframe(model, data, model.key(key).id)
    return model, data


@pytest.mark.parametrize("key", ["stand", "wave", "squat"])
def test_the_biped_stands(key):
    model, data = begun("biped", key)
    height = data.qpos[2]
    conjoint.mj_step(model, data, round(5 / model.opt.timestep))
    assert abs(data.qpos[2] - height) < 0.01 and np.abs(data.qvel).max() < 0.01
    soles = data.sensor("sole_left").data[0] + data.sensor("sole_right").data[0]
    assert soles == pytest.approx(9.81 * model.body_subtreemass[1], rel=0.01)


@pytest.mark.parametrize("gravity", [(0, 0, -9.81), (0, 0, 9.81), (9.81, 0, 0), (0, -9.81, 0)])
def test_the_hand_holds_its_ball_whatever_the_gravity(gravity):
    model, data = begun("hand", "hold")
    start = data.qpos[-7:-4].copy()
    model.opt.gravity = gravity
    conjoint.mj_step(model, data, 1000)
    assert np.abs(data.qpos[-7:-4] - start).max() < 0.005
    assert data.sensor("middle_touch").data[0] > 0 or data.sensor("ring_touch").data[0] > 0


def test_the_rover_drives_and_sees_the_ground():
    model, data = begun("rover", "drive")
    conjoint.mj_step(model, data, 500)
    assert data.qpos[0] > 1 and data.qpos[1] > 0.2
    beams = data.sensordata[:24]
    assert (beams > 0).sum() > 12 and beams.max() <= 8
    left, right = data.joint("rocker_left").qpos[0], data.joint("rocker_right").qpos[0]
    assert left == pytest.approx(-right, abs=0.01)
