"""Sensor insidesite with data `enclosed`, camera outputs, and force limits of tendon actuators.

The sensor's value, the largest height by which an object protrudes from a site, is exact for all pairs of convex shapes.
MuJoCo 4.0.0 computes it by a search that may end below the largest height. Only its correct values are recorded here.
"""

import numpy as np
import pytest

import conjoint
from conjoint.derivative import jacobian

SHAPES = {
    "sphere": 'size=".2"', "capsule": 'size=".15 .3"', "ellipsoid": 'size=".2 .3 .4"', "cylinder": 'size=".2 .3"',
    "box": 'size=".2 .25 .3"', "mesh": 'mesh="m"',
}  # fmt: skip
MESH = '<mesh name="m" vertex="0 0 0 .4 0 0 0 .3 0 0 0 .5 .2 .2 .3 .1 .3 .4"/>'
VOLUMES = "".join(
    f'<site name="{kind}" type="{kind}" {size} pos=".1 .2 .3" euler="20 30 40"/>' for kind, size in SHAPES.items()
)
GEOMS = "".join(
    f'<body name="{kind}" pos=".2 .1 .4" quat=".5 .4 -.3 .7"><joint type="slide"/><geom type="{kind}" {size}/></body>'
    for kind, size in SHAPES.items()
)
PAIRS = [(kind, volume) for kind in SHAPES for volume in SHAPES]
SENSORS = "".join(f'<insidesite objtype="body" objname="{k}" site="{v}" enclosed="true"/>' for k, v in PAIRS)
ALL = f"""<mujoco><asset>{MESH}</asset><worldbody>{VOLUMES}{GEOMS}</worldbody><sensor>{SENSORS}
<insidesite objtype="xbody" objname="world" site="box" enclosed="true"/>
<insidesite objtype="site" objname="mesh" site="ellipsoid" enclosed="true" cutoff=".1"/>
<insidesite objtype="geom" objname="inner" site="box" enclosed="true"/>
<insidesite objtype="geom" objname="inner" site="box"/></sensor></mujoco>""".replace(
    "</worldbody>",
    '<geom name="inner" type="capsule" size=".02 .1" pos=".1 .2 .3"/></worldbody>',
)

OFFICIAL = [
    0.1732051, 0.1138675, 0.05063645, 0.06099958, 0.06099958, 0.2638675,
    0.4138443, 0.2612527, 0.2731465, 0.2543044, 0.2448309, 0.3934308,
    0.3655846, 0.2201162, 0.2275895, 0.2095092, 0.2086207, 0.3699435,
    0.3319867, 0.2511117, 0.210773, 0.2201268, 0.2201268, 0.4011113,
    0.3998106, 0.3359172, 0.2803944, 0.2911305, 0.2911305, 0.4859134,
    0.4622581, 0.3307998, 0.3478704, 0.3017033, 0.2869522, 0.4699449,
    0.2911305, 0.1, -0.1659923, 1,
]  # fmt: skip
"""Sensor values of mujoco==4.0.0."""


def found(xml: str) -> tuple[conjoint.MjModel, conjoint.MjData]:
    m = conjoint.MjModel.from_xml_string(xml)
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    return m, d


def heights(kind: str, size: np.ndarray, vertices: np.ndarray, ways: np.ndarray) -> np.ndarray:
    """Return how far a shape extends from its origin along each direction in its frame."""
    across = np.hypot(ways[:, 0], ways[:, 1])
    return {
        "sphere": lambda: np.full(len(ways), size[0]),
        "capsule": lambda: size[0] + size[1] * abs(ways[:, 2]),
        "ellipsoid": lambda: np.linalg.norm(ways * size, axis=1),
        "cylinder": lambda: size[0] * across + size[1] * abs(ways[:, 2]),
        "box": lambda: abs(ways) @ size,
        "mesh": lambda: (ways @ vertices.T).max(axis=1),
    }[kind]()


@pytest.mark.usefixtures("edition")
def test_readings_are_the_largest_heights() -> None:
    """For every pair of shapes, the sensor value is the maximum height over all directions."""
    m, d = found(ALL)
    ways = np.random.default_rng(0).normal(size=(30000, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, np.newaxis]
    own = m.mesh_vert.astype(float)
    turn = np.zeros(9)
    conjoint.mju_quat2Mat(turn, m.mesh_quat[0])
    written = own @ turn.reshape(3, 3).T + m.mesh_pos[0]
    for number, (kind, volume) in enumerate(PAIRS):
        g, s = list(SHAPES).index(kind) + 1, list(SHAPES).index(volume)
        shape = heights(kind, m.geom_size[g], own, ways @ d.geom_xmat[g].reshape(3, 3)) + ways @ d.geom_xpos[g]
        around = heights(volume, m.site_size[s], written, ways @ d.site_xmat[s].reshape(3, 3)) + ways @ d.site_xpos[s]
        most = (shape - around).max()
        assert most - 1e-8 <= d.sensordata[number] <= most + 4e-3, (kind, volume)


@pytest.mark.usefixtures("edition")
def test_readings_are_at_least_the_official_ones() -> None:
    mine, theirs = found(ALL)[1].sensordata, np.array(OFFICIAL)
    assert (mine >= theirs - 1e-7).all()
    assert (abs(mine - theirs) > 1e-5).sum() == 2


@pytest.mark.usefixtures("edition")
def test_batches_and_derivatives() -> None:
    m, d = found(ALL)
    many = conjoint.Batch(m, 9)
    places = np.random.default_rng(1).uniform(-0.2, 0.2, (9, m.nq))
    many.qpos[:] = places
    many.forward()
    for place, readings in zip(places, np.array(many.sensordata), strict=True):
        d.qpos[:] = place
        conjoint.mj_forward(m, d)
        np.testing.assert_array_equal(readings, d.sensordata)
    slopes = jacobian(m, d, ("sensordata",), ("qpos",), "mj_forward")["sensordata"]["qpos"]
    differences = np.zeros_like(slopes)
    for k in range(m.nq):
        for sign in (1, -1):
            d.qpos[:] = places[-1]
            d.qpos[k] += sign * 1e-6
            conjoint.mj_forward(m, d)
            differences[:, k] += sign * d.sensordata / 2e-6
    np.testing.assert_allclose(slopes, differences, atol=1e-6)
    assert abs(slopes[:36]).max(axis=1).min() > 0.1


def test_what_is_saved_reads_the_same() -> None:
    spec = conjoint.MjSpec.from_string(ALL)
    m = spec.compile()
    assert m.sensor_intprm[:39, 0].tolist() == [1] * 39 and m.sensor_datatype[-2:].tolist() == [0, 1]
    assert 'site="box" enclosed="true"' in spec.to_xml()
    np.testing.assert_allclose(found(spec.to_xml())[1].sensordata, found(ALL)[1].sensordata, atol=1e-12)
    sensor = spec.sensors[-1]
    sensor.intprm = (1, 0, 0)
    m = spec.compile()
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    assert d.sensordata[-1] == d.sensordata[-2] < 0
    # a program changes the requested data in the model
    m.sensor_intprm[:] = 0
    conjoint.mj_forward(m, d)
    assert d.sensordata[-1] == 1 and set(d.sensordata.tolist()) <= {0.0, 1.0, 0.1}


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(
    ("sensor", "message"),
    [
        ('objtype="camera" objname="c" site="s" enclosed="true"', "but a camera has none"),
        ('objtype="body" objname="b" site="s" enclosed="true"', "the body 'b' has no geom"),
        ('objtype="xbody" objname="world" site="s" enclosed="true"', "the geom 'floor' is not a convex shape"),
        ('objtype="geom" objname="floor" site="s" enclosed="maybe"', "'maybe' is not one of false, true"),
    ],
)
def test_what_cannot_be_enclosed(sensor: str, message: str) -> None:
    world = '<site name="s"/><camera name="c"/><body name="b"/><geom name="floor" type="plane" size="1 1 1"/>'
    with pytest.raises(conjoint.ModelError, match=message):
        found(f"<mujoco><worldbody>{world}</worldbody><sensor><insidesite {sensor}/></sensor></mujoco>")


CAMERAS = """<mujoco><default><camera output="depth"/></default><worldbody><camera name="a"/>
<camera name="b" output="rgb segmentation"/><camera name="c" output=""/></worldbody></mujoco>"""


@pytest.mark.usefixtures("edition")
def test_outputs_of_cameras() -> None:
    """Camera outputs have the values of mujoco==4.0.0."""
    spec = conjoint.MjSpec.from_string(CAMERAS)
    m = spec.compile()
    bits = conjoint.mjtCamOutBit
    assert m.cam_output.tolist() == [2, bits.mjCAMOUT_RGB | bits.mjCAMOUT_SEG, 2]
    again = conjoint.MjModel.from_xml_string(spec.to_xml())
    assert again.cam_output.tolist() == m.cam_output.tolist()
    spec.camera("a").output = 24
    m = spec.compile()
    assert m.cam_output[0] == 24 and 'output="normal segmentation"' in spec.to_xml()
    assert conjoint.MjSpec().worldbody.add_camera().output == 1
    for text, message in (("rgb rgb", "'rgb' is repeated"), ("colour", "'colour' is not one of rgb, depth")):
        with pytest.raises(conjoint.ModelError, match=message):
            conjoint.MjModel.from_xml_string(CAMERAS.replace("rgb segmentation", text))


TENDON = """<mujoco><default>{0}</default><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody><tendon>
<fixed name="t" {1}><joint joint="j" coef="1"/></fixed></tendon><actuator><motor tendon="t"/></actuator></mujoco>"""


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(
    ("defaults", "tendon", "force"),
    [
        ("", 'actuatorfrcrange="-1 2"', 2),
        ("", 'actuatorfrcrange="-1 2" actuatorfrclimited="false"', 10),
        ("", 'actuatorfrcrange="1 1"', 10),
        ('<tendon actuatorfrcrange="-1 3"/>', "", 3),
        ('<tendon actuatorfrclimited="false"/>', 'actuatorfrcrange="-1 3"', 10),
    ],
)
def test_a_range_of_forces_limits_a_tendon(defaults: str, tendon: str, force: float) -> None:
    """The force range of a tendon limits its actuators, as documented; 3.3.5 ignores the range.

    Forces are those of mujoco==4.0.0.
    """
    spec = conjoint.MjSpec.from_string(TENDON.format(defaults, tendon))
    for m in (spec.compile(), conjoint.MjModel.from_xml_string(spec.to_xml())):
        d = conjoint.MjData(m)
        d.ctrl[:] = 10
        conjoint.mj_forward(m, d)
        assert d.qfrc_actuator.tolist() == [force]
    with pytest.raises(conjoint.ModelError, match="actuatorfrcrange must contain 0"):
        conjoint.MjModel.from_xml_string(TENDON.format("", 'actuatorfrcrange="1 2"'))
