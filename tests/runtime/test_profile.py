"""Profiling does not change steps, and counts each call under its stage and function."""

from __future__ import annotations

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.batch.batch import worlds_of
from conjoint.lang import FatalError
from conjoint.lang.frontend.module import stage_module
from conjoint.lang.memory.realisation import WORLD, lanes, profiled
from conjoint.lang.objects.profile_counters import MOST_LABELS, Counters
from conjoint.runtime.functions import FUNCTIONS
from conjoint.runtime.pipeline import pipeline
from conjoint.runtime.profile import Profile
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_ROWS
from places import ROOT

HUMANOID = str(ROOT / "models" / "humanoid.xml")
STEPS = 40
WORLDS = 5


@pytest.fixture(scope="module")
def model():
    return conjoint.MjModel.from_xml_path(HUMANOID)


def test_a_profiled_world_takes_the_same_steps(model):
    plain, profiled = conjoint.MjData(model), conjoint.MjData(model)
    iterations = 0
    for _ in range(STEPS):
        conjoint.mj_step(model, plain)
        iterations += int(plain.solver_niter[0])
    step = pipeline(profiled.world, model.plans, "mj_step")
    table = step.run.table.copy()
    profile = Profile(step.run, step.stages)
    before = profile.read()
    with profile:
        for _ in range(STEPS):
            conjoint.mj_step(model, profiled)
    taken = profile.read() - before
    assert np.array_equal(step.run.table, table)
    assert np.array_equal(plain.qpos, profiled.qpos) and np.array_equal(plain.qvel, profiled.qvel)
    # calls after the profile has ended are not counted
    conjoint.mj_step(model, profiled)
    assert np.array_equal(profile.read() - before, taken)
    calls = {(part.stage, part.label): part.calls for part in profile.parts(taken)}
    assert calls["kinematics", ""] == calls["solve_newton", ""] == STEPS
    assert calls["reset_requested", ""] == 2 * STEPS, "after positions and after accelerations"
    assert calls["solve_newton", "update"] >= iterations > 0
    functions = {part.stage: part.function for part in profile.parts(taken)}
    assert functions["broadphase"] == "mj_collision" and functions["solve_newton"] == "mj_fwdConstraint"


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_a_profiled_batch_takes_the_same_steps(model, precision):
    plain, profiled = (Batch(model, WORLDS, precision=precision, nthread=1) for _ in range(2))
    for batch in (plain, profiled):
        batch.qvel = np.random.default_rng(0).standard_normal((WORLDS, model.nv))
        batch.step(1)
    profile = worlds_of(profiled).profile("mj_step")
    before = profile.read()
    with profile:
        for _ in range(STEPS):
            profiled.step(1)
    plain.step(STEPS)
    assert np.array_equal(plain.qpos, profiled.qpos) and np.array_equal(plain.qvel, profiled.qvel)
    blocks = -(-WORLDS // profiled.lanes)
    calls = {(part.stage, part.label): part.calls for part in profile.parts(profile.read() - before)}
    assert calls["kinematics", ""] == STEPS * blocks
    # stages that run for one world at a time also count the unused worlds of the last block
    assert calls["", "moving worlds"] >= 2 * STEPS * blocks, "into the lanes, and back"
    assert calls["fill_rows", ""] == STEPS * blocks * profiled.lanes


def test_only_profiled_code_reads_the_clock():
    kernel = next(stage.kernel for stage in FUNCTIONS["mj_fwdConstraint"] if stage.kernel.__name__ == "solve_newton")
    for realisation in (WORLD, lanes("float32", 16)):
        texts = [
            stage_module("solve", kernel, how, MODEL_ROWS, DATA_STRUCT)[0]
            for how in (realisation, profiled(realisation))
        ]
        assert ["readcyclecounter" in text for text in texts] == [False, True]
        assert ["profile" in text for text in texts] == [False, True]


def test_a_profile_needs_compiled_kernels(model, monkeypatch):
    monkeypatch.setenv("CONJOINT_JIT", "0")
    data = conjoint.MjData(model)
    step = pipeline(data.world, model.plans, "mj_step")
    with pytest.raises(FatalError, match="unset CONJOINT_JIT"):
        Profile(step.run, step.stages)


def test_names_beyond_the_room_of_counters_are_refused():
    counters = Counters()
    offsets = [counters.offset_of(f"label {k}") for k in range(MOST_LABELS - 1)]
    assert len(set(offsets)) == len(offsets) and counters.offset_of("label 0") == offsets[0] > 0
    with pytest.raises(FatalError, match="exceeds this number"):
        counters.offset_of("another")
