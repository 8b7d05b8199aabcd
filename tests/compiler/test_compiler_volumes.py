"""Bounding volumes, polygons, hull graphs and name hashes agree with MuJoCo and satisfy their invariants."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from scipy.spatial import ConvexHull

import conjoint
from conjoint.compiler.assets.polygons import make_polygons
from conjoint.compiler.bounding import bounding_trees
from conjoint.spec.meshes import triangles

VOLUMES = ("bvh_depth", "bvh_child", "bvh_nodeid", "body_bvhadr", "body_bvhnum", "mesh_bvhadr", "mesh_bvhnum",
           "flex_bvhadr", "flex_bvhnum", "nbvh", "nbvhstatic", "nbvhdynamic")  # fmt: skip
POLYGONS = ("nmeshpoly", "nmeshpolyvert", "nmeshpolymap", "mesh_polyadr", "mesh_polynum", "mesh_polyvert",
            "mesh_polyvertadr", "mesh_polyvertnum", "mesh_polymap", "mesh_polymapadr", "mesh_polymapnum")  # fmt: skip


def both(xml: str) -> tuple[Any, Any]:
    """Return the compiled models of Conjoint and MuJoCo."""
    return conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)


def words(values: Any) -> str:
    """Return numbers as text, separated by blanks."""
    return " ".join(map(str, np.ravel(values).tolist()))


def solid(points: np.ndarray, attributes: str = "") -> str:
    """Return the XML of a mesh element that contains the convex hull of points, with its faces."""
    hull = ConvexHull(points)
    face = hull.simplices.copy()
    a, b, c = (points[face[:, i]] for i in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    face[inward] = face[inward][:, ::-1]
    return f'<mesh name="solid" vertex="{words(points)}" face="{words(face)}" {attributes}/>'


def scene(mesh: str, geom: str = '<geom type="mesh" mesh="solid" pos="1 2 3" euler="10 20 30"/>') -> str:
    """Return the XML of a model that contains the geom twice, in the world and in a body."""
    return f"""<mujoco><asset>{mesh}</asset><worldbody>{geom}<body pos="0 0 1"><freejoint/>{geom}
        <geom type="capsule" size=".1 .3" pos=".5 .1 .2" euler="40 0 10"/><geom size=".2" pos="-.3 0 1"/>
        <geom size=".2" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""


def random_points(seed: int, count: int) -> np.ndarray:
    """Return random points around the origin, in single precision as in files."""
    return np.random.default_rng(seed).normal(size=(count, 3)).astype(np.float32).astype(float)


GRID = np.stack(np.meshgrid(*[np.arange(4.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
SHAPES = {
    "general position": random_points(0, 60),
    "rounded": np.round(random_points(1, 80) * 2) / 2,
    "cube of many parts": GRID,
    "cylinder": np.array([[np.cos(t), np.sin(t), z] for t in np.arange(24) * np.pi / 12 for z in (-1.0, 1.0)]),
    "tetrahedron": random_points(2, 4),
    "nearly in planes": np.round(random_points(3, 200) * 4) / 4 + 1e-7 * random_points(4, 200),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("contacts", [0, 1])
def test_meshes_have_the_volumes_and_polygons_of_the_oracle(shape: str, contacts: int) -> None:
    geom = (
        f'<geom type="mesh" mesh="solid" pos="1 2 3" euler="10 20 30" contype="{contacts}" conaffinity="{contacts}"/>'
    )
    ours, theirs = both(scene(solid(SHAPES[shape], 'scale="1 1.5 2" refpos=".1 .2 .3"'), geom))
    assert_equal(ours, theirs, VOLUMES + POLYGONS)
    assert ours.bvh_aabb == pytest.approx(theirs.bvh_aabb, abs=1e-12)
    assert ours.mesh_polynormal == pytest.approx(theirs.mesh_polynormal, abs=1e-9)


def assert_equal(ours: Any, theirs: Any, names: tuple[str, ...]) -> None:
    """Assert that the given integer fields of two models are equal."""
    for name in names:
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)


def test_a_mesh_with_every_kind_of_tie() -> None:
    """A mesh with coincident, coplanar and zero-area triangles has the same volume properties as in MuJoCo."""
    quad = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    points = [[*p[:2], z] for z in (0.0, 1.0) for p in quad] + [[0.5, 0.5, 3.0]]
    face = [
        [0, 2, 1],
        [0, 3, 2],
        [4, 5, 6],
        [4, 6, 7],
        [0, 1, 5],
        [0, 5, 4],
        [2, 3, 7],
        [2, 7, 6],
        [0, 4, 8],
        [4, 5, 6],
    ]
    xml = f'<mesh name="solid" inertia="shell" vertex="{words(points)}" face="{words(face)}"/>'
    ours, theirs = both(scene(xml, '<geom type="mesh" mesh="solid" contype="0" conaffinity="0"/>'))
    assert_equal(ours, theirs, VOLUMES + POLYGONS)


@pytest.mark.parametrize(
    "bottom",
    [
        [[0, 3, 1], [1, 3, 2], [2, 3, 0]],
        [[1, 0, 3], [0, 2, 3], [2, 1, 3]],
        [[0, 3, 1], [3, 5, 1], [1, 5, 2], [2, 5, 3], [2, 3, 0]],
        [[0, 3, 1], [1, 3, 2], [2, 3, 0], [6, 7, 1], [1, 7, 0], [0, 7, 6]],
    ],
)
def test_a_triangle_of_parts_is_a_polygon_of_the_oracle(bottom: list[list[int]]) -> None:
    """Coplanar triangles that fill a larger triangle become one polygon, as in MuJoCo.

    MuJoCo ignores the order of the polygon's last three edges.
    """
    points = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, 0], [1, 1, 3], [2, 1, 0], [0, -4, 0], [1, -1, 0]]
    face = [*bottom, [0, 1, 4], [1, 2, 4], [2, 0, 4]]
    xml = f'<mesh name="solid" inertia="shell" vertex="{words(points)}" face="{words(face)}"/>'
    ours, theirs = both(scene(xml, '<geom type="mesh" mesh="solid" contype="0" conaffinity="0"/>'))
    assert_equal(ours, theirs, POLYGONS)
    assert ours.mesh_polynormal == pytest.approx(theirs.mesh_polynormal, abs=1e-9)


PLANES = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><geom type="plane" size="1 1 1" zaxis="1 0 0" pos="-1 0 0"/>
<geom type="plane" size="1 1 1" zaxis="0 1 0" pos="0 -1 0"/><geom size=".1" pos="0 .5 1"/><geom size=".1" pos="0 -.5 1"/>
<body><joint/><geom type="box" size=".5 .5 .5" pos="0 1.5 1"/><geom type="box" size=".5 .5 .5" pos=".5 0 1.5"/>
<geom type="box" size=".5 .5 .5" pos="1 .5 0"/><geom type="ellipsoid" size=".5 .4 .3" pos="1.5 1 .5"/></body>
<body><joint/><geom size=".1" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""


def test_bodies_have_the_volumes_of_the_oracle() -> None:
    ours, theirs = both(PLANES)
    assert_equal(ours, theirs, VOLUMES)
    assert ours.bvh_aabb == pytest.approx(theirs.bvh_aabb, rel=1e-12, abs=1e-12)


FUSED = {
    "beside the parent's": '<geom pos="1 0 0"/><freejoint/><body><geom pos="-2 0 0"/></body>'
    '<body><geom pos="3 0 0"/><body><geom pos="-4 0 0"/><geom pos="-5 0 0"/></body></body>',
    "below an empty body": '<freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><body><geom/></body>',
    "visual": '<geom contype="0" conaffinity="0"/><freejoint/><body><geom pos="1 0 0"/></body>',
}


@pytest.mark.parametrize("children", FUSED)
def test_fused_bodies_have_the_volumes_of_the_oracle(children: str) -> None:
    """The volumes of fused bodies equal MuJoCo's, except that MuJoCo's inner nodes keep geom ids from before the fusion."""
    geom = '<default><geom size=".1"/></default>'
    ours, theirs = both(f"""<mujoco><compiler fusestatic="true"/>{geom}<worldbody><geom/><body>{FUSED[children]}</body>
        <body pos="0 1 0"><geom/></body>{FLEXES["cloth"]}</worldbody></mujoco>""")
    leaf = theirs.bvh_child[:, 0] < 0
    assert_equal(ours, theirs, [name for name in VOLUMES if name != "bvh_nodeid"])
    assert (ours.bvh_nodeid[leaf] == theirs.bvh_nodeid[leaf]).all()
    assert ours.bvh_aabb == pytest.approx(theirs.bvh_aabb, abs=1e-12)


FLEXES = {
    "cloth": '<flexcomp name="f" type="grid" count="6 5 1" spacing=".1 .1 .1" radius=".01" dim="2" mass="1"/>',
    "rope": '<flexcomp name="f" type="grid" count="7 1 1" spacing=".1 .1 .1" radius=".01" dim="1" mass="1"/>',
    "block": '<flexcomp name="f" type="grid" count="5 5 5" spacing=".1 .1 .1" radius=".01" dim="3" mass="1">'
    '<contact activelayers="1"/></flexcomp>',
    "trilinear": '<flexcomp name="f" type="grid" count="4 3 3" spacing=".1 .1 .1" radius=".01" dim="3" dof="trilinear" '
    'mass="1"><contact selfcollide="none"/></flexcomp>',
}  # fmt: skip


@pytest.mark.parametrize("flex", FLEXES)
def test_flexes_have_the_volumes_of_the_oracle(flex: str) -> None:
    ours, theirs = both(f"<mujoco><worldbody><geom/><body name='b' pos='0 0 1'>{FLEXES[flex]}</body></worldbody></mujoco>".replace(
        "<geom/>", "<geom size='.1'/>"))  # fmt: skip
    assert_equal(ours, theirs, VOLUMES)
    assert conjoint.MjData(ours).bvh_active.shape == mujoco.MjData(theirs).bvh_active.shape == (theirs.nbvh,)
    assert conjoint.MjData(ours).bvh_aabb_dyn.shape == mujoco.MjData(theirs).bvh_aabb_dyn.shape


@pytest.mark.parametrize("count", [1, 2, 3, 100, 1025])
def test_any_tree_is_valid(count: int) -> None:
    """Bounding-volume trees have all elements in leaves, nested boxes and minimal depth."""
    rng = np.random.default_rng(count)
    counts = np.array([count, 0, 5, count])
    middle, half = rng.normal(size=(counts.sum(), 3)), rng.uniform(size=(counts.sum(), 3))
    trees = bounding_trees(middle - half, middle + half, np.round(middle), counts)
    assert trees.num.tolist() == np.maximum(2 * counts - 1, 0).tolist()
    first = np.cumsum(counts) - counts
    for adr, num, start, size in zip(trees.adr, trees.num, first, counts, strict=True):
        nodes = slice(adr, adr + num)
        element, child, depth = trees.element[nodes], trees.child[nodes], trees.depth[nodes]
        leaf = child[:, 0] < 0
        assert sorted(element[leaf].tolist()) == list(range(start, start + size))
        assert (element[~leaf] == -1).all() and (child[leaf] == -1).all()
        assert not num or depth.max() == np.ceil(np.log2(size))
        aabb = trees.aabb[nodes]
        for parent in np.flatnonzero(~leaf):
            assert (depth[child[parent]] == depth[parent] + 1).all()
            inside = np.abs(aabb[child[parent], :3] - aabb[parent, :3]) + aabb[child[parent], 3:]
            assert (inside <= aabb[parent, 3:] + 1e-12).all()


@pytest.mark.parametrize("limit", [-1, 4, 9])
def test_hull_graphs_are_those_of_the_oracle(limit: int) -> None:
    """Convex hull graphs equal MuJoCo's, even if Qhull merges facets and so reorders vertices and edges."""
    for shape in SHAPES:
        ours, theirs = both(scene(solid(SHAPES[shape]).replace("<mesh ", f'<mesh maxhullvert="{limit}" ', 1)))
        np.testing.assert_array_equal(ours.mesh_graph, theirs.mesh_graph, err_msg=shape)


def test_a_finely_divided_box_has_six_sides() -> None:
    steps = np.linspace(0.0, 1.0, 21)
    points: list[np.ndarray] = []
    faces: list[np.ndarray] = []
    cell = np.arange(20)[:, None] * 21 + np.arange(20)
    corners = np.stack([cell, cell + 21, cell + 22, cell + 1], axis=-1).reshape(-1, 4)
    for axis in range(3):
        for side in (0, 1):
            grid = np.stack(np.broadcast_arrays(float(side), steps[:, None], steps[None, :]), axis=-1).reshape(-1, 3)
            order = corners if side else corners[:, ::-1]
            faces.append(np.concatenate([order[:, :3], order[:, [0, 2, 3]]]) + len(points) * len(grid))
            points.append(np.roll(grid, axis, axis=1))
    vert, face = np.concatenate(points), np.concatenate(faces)
    polygons = make_polygons(vert, vert, face)
    assert polygons.num.tolist() == [80] * 6
    assert len(polygons.map) == polygons.mapnum.sum() == polygons.num.sum()
    np.testing.assert_allclose(np.sort(polygons.normal.sum(axis=1)), [-1, -1, -1, 1, 1, 1])
    assert make_polygons(vert, vert, face, joined=False).vert.tolist() == face.ravel().tolist()


NAMES = ["a", "bb", "\u00e4\u00f6", "\u65e5\u672c", "x" * 300, "y" * 70, *(f"n{i}" for i in range(60))]


def test_names_are_in_the_slots_of_the_oracle() -> None:
    bodies = "".join(f'<body name="{name}"><geom name="{name}" size="1"/></body><body/>' for name in NAMES)
    ours, theirs = both(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    np.testing.assert_array_equal(ours.names_map, theirs.names_map)


def test_a_mesh_that_a_primitive_is_fitted_to_has_no_hull() -> None:
    ours, theirs = both(scene(solid(SHAPES["tetrahedron"]), '<geom type="box" mesh="solid"/>'))
    assert ours.nmeshgraph == theirs.nmeshgraph == 0


def test_the_signature_tells_whether_elements_are_the_same() -> None:
    def signature(geoms: str) -> int:
        model = conjoint.MjModel.from_xml_string(f"<mujoco><worldbody><body>{geoms}</body></worldbody></mujoco>")
        assert model.nbuffer > 0
        assert conjoint.MjData(model).signature == model.signature
        return int(model.signature)

    one = signature('<geom size="1"/>')
    assert one == signature('<geom size="2"/>') != 0
    others = ['<geom size="1"/><geom size="1"/>', '<geom name="a" size="1"/>', "<site/>", '<geom size="1"/><body/>']
    assert len({one, *map(signature, others)}) == 5


def test_few_volumes_are_those_of_many(monkeypatch):
    """Scalar and vectorized volume code give identical bits, even for coincident positions and rotated bodies."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        geoms = []
        for kind in rng.choice(["box", "capsule", "sphere"], int(rng.integers(1, 6))):
            pos, euler = rng.choice([0.0, 0.1, 0.25, -0.3], 3), rng.choice([0.0, 0.0, 0.4, 30.0], 3)
            geoms.append(f'<geom type="{kind}" size=".1 .2 .3" pos="{words(pos)}" euler="{words(euler)}"/>')
        half = len(geoms) // 2
        xml = f"""<mujoco><worldbody>{"".join(geoms[:half])}
            <body pos="1 2 3" euler="10 20 30">{"".join(geoms[half:])}<body/></body></worldbody></mujoco>"""
        few = conjoint.MjModel.from_xml_string(xml)
        with monkeypatch.context() as patch:
            patch.setattr("conjoint.compiler.volumes.FEW", 0)
            many = conjoint.MjModel.from_xml_string(xml)
        assert np.array_equal(few.memory.bytes, many.memory.bytes)
        assert few.nbvh > 0


@pytest.mark.parametrize("digits", [0, 1, 15])
def test_trees_of_few_elements_are_those_of_many(digits: int) -> None:
    """Trees built by scalar and by vectorized code are bit-identical, even for flat boxes, empty trees, and nearly equal positions."""
    random = np.random.default_rng(digits)
    counts = np.array([0, 1, 2, 0, 7, 12, 31])
    low = np.round(random.normal(size=(counts.sum(), 3)), digits)
    high = low + np.round(random.random(low.shape), digits)
    position = (low + high) / 2 + random.integers(0, 3, low.shape) * 5e-15
    few = bounding_trees(low, high, position, counts, few=len(low))
    many = bounding_trees(low, high, position, counts, few=0)
    for field, values in vars(many).items():
        assert vars(few)[field].tobytes() == values.tobytes(), field


def test_products_of_few_rows_are_those_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = np.random.default_rng(1).normal(size=(2, 30, 3))
    few = triangles.cross(a, b)
    monkeypatch.setattr(triangles, "FEW", 0)
    assert few.tobytes() == triangles.cross(a, b).tobytes()
