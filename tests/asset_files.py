"""Small asset files for tests, and comparison of the compiled models with MuJoCo's."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from PIL import Image

import conjoint
from oracle import MODEL_FLOOR, MODEL_TOLERANCE, difference

TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], np.float32)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])

CUBE = ["f 1 4 3 2", "f 5 6 7 8", "f 1 2 6 5", "f 2 3 7 6", "f 3 4 8 7", "f 4 1 5 8"]
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 2]], np.float32)
"""Corners of a distorted cube; `CUBE` contains its faces in the format of OBJ files."""

UNSPECIFIED = (
    "mesh_graph", "nmeshgraph", "mesh_poly", "nmeshpoly", "mesh_oct", "oct_", "noct", "nbuffer", "signature",
    "bvh_aabb", "bvh_nodeid",
)  # fmt: skip
"""Parts of the names of model fields that are not compared.

These fields are internal, come from another model in MuJoCo's cache, or are rounding of triangles without area. Volumes and
polygons have separate tests.
"""


OF_SCALED = ("mesh_normal", "mesh_face", "mesh_facenormal", "mesh_facetexcoord")
"""Fields of mirrored and unequally scaled meshes, which are wrong in MuJoCo 3.3.5 and have separate tests."""


def stl(triangles: Any, count: int | None = None) -> bytes:
    """Return a binary STL file of triangles of shape (n, 3, 3); `count`, if given, is a wrong count in the header."""
    corners = np.asarray(triangles, "<f4").reshape(-1, 3, 3)
    records = np.zeros(len(corners), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    records["corners"] = corners
    return bytes(80) + struct.pack("<I", len(corners) if count is None else count) + records.tobytes()


def msh(vert: Any, normal: Any = (), texcoord: Any = (), face: Any = ()) -> bytes:
    """Return a binary MSH file of vertices, normals, texture coordinates and faces."""
    counts = struct.pack("<4i", len(vert), len(normal), len(texcoord), len(face))
    parts = [np.asarray(part, "<f4").tobytes() for part in (vert, normal, texcoord)]
    return counts + b"".join(parts) + np.asarray(face, "<i4").tobytes()


def obj(vert: Any, *lines: str) -> bytes:
    """Return an OBJ file of vertices, followed by `lines`."""
    return "\n".join([f"v {x} {y} {z}" for x, y, z in np.asarray(vert).tolist()] + list(lines)).encode()


def skn(vert: Any, face: Any, bones: Sequence[tuple[str, Any, Any, Any, Any]], texcoord: Any = ()) -> bytes:
    """Return a binary SKN file; each bone is a tuple (body, pos, quat, vertices, weights)."""
    data = struct.pack("<4i", len(vert), len(texcoord), len(face), len(bones))
    data += (
        np.asarray(vert, "<f4").tobytes() + np.asarray(texcoord, "<f4").tobytes() + np.asarray(face, "<i4").tobytes()
    )
    for body, pos, quat, vertid, weight in bones:
        data += body.encode().ljust(40, b"\0") + np.asarray([*pos, *quat], "<f4").tobytes()
        data += (
            struct.pack("<i", len(vertid)) + np.asarray(vertid, "<i4").tobytes() + np.asarray(weight, "<f4").tobytes()
        )
    return data


def png(shape: tuple[int, ...], mode: str = "", seed: int = 0) -> bytes:
    """Return a PNG image of random pixels."""
    image = Image.fromarray(np.random.default_rng(seed).integers(0, 256, shape).astype(np.uint8))
    stream = BytesIO()
    (image.convert(mode) if mode else image).save(stream, "PNG")
    return stream.getvalue()


def words(numbers: Any) -> str:
    """Return numbers as the text of an XML attribute."""
    return " ".join(map(str, np.asarray(numbers).ravel().tolist()))


def with_mesh(attributes: str, geom: str = 'type="mesh" mesh="m"', compiler: str = "") -> str:
    """Return the XML of a model with one mesh and a free body with one geom."""
    return (
        f'<mujoco><compiler {compiler}/><asset><mesh name="m" {attributes}/></asset>'
        f"<worldbody><body><freejoint/><geom {geom}/></body></worldbody></mujoco>"
    )


def with_asset(asset: str) -> str:
    """Return the XML of a model with assets and a ball."""
    return (
        f"<mujoco><asset>{asset}</asset><worldbody>"
        '<body name="ball"><freejoint/><geom size="1"/></body></worldbody></mujoco>'
    )


def assert_same(xml: str, files: Mapping[str, bytes] | None = None, ignored: Sequence[str] = ()) -> None:
    """Check that both packages compile the same model."""
    theirs: Any = mujoco.MjModel.from_xml_string(xml, dict(files or {}))
    assert_equal(conjoint.MjModel.from_xml_string(xml, dict(files or {})), theirs, ignored)


def assert_same_file(path: Path) -> None:
    """Check that both packages compile the same model from a file."""
    assert_equal(conjoint.MjModel.from_xml_path(str(path)), mujoco.MjModel.from_xml_path(str(path)))


def assert_equal(ours: Any, theirs: Any, ignored: Sequence[str] = ()) -> None:
    """Check that all compared fields of two models agree."""
    for name in dir(theirs):
        value = getattr(theirs, name)
        if name.startswith("_") or name in ignored or any(part in name for part in UNSPECIFIED):
            continue
        if isinstance(value, int | float | np.ndarray):
            assert difference(getattr(ours, name), value, MODEL_FLOOR) <= MODEL_TOLERANCE, name
        elif isinstance(value, bytes):
            assert getattr(ours, name) == value, name


def refusals(xml: str, files: Mapping[str, bytes] | None = None) -> tuple[str, str]:
    """Return the error messages of both packages for a model, or "" for a package that accepts it."""
    said = []
    for package, error in ((conjoint, conjoint.ModelError), (mujoco, ValueError)):
        try:
            package.MjModel.from_xml_string(xml, dict(files or {}))
            said.append("")
        except error as problem:
            said.append(str(problem))
    return said[0], said[1]
