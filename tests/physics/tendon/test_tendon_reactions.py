"""Reaction forces of spatial tendons act on bodies: force and torque sensors, cfrc_ext, cfrc_int (3.14, #832).

The figures were printed by this program, with the official package (`mujoco==4.0.0`) instead of Conjoint:

    m, d = pulled(*CASES[name]); print(d.sensordata.round(6).tolist())
"""

from __future__ import annotations

import numpy as np
import pytest

import conjoint as mj
from conjoint.batch import Batch

pytestmark = pytest.mark.plain

ARM = """<mujoco><worldbody><site name="w" pos="0 0 1"/>
<geom name="g" type="cylinder" size=".08 .5" pos=".2 0 .6" euler="90 0 0"/>
<body pos="0 0 .5"><joint axis="0 1 0"/><geom size=".05" pos=".1 0 0" mass="1"/><site name="a" pos=".2 .1 0"/>
 <site name="here"/>
 <body pos=".4 0 0"><joint axis="0 1 0"/><geom size=".05" pos=".1 0 0" mass=".5"/><site name="b" pos=".2 0 0"/>
 </body></body></worldbody>
<tendon><spatial name="t" {}><site site="w"/><site site="a"/><pulley divisor="2"/><site site="a"/><site site="b"/>{}
</spatial></tendon><actuator>{}</actuator><equality>{}</equality>
<sensor><force site="here"/><torque site="here"/></sensor></mujoco>"""

AROUND = '<pulley divisor="1"/><site site="w"/><geom geom="g"/><site site="b"/>'
EQUAL = '<tendon tendon1="t" polycoef=".1 0 0 0 0"/>'
MOTOR = '<motor tendon="t" gear="2"/>'

# fmt: off
CASES = {
    "spring": ('stiffness="50 20 10" springlength=".1"', "", "", ""),
    "damper": ('damping="3 2 1"', "", "", ""),
    "wrapped": ('stiffness="50" springlength=".1"', AROUND, "", ""),
    "actuator": ("", "", MOTOR, ""),
    "limited actuator": ('actuatorfrclimited="true" actuatorfrcrange="-1 1"', "", MOTOR, ""),
    "upper limit": ('limited="true" range="0 .5"', "", "", ""),
    "lower limit": ('limited="true" range="2 5"', "", "", ""),
    "friction": ('frictionloss="3"', "", "", ""),
    "equality": ("", "", "", EQUAL),
    "inertia": ('armature="2"', "", "", ""),
    "motor": ("", "", '<motor tendon="t" gear="2" damping="3" armature=".5"/>', ""),
}
FIGURES: dict[str, list[float]] = {
    "spring": [-6.728602, 8.038797, 13.000348, -3.839878, 0.0, -1.187814],
    "damper": [-2.355602, 0.11963, 3.522723, -0.057143, 0.0, -0.017677],
    "wrapped": [43.892335, 13.544034, 41.048329, -6.469555, 0.0, -2.001268],
    "actuator": [-2.013095, -0.500623, 2.780407, 0.239132, 0.0, 0.073972],
    "limited actuator": [-2.105244, -0.333749, 2.980121, 0.159421, 0.0, 0.049315],
    "upper limit": [-37.824583, 64.351226, 80.394815, -30.738537, 0.0, -9.508544],
    "lower limit": [132.964752, -244.935116, -289.757722, 116.997727, 0.0, 36.191638],
    "friction": [-2.565988, 0.500623, 3.978694, -0.239132, 0.0, -0.073972],
    "equality": [2.467791, -8.615162, -6.931038, 4.115189, 0.0, 1.272977],
    "inertia": [-2.702436, 0.747719, 4.274418, -0.357162, 0.0, -0.110483],
    "motor": [-2.693125, 0.730859, 4.254239, -0.349108, 0.0, -0.107992],
}
# fmt: on
"""Sensor values by case."""


def pulled(attributes: str, path: str, actuators: str, equalities: str) -> tuple[mj.MjModel, mj.MjData]:
    """Return the model and data of an arm with a tendon, in motion."""
    m = mj.MjModel.from_xml_string(ARM.format(attributes, path, actuators, equalities))
    d = mj.MjData(m)
    d.qpos[:] = 0.3, 0.5
    d.qvel[:] = 1, -2
    d.ctrl[:] = 1.5
    mj.mj_forward(m, d)
    return m, d


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("name", CASES)
def test_bodies_feel_tendons(name: str) -> None:
    """Tendon reactions have no torque about the hinge axes, and the sensor values are those of 4.0.0."""
    m, d = pulled(*CASES[name])
    torques = [d.cdof[i] @ d.cfrc_int[m.dof_bodyid[i]] for i in range(m.nv)]
    assert np.abs(torques).max() < 1e-11 * np.abs(d.cfrc_int).max()
    np.testing.assert_allclose(d.sensordata, FIGURES[name], rtol=0, atol=1e-6)


@pytest.mark.usefixtures("edition")
def test_bodies_feel_springs_that_have_yielded() -> None:
    """Reactions of a spring that has yielded follow from its current rest length."""
    m, d = pulled('stiffness="50" springlength=".1" springyield=".5"', "", "", "")
    before = d.sensordata.copy()
    mj.mj_step(m, d, 3)
    mj.mj_forward(m, d)
    assert d.plastic[1] > 0.2 and np.abs(d.sensordata - before).max() > 1
    torques = [d.cdof[i] @ d.cfrc_int[m.dof_bodyid[i]] for i in range(m.nv)]
    assert np.abs(torques).max() < 1e-11 * np.abs(d.cfrc_int).max()


@pytest.mark.usefixtures("edition")
def test_worlds_of_a_batch_feel_tendons() -> None:
    """Tendon reactions in the lanes of a batch equal those of a single world."""
    m, d = pulled(*CASES["wrapped"])
    batch = Batch(m, 9)
    batch.qpos[:], batch.qvel[:] = d.qpos, d.qvel
    batch.forward()
    np.testing.assert_allclose(batch.sensordata[4], d.sensordata, rtol=1e-9, atol=1e-9)
