"""Tests of the fields that a reset clears or sets, and of the fields that a keyframe sets."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint

TEXT = """
<mujoco>
  <worldbody>
    <body name="free" pos="0 0 1"><freejoint/><geom size=".1"/></body>
    <body name="hinged"><joint name="j" axis="0 1 0"/><geom size=".1" pos="1 0 0"/></body>
    <body name="led" mocap="true" pos="1 2 3" quat="0 1 0 0"><geom size=".1" contype="0"/></body>
    <body name="led too" mocap="true" pos="3 2 1"><geom size=".1" contype="0"/></body>
  </worldbody>
  <equality><weld body1="free" body2="led"/><weld body1="hinged" body2="led too" active="false"/></equality>
  <actuator><general joint="j" dyntype="integrator"/><motor joint="j"/></actuator>
  <keyframe>
    <key time="1" qpos="1 2 3 0 1 0 0 .5" qvel="1 2 3 4 5 6 7" act=".1" ctrl=".2 .3"/>
    <key mpos="7 8 9 4 5 6" mquat="0 0 1 0 0 0 0 1"/>
  </keyframe>
</mujoco>
"""

FIELDS = (
    "time", "qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "eq_active", "xfrc_applied", "qfrc_applied",
    "qacc_warmstart", "qacc",
)  # fmt: skip


@pytest.mark.parametrize("key", (None, -1, 0, 1, 2))
def test_a_reset_leaves_nothing_of_what_was_before(key: int | None) -> None:
    """A reset uses the current initial positions and keyframes of the model, which may have been edited."""
    m, official_model = conjoint.MjModel.from_xml_string(TEXT), mujoco.MjModel.from_xml_string(TEXT)
    d, official = conjoint.MjData(m), mujoco.MjData(official_model)
    for model in (m, official_model):
        model.qpos0[3] = 2.0
        model.eq_active0[:] = 0, 1
        model.key_qvel[0, 2] = -4.0
    for _ in range(2):
        conjoint.mj_step(m, d, 3)
        for field in ("ctrl", "act", "xfrc_applied", "qfrc_applied", "mocap_pos", "mocap_quat"):
            getattr(d, field)[...] = 0.1
        conjoint.mj_step(m, d, 3)
        if key is None:
            conjoint.mj_resetData(m, d)
            mujoco.mj_resetData(official_model, official)
        else:
            conjoint.mj_resetDataKeyframe(m, d, key)
            mujoco.mj_resetDataKeyframe(official_model, official, key)
        for field in FIELDS:
            np.testing.assert_array_equal(getattr(d, field), getattr(official, field), err_msg=field)
        assert d.ncon == official.ncon == 0


def test_keyframes_of_another_model_of_the_same_sizes() -> None:
    m, other = (conjoint.MjModel.from_xml_string(text) for text in (TEXT, TEXT.replace('time="1"', 'time="4"')))
    d = conjoint.MjData(m)
    for _ in range(2):
        conjoint.mj_resetDataKeyframe(other, d, 0)
        assert d.time == 4.0
        conjoint.mj_resetDataKeyframe(m, d, 0)
        assert d.time == 1.0


def test_a_keyframe_turns_orientations() -> None:
    """A reset sets the control of an orientation servo to the keyframe's value, or to the identity."""
    with conjoint.semantics("4.0"):
        m = conjoint.MjModel.from_xml_string("""<mujoco>
<worldbody><body><joint name="ball" type="ball"/><geom size=".1" pos=".1 0 0"/></body></worldbody>
<actuator><orientation joint="ball" kp="3" input="quat"/></actuator><keyframe><key ctrl="0 1 0 0"/></keyframe></mujoco>""")
    d = conjoint.MjData(m)
    for key, ctrl in ((0, [0, 1, 0, 0]), (-1, [1, 0, 0, 0]), (0, [0, 1, 0, 0])):
        conjoint.mj_resetDataKeyframe(m, d, key)
        assert d.ctrl.tolist() == ctrl
