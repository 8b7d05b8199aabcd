"""Sensors that depend on the whole scene, and edge cases of all sensor types, agree with MuJoCo."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model, adopt_state
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from sensor_models import ALL, SENSORS, WORLD

pytestmark = pytest.mark.plain


def random_states(model: Any, count: int) -> list[Any]:
    """Return MuJoCo data with moving, penetrating bodies, after mj_forward."""
    generator = np.random.default_rng(1)
    states = []
    for _ in range(count):
        data = mujoco.MjData(model)
        data.time = 0.3
        data.qpos[:] += 0.12 * generator.standard_normal(model.nq)
        data.qvel[:] = generator.standard_normal(model.nv)
        mujoco.mj_forward(model, data)
        states.append(data)
    return states


@pytest.mark.parametrize("what", SENSORS)
def test_readings_equal_the_official_ones(what: str) -> None:
    """Sensor values agree with MuJoCo in random states, with geoms separate, touching and penetrating."""
    official_model = mujoco.MjModel.from_xml_string(WORLD.format(SENSORS[what]))
    m = adopt_model(official_model)
    readings = []
    for official in random_states(official_model, 12 if jit_enabled() else 3):
        d = adopt_state(m, official_model, official)
        d.qacc_warmstart[:] = official.qacc
        conjoint.mj_forward(m, d)
        # forces agree up to the solver's tolerance
        for s in range(m.nsensor):
            part = slice(m.sensor_adr[s], m.sensor_adr[s] + m.sensor_dim[s])
            expected = official.sensordata[part]
            scale = max(1.0, np.abs(expected).max())
            np.testing.assert_allclose(d.sensordata[part], expected, atol=1e-6 * scale, err_msg=f"sensor {s}")
        for name in ("cacc", "cfrc_int", "subtree_linvel"):
            assert (np.abs(getattr(d, name)).max() > 0) == (np.abs(getattr(official, name)).max() > 0), name
        readings.append(official.sensordata.copy())
    # sensor values must vary between states
    assert (np.std(readings, axis=0) > 0).sum() > 1


@pytest.mark.usefixtures("edition")
@pytest.mark.skipif(not jit_enabled(), reason="batches are compiled")
@pytest.mark.parametrize("real", ["float64", "float32"])
def test_readings_of_worlds_side_by_side(real: str) -> None:
    """Worlds of a batch have the sensor values of single worlds."""
    official_model = mujoco.MjModel.from_xml_string(ALL)
    m = adopt_model(official_model)
    states = random_states(official_model, 10)
    batch = Batch(m, len(states), precision=real)
    expected = []
    for k, official in enumerate(states):
        d = adopt_state(m, official_model, official)
        batch.qpos[k], batch.qvel[k], batch.time[k] = d.qpos, d.qvel, d.time
        d.qacc_warmstart[:] = 0
        conjoint.mj_forward(m, d)
        expected.append(d.sensordata.copy())
    batch.forward()
    scale = np.maximum(1.0, np.abs(expected).max(axis=0))
    error = np.abs(batch.sensordata - expected) / scale
    assert error.max() < (1e-9 if real == "float64" else 1e-3)


@pytest.mark.usefixtures("edition")
def test_of_equal_distances_that_of_the_first_pair_counts() -> None:
    """Among geom pairs of equal distance, the sensor reports the first pair, whatever the types of its geoms."""
    xml = """<mujoco><worldbody><body name="a"><geom type="capsule" size=".1 .2" pos="0 -1 0"/><geom size=".1" pos="1 0 0"/>
    <geom type="capsule" size=".1 .2" pos="-1 0 0"/></body><body name="b"><geom size=".1"/></body></worldbody>
    <sensor><fromto body1="a" body2="b" cutoff="5"/><fromto body1="b" body2="a" cutoff="5"/></sensor></mujoco>"""
    official_model = mujoco.MjModel.from_xml_string(xml)
    m = adopt_model(official_model)
    d, official = conjoint.MjData(m), mujoco.MjData(official_model)
    conjoint.mj_forward(m, d)
    mujoco.mj_forward(official_model, official)
    np.testing.assert_allclose(d.sensordata, official.sensordata, atol=1e-12)


@pytest.mark.usefixtures("edition")
def test_readings_do_not_change_while_sensors_are_disabled() -> None:
    official_model = mujoco.MjModel.from_xml_string(ALL)
    m = adopt_model(official_model)
    m.opt.disableflags |= int(conjoint.mjtDisableBit.mjDSBL_SENSOR)
    d = conjoint.MjData(m)
    d.sensordata[:] = 7
    conjoint.mj_forward(m, d)
    assert (d.sensordata == 7).all()


SHAPES = {"sphere": ".4", "capsule": ".2 .3", "ellipsoid": ".2 .3 .4", "cylinder": ".3 .2", "box": ".2 .3 .4"}


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(
    "shape", ["sphere", *(pytest.param(s, marks=pytest.mark.compiled_only) for s in SHAPES if s != "sphere")]
)
def test_points_inside_of_sites(shape: str) -> None:
    """insidesite agrees with MuJoCo for a point that moves along the axes of each shape and to random positions."""
    official_model = mujoco.MjModel.from_xml_string(
        f'''<mujoco><worldbody><site name="zone" type="{shape}" size="{SHAPES[shape]}" pos=".1 .2 .3" euler="10 20 30"/>
        <body name="point" mocap="true"/></worldbody><sensor><insidesite site="zone" objtype="xbody" objname="point"/></sensor></mujoco>'''
    )
    m = adopt_model(official_model)
    d, official = conjoint.MjData(m), mujoco.MjData(official_model)
    mujoco.mj_kinematics(official_model, official)
    generator = np.random.default_rng(0)
    axes = [x * np.eye(3)[k] for k in range(3) for x in np.arange(-0.67, 0.7, 0.02)]
    readings = []
    # points slightly inside and outside the surface, in random directions
    size, geomtype = official_model.site_size[0], int(official_model.site_type[0])
    ways = generator.standard_normal((40, 3))
    reach = [mujoco.mju_rayGeom(np.zeros(3), np.eye(3).ravel(), size, np.zeros(3), way, geomtype) for way in ways]
    border = [way * x * scale for way, x in zip(ways, reach, strict=True) for scale in (0.999, 1.001)]
    for local in [*axes, *border, *generator.uniform(-0.5, 0.5, (200, 3))]:
        point = official.site_xpos[0] + official.site_xmat[0].reshape(3, 3) @ local
        for package, model, data in ((conjoint, m, d), (mujoco, official_model, official)):
            data.mocap_pos[0] = point
            package.mj_kinematics(model, data)
            package.mj_sensorPos(model, data)
        assert d.sensordata[0] == official.sensordata[0], local
        readings.append(d.sensordata[0])
    assert 0.1 < np.mean(readings) < 0.9


TOUCHES = """<mujoco><worldbody><geom type="plane" size="3 3 .1"/><body name="a" pos="0 0 .14"><freejoint/>
<geom size=".15"/><geom size=".15" pos=".5 0 0"/><geom size=".15" pos="0 .5 0"/>{sites}</body>
<body name="b" pos="0 0 .42"><freejoint/><geom size=".15"/><geom size=".15" pos="-.5 0 -.3"/></body></worldbody><sensor>{sensors}</sensor></mujoco>"""
ZONES = [
    (shape, size, pos, euler)
    for shape, size in (("sphere", ".13"), ("capsule", ".07 .08"), ("ellipsoid", ".15 .09 .07"), ("cylinder", ".1 .04"), ("box", ".1 .07 .05"))
    for pos in ("0 0 0", "0 0 -.14", ".5 0 -.2", "0 .5 .1", "0 .07 -.1")
    for euler in ("0 0 0", "20 50 10")
]  # fmt: skip


@pytest.mark.usefixtures("edition")
def test_touch_sensors() -> None:
    """Touch sensors agree with MuJoCo for zones of all shapes and contacts inside and outside of them."""
    sites = "".join(
        f'<site name="s{i}" type="{z[0]}" size="{z[1]}" pos="{z[2]}" euler="{z[3]}"/>' for i, z in enumerate(ZONES)
    )
    sensors = "".join(f'<touch site="s{i}"/>' for i in range(len(ZONES)))
    official_model = mujoco.MjModel.from_xml_string(TOUCHES.format(sites=sites, sensors=sensors))
    m = adopt_model(official_model)
    readings = []
    for k, official in enumerate(random_states(official_model, 6)):
        official.qpos[:] = official_model.qpos0 + [0.0, 0.1, 0.3][k % 3] * (official.qpos - official_model.qpos0)
        mujoco.mj_forward(official_model, official)
        d = adopt_state(m, official_model, official)
        d.qacc_warmstart[:] = official.qacc
        conjoint.mj_forward(m, d)
        scale = max(1.0, official.sensordata.max())
        np.testing.assert_allclose(d.sensordata, official.sensordata, atol=1e-6 * scale)
        readings.append(official.sensordata.copy())
    touched = (np.array(readings) > 0).reshape(len(readings), -1, len(ZONES) // 5)
    assert (touched.any(axis=0).sum(axis=1) > 1).all() and not touched.all(axis=0).any(), (
        "zones of each shape, some missed"
    )


TACTILE = """<mujoco><asset><mesh name="pad" builtin="{shape}" scale=".3 .2 .25"/></asset><worldbody>{other}
<body name="b" pos="0 0 .15" euler="10 20 30"><freejoint/><geom name="ball" size=".2"/>
<geom name="skin" type="mesh" mesh="pad" contype="0" conaffinity="0" mass="0" pos=".02 .01 0" euler="30 0 0"/></body></worldbody>
<sensor><tactile geom="skin" mesh="pad"/><clock/></sensor></mujoco>"""


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("shape", ['wedge" params="7 6 45 45 0', 'plate" params="7 5'])
@pytest.mark.parametrize(
    "others",
    [
        ("plane", "1 1 1"),
        ("sphere", ".3"),
        ("capsule", ".2 .3"),
        ("ellipsoid", ".2 .3 .4"),
        ("cylinder", ".3 .2"),
        ("box", ".3 .3 .2"),
    ],
)
def test_tactile_sensors(shape: str, others: tuple[str, str]) -> None:
    """Pressure and sliding velocity agree with MuJoCo for a tactile sensor that touches each shape.

    Where geoms penetrate each other, the sensor reports the geom that is listed last.
    """
    kind, size = others
    geom = (
        f'<geom type="{kind}" size="{size}" euler="5 10 0"/><body pos=".1 .1 .3"><freejoint/><geom size=".2"/></body>'
    )
    official_model = mujoco.MjModel.from_xml_string(TACTILE.format(shape=shape, other=geom))
    m = adopt_model(official_model)
    readings = []
    for official in random_states(official_model, 4):
        d = adopt_state(m, official_model, official)
        d.sensordata[:] = 7
        conjoint.mj_forward(m, d)
        np.testing.assert_allclose(d.sensordata, official.sensordata, atol=2e-6)  # normals are in single precision
        readings.append(official.sensordata[:-1].copy())
    assert (np.abs(readings) > 0).mean() > 0.05


@pytest.mark.usefixtures("edition")
def test_tactile_sensors_feel_each_geom_once() -> None:
    """A tactile sensor counts each geom once, in order of first listing, even if several pairs list it."""
    bodies = """<body><freejoint/><geom size=".2" pos="0 0 .15"/><geom size=".25" pos=".1 0 .1"/></body>"""
    xml = TACTILE.format(shape='plate" params="7 5', other="").replace(
        '<geom name="ball" size=".2"/>', '<geom size=".2"/><geom size=".21"/>'
    )
    official_model = mujoco.MjModel.from_xml_string(xml.replace("</worldbody>", f"{bodies}</worldbody>"))
    m = adopt_model(official_model)
    listed = set()
    for official in random_states(official_model, 4):
        d = adopt_state(m, official_model, official)
        conjoint.mj_forward(m, d)
        np.testing.assert_allclose(d.sensordata, official.sensordata, atol=2e-6)
        listed.add(tuple(int(c.geom2) for c in official.contact))
    assert any(len(geoms) > len(set(geoms)) > 1 for geoms in listed)


def test_tactile_sensors_that_are_refused() -> None:
    """Tactile sensors on a mesh without tangents are refused; MuJoCo reads out of bounds."""
    m = conjoint.MjModel.from_xml_string(TACTILE.format(shape='sphere" params="2', other=""))
    with pytest.raises(conjoint.FatalError, match="need a mesh with tangents, a builtin plate or wedge, unlike mesh 0"):
        conjoint.mj_step(m, conjoint.MjData(m))


OBJECTS = {"body": "a", "xbody": "b", "geom": "a1", "site": "eye", "camera": "held"}
REFERENCES = {"body": "c", "xbody": "a2", "geom": "c0", "site": "foot", "camera": "wide"}
FRAMES = "".join(
    f'<{tag} objtype="{kind}" objname="{name}" {reference} {cutoff}/>'
    for tag, cutoff in (
        *(
            (tag, "")
            for tag in ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel")
        ),
        ("framepos", 'cutoff=".2"'),
        ("framelinvel", 'cutoff=".2"'),
    )
    for kind, name in OBJECTS.items()
    for reference in ("", *(f'reftype="{k}" refname="{n}"' for k, n in REFERENCES.items()))
) + "".join(
    f'<{tag} objtype="{kind}" objname="{name}"/>'
    for tag in ("framelinacc", "frameangacc")
    for kind, name in OBJECTS.items()
)
SITES = "".join(
    f'<{tag} site="{site}"/><{tag} site="{site}" cutoff=".3"/>'
    for tag in ("accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer")
    for site in ("eye", "foot", "ball")
)
TREES = "".join(
    f'<{tag} body="{body}"/><{tag} body="{body}" cutoff=".1"/>'
    for tag in ("subtreecom", "subtreelinvel", "subtreeangmom")
    for body in ("a", "a2", "b", "world")
)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("sensors", [FRAMES, SITES, TREES], ids=["frames", "sites", "trees"])
def test_frames_of_all_objects_in_all_frames(sensors: str) -> None:
    """Frame sensors agree with MuJoCo for every object type in every type of moving reference frame."""
    official_model = mujoco.MjModel.from_xml_string(WORLD.format(sensors))
    m = adopt_model(official_model)
    for official in random_states(official_model, 3):
        d = adopt_state(m, official_model, official)
        d.qacc_warmstart[:] = official.qacc
        conjoint.mj_forward(m, d)
        for s in range(m.nsensor):
            part = slice(m.sensor_adr[s], m.sensor_adr[s] + m.sensor_dim[s])
            scale = max(1.0, np.abs(official.sensordata[part]).max())
            np.testing.assert_allclose(
                d.sensordata[part], official.sensordata[part], atol=1e-6 * scale, err_msg=f"sensor {s}"
            )
        assert (np.abs(d.subtree_linvel).max() > 0) == (np.abs(official.subtree_linvel).max() > 0)


@pytest.mark.parametrize("depth", ["0", "1e-17", "-1e-17", "1e-12", "-1e-12"])
def test_points_in_the_plane_of_a_camera(depth: str) -> None:
    """A point in the camera plane is projected with the same tiny divisor as in MuJoCo."""
    official_model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><worldbody><camera name="eye" resolution="64 48"/><site name="point" pos=".2 -.3 {depth}"/></worldbody>
        <sensor><camprojection site="point" camera="eye"/></sensor></mujoco>"""
    )
    m = adopt_model(official_model)
    d, official = conjoint.MjData(m), mujoco.MjData(official_model)
    conjoint.mj_forward(m, d)
    mujoco.mj_forward(official_model, official)
    assert np.abs(official.sensordata).max() > 1e10
    np.testing.assert_allclose(d.sensordata, official.sensordata, rtol=1e-12)
