"""Ray casts against geoms agree with MuJoCo."""

from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model, adopt_state

pytestmark = pytest.mark.plain

SIZES = {
    "plane": "1 .6 .1",
    "sphere": ".4",
    "capsule": ".3 .5",
    "ellipsoid": ".3 .5 .2",
    "cylinder": ".4 .3",
    "box": ".5 .3 .4",
}
SCENE = """<mujoco><default><geom contype="0" conaffinity="0"/></default><asset><material name="clear" rgba="1 1 1 0"/><material name="solid" rgba="1 1 1 1"/>
<mesh name="ball" builtin="sphere" params="4" scale=".4 .3 .2"/><mesh name="wedge" vertex="0 0 0 .5 0 0 0 .5 0 0 0 .6 .4 .4 .4"/><hfield name="hills" nrow="5" ncol="4" size="1 .8 .5 .2" elevation="0 1 2 1  2 0 1 3  1 1 4 0  0 2 1 1  3 0 0 2"/></asset>
<worldbody><geom type="plane" size="5 5 1"/><geom size=".3" pos="0 0 1" rgba="1 1 1 0"/><geom size=".2" pos="1 0 1" material="clear"/>
<geom size=".3" pos="-1 .2 1" material="solid" rgba="1 0 0 0" group="2"/><geom type="mesh" mesh="wedge" pos="0 1 .5" euler="20 30 0"/>
<geom type="hfield" hfield="hills" pos="0 -2 .3" euler="0 0 30"/>
<body pos="1 1 1"><freejoint/><geom type="box" size=".2 .3 .1" euler="10 20 30"/><geom type="capsule" size=".1 .2" pos="0 .4 0" group="5"/><geom type="mesh" mesh="ball" pos="0 -.5 0" euler="10 20 0"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("kind", SIZES)
def test_rays_against_one_geom(kind: str) -> None:
    """Random rays hit a single geom at the same distance as in MuJoCo, from outside and from inside."""
    geomtype = int(getattr(conjoint.mjtGeom, f"mjGEOM_{kind.upper()}"))
    size = np.zeros(3)
    size[: len(SIZES[kind].split())] = [float(x) for x in SIZES[kind].split()]
    generator = np.random.default_rng(0)
    hits = 0
    for _ in range(300):
        q = generator.standard_normal(4)
        mat = np.zeros(9)
        mujoco.mju_quat2Mat(mat, q / np.linalg.norm(q))
        pos, pnt = generator.standard_normal(3), 1.2 * generator.standard_normal(3)
        vec = pos + 0.3 * generator.standard_normal(3) - pnt
        expected = mujoco.mju_rayGeom(pos, mat, size, pnt, vec, geomtype)
        assert conjoint.mju_rayGeom(pos, mat, size, pnt, vec, geomtype) == pytest.approx(expected, abs=1e-9)
        hits += expected >= 0
    assert hits > 50


ENDS = {
    "plane": [[0, 0, 1], [0.9, 0.5, 1], [0.9, 0.7, 1], [1.1, 0.5, 1], [0, 0, -1], [0, 0, 0]],
    "sphere": [[0, 0, 0], [0.39, 0, 0], [0, 2, 0.39], [0, 2, 0.41], [3, 0, 0]],
    "capsule": [
        [0, 0, 0],
        [0, 0, 0.6],
        [0, 0, -0.6],
        [0.29, 0, 2],
        [0.29, 0, -2],
        [0, 2, 0.6],
        [0, 2, -0.6],
        [0.31, 2, 0],
    ],
    "ellipsoid": [[0, 0, 0], [0.2, 0.1, 0], [0, 2, 0.1], [0, 2, 0.21], [3, 0, 0]],
    "cylinder": [
        [0, 0, 0],
        [0.3, 0, 0.2],
        [0.3, 0, 1],
        [0.3, 0, -1],
        [0.41, 0, 1],
        [0, 2, 0.29],
        [0, 2, -0.29],
        [0, 2, 0.31],
        [0, 2, -0.31],
    ],
    "box": [
        [0, 0, 0],
        [0.4, 0.2, 0.3],
        [2, 0.2, 0.3],
        [2, 0.31, 0.3],
        [2, 0.2, -0.41],
        [0.4, 2, 0.3],
        [0.4, 0.2, -2],
        [0.51, 0.2, 2],
    ],
}
"""Ray origins inside each shape, beside each of its ends and sides, and just outside its surface."""


@pytest.mark.parametrize("kind", SIZES)
def test_rays_along_the_axes(kind: str) -> None:
    """Rays along or nearly along the axes agree with MuJoCo from inside and outside, in both directions."""
    geomtype = int(getattr(conjoint.mjtGeom, f"mjGEOM_{kind.upper()}"))
    size = np.zeros(3)
    size[: len(SIZES[kind].split())] = [float(x) for x in SIZES[kind].split()]
    found = []
    for pnt in np.array(ENDS[kind], float):
        for axis in range(3):
            for way in (-1.0, 1.0):
                for tilt in (0.0, 1e-3):
                    vec = np.full(3, tilt)
                    vec[axis] = way
                    expected = mujoco.mju_rayGeom(np.zeros(3), np.eye(3).ravel(), size, pnt, vec, geomtype)
                    ours = conjoint.mju_rayGeom(np.zeros(3), np.eye(3).ravel(), size, pnt, vec, geomtype)
                    assert ours == pytest.approx(expected, abs=1e-12), (pnt, vec)
                    found.append(expected)
    assert min(found) == -1 and len(set(found)) > 2


@pytest.fixture(scope="module")
def scene() -> tuple[Any, Any, Any, Any]:
    """Return the model and data of a scene with all types of geoms, for both packages."""
    official_model = mujoco.MjModel.from_xml_string(SCENE)
    official = mujoco.MjData(official_model)
    m = adopt_model(official_model)
    d = adopt_state(m, official_model, official)
    mujoco.mj_kinematics(official_model, official)
    conjoint.mj_kinematics(m, d)
    return m, d, official_model, official


@pytest.mark.parametrize("group", [None, np.array([1, 1, 0, 1, 1, 1], np.uint8)])
@pytest.mark.parametrize("static", [0, 1])
@pytest.mark.parametrize("body", [-1, 0, 1])
def test_first_geom_of_a_scene(scene: tuple, group: Any, static: int, body: int) -> None:
    """Single and multiple rays ignore invisible, static and excluded geoms and geom groups, as in MuJoCo."""
    m, d, official_model, official = scene
    generator = np.random.default_rng(0)
    found = set()
    for _ in range(100):
        pnt = np.array([0.0, 0.0, 1.0]) + generator.standard_normal(3)
        vec = generator.standard_normal(3)
        ours, theirs = np.zeros(1, np.int32), np.zeros(1, np.int32)
        distance = conjoint.mj_ray(m, d, pnt, vec, group, static, body, ours)
        expected = mujoco.mj_ray(official_model, official, pnt, vec, group, static, body, theirs)
        assert distance == pytest.approx(expected, abs=1e-6) and ours[0] == theirs[0]
        found.add(int(ours[0]))
    assert len(found) > 1 or body == 1
    vectors = generator.standard_normal(30)
    outputs = [(np.zeros(10, np.int32), np.zeros(10)) for _ in range(2)]
    conjoint.mj_multiRay(m, d, pnt, vectors, group, static, body, *outputs[0], 10, 1e10)
    mujoco.mj_multiRay(official_model, official, pnt, vectors, group, static, body, *outputs[1], 10, 1e10)
    np.testing.assert_array_equal(outputs[0][0], outputs[1][0])
    np.testing.assert_allclose(outputs[0][1], outputs[1][1], atol=1e-6)


@pytest.mark.parametrize("bits", ['contype="0" conaffinity="0"', 'contype="0" conaffinity="4"', 'contype="2"'])
@pytest.mark.parametrize("cutoff", [0.5, 1.0, 2.0])
def test_geoms_beyond_the_cutoff_do_not_count(cutoff: float, bits: str) -> None:
    """The cutoff, in units of the ray vector, excludes colliding geoms whose bounding volume is farther away, as in MuJoCo."""
    official_model = mujoco.MjModel.from_xml_string(SCENE.replace('contype="0" conaffinity="0"', bits))
    m = adopt_model(official_model)
    official, d = mujoco.MjData(official_model), conjoint.MjData(m)
    mujoco.mj_kinematics(official_model, official)
    conjoint.mj_kinematics(m, d)
    generator = np.random.default_rng(2)
    farther = lost = 0
    geomid = np.zeros(1, np.int32)
    for _ in range(30):
        pnt = np.array([0.0, 0.0, 1.0]) + generator.standard_normal(3)
        vectors = generator.standard_normal(60)
        outputs = [(np.zeros(20, np.int32), np.zeros(20)) for _ in range(2)]
        conjoint.mj_multiRay(m, d, pnt, vectors, None, 1, -1, *outputs[0], 20, cutoff)
        mujoco.mj_multiRay(official_model, official, pnt, vectors, None, 1, -1, *outputs[1], 20, cutoff)
        # MuJoCo misses a few hits of multiple rays, which it finds with single rays
        same = outputs[0][0] == outputs[1][0]
        for r in np.flatnonzero(~same):
            outputs[1][1][r] = mujoco.mj_ray(
                official_model, official, pnt, vectors[3 * r : 3 * r + 3], None, 1, -1, geomid
            )
            assert outputs[0][0][r] == geomid[0]
        lost += (~same).sum()
        np.testing.assert_allclose(outputs[0][1], outputs[1][1], atol=1e-6)
        farther += (outputs[0][1] * np.linalg.norm(vectors.reshape(-1, 3), axis=1) > cutoff).sum()
    assert farther > 0 and lost < 10


@pytest.mark.parametrize(("name", "geom"), [("mj_rayMesh", 4), ("mj_rayMesh", 8), ("mj_rayHfield", 5)])
def test_rays_against_surfaces(scene: tuple, name: str, geom: int) -> None:
    """Random rays hit meshes and height fields at the same distance as in MuJoCo, from all sides."""
    m, d, official_model, official = scene
    generator = np.random.default_rng(1)
    hits = 0
    for _ in range(300):
        target = official.geom_xpos[geom] + 0.3 * generator.standard_normal(3)
        pnt = official.geom_xpos[geom] + 1.5 * generator.standard_normal(3)
        expected = getattr(mujoco, name)(official_model, official, geom, pnt, target - pnt)
        assert getattr(conjoint, name)(m, d, geom, pnt, target - pnt) == pytest.approx(expected, abs=1e-6)
        hits += expected >= 0
    assert hits > 50


FIELD = """<mujoco><asset><hfield name="h" nrow="{nrow}" ncol="{ncol}" size="1 1.5 .5 .2"/></asset>
<worldbody><geom type="hfield" hfield="h" pos=".1 0 .2" euler="{turned}"/></worldbody></mujoco>"""


@pytest.mark.parametrize("turned", ["0 0 0", "5 10 40"])
@pytest.mark.parametrize("nrow, ncol", [(7, 12), (30, 3), (2, 2)])
def test_rays_over_the_cells_of_a_field(nrow: int, ncol: int, turned: str) -> None:
    """Rays hit a height field as in MuJoCo, even if they are axis-aligned or pass through grid lines and vertices."""
    official_model = mujoco.MjModel.from_xml_string(FIELD.format(nrow=nrow, ncol=ncol, turned=turned))
    generator = np.random.default_rng(5)
    official_model.hfield_data[:] = generator.random(nrow * ncol)
    m = adopt_model(official_model)
    d, official = conjoint.MjData(m), mujoco.MjData(official_model)
    mujoco.mj_kinematics(official_model, official)
    conjoint.mj_kinematics(m, d)
    mat, pos = official.geom_xmat[0].reshape(3, 3), official.geom_xpos[0]
    x, y = np.linspace(-1, 1, ncol), np.linspace(-1.5, 1.5, nrow)
    met = []
    for k in range(400):
        corner = np.array([generator.choice(x), generator.choice(y), generator.uniform(-0.3, 0.7)])
        # avoid points on a side or an edge of the field
        corner[:2] *= np.where(np.abs(corner[:2]) >= [1, 1.5], 0.999, 1.0)
        start = generator.uniform([-2, -2, -0.5], [2, 2, 1.5])
        way = [
            corner - start,
            np.eye(3)[k % 3] * generator.choice([-1, 1]),
            generator.standard_normal(3) * [1, 1, 0.1],
        ][k % 3]
        if k % 2:
            # place the origin exactly on a grid line
            start[k // 2 % 2] = corner[k // 2 % 2]
        pnt, vec = pos + mat @ start, mat @ way
        expected = mujoco.mj_rayHfield(official_model, official, 0, pnt, vec)
        assert conjoint.mj_rayHfield(m, d, 0, pnt, vec) == pytest.approx(expected, abs=1e-9), (start, way)
        met.append(expected >= 0)
    assert 0.2 < np.mean(met) < 0.95


def test_wrong_arguments_are_refused(scene: tuple) -> None:
    m, d, *_ = scene
    with pytest.raises(conjoint.FatalError, match="too small"):
        conjoint.mj_ray(m, d, [0, 0, 1], [0, 0, 0], None, 1, -1, None)
    with pytest.raises(conjoint.FatalError, match="not of type mjGEOM_MESH"):
        conjoint.mj_rayMesh(m, d, 0, [0, 0, 1], [0, 0, 1])
    with pytest.raises(TypeError, match="geomgroup must be"):
        conjoint.mj_ray(m, d, [0, 0, 1], [0, 0, 1], [1, 1], 1, -1, None)
