"""Moving surfaces and adhesion: positions and forces after some steps equal those of mujoco==4.0.0."""

from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch

pytestmark = pytest.mark.usefixtures("edition")

BELT = """<mujoco><option cone="{}"/><worldbody><geom type="plane" size="5 5 1" surfacevel="1 0 0 0 0 0"/>
<geom type="cylinder" size=".5 .1" pos="3 0 0" condim="4" surfacevel="0 0 0 0 0 2"/>
<body pos="0 0 .0999"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
<body pos="3.1 0 .1999"><freejoint/><geom size=".1" condim="4"/></body></worldbody></mujoco>"""
"""Model of a box on a conveyor belt and a sphere on a turntable."""

CARRIED = {
    "pyramidal": [0.352344, 0, 0.099892, 1, 0, 0, 0, 3.097607, 0.02225, 0.199733, 0.94848, 0.273147, 0.041753,
                  0.155029],
    "elliptic": [0.350975, 0, 0.099892, 1, 0, 0, 0, 3.097596, 0.022283, 0.199633, 0.929227, 0.272153, 0.044086,
                 0.246022],
}  # fmt: skip
"""qpos after 200 steps, by cone type."""

CEILING = """<mujoco><option cone="{}"/><worldbody><geom name="c" type="box" size="1 1 .1" pos="0 0 1.1" adhesion="60"/>
<body pos="0 0 .901"><freejoint/><geom size=".1" gap=".02" margin=".02"/></body>
<body pos=".5 0 .885"><freejoint/><geom size=".1" gap=".02" margin=".02"/></body>
<body pos="-.5 0 .901"><freejoint/><geom size=".1" density="5000"/></body></worldbody></mujoco>"""
"""Model of a ball that sticks to a ceiling, one that is slightly below it, and one that is too heavy.

The margin becomes 0 in edition 4.0, which adds the gap to the margin.
"""


@pytest.fixture
def ceiling(edition: str) -> str:
    """Return CEILING with the margin of the edition."""
    return CEILING.replace('margin=".02"', 'margin="0"') if edition == "4.0" else CEILING


STUCK = [0.899633, 0.899636, 0.711684]
"""Heights of the three balls after 100 steps."""


def after(xml: str, steps: int) -> tuple[Any, Any]:
    m = conjoint.MjModel.from_xml_string(xml)
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d, steps)
    return m, d


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_surfaces_carry_what_touches_them(cone: str) -> None:
    m, d = after(BELT.format(cone), 200)
    np.testing.assert_allclose(d.qpos, CARRIED[cone], atol=1e-6)
    assert m.flg_surfacevel and not m.flg_adhesion
    # the box moves with the belt below it
    assert abs(d.qvel[0] - 1.0) < 1e-3 and d.contact[0].surfacevel.shape == (3,)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_adhesive_contacts_pull(ceiling: str, cone: str) -> None:
    m, d = after(ceiling.format(cone), 100)
    np.testing.assert_allclose(d.qpos[[2, 9, 16]], STUCK, atol=1e-6)
    np.testing.assert_allclose(d.qfrc_adhesion[[2, 8, 14]], [60, 60, 0], atol=1e-9)
    forces, wrench = [], np.zeros(6)
    for c in range(d.ncon):
        conjoint.mj_contactForce(m, d, c, wrench)
        forces.append(wrench[0])
    # the contacts pull: both balls hang at rest
    weight = 9.81 * m.body_mass[1]
    np.testing.assert_allclose(forces, [-weight, -weight], rtol=5e-3)
    assert d.contact[0].adhesion == 60


def test_adhesion_is_a_passive_force(ceiling: str) -> None:
    """Adhesion is a passive force: it is disabled if both `spring` and `damper` are, as in 4.0.0."""
    for flags, force in (('spring="disable"', 60.0), ('spring="disable" damper="disable"', 0.0)):
        xml = ceiling.format("pyramidal").replace('cone="pyramidal"/>', f'cone="pyramidal"><flag {flags}/></option>')
        m = conjoint.MjModel.from_xml_string(xml)
        d = conjoint.MjData(m)
        conjoint.mj_forward(m, d)
        assert d.ncon and d.qfrc_adhesion[2] == force


def test_a_pair_has_an_adhesion_of_its_own(ceiling: str) -> None:
    xml = ceiling.format("pyramidal").replace(
        '<body pos="0 0 .901"><freejoint/><geom size=".1"', '<body pos="0 0 .901"><freejoint/><geom name="b" size=".1"'
    )
    pair = '<contact><pair geom1="c" geom2="b" {}/></contact></mujoco>'
    for words, force in (("", 0.0), ('adhesion="30"', 30.0)):
        _, d = after(xml.replace("</mujoco>", pair.format(words)), 1)
        assert d.contact[0].adhesion == force


def test_worlds_of_a_batch_and_what_is_saved_do_the_same(ceiling: str) -> None:
    for xml in (BELT, ceiling):
        spec = conjoint.MjSpec.from_string(xml.format("pyramidal"))
        m = spec.compile()
        b = Batch(m, 2)
        b.step(50)
        for text in (spec.to_xml(), xml.format("pyramidal")):
            _, d = after(text, 50)
            np.testing.assert_allclose(b.qpos, [d.qpos] * 2, rtol=0, atol=1e-12)


def test_a_program_may_stop_a_belt() -> None:
    m, d = after(BELT.format("pyramidal"), 200)
    m.geom_surfacevel[:] = 0.0
    conjoint.mj_step(m, d, 200)
    assert abs(d.qvel[0]) < 1e-3 and not d.contact[0].surfacevel.any()
