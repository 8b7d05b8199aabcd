"""Sensor features of newer versions: data of rays, cameras as rangefinders, velocities of contacts.

Expected values are those of mujoco==4.0.0 after mj_forward.
"""

import numpy as np
import pytest

import conjoint

SCENE = """<mujoco><worldbody><geom name="floor" type="plane" size="10 10 1"/><geom type="sphere" size=".3" pos=".4 0 1"/>
<geom type="box" size=".3 .2 .1" pos="-.4 .1 1" euler="10 20 30"/><body name="a" pos="2 0 .0999"><freejoint/>
<geom name="g" type="box" size=".1 .1 .1"/></body><body><site name="s" pos="0.3 0 3" xyaxes="1 0 0 0 -1 0"/>
<camera name="p" pos="0 0 3" resolution="2 2" fovy="20"/>
<camera name="o" pos="0 0 3" resolution="2 1" fovy="1" projection="orthographic"/>
<camera name="f" pos="0 0 3" resolution="1 2" sensorsize=".02 .01" focal=".01 .02" principal=".001 .002"/></body>
</worldbody><sensor><rangefinder site="s" data="dist dir origin point normal depth"/>
<rangefinder camera="p" data="dist normal"/><rangefinder camera="o" data="origin point"/>
<rangefinder camera="f" data="dir"/><rangefinder camera="p" data="depth" cutoff="2.5"/><rangefinder site="s"/>
<contact data="linvel angvel" num="2" geom1="g"/><contact data="linvel" geom2="g" geom1="floor"/></sensor></mujoco>"""

READINGS = [
    [1.717157, 0, 0, -1, 0.3, 0, 3, 0.3, 0, 1.282843, -0.333333, 0, 0.942809, 1.717157],
    [1.978131, 0.34202, -0.163176, 0.925417, 1.925307, -0.771875, 0.561459, 0.298285, 3.023228, 0, 0, 1, 1.925307,
     -0.771875, -0.561459, 0.298285],
    [-0.25, 0, 3, -0.25, 0, 1.034989, 0.25, 0, 3, 0.25, 0, 1.259808],
    [0.668849, -0.018579, -0.743166, 0.655413, -0.200265, -0.728236],
    [1.962932, 1.910515, 2.5, 1.910515], [1.717157],
    [-0.09, 0.179975, 0.31003, 0.7, 0.6, 0.5, -0.21, 0.319975, 0.31003, 0.7, 0.6, 0.5],
    [-0.09, 0.179975, -0.31003],
]  # fmt: skip


def readings(xml: str) -> list[np.ndarray]:
    m = conjoint.MjModel.from_xml_string(xml)
    d = conjoint.MjData(m)
    d.qvel[:] = [0.3, 0.2, -0.1, 0.5, 0.6, 0.7]
    conjoint.mj_forward(m, d)
    return np.split(d.sensordata, m.sensor_adr[1:])


@pytest.mark.usefixtures("edition")
def test_readings_are_the_official_ones() -> None:
    for mine, theirs in zip(readings(SCENE), READINGS, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-6)


def test_what_is_saved_reads_the_same() -> None:
    spec = conjoint.MjSpec.from_string(SCENE)
    spec.compile()
    for mine, again in zip(readings(SCENE), readings(spec.to_xml()), strict=True):
        np.testing.assert_array_equal(mine, again)


@pytest.mark.parametrize(
    ("sensor", "message"),
    [
        ("<rangefinder/>", "exactly one of site and camera"),
        ('<rangefinder site="s" camera="p"/>', "exactly one of site and camera"),
        ('<rangefinder site="s" data="point dist"/>', "in this order: dist, dir, origin"),
        ('<rangefinder site="s" data="colour"/>', "data 'colour' is not one of dist, dir"),
        ('<contact data="linvel" reduce="netforce"/>', "cannot be combined with reduce netforce"),
    ],
)
def test_what_is_refused(sensor: str, message: str) -> None:
    with pytest.raises(conjoint.ModelError, match=message):
        conjoint.MjModel.from_xml_string(SCENE.replace("<sensor>", "<sensor>" + sensor))


def test_meshes_are_sites() -> None:
    """A mesh site contains the points of the mesh's convex hull; its sizes are those of mujoco==4.0.0."""
    xml = """<mujoco><asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
    <site name="s" type="mesh" mesh="t" pos="1 0 0"/><site name="o" pos="1.1 .1 .1"/><site name="p" pos="1.4 .4 .4"/>
    </worldbody><sensor><insidesite objtype="site" objname="o" site="s"/><insidesite objtype="site" objname="p" site="s"/>
    </sensor></mujoco>"""
    spec = conjoint.MjSpec.from_string(xml)
    for m in (spec.compile(), conjoint.MjModel.from_xml_string(spec.to_xml())):
        d = conjoint.MjData(m)
        conjoint.mj_forward(m, d)
        assert d.sensordata.tolist() == [1, 0] and m.site_dataid.tolist() == [0, -1, -1]
        np.testing.assert_allclose(m.site_size[0], [0.4330127, 0.70710678, 0.81649658], atol=1e-8)
        points = ([1.3, 0.3, 0.3], [1.34, 0.33, 0.33], [0.99, 0.1, 0.1])
        assert [conjoint.mj_insideSite(m, d, 0, point) for point in points] == [1, 0, 0]
    for site, message in (
        ('<site type="mesh"/>', "needs the attribute 'mesh'"),
        ('<site mesh="t"/>', "only a site of type mesh"),
    ):
        with pytest.raises(conjoint.ModelError, match=message):
            conjoint.MjModel.from_xml_string(xml.replace("<worldbody>", "<worldbody>" + site))


def test_specifications_know_what_rangefinders_report() -> None:
    """The `data` of a rangefinder sets its dimension in a specification, as in a model; `get_data_size` counts only one ray."""
    xml = """<mujoco><worldbody><site name="s"/></worldbody><sensor><rangefinder site="s" data="dir point" cutoff=".5"/>
    <rangefinder site="s"/></sensor></mujoco>"""
    spec = conjoint.MjSpec.from_string(xml)
    assert [sensor.get_data_size() for sensor in spec.sensors] == [6, 1]
    for m in (spec.compile(), conjoint.MjModel.from_xml_string(xml)):
        assert m.sensor_datatype.tolist() == [0, 1] and m.sensor_dim.tolist() == [6, 1]


def test_cameras_of_one_pixel_are_saved() -> None:
    camera = '<camera resolution="1 1" sensorsize=".1 .1" focal=".1 .1"/>'
    spec = conjoint.MjSpec.from_string(f"<mujoco><worldbody>{camera}</worldbody></mujoco>")
    again = conjoint.MjModel.from_xml_string(spec.to_xml())
    assert again.cam_resolution.tolist() == [[1, 1]] and again.cam_sensorsize[0] == pytest.approx([0.1, 0.1])
