"""Distances between geoms, compared with the official package."""

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
    """Apart, overlapping, too far; points on both geoms."""
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
    """A capsule looks for a box only so far; of a mesh without a hull all vertices are tried."""
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
        assert distance == pytest.approx(
            mujoco.mj_geomDistance(official_model, official, 0, 1, 200.0, theirs), abs=1e-9
        )
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
        missed += distance == 200.0
    assert (missed > 0) == (kinds[0] == "capsule")
