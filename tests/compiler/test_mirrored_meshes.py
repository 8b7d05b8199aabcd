"""A mesh with a negative or nonuniform scale equals a mesh with scaled vertices, as in MuJoCo 4.0.0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conjoint
from asset_files import msh, obj, stl, with_mesh, words

SCALES = [(1, -1, 1), (-2, -2, -2), (-1, -1, 1), (3, -1, -0.5), (-1, 2, 0.5)]
OUTLINE = np.array([[0, 0], [0.4, 0], [0.4, 0.1], [0.1, 0.1], [0.1, 0.3], [0, 0.3]])
VERT = np.array([[x, y, z] for z in (0, 0.15) for x, y in OUTLINE])
CAPS = [[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 5, 4], [6, 7, 8], [6, 8, 9], [6, 9, 10], [6, 10, 11]]
WALLS = [row for i, j in zip(range(6), (1, 2, 3, 4, 5, 0), strict=True) for row in ([i, j, 6 + j], [i, 6 + j, 6 + i])]
FACE = np.array(CAPS + WALLS)
"""Triangles of an L-shaped prism."""
TEXCOORD = VERT[:, :2] * 3


def compiled(kind: str, vert: Any, face: Any, attributes: str) -> Any:
    """Return the model of a mesh, which is inline or in one of several file formats."""
    if kind == "inline":
        numbers = f'vertex="{words(vert)}" face="{words(face)}" texcoord="{words(TEXCOORD)}"'
        return conjoint.MjModel.from_xml_string(with_mesh(f"{numbers} {attributes}"))
    if kind == "cloud":
        return conjoint.MjModel.from_xml_string(with_mesh(f'vertex="{words(vert)}" {attributes}'))
    lines = [*(f"vt {u} {1 - v}" for u, v in TEXCOORD), *(f"f {a}/{a} {b}/{b} {c}/{c}" for a, b, c in face + 1)]
    data = {"obj": obj(vert, *lines), "stl": stl(vert[face]), "msh": msh(vert, (), TEXCOORD, face)}[kind]
    return conjoint.MjModel.from_xml_string(with_mesh(f'file="m.{kind}" {attributes}'), {f"m.{kind}": data})


def directions(corners: Any) -> Any:
    """Return the unit normals of triangles, oriented by the order of their corners."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return normal / np.linalg.norm(normal, axis=1)[:, None]


def check_outward(m: Any) -> None:
    """Assert that normals point outward and that faces are ordered counterclockwise."""
    vert = m.mesh_vert.astype(float)
    first = vert[m.mesh_polyvert[m.mesh_polyvertadr[:, None] + np.arange(3)]]
    np.testing.assert_allclose(directions(first), m.mesh_polynormal, atol=1e-4)
    beyond = np.einsum("ij,ikj->ik", m.mesh_polynormal, vert[None] - first[:, :1])
    assert beyond.max() < 1e-5
    nface = m.mesh_graph[1]
    hull = vert[m.mesh_graph[-3 * nface :].reshape(-1, 3)]
    assert np.einsum("ij,ij->i", directions(hull), hull[:, 0] - vert.mean(axis=0)).min() > 0
    corners = vert[m.mesh_face]
    assert np.einsum("ij,ij->i", np.cross(corners[:, 0], corners[:, 1]), corners[:, 2]).sum() > 0
    normal = m.mesh_normal[m.mesh_facenormal].astype(float)
    assert np.einsum("ij,ikj->ik", directions(corners), normal).min() > 0


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("kind", ["inline", "cloud", "obj", "stl", "msh"])
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_a_scaled_mesh_is_that_of_scaled_numbers(scale: Any, kind: str) -> None:
    face = FACE[:, [0, 2, 1]] if np.prod(scale) < 0 else FACE
    for inertia in ("legacy", "convex", "exact", "shell"):
        m = compiled(kind, VERT, FACE, f'inertia="{inertia}" smoothnormal="true" scale="{words(scale)}"')
        n = compiled(kind, VERT * scale, face, f'inertia="{inertia}"')
        for name in ("body_mass", "body_ipos", "body_inertia", "geom_size", "geom_rbound"):
            wanted = getattr(n, name)
            np.testing.assert_allclose(getattr(m, name), wanted, rtol=1e-5, atol=1e-6, err_msg=name)
        assert (m.nmeshgraph, m.nmeshpoly, m.nmeshface) == (n.nmeshgraph, n.nmeshpoly, n.nmeshface)
        check_outward(m)


@pytest.mark.parametrize("kind", ["inline", "obj", "msh"])
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_texture_coordinates_stay_at_their_vertices(scale: Any, kind: str) -> None:
    m = compiled(kind, VERT, FACE, f'scale="{words(scale)}"')
    turn = np.zeros(9)
    conjoint.mju_quat2Mat(turn, m.mesh_quat[0])
    vert = (m.mesh_vert @ turn.reshape(3, 3).T + m.mesh_pos[0]) / scale
    np.testing.assert_allclose(m.mesh_texcoord[m.mesh_facetexcoord], 3 * vert[m.mesh_face][..., :2], atol=1e-5)


@pytest.mark.parametrize("scale", [(1, 1, 1), (1, 1, 0.2), (-2, -1, 0.5), (1, -1, 1), (1e-3, -2e-3, 1e-3)], ids=str)
def test_normals_of_a_file_stay_perpendicular_to_the_surface(scale: Any) -> None:
    """Normals of a scaled sphere are those of the ellipsoid: points divided by the squared scales, then normalized."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    text = with_mesh(f'vertex="{words(points)}" normal="{words(points)}" scale="{words(scale)}" refquat="1 2 3 4"')
    m = conjoint.MjModel.from_xml_string(text)
    turn = np.zeros(9)
    conjoint.mju_quat2Mat(turn, m.mesh_quat[0])
    vert = m.mesh_vert @ turn.reshape(3, 3).T + m.mesh_pos[0]
    wanted = vert / np.square(scale)
    wanted /= np.linalg.norm(wanted, axis=1)[:, None]
    np.testing.assert_allclose(m.mesh_normal @ turn.reshape(3, 3).T, wanted, atol=1e-5)


def test_signed_distances_of_a_mirrored_mesh() -> None:
    geom = 'type="sdf" mesh="m"'
    numbers = f'vertex="{words(VERT)}" face="{words(FACE)}"'
    m = conjoint.MjModel.from_xml_string(with_mesh(f'{numbers} scale="1 -1 1"', geom))
    mirrored = f'vertex="{words(VERT * (1, -1, 1))}" face="{words(FACE[:, [0, 2, 1]])}"'
    n = conjoint.MjModel.from_xml_string(with_mesh(mirrored, geom))
    np.testing.assert_allclose(m.oct_coeff, n.oct_coeff, atol=1e-6)


FLEX = """<mujoco><asset><mesh name="m" {} scale="{}"/></asset><worldbody><body name="b">
<flexcomp name="f" mesh="m" dim="{}" origin=".05 {} .05" mass="1" radius=".001"/></body></worldbody></mujoco>"""


@pytest.mark.plain
@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("texture", ["", f'texcoord="{words(TEXCOORD)}"'], ids=["plain", "textured"])
def test_flexes_of_mirrored_meshes(texture: str, dim: int) -> None:
    """Mirrored flex sheets face outward, and mirrored solids have positive volume."""
    numbers = f'vertex="{words(VERT)}" face="{words(FACE)}" {texture}'
    volume, elements = [], []
    for scale, y in (("1 1 1", 0.05), ("1 -1 1", -0.05)):
        m = conjoint.MjModel.from_xml_string(FLEX.format(numbers, scale, dim, y))
        d = conjoint.MjData(m)
        conjoint.mj_kinematics(m, d)
        conjoint.mj_flex(m, d)
        points = d.flexvert_xpos[m.flex_elem.reshape(-1, dim + 1)]
        volume.append(np.linalg.det(points[:, -3:] - (points[:, :1] if dim == 3 else 0)).sum() / 6)
        elements.append(m.flex_elem.reshape(-1, dim + 1))
        if texture:
            wanted = np.concatenate([np.zeros((dim - 2, 2)), TEXCOORD])
            np.testing.assert_allclose(m.flex_texcoord, wanted, rtol=1e-6)
    assert volume[1] == pytest.approx(volume[0]) and abs(volume[0]) > 1e-3
    assert np.array_equal(np.sort(elements[0]), np.sort(elements[1]))
