"""Ten thousand steps of every model of the repository under random controls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import conjoint
from places import ROOT
from sweeps import mostly_nightly

NAMES = sorted(path.stem for path in (ROOT / "models").glob("*.xml"))
"""The models of the repository."""

STEPS = 10_000


def resident_bytes():
    """Memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def random_run(model, steps, seed=0):
    """Data after `steps` steps under new random controls at every step; yields it after each."""
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
        # by now everything that is made once was made
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
