"""Octrees of SDF meshes equal MuJoCo's and give the known distances of simple shapes."""

from __future__ import annotations

import zlib

import mujoco
import numpy as np
import pytest

import conjoint
from asset_files import msh
from conjoint.compiler.assets.sdf.distance import MeshDistance
from conjoint.compiler.assets.sdf.octree import cells_with_triangles
from conjoint.compiler.volumes import mesh_trees

CORNERS = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], float)
SIDES = np.array([
    [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6],
    [1, 3, 5], [3, 7, 5],
])  # fmt: skip
FIELDS = ("oct_depth", "oct_child", "oct_aabb", "mesh_octadr", "mesh_octnum")
ROUNDING = 1e-12
"""Tolerance for a corner's coordinates, which differ by rounding between adjacent cells."""


def torus(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and faces of a bumpy ring of 4 count^2 triangles without symmetry."""
    around, across = np.meshgrid(
        np.linspace(0, 2 * np.pi, 2 * count, endpoint=False),
        np.linspace(0, 2 * np.pi, count, endpoint=False),
        indexing="ij",
    )
    radius = 0.4 * (1 + 0.3 * np.sin(5 * around) * np.cos(3 * across))
    out = radius * np.cos(across)
    vert = np.stack([(1 + out) * np.cos(around), (1.3 + out) * np.sin(around), radius * np.sin(across)], axis=-1)
    a = np.arange(2 * count * count).reshape(2 * count, count)
    b, d = np.roll(a, -1, axis=0), np.roll(a, -1, axis=1)
    c = np.roll(b, -1, axis=1)
    return vert.reshape(-1, 3), np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3)


def sphere(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and faces of a ball with vertices in its symmetry planes, where octree cells touch each other."""
    vert, face = [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]], []
    for ring in range(1, count):
        height, turn = np.pi * ring / count, 2 * np.pi * np.arange(2 * count) / (2 * count)
        vert += np.stack(
            [np.sin(height) * np.cos(turn), np.sin(height) * np.sin(turn), 0 * turn + np.cos(height)], 1
        ).tolist()
    for i in range(2 * count):
        j = (i + 1) % (2 * count)
        face += [[0, 2 + i, 2 + j], [1, 2 + (count - 2) * 2 * count + j, 2 + (count - 2) * 2 * count + i]]
        for ring in range(count - 2):
            a, b = 2 + ring * 2 * count + i, 2 + ring * 2 * count + j
            face += [[a, a + 2 * count, b], [b, a + 2 * count, b + 2 * count]]
    return np.array(vert), np.array(face)


def with_geoms(*geoms: str, header: str = "", assets: str = '<mesh name="m" file="f.msh"/>') -> str:
    """Return the XML of a model with one body that has the given geoms, which may use mesh m."""
    return f"<mujoco>{header}<asset>{assets}</asset><worldbody><body>{''.join(geoms)}</body></worldbody></mujoco>"


STILL = '<geom type="sdf" mesh="m" contype="0" conaffinity="0"/>'


def compare(xml: str, files: dict[str, bytes]) -> mujoco.MjModel:
    """Assert that both packages create the same octrees, and return MuJoCo's model."""
    ours, theirs = conjoint.MjModel.from_xml_string(xml, files), mujoco.MjModel.from_xml_string(xml, files)
    assert ours.noct == theirs.noct
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field), err_msg=field)
    size = np.abs(theirs.oct_aabb).max(initial=1)
    np.testing.assert_allclose(ours.oct_coeff, theirs.oct_coeff, rtol=0, atol=ROUNDING * size)
    return theirs


def soup() -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and faces of unconnected random triangles."""
    generator = np.random.default_rng(1)
    return generator.normal(size=(30, 3)), np.arange(30).reshape(10, 3)


SHELL = '<mesh name="m" file="f.msh" inertia="shell"/>'
SHAPES = {
    "torus": torus(8),
    "fine torus": torus(40),
    "cube": (CORNERS, SIDES),
    "plate": (CORNERS * [1, 2, 1e-4], SIDES),
    "ball": sphere(8),
    "ellipsoid": (sphere(5)[0] * [1, 2, 3], sphere(5)[1]),
    "two boxes that intersect": (
        np.concatenate([CORNERS * [1, 0.3, 0.2], CORNERS * [0.3, 1, 0.2]]), np.concatenate([SIDES, SIDES + 8])
    ),
    "open box": (CORNERS, SIDES[:-2]),
    "holes": (torus(8)[0], np.delete(torus(8)[1], slice(None, None, 5), axis=0)),
    "soup": soup(),
    "triangle without area": (np.append(CORNERS, [[0, -1, -1]], axis=0), np.append(SIDES, [[0, 8, 1]], axis=0)),
    "vertex without faces": (np.append(CORNERS, [[5, 5, 5]], axis=0), SIDES),
    "large": (CORNERS * 1e4, SIDES),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name: str) -> None:
    vert, face = SHAPES[name]
    assert compare(with_geoms(STILL, assets=SHELL), {"f.msh": msh(vert, face=face)}).noct > 1000


TORUS = '<extension><plugin plugin="mujoco.sdf.torus"><instance name="i"/></plugin></extension>'
TWO = '<mesh name="m" file="f.msh"/><mesh name="n" file="f.msh" scale="1 2 1"/><mesh name="o" file="f.msh" scale="2 1 1"/>'


@pytest.mark.parametrize(
    ("xml", "octrees"),
    [
        (with_geoms('<geom type="sdf" mesh="m"/>', '<geom type="mesh" mesh="m"/>', '<geom type="sdf" mesh="m"/>'), [0]),
        (with_geoms('<geom type="mesh" mesh="m"/>'), []),
        (with_geoms('<geom type="box" mesh="m"/>', header='<default><geom type="sdf"/></default>'), []),
        (with_geoms('<geom mesh="m"/>', header='<default><geom type="sdf"/></default>'), [0]),
        (with_geoms('<geom type="sdf" mesh="o"/>', '<geom type="sdf" mesh="m"/>', assets=TWO), [0, 2]),
        (with_geoms('<geom type="sdf" mesh="m"><plugin instance="i"/></geom>', header=TORUS), [0]),
        (
            with_geoms(
                '<geom type="sdf" mesh="t"/>', header=TORUS, assets='<mesh name="t"><plugin instance="i"/></mesh>'
            ), [],
        ),
        (
            with_geoms(STILL, '<geom type="sdf" mesh="n"/>', header='<compiler discardvisual="true"/>',
                       assets=TWO.replace("<mesh name=\"o\" file=\"f.msh\" scale=\"2 1 1\"/>", "")), [0],
        ),
    ],
)  # fmt: skip
def test_which_meshes_have_one(xml: str, octrees: list[int]) -> None:
    # each case needs its own file name, because MuJoCo caches octrees by file
    name = f"{zlib.crc32(xml.encode())}.msh"
    theirs = compare(xml.replace("f.msh", name), {name: msh(torus(6)[0], face=torus(6)[1])})
    assert np.flatnonzero(theirs.mesh_octnum).tolist() == octrees


def test_the_cache_knows_what_is_needed() -> None:
    files = {"f.msh": msh(CORNERS, face=SIDES)}
    counts = [
        conjoint.MjModel.from_xml_string(with_geoms(geom), files).noct
        for geom in ('<geom type="mesh" mesh="m"/>', STILL, '<geom type="mesh" mesh="m"/>')
    ]
    assert counts[0] == counts[2] == 0 < counts[1]


def test_cells_are_divided_where_the_surface_is() -> None:
    """Cells are subdivided if and only if they contain the surface."""
    vert, face = torus(6)
    model = conjoint.MjModel.from_xml_string(with_geoms(STILL), {"f.msh": msh(vert, face=face)})
    share = np.random.default_rng(0).dirichlet(np.ones(3), size=(len(face), 2000))
    # the vertices are centered and rotated, as stored in the model
    samples = np.einsum("fsc,fci->fsi", share, model.mesh_vert[model.mesh_face].astype(float)).reshape(-1, 3)
    samples = samples[samples[:, 0].argsort()]
    divided = (model.oct_child >= 0).any(axis=1)
    missed = 0
    for level in range(4):
        cells = np.flatnonzero(model.oct_depth == level)
        box = model.oct_aabb[cells]
        low, high = box[:, :3] - box[:, 3:] - 1e-6, box[:, :3] + box[:, 3:] + 1e-6
        first, last = np.searchsorted(samples[:, 0], low[:, 0]), np.searchsorted(samples[:, 0], high[:, 0], "right")
        between = [samples[a:b, 1:] for a, b in zip(first, last, strict=True)]
        hit = np.array([
            ((s >= a) & (s <= b)).all(axis=1).any() for s, a, b in zip(between, low[:, 1:], high[:, 1:], strict=True)
        ])  # fmt: skip
        assert (divided[cells] | ~hit).all() or level == 0
        missed += np.count_nonzero(divided[cells] & ~hit)
    assert missed <= 3


def test_distance_of_a_ball() -> None:
    """The distance to a finely tessellated ball equals the exact distance up to the tessellation error."""
    vert, face = sphere(64)
    mesh = MeshDistance(vert, face.astype(np.int32), mesh_trees(vert, face.astype(np.int32)))
    points = np.random.default_rng(2).uniform(-1.5, 1.5, (500, 3))
    distance, foot = mesh.signed(points, np.empty((500, 0, 3)))
    np.testing.assert_allclose(distance, np.linalg.norm(points, axis=1) - 1, atol=1.5e-3)
    np.testing.assert_allclose(np.linalg.norm(points - foot, axis=1), np.abs(distance), atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(foot, axis=1), 1, atol=1.5e-3)


def test_triangles_cut_through_cells() -> None:
    """A triangle whose bounding box covers all cells intersects only those along its plane."""
    vert, face = np.array([[0.0, 0, 0], [4, 4, 0], [4, 4, 4]]), np.array([[0, 1, 2]], np.int32)
    edge = np.arange(4.0)
    ends = [
        np.array([[[0.0], [4.0]]] * 3),
        np.array([[edge[::2], edge[::2] + 2]] * 3),
        np.array([[edge, edge + 1]] * 3),
    ]
    grids = cells_with_triangles(vert, face, ends)
    # points of the triangle satisfy z <= x = y; cells that only touch it count
    x, y, z = np.indices((4, 4, 4))
    np.testing.assert_array_equal(grids[2], (np.abs(x - y) <= 1) & (z <= np.minimum(x, y) + 1))
    np.testing.assert_array_equal(grids[1], grids[2].reshape(2, 2, 2, 2, 2, 2).any(axis=(1, 3, 5)))


@pytest.mark.parametrize("scale", ["1e30", "1e70", "1e-5"])
def test_absurd_scales(scale: str) -> None:
    """A mesh scaled so that its distances are not finite is rejected; smaller absurd scales agree with MuJoCo."""
    xml = with_geoms(STILL, assets=f'<mesh name="m" file="f.msh" inertia="shell" scale="{scale} {scale} {scale}"/>')
    files = {"f.msh": msh(CORNERS, face=SIDES)}
    if scale == "1e70":
        with pytest.raises(conjoint.ModelError, match="signed distance"):
            conjoint.MjModel.from_xml_string(xml, files)
    else:
        compare(xml, files)
