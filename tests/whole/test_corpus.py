"""Public models agree with MuJoCo; `CONJOINT_CORPUS` names the folder that contains them."""

from __future__ import annotations

import mujoco
import pytest

import conjoint
from oracle import copy_state, difference, forward_differences, model_differences, states

pytestmark = pytest.mark.corpus

GYMNASIUM = (
    "ant", "half_cheetah", "hopper", "humanoid", "humanoidstandup", "inverted_double_pendulum", "inverted_pendulum",
    "reacher", "walker2d", "walker2d_v5",
)  # fmt: skip
PATHS = (
    "mujoco-3.3.5/model/humanoid/humanoid.xml",
    *(f"gymnasium-1.2.0/mujoco/assets/{name}.xml" for name in GYMNASIUM),
)

STEP_TOLERANCE = 1e-5  # as for the models of the repository
INVERSE_TOLERANCE = 1e-6


@pytest.mark.parametrize("path", PATHS)
def test_a_public_model_agrees(corpus, path):
    official = mujoco.MjModel.from_xml_path(str(corpus / path))
    model = conjoint.MjModel.from_xml_path(str(corpus / path))
    assert model_differences(model, official) == {}

    for label, start in states(official):
        data, official_data = conjoint.MjData(model), mujoco.MjData(official)
        copy_state(start, data)
        copy_state(start, official_data)
        assert forward_differences(model, data, official, official_data) == {}, label

        # inverse dynamics of MuJoCo's acceleration
        data.qacc[:] = official_data.qacc
        mujoco.mj_inverse(official, official_data)
        conjoint.mj_inverse(model, data)
        assert difference(data.qfrc_inverse, official_data.qfrc_inverse) < INVERSE_TOLERANCE, label

        # a step from the same state
        copy_state(start, data)
        copy_state(start, official_data)
        mujoco.mj_step(official, official_data)
        conjoint.mj_step(model, data)
        for name in ("qpos", "qvel", "act"):
            assert difference(getattr(data, name), getattr(official_data, name)) < STEP_TOLERANCE, (label, name)
