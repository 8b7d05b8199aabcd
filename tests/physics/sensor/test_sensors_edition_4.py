"""Sensors and actuator lengths in edition 4.0 equal recorded figures of mujoco==4.0.0."""

from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch


def world(edition: str, xml: str) -> Any:
    """Return data of a model in motion, in an edition."""
    with conjoint.semantics(edition):
        m = conjoint.MjModel.from_xml_string(xml)
    d = conjoint.MjData(m)
    d.qpos[:2], d.qvel[:2], d.ctrl[:] = (0.3, -0.2), (-1, 1), 0.7
    conjoint.mj_forward(m, d)
    return d


SHAPES = """<mujoco><worldbody><body><freejoint/><geom name="a" type="{}" size=".1 .1 .1"/></body><body pos=".5 .2 .3">
<freejoint/><geom name="b" type="{}" size=".1 .12 .13"/></body></worldbody>
<sensor><fromto geom1="a" geom2="b" cutoff="1"/><normal geom1="b" geom2="a" cutoff="1"/></sensor></mujoco>"""


@pytest.mark.parametrize(
    "shapes", [("capsule", "ellipsoid"), ("ellipsoid", "capsule"), ("box", "cylinder"), ("box", "sphere")]
)
def test_distances_go_from_the_first_geom_to_the_second(shapes: tuple[str, str]) -> None:
    d = world("4.0", SHAPES.format(*shapes))
    start, end, back = d.sensordata.reshape(3, 3)
    assert start @ (0.5, 0.2, 0.3) < end @ (0.5, 0.2, 0.3)
    np.testing.assert_allclose(back, (start - end) / np.linalg.norm(start - end), atol=1e-4)
    points = np.zeros((2, 6))
    for (first, second), found in zip(((0, 1), (1, 0)), points, strict=True):
        conjoint.mj_geomDistance(d.model, d, first, second, 1.0, found)
    np.testing.assert_allclose(points, [[*start, *end], [*end, *start]], atol=1e-4)


def test_angles_between_sites_are_those_of_their_frames() -> None:
    """Actuator lengths between sites are the angles between the sites' frames.

    In 3.3.5, this only holds if the sites are not rotated in their bodies.
    """
    xml = """<mujoco><worldbody><site name="r" euler="20 50 -70"/><body><joint type="ball"/><geom size=".1"/>
    <site name="s" euler="-60 130 10"/></body></worldbody><actuator><general site="s" refsite="r" gear="0 0 0 1 0 0"/>
    <general site="s" refsite="r" gear="0 0 0 0 1 0"/><general site="s" refsite="r" gear="0 0 0 0 0 1"/></actuator></mujoco>"""
    with conjoint.semantics("4.0"):
        d = conjoint.MjData(conjoint.MjModel.from_xml_string(xml))
    d.qpos[:] = 0.5, 0.3, -0.7, 0.4
    conjoint.mj_forward(d.model, d)
    frames = d.site_xmat.reshape(2, 3, 3)
    quat, angles = np.zeros(4), np.zeros(3)
    conjoint.mju_mat2Quat(quat, (frames[0].T @ frames[1]).ravel())
    conjoint.mju_quat2Vel(angles, quat, 1.0)
    np.testing.assert_allclose(d.actuator_length, angles, atol=1e-12)
    np.testing.assert_allclose(angles, [0.00235459, -0.5941864, 1.17125435], atol=1e-8)


TOUCH = """<mujoco><worldbody><geom type="plane" size="3 3 1"/><site name="up" pos="0 0 1"/><body pos="5 0 {}"><freejoint/>
<geom name="b" size=".1"/></body></worldbody><sensor><rangefinder site="up" cutoff=".5"/>
<contact cutoff=".3" geom1="b" data="found pos normal" nsample="2" delay=".002"/>
<contact cutoff=".3" geom1="b" data="found linvel"/><contact cutoff=".3" geom1="b" data="force tangent" reduce="netforce"/>
<contact cutoff=".3" geom1="b" data="dist" reduce="maxforce"/></sensor></mujoco>"""


def test_contact_sensors_are_read_when_they_can_be() -> None:
    """Contact sensors run in the earliest stage that has their data, and ignore `cutoff`; without contacts, they are zero."""
    d = world("4.0", TOUCH.format(0.09))
    m = d.model
    assert m.sensor_needstage.tolist() == [1, 1, 2, 3, 3] and m.sensor_datatype[0] == 0
    assert d.sensordata[0] == -0.5 and d.sensordata[8] == 1 and abs(d.sensordata[14]) > 100
    conjoint.mj_step(m, d)
    conjoint.mj_step1(m, d)
    # contacts of the previous step, which the sensor reads in the first half of the next step
    np.testing.assert_allclose(d.sensordata[1:8], [1, 0.3, -0.2, -0.005, 0, 0, -1], atol=1e-9)
    batch = Batch(m, 9)
    batch.step(3)
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d, 3)
    np.testing.assert_allclose(batch.sensordata, np.tile(d.sensordata, (9, 1)), atol=1e-9)
    assert not world("4.0", TOUCH.format(9)).sensordata[1:].any()
    assert world("3.3.5", TOUCH.format(9)).sensordata[16] == 0.3
    assert world("3.3.5", TOUCH.format(0.09)).model.sensor_needstage.tolist() == [1, 3, 3, 3, 3]
