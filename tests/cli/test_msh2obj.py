"""MSH meshes converted to OBJ equal the original when they are read again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import conjoint
from conjoint.compat.msh2obj import msh_to_obj

TRIANGLES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], np.int32)


def msh(normals: bool, texcoords: bool) -> bytes:
    """Return the MSH file of a tetrahedron, optionally with normals and texture coordinates."""
    vert = np.float32([[0, 0, 0], [1 / 3, 0, 0], [0, 0.7, 0], [0, 0, 1e-3]])
    normal = np.float32([[0, 0, -1], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    header = np.int32([4, 4 * normals, 4 * texcoords, 4]).tobytes()
    parts = [
        vert.tobytes(),
        normal.tobytes() if normals else b"",
        np.float32(vert[:, :2] + 0.1).tobytes() if texcoords else b"",
    ]
    return header + b"".join(parts) + TRIANGLES.tobytes()


@pytest.mark.parametrize("normals", [False, True])
@pytest.mark.parametrize("texcoords", [False, True])
def test_what_is_written_is_the_same_mesh(tmp_path: Path, normals: bool, texcoords: bool) -> None:
    file = tmp_path / "a.msh"
    file.write_bytes(msh(normals, texcoords))
    done = subprocess.run(
        [sys.executable, "-m", "conjoint.compat.msh2obj", str(file), str(tmp_path / "a.obj")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "a.obj").read_text()
    assert text == msh_to_obj(str(file))
    models = [
        conjoint.MjModel.from_xml_string(f'<mujoco><asset><mesh file="{name}"/></asset></mujoco>', {name: contents})
        for name, contents in (("a.msh", file.read_bytes()), ("a.obj", text))
    ]
    for name in ("mesh_vert", "mesh_normal", "mesh_face", "mesh_facenormal", "mesh_texcoord"):
        np.testing.assert_allclose(getattr(models[1], name), getattr(models[0], name), atol=1e-7, err_msg=name)
    assert models[1].mesh_texcoordnum == models[0].mesh_texcoordnum


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.msh"
    file.write_bytes(msh(True, True)[:-1])
    with pytest.raises(ValueError, match="but its header requires"):
        msh_to_obj(file)
