"""Models in the repository agree with MuJoCo: compiled model, forward dynamics, steps and inverse dynamics."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.lang.calls.compiled import jit_enabled
from mended_oracle import mended_step
from oracle import copy_state, difference, forward_differences, model_differences, random_controls, states

STEP_TOLERANCE = 1e-5  # one step multiplies the solver's tolerance by the timestep, and divides by small inertias
INVERSE_TOLERANCE = 1e-6  # closed form: only rounding, amplified by stiff contacts


def test_the_compiled_model_agrees(model_path):
    official = mujoco.MjModel.from_xml_path(model_path)
    model = conjoint.MjModel.from_xml_path(model_path)
    different = model_differences(model, official)
    # faces of symmetric meshes, whose centers are equal except for rounding, are leaves in a different order
    assert different.keys() <= ({"bvh_nodeid"} if model.nmesh else set())
    assert np.array_equal(np.sort(model.bvh_nodeid), np.sort(official.bvh_nodeid))
    assert model_differences(model.opt, official.opt) == {}
    assert model_differences(model.stat, official.stat) == {}


@pytest.mark.plain
def test_forward_dynamics_agree_in_every_field(model_path):
    official = mujoco.MjModel.from_xml_path(model_path)
    model = conjoint.MjModel.from_xml_path(model_path)
    for label, start in states(official, count=3 if jit_enabled() else 1):
        data, official_data = conjoint.MjData(model), mujoco.MjData(official)
        copy_state(start, data)
        copy_state(start, official_data)
        assert forward_differences(model, data, official, official_data) == {}, label


def test_steps_agree_from_the_same_states(model_path):
    official = mujoco.MjModel.from_xml_path(model_path)
    model = conjoint.MjModel.from_xml_path(model_path)
    data, generator = conjoint.MjData(model), np.random.default_rng(1)
    for label, official_data in states(official):
        for _ in range(5):
            official_data.ctrl[:] = random_controls(official, generator)
            copy_state(official_data, data)
            mended_step(official, official_data)
            conjoint.mj_step(model, data)
            for name in ("qpos", "qvel", "act"):
                assert difference(getattr(data, name), getattr(official_data, name)) < STEP_TOLERANCE, (label, name)


def test_inverse_dynamics_agree(model_path):
    official = mujoco.MjModel.from_xml_path(model_path)
    model = conjoint.MjModel.from_xml_path(model_path)
    data = conjoint.MjData(model)
    for label, official_data in states(official):
        mujoco.mj_forward(official, official_data)
        copy_state(official_data, data)
        data.qacc[:] = official_data.qacc
        mujoco.mj_inverse(official, official_data)
        conjoint.mj_inverse(model, data)
        assert difference(data.qfrc_inverse, official_data.qfrc_inverse) < INVERSE_TOLERANCE, label
