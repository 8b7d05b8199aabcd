"""Meshes: files, processing, and geoms made of or fitted to them; every compared field equals MuJoCo's."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from scipy.spatial import ConvexHull

import conjoint
from asset_files import (
    CORNERS,
    CUBE,
    FACES,
    OF_SCALED,
    TETRAHEDRON,
    assert_same,
    assert_same_file,
    msh,
    obj,
    refusals,
    stl,
    with_mesh,
    words,
)
from conjoint.compiler.assets import hull, make_mesh
from conjoint.compiler.assets.cache import CACHE
from conjoint.compiler.assets.hull import Hull, convex_hull
from conjoint.spec.meshes.readers import merge

INLINE = f'vertex="{words(TETRAHEDRON)}" face="{words(FACES)}"'


def lump(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and outward triangles of a convex lump without symmetry axes."""
    vert = np.random.default_rng(seed).normal(size=(60, 3)).astype(np.float32) * (1, 2, 0.5)
    hull = ConvexHull(vert)
    corners = vert[hull.simplices]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = (normal * hull.equations[:, :3]).sum(axis=1) < 0
    face = hull.simplices.copy()
    face[inward] = face[inward][:, ::-1]
    return vert, face


@pytest.mark.parametrize("inertia", ["convex", "exact", "legacy", "shell"])
@pytest.mark.parametrize(
    "attributes",
    ["", 'smoothnormal="true"', 'scale="2 .5 1"', 'refpos="1 2 3" refquat="1 2 3 4"', 'maxhullvert="12"'],
)
def test_stl(attributes: str, inertia: str) -> None:
    vert, face = lump(1)
    # MuJoCo caches a file by its name, regardless of the attributes, so each case needs its own name
    name = f"{inertia}{abs(hash(attributes))}.stl"
    xml = with_mesh(f'file="{name}" inertia="{inertia}" {attributes}')
    assert_same(xml, {name: stl(vert[face])}, OF_SCALED if "scale" in attributes else ())


@pytest.mark.parametrize("attributes", ["", 'scale="-1 1 1"', 'scale="-1 -2 3"'])
@pytest.mark.parametrize("kind", ["stl", "obj", "msh"])
def test_mirrored(kind: str, attributes: str) -> None:
    vert, face = lump(2)
    lines = [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in face]
    data = {"stl": stl(vert[face]), "obj": obj(vert, *lines), "msh": msh(vert, face=face)}[kind]
    name = f"{kind}{len(attributes)}.{kind}"
    assert_same(with_mesh(f'file="{name}" {attributes}'), {name: data}, OF_SCALED if attributes else ())


@pytest.mark.parametrize("size", [1e-4, 1e-3, 1.0, 1e3])
def test_normals_of_small_triangles(size: float) -> None:
    # Small triangles do not affect normals. MuJoCo caches meshes by file name, so each case needs its own name.
    vert, face = lump(3)
    name = f"lump{size}.stl"
    assert_same(with_mesh(f'file="{name}"', 'type="mesh" mesh="m" mass="1"'), {name: stl(vert[face] * size)})


def test_repeated_vertices_of_stl_are_merged() -> None:
    corners = TETRAHEDRON[FACES].copy()
    corners[1, 2, 0] = -0.0
    model = conjoint.MjModel.from_xml_string(with_mesh('file="t.stl"'), {"t.stl": stl(corners)})
    assert model.nmeshvert == 4
    assert_same(with_mesh('file="t.stl"'), {"t.stl": stl(corners)})


@pytest.mark.parametrize(
    "lines",
    [
        CUBE,
        [line.replace("f ", "f  ") + " " for line in CUBE],
        ["g a", *CUBE, "g b", "f 1 2 3"],
        ["usemtl a", *CUBE[:3], "usemtl b", *CUBE[3:]],
        ["vn 0 0 1", "vn 0 1 0", "f 1//1 4//1 3//2 2//1", *CUBE[1:]],
        ["vt 0 .25", "vt 1 .5", "vt .1 1", "f 1/1 4/2 3/3 2/3", *CUBE[1:]],
        ["vt 0 .25", "vt 1 .5", "vn 0 0 1", "f 1/1/1 4/-1/-1 3//1 2/2", *CUBE[1:]],
        ["f -8 -5 -6 -7", *CUBE[1:]],
        [*CUBE, "f 1 2", "l 1 2", "# comment", "s off", "nonsense"],
        ["v 2 2 2 0 0 0", *CUBE],
        ["v 3 0 0", "v .5 .25 0", "f 1 4 9 10 2", *CUBE[1:]],
        ["v 3 0 0", "v .5 .25 0", "f 9 10 4 1", *CUBE[1:]],
        [*CUBE[:3], "g", "o", "f", *CUBE[3:], "f 1 2 3 4 5", "f 1 3 5 2 8 4"],
        ["l 1 2", "g a", *CUBE],
        ["l 1 2", "o a", *CUBE],
        ["f 1 2", "o a", "g b", "f -8 -5 -6 -7", *CUBE[1:], "o c", "f 1 2 3"],
    ],
)
def test_obj(lines: list[str]) -> None:
    name = f"{abs(hash(tuple(lines)))}.obj"
    assert_same(with_mesh(f'file="{name}"'), {name: obj(CORNERS, *lines)})


@pytest.mark.parametrize("seed", range(6))
def test_obj_polygons(seed: int) -> None:
    """A nonconvex star-shaped OBJ polygon is triangulated as in MuJoCo."""
    random = np.random.default_rng(seed)
    angle = np.sort(random.uniform(0, 2 * np.pi, 9))
    radius = random.uniform(0.2, 1, 9)
    ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), 0.1 * radius]).round(3)
    around = [f"f {i + 1} {(i + 1) % 9 + 1} 10" for i in range(9)]
    name = f"star{seed}.obj"
    data = obj([*ring.tolist(), [0, 0, 2]], "f " + " ".join(map(str, range(9, 0, -1))), *around)
    assert_same(with_mesh(f'file="{name}"'), {name: data})


def polygons(lines: list[str], points: np.ndarray) -> list[list[int]]:
    """Return the triangles into which both compilers must divide the OBJ faces `lines`; the file also contains a tetrahedron."""
    name = f"cut{hash((tuple(lines), points.tobytes()))}.obj"
    solid = [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    data = obj(np.concatenate([TETRAHEDRON + 10, points]), *solid, *lines)
    xml = with_mesh(f'file="{name}" inertia="shell"')
    ours, theirs = (M.MjModel.from_xml_string(xml, {name: data}).mesh_face.tolist() for M in (conjoint, mujoco))
    assert ours == theirs
    return ours[len(FACES) :]


@pytest.mark.parametrize("seed", range(40))
def test_polygons_with_corners_in_a_line(seed: int) -> None:
    """Polygons with collinear corners are triangulated as in MuJoCo, where single-precision rounding selects the ears."""
    random = np.random.default_rng(seed)
    if seed % 2:
        points = random.integers(0, 10, (6, 1)) / 10 * random.normal(size=3).round(1)
    else:
        angle = np.sort(random.uniform(0, 2 * np.pi, 6))
        corners = np.column_stack([np.cos(angle), np.sin(angle)])
        sides = np.roll(corners, -1, axis=0) - corners
        points = np.concatenate([corners, corners + sides / 4, corners + sides / 2], 1).reshape(-1, 2)
        points = points @ random.normal(size=(2, 3))
    polygons(["f " + " ".join(str(i + 5) for i in range(len(points)))], points)


OUTLINES: dict[str, list[list[float]]] = {
    "square": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]],
    "kite": [[0, 0, 0], [2, -1, 0], [3, 0, 0], [2, 1, 0]],
    "long": [[0, -1, 0.1], [3, 0, 0], [0, 1, 0.1], [-3, 0, 0]],
    "nonagon": [
        [3, 0, 0],
        [2, 2, 0],
        [1, 3, 0],
        [-1, 3, 0],
        [-3, 1, 0],
        [-3, -1, 0],
        [-1, -3, 0],
        [1, -3, 0],
        [2, -2, 0],
    ],
    "star": [[9, 1, 0], [2, 2, 1], [1, 8, 1], [-2, 3, 1], [-7, 2, 0], [-3, -2, 0], [-4, -7, 1], [1, -3, 0]],
}
CUT: dict[str, list[list[int]]] = {
    "square": [[0, 1, 3], [1, 2, 3]],
    "kite": [[0, 1, 3], [1, 2, 3]],
    "long": [[0, 1, 2], [0, 2, 3]],
    "nonagon": [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5], [5, 6, 7], [5, 7, 8], [0, 5, 8]],
    "star": [[1, 2, 3], [1, 3, 4], [1, 4, 5], [1, 5, 6], [7, 0, 1], [1, 6, 7]],
}
"""Triangles of the polygons in `OUTLINES`, as computed by mujoco==4.0.0."""


@pytest.mark.parametrize("shape", OUTLINES)
def test_polygons_in_edition_4(shape: str) -> None:
    """Edition 4.0 triangulates polygons as MuJoCo 4.0.0 does; only the long outline has the same triangles in edition 3.3.5."""
    points = np.array(OUTLINES[shape], float)
    solid = [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    line = "f " + " ".join(str(i + 5) for i in range(len(points)))
    data = obj(np.concatenate([TETRAHEDRON + 10, points]), *solid, line)
    found = []
    for edition in ("4.0", "3.3.5"):
        spec = conjoint.MjSpec.from_string(with_mesh(f'file="{shape}.obj" inertia="shell"'))
        spec.assets, spec.semantics = {f"{shape}.obj": data}, edition
        found.append((spec.compile().mesh_face[len(FACES) :] - 4).tolist())
    assert found[0] == CUT[shape]
    assert (found[1] == CUT[shape]) == (shape == "long")


@pytest.mark.parametrize("count", [100, 101, 4000])
def test_polygons_of_more_than_100_corners_are_left_out(count: int) -> None:
    angle = np.linspace(0, 6, count)
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    line = "f " + " ".join(str(i + 5) for i in range(count))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert len(polygons([line, "f 5 6 7"], ring)) == (1 if count > 100 else count - 1)
    said = [str(each.message) for each in caught]
    assert [text.partition("': ")[2] for text in said] == [
        "polygons with too many corners were skipped, as in MuJoCo: 1"
    ] * (count > 100)


@pytest.mark.parametrize("before", ["g", "o"])
def test_a_shape_with_nothing_but_a_large_polygon(before: str) -> None:
    angle = np.linspace(0, 6, 150)
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    lines = ["f " + " ".join(str(i + 5) for i in range(150)), before, "f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
    name = f"only{before}.obj"
    data = obj(np.concatenate([TETRAHEDRON, ring]), *lines)
    xml = with_mesh(f'file="{name}"')
    faces = [M.MjModel.from_xml_string(xml, {name: data}).nmeshface for M in (conjoint, mujoco)]
    assert faces[0] == faces[1]


@pytest.mark.parametrize("length", [1e-3, 3.2e-8, 3.1e-8, 1e-10, 1e-20])
def test_short_normals_are_missing(length: float) -> None:
    normal = np.array([[1, 0, 0], [0.6, 0.8, 0], [0, 1, 0], [0, 0.6, 0.8]]) * length
    assert_same(with_mesh(f'{INLINE} normal="{words(normal)}"'))


@pytest.mark.parametrize(
    "attributes",
    [
        INLINE,
        f'vertex="{words(TETRAHEDRON)}"',
        INLINE + ' scale="-1 2 3"',
        INLINE + ' normal="1 1 1 1 0 0 0 0 0 1 0 1" texcoord="0 .1 .2 .3 .4 .5 .6 .7"',
        INLINE + ' normal="1 2 3"',
        f'vertex="{words(CORNERS)} .5 .5 .5" maxhullvert="6"',
    ],
)
def test_inline(attributes: str) -> None:
    assert_same(with_mesh(attributes), ignored=OF_SCALED if "scale" in attributes else ())


@pytest.mark.parametrize("attributes", ["", 'scale="-1 1 2"'])
def test_msh_with_everything(attributes: str) -> None:
    data = msh(TETRAHEDRON, TETRAHEDRON + 1, np.arange(8).reshape(4, 2) / 8, FACES)
    name = f"all{len(attributes)}.msh"
    assert_same(with_mesh(f'file="{name}" {attributes}'), {name: data}, OF_SCALED if attributes else ())


def test_texture_coordinates_beside_an_obj_file_may_be_of_any_number() -> None:
    assert_same(with_mesh('file="few.obj" texcoord="0 .5 1 .5"'), {"few.obj": obj(CORNERS, *CUBE)})


def test_axes_that_rounding_decides() -> None:
    """Bodies whose moments differ only by rounding have bit-identical principal axes."""
    vert, face = lump(9)
    for kind, fitaabb in (("sphere", "false"), ("capsule", "false"), ("cylinder", "false"), ("mesh", "false")):
        more = "".join(f'<geom type="{kind}" mesh="m" {where}/>' for where in ("", 'pos="1 2 3" euler="10 -40 77"'))
        xml = with_mesh('file="turned.msh" refquat="1 2 3 4"', f'type="{kind}" mesh="m"', f'fitaabb="{fitaabb}"')
        assert_same(xml.replace("</body>", more + "</body>"), {"turned.msh": msh(vert, face=face)})
        assert_same(xml.replace("</body>", more.split("/>")[0] + "/></body>"), {"turned.msh": msh(vert, face=face)})


@pytest.mark.parametrize("kind", ["sphere", "capsule", "cylinder", "ellipsoid", "box"])
def test_sizes_of_a_fitted_box(kind: str) -> None:
    """A shape fitted to the bounding box has MuJoCo's size, but a different mesh position, which later versions corrected."""
    vert, _ = lump(4)
    name = f"box{kind}.msh"
    xml = with_mesh(f'file="{name}"', f'type="{kind}" mesh="m" fitscale="1.5"', 'fitaabb="true"')
    ours, theirs = (each.MjModel.from_xml_string(xml, {name: msh(vert)}) for each in (conjoint, mujoco))
    np.testing.assert_allclose(ours.geom_size, theirs.geom_size, rtol=1e-6)
    assert (ours.mesh_pos != theirs.mesh_pos).any()


@pytest.mark.parametrize(
    ("kind", "fitaabb"),
    [("mesh", "true"), *((kind, "false") for kind in ("mesh", "sphere", "capsule", "cylinder", "ellipsoid", "box"))],
)
def test_fitting(kind: str, fitaabb: str) -> None:
    vert, _ = lump(4)
    geom = f'type="{kind}" mesh="m" pos="1 2 3" euler="10 20 30" fitscale="1.5"'
    # MuJoCo caches meshes by file name, and their hulls only if they are needed, so each case needs its own name
    name = f"lump{kind}{fitaabb}.msh"
    assert_same(with_mesh(f'file="{name}"', geom, f'fitaabb="{fitaabb}"'), {name: msh(vert)})


def test_numbers_are_processed_once_whatever_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processed inline meshes are reused unless a number or an attribute changes."""
    made = []
    hull = make_mesh.convex_hull
    monkeypatch.setattr(make_mesh, "convex_hull", lambda *arguments: made.append(1) or hull(*arguments))
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path))
    CACHE.clear()
    moved = f'vertex="{words(TETRAHEDRON + 0.5)}" face="{words(FACES)}"'
    turned = f'vertex="{words(TETRAHEDRON)}" face="{words(FACES[[1, 0, 2, 3]])}"'
    for count, attributes in enumerate((INLINE, moved, turned, INLINE + ' scale="1 2 3"'), start=1):
        one, two = (conjoint.MjModel.from_xml_string(with_mesh(attributes)) for _ in range(2))
        assert len(made) == count
        assert (one.mesh_vert == two.mesh_vert).all() and (one.mesh_face == two.mesh_face).all()


@pytest.mark.parametrize("geom", ['mass="3"', 'density="20"', 'mass="0"', 'contype="0" conaffinity="0"'])
def test_mass(geom: str) -> None:
    vert, face = lump(6)
    name = f"lump{len(geom)}.stl"
    xml = with_mesh(f'file="{name}"', 'type="mesh" mesh="m" pos="1 0 0" ' + geom)
    assert_same(xml.replace("</body>", '<geom size=".1"/></body>'), {name: stl(vert[face])})


def test_names_and_paths(tmp_path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.stl").write_bytes(stl(TETRAHEDRON[FACES]))
    (tmp_path / "B.OBJ").write_bytes(obj(CORNERS, *CUBE))
    (tmp_path / "model.xml").write_text(
        '<mujoco><compiler meshdir="parts"/><asset><mesh file="./a.stl"/><mesh file="../B.OBJ"/></asset></mujoco>'
    )
    model = conjoint.MjModel.from_xml_path(str(tmp_path / "model.xml"))
    assert model.names.startswith(b"MuJoCo Model\0world\0a\0B\0")
    assert model.paths == b"a.stl\0../B.OBJ\0"
    # a changed file is read again
    (tmp_path / "parts" / "a.stl").write_bytes(stl(2 * TETRAHEDRON[FACES]))
    again = conjoint.MjModel.from_xml_path(str(tmp_path / "model.xml"))
    assert not np.array_equal(again.mesh_vert, model.mesh_vert)


OPEN = f'vertex="{words(TETRAHEDRON)}"'


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ('file="missing.stl"', "missing.stl"),
        ('file="t.xyz"', "unknown mesh format"),
        ('file="t.stl" content_type="model/nonsense"', "content_type"),
        ("", "0 vertices"),
        ('vertex="0 0 0 1 0 0 0 1 0"', "at least 4"),
        ('vertex="0 0 0 1 0"', "multiple of 3"),
        ('vertex="0 0 0 1 0 0 0 1 0 1 1 0"', "convex hull"),
        (OPEN + ' face="0 1 2 0 1 4"', "vertex 4 does not exist"),
        (OPEN + ' face="0 1 2 0 1 -1"', "vertex -1 does not exist"),
        (OPEN + ' face="0 1 1"', "area"),
        (OPEN + ' face="0 1 2"', "volume is too small"),
        (OPEN + ' texcoord="0 1"', "texture coordinates"),
        (OPEN + f' face="{words(FACES[:, ::-1])}" inertia="exact"', "face inwards"),
        (OPEN + ' face="0 2 1 0 3 1 0 3 2 1 2 3" inertia="exact"', "oriented inconsistently"),
        (f'file="t.stl" vertex="{words(TETRAHEDRON)}"', "both by the file"),
        ('file="t.msh" normal="0 0 1"', "both by the file"),
    ],
)
def test_refused(attributes: str, expected: str) -> None:
    files = {"t.stl": stl(TETRAHEDRON[FACES]), "t.xyz": b"1", "t.msh": msh(TETRAHEDRON, face=FACES)}
    ours, theirs = refusals(with_mesh(attributes), files)
    assert theirs
    assert expected in ours
    assert "<mesh name='m'>" in ours


def test_inertia_too_small_for_axes_is_refused() -> None:
    xml = with_mesh(f'vertex="{words(TETRAHEDRON * 1e-4)}"').replace("</body>", '<geom type="mesh" mesh="m"/></body>')
    ours, theirs = refusals(xml)
    assert "positive eigenvalues" in theirs
    assert "is too small" in ours


GOOD = {
    "stl": stl(TETRAHEDRON[FACES]),
    "msh": msh(TETRAHEDRON, face=FACES),
    "obj": obj(CORNERS, *CUBE),
}
BROKEN = {
    "empty.stl": b"",
    "short.stl": GOOD["stl"][:60],
    "cut.stl": GOOD["stl"][:-1],
    "long.stl": GOOD["stl"] + b"x",
    "many.stl": stl(TETRAHEDRON[FACES], 10**9),
    "text.stl": b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n" * 9,
    "nan.stl": stl(TETRAHEDRON[FACES] * np.nan),
    "far.stl": stl(TETRAHEDRON[FACES] * 2.0**30),
    "empty.msh": b"",
    "cut.msh": GOOD["msh"][:-1],
    "many.msh": b"\x00\xca\x9a\x3b" * 4,
    "negative.msh": b"\xff" * 16,
    "face.msh": msh(TETRAHEDRON, face=FACES + 1),
    "zero.obj": obj(CORNERS, "f 0 1 2"),
    "word.obj": obj(CORNERS, "f a b c"),
    "slash.obj": obj(CORNERS, *CUBE, "f 1/ 2/ 3/"),
    "later.obj": obj(CORNERS, *CUBE, "g a", "f 1 2 0"),
    "line.obj": obj(CORNERS, *CUBE, "l 0 1"),
    "beyond.obj": obj(CORNERS, "f 1 2 9"),
    "empty.obj": b"",
    "nan.obj": obj(CORNERS * np.nan, *CUBE),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(name: str) -> None:
    ours, theirs = refusals(with_mesh(f'file="{name}"'), BROKEN)
    assert theirs
    assert "<mesh name='m'>" in ours


@pytest.mark.parametrize("kind", GOOD)
def test_random_damage_is_refused_or_harmless(kind: str) -> None:
    random = np.random.default_rng(7)
    for _ in range(150):
        data = bytearray(GOOD[kind])
        for at in random.integers(0, len(data), random.integers(1, 5)):
            data[at] = random.integers(0, 256)
        cut = len(data) if random.random() < 0.7 else int(random.integers(0, len(data)))
        try:
            conjoint.MjModel.from_xml_string(with_mesh(f'file="m.{kind}"'), {f"m.{kind}": bytes(data[:cut])})
        except conjoint.ModelError as error:
            assert "m" in str(error)


def test_assets_of_attached_models(tmp_path) -> None:
    """Files of an attached model are searched for in its own folders, but the main model decides how geoms are fitted."""
    (tmp_path / "kid" / "parts").mkdir(parents=True)
    vert, _ = lump(8)
    (tmp_path / "kid" / "parts" / "t.msh").write_bytes(msh(vert))
    (tmp_path / "kid" / "kid.xml").write_text(
        '<mujoco><compiler meshdir="parts" fitaabb="true"/><asset><mesh file="t.msh"/></asset>'
        '<worldbody><body name="b"><freejoint/><geom type="box" mesh="t"/></body></worldbody></mujoco>'
    )
    (tmp_path / "main.xml").write_text(
        '<mujoco><asset><model name="kid" file="kid/kid.xml"/></asset>'
        '<worldbody><attach model="kid" body="b" prefix="a_"/></worldbody></mujoco>'
    )
    assert_same_file(tmp_path / "main.xml")


def graph_of(hull: Hull) -> tuple[set[int], set[frozenset[int]], set[tuple[int, ...]]]:
    """Return a hull graph's vertices, edges and triangles in a canonical form."""
    nvert, nface = hull.graph[:2]
    adr, vertex, edges = np.split(hull.graph[2:], [nvert, 2 * nvert])[:3]
    found = set()
    for v, start in enumerate(adr):
        others = edges[start : start + list(edges[start:]).index(-1)]
        found |= {frozenset((int(vertex[v]), int(vertex[other]))) for other in others}
    faces = [tuple(np.roll(face, -int(np.argmin(face))).tolist()) for face in hull.graph[-3 * nface :].reshape(-1, 3)]
    assert len(set(faces)) == nface
    return set(vertex.tolist()), found, set(faces)


@pytest.mark.parametrize("most", [-1, 12])
def test_scipy_makes_the_same_hulls_in_another_order(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Hulls computed by SciPy equal Qhull's up to order; they are used on Windows, which has no Qhull library."""
    vert = lump(3)[0]
    known = convex_hull(vert, most)
    monkeypatch.setattr(hull, "library_file", lambda: None)
    found = convex_hull(vert, most)
    assert graph_of(found) == graph_of(known) and len(found.graph) == len(known.graph)
    with pytest.raises(ValueError, match="no convex hull"):
        convex_hull(vert * (1, 1, 0), most)


def test_without_qhull_and_scipy_one_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hull, "library_file", lambda: None)
    # make the import of SciPy fail
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    with pytest.raises(ImportError, match="pip install cmeel-qhull"):
        convex_hull(lump(3)[0], -1)


def test_the_library_of_qhull_is_looked_for_where_packages_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    find = hull.library_file.__wrapped__
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    assert find() is None
    for name in ("libqhull_r.dylib", "libqhull_r.so"):
        (tmp_path / "cmeel.prefix" / "lib").mkdir(parents=True, exist_ok=True)
        (tmp_path / "cmeel.prefix" / "lib" / name).touch()
        assert find().name == name
        find().unlink()


def test_equal_corners_of_stl_files_are_one_vertex() -> None:
    """Equal STL corners merge into one vertex, in order of first occurrence; 0 and -0 are equal."""
    rows = np.round(np.random.default_rng(2).normal(size=(500, 3)), 0).astype(np.float32)
    first, group = merge(rows)
    distinct = {}
    for i, row in enumerate((rows + 0).tolist()):
        distinct.setdefault(tuple(row), i)
    assert first.tolist() == list(distinct.values()) and len(first) < 300
    assert np.array_equal(rows[first][group], rows)
