"""Unsupported features are rejected with a clear error, never silently computed wrong."""

from __future__ import annotations

import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang.errors import ConjointError

BODY = '<body name="a"><freejoint name="free"/><geom name="g" size="0.1"/><site name="s"/></body><body name="b"/>'

NOT_BUILT = {
    "flex": ("", '<deformable><flex name="f" body="a" vertex="0 0 0"/></deformable>', "flex|deformable"),
    "mesh": ("<asset><mesh file='cube.stl'/></asset>", "", "mesh"),
}


@pytest.mark.plain
@pytest.mark.parametrize("what", NOT_BUILT)
def test_what_is_not_built_is_refused(what):
    before, after, word = NOT_BUILT[what]
    with pytest.raises(ConjointError, match=word):
        model = conjoint.MjModel.from_xml_string(
            f"<mujoco>{before}<worldbody><geom type='box' size='1 1 1'/>{BODY}</worldbody>{after}</mujoco>"
        )
        conjoint.mj_step(model, conjoint.MjData(model))


CHANGED = {
    "no integrator": ("no integrator 7", lambda m, on: setattr(m.opt, "integrator", 7 * on)),
    "geom_type": (
        r"geom_dataid\[1, 0\] is -1",
        lambda m, on: m.geom_type.__setitem__(1, 8 if on else 2),
    ),
    "sensor_type": ("tactile", lambda m, on: m.sensor_type.__setitem__(0, 46 if on else 0)),
}
"""Edits of a working model, each with an error message and a function that turns the edit on or off."""

CONNECTED = ("geom_type", "sensor_type")
"""Edited fields that change connections of elements, so that all functions and new data reject the model."""

STEPS = """<mujoco><worldbody><geom type="box" size="1 1 1"/>
<body name="a" pos="0 0 3"><freejoint/><geom size="0.1"/><site name="s"/></body>
<body><joint name="j"/><geom size="0.1" pos="0 0 9"/></body></worldbody>
<actuator><motor joint="j"/></actuator><sensor><touch site="s"/></sensor></mujoco>"""


@pytest.mark.plain
@pytest.mark.parametrize("what", CHANGED)
def test_changes_of_a_model_that_steps_are_noticed(what):
    """An invalid edit is rejected by every step and by new batches until it is reverted.

    Other functions reject it only if they depend on the edited field.
    """
    text, change = CHANGED[what]
    m = conjoint.MjModel.from_xml_string(STEPS)
    d, other = conjoint.MjData(m), conjoint.MjData(m)
    for data in (d, other):
        conjoint.mj_step(m, data)
    change(m, True)
    if what in CONNECTED:
        with pytest.raises(conjoint.FatalError, match=text):
            conjoint.MjData(m)
    for data in (d, other, d) if what in CONNECTED else (d, other, d, conjoint.MjData(m)):
        time = data.time
        with pytest.raises(conjoint.FatalError, match=text):
            conjoint.mj_step(m, data)
        assert data.time == time
        for function in (conjoint.mj_kinematics, conjoint.mj_comPos):
            if what in CONNECTED:
                with pytest.raises(conjoint.FatalError, match=text):
                    function(m, data)
            else:
                # functions of positions do not depend on this edit
                function(m, data)
    with pytest.raises(conjoint.FatalError, match=text):
        Batch(m, 2)
    change(m, False)
    for data in (other, d):
        conjoint.mj_step(m, data)
        assert data.time == pytest.approx(2 * m.opt.timestep)


@pytest.mark.plain
def test_a_change_made_while_a_step_asks_is_noticed_at_the_next():
    """If a callback makes an option invalid, the next stage in the same call reports it."""
    m = conjoint.MjModel.from_xml_string(STEPS)
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d)

    def control(m, d):
        m.opt.integrator = 7
        conjoint.mj_kinematics(m, d)

    conjoint.set_mjcb_control(control)
    try:
        with pytest.raises(conjoint.FatalError, match="no integrator"):
            conjoint.mj_step(m, d, 3)
    finally:
        conjoint.set_mjcb_control(None)
    assert d.time == pytest.approx(2 * m.opt.timestep)
