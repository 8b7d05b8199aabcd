"""Stages for elements that a model lacks are neither compiled nor run."""

import numpy as np
import pytest

import conjoint
from conjoint.runtime.functions import stages_of

BALL = """<mujoco><option><flag energy="{energy}"/></option>
  <worldbody><geom type="plane" size="1 1 .1"/>{bodies}</worldbody>{more}</mujoco>"""
BODY = '<body pos="0 0 {z}"><joint name="j{z}" type="slide" axis="0 0 1"/><geom size=".1"/></body>'
MOTOR = '<actuator><motor joint="j1"/></actuator>'


def _model(heights=(1,), energy="disable", more=""):
    bodies = "".join(BODY.format(z=z) for z in heights)
    return conjoint.MjModel.from_xml_string(BALL.format(bodies=bodies, energy=energy, more=more))


@pytest.mark.parametrize(
    ("kernel", "with_it", "without"),
    [
        ("fwd_actuation", {"more": MOTOR}, {}),
        ("transmit_forces", {"more": MOTOR}, {}),
        ("no_actuation", {}, {"more": MOTOR}),
        ("energy_pos_enabled", {"energy": "enable"}, {}),
        ("energy_vel_enabled", {"energy": "enable"}, {}),
        ("no_energy", {}, {"energy": "enable"}),
        ("drop_unswept_contacts", {"heights": (1, 2)}, {}),
    ],
)
def test_stages_are_there_where_they_are_needed(kernel, with_it, without):
    for options, there in ((with_it, True), (without, False)):
        stages = stages_of("mj_step", _model(**options).plans.holding())
        assert (kernel in [stage.kernel.__name__ for stage in stages]) == there


def test_results_of_what_is_not_there_are_zero():
    m = _model()
    d = conjoint.MjData(m)
    d.qfrc_actuator[:], d.energy[:] = 7, 3
    conjoint.mj_step(m, d)
    assert not d.qfrc_actuator.any() and not d.energy.any()


def test_energy_is_computed_once_it_is_enabled():
    m = _model()
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d)
    m.opt.enableflags |= int(conjoint.mjtEnableBit.mjENBL_ENERGY)
    conjoint.mj_forward(m, d)
    np.testing.assert_allclose(d.energy[0], m.body_mass[1] * 9.81 * d.xipos[1, 2], rtol=1e-12)
    m.opt.enableflags = 0
    conjoint.mj_forward(m, d)
    assert not d.energy.any()
