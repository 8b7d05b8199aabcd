"""Distances between geoms agree with MuJoCo."""

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model, adopt_state

pytestmark = pytest.mark.plain

GEOMS = {
    "plane": "0 0 .1",
    "sphere": ".3",
    "capsule": ".1 .3",
    "ellipsoid": ".2 .3 .1",
    "cylinder": ".2 .3",
    "box": ".2 .3 .1",
}
MOVES = 'mocap="true"'
PAIRS = [
    ("plane", "sphere"), ("plane", "capsule"), ("plane", "ellipsoid"), ("plane", "cylinder"), ("plane", "box"), ("sphere", "sphere"),
    ("capsule", "sphere"), ("sphere", "cylinder"), ("box", "sphere"), ("capsule", "capsule"), ("box", "capsule"), ("plane", "plane"),
]  # fmt: skip


@pytest.mark.parametrize("kinds", PAIRS)
def test_distances_equal_the_official_ones(kinds: tuple[str, str]) -> None:
    """Geom distances and nearest points agree with MuJoCo for separate, overlapping and distant geoms."""
    bodies = "".join(
        f'<body mocap="true" pos="{i} 0 0"><geom contype="0" conaffinity="0" type="{kind}" size="{GEOMS[kind]}"/></body>'
        for i, kind in enumerate(kinds)
    ).replace(
        '<body mocap="true" pos="0 0 0"><geom contype="0" conaffinity="0" type="plane"',
        '<body><geom contype="0" conaffinity="0" type="plane"',
    )
    official_model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    m = adopt_model(official_model)
    generator = np.random.default_rng(0)
    for _ in range(20):
        official = mujoco.MjData(official_model)
        official.mocap_pos[:] = generator.uniform(-0.7, 0.7, official.mocap_pos.shape)
        official.mocap_quat[:] = generator.standard_normal(official.mocap_quat.shape)
        d = adopt_state(m, official_model, official)
        mujoco.mj_kinematics(official_model, official)
        conjoint.mj_kinematics(m, d)
        for first, second in ((0, 1), (1, 0)):
            ours, theirs = np.ones(6), np.ones(6)
            distance = conjoint.mj_geomDistance(m, d, first, second, 0.8, ours)
            expected = mujoco.mj_geomDistance(official_model, official, first, second, 0.8, theirs)
            assert distance == pytest.approx(expected, abs=1e-6)
            np.testing.assert_allclose(ours, theirs, atol=1e-4)
        assert conjoint.mj_geomDistance(m, d, 0, 1, 0.8, None) == pytest.approx(expected, abs=1e-6)
    with pytest.raises(conjoint.FatalError, match="invalid geom 2"):
        conjoint.mj_geomDistance(m, d, 0, 2, 1.0, None)
    with pytest.raises(TypeError, match="fromto should be of size 6"):
        conjoint.mj_geomDistance(m, d, 0, 1, 1.0, np.zeros(5))


MESH = " ".join(map(str, 0.3 * np.random.default_rng(1).standard_normal(120)))


@pytest.mark.parametrize("hull", [True, False])
@pytest.mark.parametrize("kinds", [("plane", "mesh"), ("capsule", "box")])
def test_distances_from_afar_equal_the_official_ones(kinds: tuple[str, str], hull: bool) -> None:
    """Distances of up to about 60 m agree with MuJoCo, except if MuJoCo's limited capsule-box search finds no distance."""
    shapes = {kind: f'type="{kind}" size="{size}"' for kind, size in GEOMS.items()} | {
        "mesh": 'type="mesh" mesh="mesh"'
    }
    bodies = "".join(f"<body {'' if kind == 'plane' else MOVES}><geom {shapes[kind]}/></body>" for kind in kinds)
    xml = f'<mujoco><asset><mesh name="mesh" vertex="{MESH}"/></asset><worldbody>{bodies}</worldbody></mujoco>'
    official_model = mujoco.MjModel.from_xml_string(xml)
    if not hull:
        official_model.mesh_graphadr[:] = -1
    m = adopt_model(official_model)
    generator = np.random.default_rng(0)
    missed = 0
    for span in np.geomspace(0.3, 60, 20):
        official = mujoco.MjData(official_model)
        official.mocap_pos[:] = span * generator.uniform(-1, 1, official.mocap_pos.shape)
        quats = generator.standard_normal(official.mocap_quat.shape)
        official.mocap_quat[:] = quats / np.linalg.norm(quats, axis=1)[:, None]
        d = adopt_state(m, official_model, official)
        mujoco.mj_kinematics(official_model, official)
        conjoint.mj_kinematics(m, d)
        ours, theirs = np.ones(6), np.ones(6)
        distance = conjoint.mj_geomDistance(m, d, 0, 1, 200.0, ours)
        expected = mujoco.mj_geomDistance(official_model, official, 0, 1, 200.0, theirs)
        if expected == 200.0:
            # MuJoCo did not find this distance, but the nearest points confirm it
            missed += 1
            assert 0.0 < distance == pytest.approx(np.linalg.norm(ours[3:] - ours[:3]), abs=1e-9)
            continue
        assert distance == pytest.approx(expected, abs=1e-9)
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    assert (missed > 0) == (kinds[0] == "capsule")


PLATEAU = " ".join(["0", *["1"] * 34])
BELOW = {
    'type="sphere" size=".1"': 0.1, 'type="capsule" size=".05 .15"': 0.2, 'type="ellipsoid" size=".1 .12 .15"': 0.15,
    'type="cylinder" size=".1 .12"': 0.12, 'type="box" size=".1 .12 .07"': 0.07, 'type="mesh" mesh="cube"': 0.1,
}  # fmt: skip


@pytest.mark.parametrize("turned", ["", 'euler="30 40 20" pos=".3 .2 -.1"'])
@pytest.mark.parametrize("shape", BELOW)
def test_distance_to_a_height_field_is_the_height_above_it(shape: str, turned: str) -> None:
    """The distance to a height field is the height above it, even if it is rotated, in both argument orders and in a sensor."""
    xml = f"""<mujoco><asset><hfield name="h" nrow="5" ncol="7" size="1.2 1 .5 .1" elevation="{PLATEAU}"/>
      <mesh name="cube" vertex="{" ".join(f"{x} {y} {z}" for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1))}"/></asset>
      <worldbody><body {turned}><geom type="hfield" name="f" hfield="h"/><body><geom name="g" {shape}/></body>
      </body></worldbody><sensor><distance geom1="g" geom2="f" cutoff="2"/></sensor></mujoco>"""
    m = conjoint.MjModel.from_xml_string(xml)
    d = conjoint.MjData(m)
    half = BELOW[shape]
    height = 0.5 + half
    for x, y, z, right in ((0.1, 0.2, height + 0.05, 0.05), (0.3, -0.1, height + 1.0, 1.0), (-0.2, 0.3, height - 0.02, -0.02),
                           (0.1, 0.1, -0.1 - half - 0.3, 0.3), (0.1, 0.2, height + 2.5, 2.0)):  # fmt: skip
        m.body_pos[2] = (x, y, z)
        conjoint.mj_forward(m, d)
        field, geom = (conjoint.mj_name2id(m, conjoint.mjtObj.mjOBJ_GEOM, name) for name in "fg")
        ends, swapped = np.zeros(6), np.zeros(6)
        assert conjoint.mj_geomDistance(m, d, field, geom, 2.0, ends) == pytest.approx(right, abs=1e-6)
        assert conjoint.mj_geomDistance(m, d, geom, field, 2.0, swapped) == pytest.approx(right, abs=1e-6)
        np.testing.assert_array_equal(swapped, np.concatenate([ends[3:], ends[:3]]))
        assert d.sensordata[0] == pytest.approx(right, abs=1e-6)
        if right < 2.0:
            assert np.linalg.norm(ends[3:] - ends[:3]) == pytest.approx(abs(right), abs=1e-6)


@pytest.mark.parametrize("halves", [(0.8, 0.3), (0.3, 0.8)])
def test_parallel_capsules_are_nearest_at_any_of_their_ends(halves: tuple[float, float]) -> None:
    """The distance between parallel capsules of different lengths is correct; MuJoCo may test only the longer one's ends."""
    bodies = "".join(f'<body mocap="true"><geom type="capsule" size=".1 {half}"/></body>' for half in halves)
    m = conjoint.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    d = conjoint.MjData(m)
    d.mocap_pos[1] = (0.25, 0.0, 0.1)
    conjoint.mj_kinematics(m, d)
    assert conjoint.mj_geomDistance(m, d, 0, 1, 5.0, None) == pytest.approx(0.05)


@pytest.mark.parametrize("scale", [1.0, 30.0, 1000.0])
def test_large_capsules_touch_large_boxes(scale: float) -> None:
    xml = f"""<mujoco><worldbody><geom type="box" size="{scale} {scale} {scale}"/><body pos="0 0 {1.999 * scale}"><freejoint/>
      <geom type="capsule" size="{scale} {scale}" quat="1 1 0 0"/></body></worldbody></mujoco>"""
    m = conjoint.MjModel.from_xml_string(xml)
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    np.testing.assert_allclose(d.contact.dist, [-0.001 * scale] * 2)
    assert conjoint.mj_geomDistance(m, d, 0, 1, 2 * scale, None) == pytest.approx(-0.001 * scale)


def test_distances_follow_types_that_a_program_changes() -> None:
    """The current geom types select the distance function, and negative ids are invalid."""
    bodies = "".join(f'<body pos="{i} 0 0"><freejoint/><geom type="{kind}" size=".1 .1 .3"/></body>' for i, kind in
                     enumerate(("sphere", "box", "cylinder")))  # fmt: skip
    text = f"<mujoco><worldbody>{bodies}</worldbody></mujoco>"
    m, official_model = conjoint.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    d, official = conjoint.MjData(m), mujoco.MjData(official_model)
    conjoint.mj_forward(m, d)
    mujoco.mj_forward(official_model, official)
    for kind in (mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE):
        for first, second in ((0, 1), (1, 0), (1, 2), (2, 1), (0, 2)):
            ours, theirs = np.ones(6), np.ones(6)
            distance = conjoint.mj_geomDistance(m, d, first, second, 3.0, ours)
            assert distance == pytest.approx(
                mujoco.mj_geomDistance(official_model, official, first, second, 3.0, theirs), abs=1e-6
            )
            np.testing.assert_allclose(ours, theirs, atol=1e-3)
        m.geom_type[1] = official_model.geom_type[1] = kind
    for wrong in (-1, -3, 3):
        for pair in ((0, wrong), (wrong, 0)):
            with pytest.raises(conjoint.FatalError, match=f"invalid geom {wrong}"):
                conjoint.mj_geomDistance(m, d, *pair, 1.0, None)
