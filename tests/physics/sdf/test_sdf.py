"""Collisions of geoms with signed distance functions agree with MuJoCo, including those of user-defined shapes."""

import functools
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from asset_files import obj
from conjoint.batch import Batch
from conjoint.lang import abs, kernel, maximum
from conjoint.physics import plugins as table
from conjoint.physics.plugin.plugin import number, plugin_number

SHAPES = {
    "bolt": "radius .255",
    "nut": "radius .26",
    "bowl": "thickness .05",
    "gear": "alpha .2",
    "torus": "radius1 .4",
}
SOLIDS = {
    "sphere": 'type="sphere" size=".2"', "capsule": 'type="capsule" size=".15 .3"', "box": 'type="box" size=".2 .15 .3"',
    "ellipsoid": 'type="ellipsoid" size=".3 .2 .15"', "cylinder": 'type="cylinder" size=".2 .25"',
}  # fmt: skip


def scene(first: str, second: str) -> str:
    """Return the XML of two penetrating geoms: the first on a mocap body, the second on a free body."""
    used = [name for name in dict.fromkeys((first, second)) if name in SHAPES]
    extension = "".join(
        f'<plugin plugin="mujoco.sdf.{n}"><instance name="{n}"><config key="{SHAPES[n].split()[0]}" value="{SHAPES[n].split()[1]}"/>'
        "</instance></plugin>"
        for n in used
    )
    meshes = "".join(f'<mesh name="{n}"><plugin instance="{n}"/></mesh>' for n in used)

    def geom(name: str) -> str:
        if name in SHAPES:
            return f'<geom type="sdf" mesh="{name}"><plugin instance="{name}"/></geom>'
        return f"<geom {SOLIDS[name]}/>"

    return (
        f'<mujoco><option sdf_initpoints="12" sdf_iterations="8"/><extension>{extension}</extension><asset>{meshes}</asset><worldbody>'
        f'<body mocap="true">{geom(first)}</body><body><freejoint/>{geom(second)}</body></worldbody></mujoco>'
    )


def poses(count: int, reach: float = 0.35) -> list[np.ndarray]:
    """Return random poses near the origin."""
    random = np.random.default_rng(1)
    found = []
    for _ in range(count):
        turn = random.normal(size=4)
        found.append(np.concatenate([random.normal(size=3) * reach, turn / np.linalg.norm(turn)]))
    return found


def contacts(package: Any, model: Any, pose: np.ndarray) -> np.ndarray:
    """Return distance, position and normal of each contact."""
    data = package.MjData(model)
    data.qpos[:7] = pose
    data.mocap_quat[0] = 0.5, 0.1, -0.7, 0.5
    package.mj_forward(model, data)
    return np.array([[c.dist, *c.pos, *np.ravel(c.frame)[:3]] for c in data.contact]).reshape(-1, 7)


@functools.cache
def models(xml: str, **files: bytes) -> tuple[Any, Any]:
    """Return MuJoCo's and Conjoint's model."""
    return tuple(package.MjModel.from_xml_string(xml, dict(files)) for package in (mujoco, conjoint))


def alike(first: np.ndarray, second: np.ndarray, tolerance: float) -> bool:
    """Return True if two arrays of contacts are equal up to the tolerance."""
    return first.shape == second.shape and np.allclose(first, second, atol=tolerance)


def share(found: list, tolerance: float) -> float:
    """Return the fraction of MuJoCo's contacts, over some poses, that Conjoint finds."""
    wanted = [(row, ours) for theirs, ours in found for row in theirs]
    assert len(wanted) > 30
    return float(np.mean([any(np.allclose(row, other, atol=tolerance) for other in ours) for row, ours in wanted]))


@pytest.mark.parametrize("solid", ["sphere", "capsule", "ellipsoid", "cylinder"])
@pytest.mark.parametrize("shape", SHAPES)
def test_solids_with_shapes(shape: str, solid: str) -> None:
    theirs, ours = models(scene(solid, shape))
    found = [
        (contacts(mujoco, theirs, pose), contacts(conjoint, ours, pose))
        for pose in poses(12, 0.5 if shape == "bowl" else 0.35)
    ]
    # gradients are finite differences, as in MuJoCo, and the descents amplify their rounding
    assert all(alike(a, b, 1e-3) for a, b in found)
    assert sum(alike(a, b, 1e-5) for a, b in found) >= 11
    assert any(len(a) for a, _ in found)


def test_boxes_with_shapes() -> None:
    """Most of MuJoCo's contacts are found; rounding decides if points on a box surface, such as corners, are inside."""
    theirs, ours = models(scene("box", "torus"))
    found = [(contacts(mujoco, theirs, pose), contacts(conjoint, ours, pose)) for pose in poses(12)]
    assert share(found, 1e-9) > 0.85


@pytest.mark.parametrize(
    ("first", "second"), [("bolt", "nut"), ("gear", "gear"), ("bowl", "torus"), ("torus", "torus")]
)
def test_shapes_with_shapes(first: str, second: str) -> None:
    theirs, ours = models(scene(first, second))
    found = [(contacts(mujoco, theirs, pose), contacts(conjoint, ours, pose)) for pose in poses(12)]
    assert sum(alike(a, b, 1e-5) for a, b in found) >= 11
    assert sum(len(a) > 0 for a, _ in found) >= 5


STAR = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]) * [0.5, 0.3, 0.4]
FACES = [[4, 0, 2], [4, 2, 1], [4, 1, 3], [4, 3, 0], [5, 2, 0], [5, 1, 2], [5, 3, 1], [5, 0, 3]]
STAR_FILE = obj(STAR, *(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES))
OCTREE = """<mujoco><option sdf_initpoints="12"/><asset><mesh name="m" file="f.obj"/></asset><worldbody>
<body mocap="true"><geom {first}/></body><body><freejoint/><geom type="sdf" mesh="m"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("first", [SOLIDS["sphere"], SOLIDS["cylinder"], 'type="sdf" mesh="m"'])
def test_meshes_by_their_octrees(first: str) -> None:
    theirs, ours = models(OCTREE.format(first=first), **{"f.obj": STAR_FILE})
    found = [(contacts(mujoco, theirs, pose), contacts(conjoint, ours, pose)) for pose in poses(20)]
    # gradients are discontinuous between cells, where rounding decides
    assert share(found, 1e-6) > 0.85


def test_planes_see_the_lowest_vertex() -> None:
    xml = scene("sphere", "nut").replace(SOLIDS["sphere"], 'type="plane" size="1 1 1"')
    theirs, ours = models(xml)
    for pose in poses(6):
        a, b = contacts(mujoco, theirs, pose), contacts(conjoint, ours, pose)
        assert len(a) == len(b)
        np.testing.assert_allclose(b[:1], a[:1], atol=1e-9)


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-12), ("float32", 2e-3)])
def test_in_batches(precision: str, tolerance: float) -> None:
    _, ours = models(scene("sphere", "torus"))
    batch = Batch(ours, 3, precision=precision)
    data = conjoint.MjData(ours)
    data.qpos[:3] = batch.qpos[:, :3] = 0.35, 0.1, 0.15
    conjoint.mj_step(ours, data, 5)
    batch.step(5)
    assert np.linalg.norm(data.qvel) > 0.1
    np.testing.assert_allclose(batch.qpos[1], data.qpos, atol=tolerance)


@pytest.mark.plain
def test_a_ring_rests_on_a_ball() -> None:
    """A ball inside the ring of a torus has a contact at the distance of the two surfaces."""
    _, ours = models(scene("sphere", "torus").replace('iterations="8"', 'iterations="30"'))
    pose = np.array([0.08, 0, 0, 1, 0, 0, 0])
    found = contacts(conjoint, ours, pose)
    # the ring's tube begins at 0.4 - 0.15 from its center, and the ball has a radius of 0.2
    np.testing.assert_allclose(found[:, 0].min(), -0.03 / 2, atol=2e-3)


CONE, STARRED = '<mesh name="c" builtin="cone" params="8 1" scale=".4 .3 .5"/>', '<mesh name="s" file="f.obj"/>'


def with_mesh(shape: str, assets: str, mesh: str) -> tuple[Any, Any]:
    """Return both packages' model of a mesh above a shape, or above a mesh with an octree."""
    xml = scene("sphere", shape).replace("</asset>", assets + "</asset>")
    xml = xml.replace(SOLIDS["sphere"], f'type="mesh" mesh="{mesh}"')
    return models(xml, **{"f.obj": STAR_FILE})


@pytest.mark.parametrize("mesh", ["c", "s"])
@pytest.mark.parametrize("shape", ["bolt", "bowl", "gear", "torus"])
def test_meshes_with_shapes(shape: str, mesh: str) -> None:
    """Contacts of meshes with shapes agree with MuJoCo: they are at the deepest triangles inside, not at the hull."""
    theirs, ours = with_mesh(shape, CONE + STARRED, mesh)
    found = [(contacts(mujoco, theirs, pose), contacts(conjoint, ours, pose)) for pose in poses(12, 0.5)]
    # all gradients except the torus's are finite differences, and those of the gear are discontinuous
    assert sum(alike(a, b, 1e-5) for a, b in found) >= 11
    assert sum(len(a) > 0 for a, _ in found) >= 4


@pytest.mark.parametrize("first", ["c", "m"])
def test_meshes_with_octrees_of_meshes(first: str) -> None:
    """SDF geoms touch meshes that have octrees themselves; MuJoCo finds no normals there and aborts."""
    xml = OCTREE.replace("</asset>", CONE + "</asset>").format(first=f'type="mesh" mesh="{first}"')
    ours = conjoint.MjModel.from_xml_string(xml, {"f.obj": STAR_FILE})
    found = np.concatenate([contacts(conjoint, ours, pose) for pose in poses(12)])
    assert len(found) > 12
    assert np.all(found[:, 0] <= 0)
    np.testing.assert_allclose(np.linalg.norm(found[:, 4:], axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("away", [0.22, 0.25, 0.28])
def test_of_many_triangles_the_deepest_count(away: float) -> None:
    """A fine ball beside a torus has contacts at its fifty deepest triangles, without duplicate points."""
    theirs, ours = with_mesh("torus", '<mesh name="b" builtin="sphere" params="3" scale=".15 .15 .15"/>', "b")
    pose = np.array([-0.4 - away, 0.01, 0.02, 1, 0, 0, 0])
    a, b = contacts(mujoco, theirs, pose), contacts(conjoint, ours, pose)
    assert len(a) == len(b) > 20
    # among equally deep triangles, the choice may differ
    np.testing.assert_allclose(b[:, 0], a[:, 0], atol=1e-9)


@pytest.mark.plain
def test_a_mesh_that_is_no_shape_touches_with_its_lowest_triangles() -> None:
    """A mesh cube of side 0.2 that penetrates the upper side of a ring by 0.01 has its contacts there."""
    cube = '<mesh name="q" vertex="-1 -1 -1 1 -1 -1 1 1 -1 -1 1 -1 -1 -1 1 1 -1 1 1 1 1 -1 1 1" scale=".1 .1 .1"/>'
    xml = scene("sphere", "torus").replace("</asset>", cube + "</asset>")
    model = conjoint.MjModel.from_xml_string(xml.replace(SOLIDS["sphere"], 'type="mesh" mesh="q"'))
    data = conjoint.MjData(model)
    # the ring is below the cube
    data.qpos[:3] = 0.4, 0, -0.1 - 0.15 + 0.01
    conjoint.mj_forward(model, data)
    assert data.ncon > 0
    np.testing.assert_allclose(data.contact.dist.min(), -0.01, atol=2e-3)
    assert np.all(np.ravel(data.contact.frame).reshape(-1, 9)[:, 2] < -0.5)


def test_what_is_missing_is_refused() -> None:
    xml = scene("sphere", "torus")
    bare = conjoint.MjModel.from_xml_string(
        xml.replace('mesh="torus"><plugin instance="torus"/></geom>', 'mesh="torus"/>')
    )
    with pytest.raises(conjoint.FatalError, match=r"sdf: geom 1 has no signed distance"):
        conjoint.mj_forward(bare, conjoint.MjData(bare))
    field = xml.replace("</asset>", '<hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>')
    field = conjoint.MjModel.from_xml_string(field.replace(SOLIDS["sphere"], 'type="hfield" hfield="h"'))
    with pytest.raises(conjoint.FatalError, match="hfield with sdf are not implemented"):
        conjoint.mj_forward(field, conjoint.MjData(field))


# ---- a shape of a user


@kernel
def cube(m: Any, i: int, p: Any) -> Any:
    """Return the distance from a cube in the maximum norm, so that outer level sets are not rounded."""
    return maximum(abs(p.x), maximum(abs(p.y), abs(p.z))) - plugin_number(m, i, 0)


def test_shapes_of_programs(request: pytest.FixtureRequest) -> None:
    mine = conjoint.mjpPlugin(
        "mine.cube", conjoint.mjtPluginCapabilityBit.mjPLUGIN_SDF, ("half",),
        init=lambda m, instance, config: [number(config, "half")],
        sdf_attribute=lambda config: [number(config, "half")],
        sdf_staticdistance=lambda x, y, z, half: np.maximum(np.abs(x), np.maximum(np.abs(y), np.abs(z))) - half,
        sdf_aabb=lambda half: (1.1 * half,) * 3,
        sdf_distance=cube,
    )  # fmt: skip
    conjoint.mjp_registerPlugin(mine)
    request.addfinalizer(lambda: table.PLUGINS.remove(mine))
    xml = scene("sphere", "torus").replace("mujoco.sdf.torus", "mine.cube").replace("radius1", "half")
    model = conjoint.MjModel.from_xml_string(xml)
    # the ball of radius 0.2 is at a face of the cube
    found = contacts(conjoint, model, np.array([0, 0, -0.55, 1, 0, 0, 0]))
    deepest = found[found[:, 0].argmin()]
    assert -0.051 < deepest[0] < -0.01
    np.testing.assert_allclose(np.abs(deepest[4:]), [0, 0, 1], atol=0.05)
