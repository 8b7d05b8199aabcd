"""What a scene shows of flexible bodies: vertices, and triangles at the distance of their radius."""

from __future__ import annotations

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvScene
from conjoint.api.objects.visual import MjvOption
from conjoint.schema.enums_visual import mjtVisFlag

SHOWN = {
    "flexvertopt": mjtVisFlag.mjVIS_FLEXVERT,
    "flexedgeopt": mjtVisFlag.mjVIS_FLEXEDGE,
    "flexfaceopt": mjtVisFlag.mjVIS_FLEXFACE,
    "flexskinopt": mjtVisFlag.mjVIS_FLEXSKIN,
}
"""Options that a scene takes over for who draws it."""

TETRAHEDRON = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
"""Vertices of the faces of a tetrahedron, seen from outside."""


def update_flexes(m: MjModel, d: MjData, opt: MjvOption, scn: MjvScene) -> None:
    """Let a scene show where flexible bodies are: their skins, or faces of their elements, as the options say."""
    view = scn.memory.view
    view("flexvert")[...] = d.flexvert_xpos
    for name, flag in SHOWN.items():
        setattr(scn, name, int(opt.flags[flag]))
    for f in range(m.nflex):
        triangles = corners = None
        if m.flex_dim[f] > 1 and scn.flexskinopt:
            triangles, corners = skin(m, d, f)
        elif m.flex_dim[f] > 1 and scn.flexfaceopt:
            triangles, corners = faces(m, d, f, opt.flex_layer)
        scn.flexfaceused[f] = 0 if triangles is None else len(triangles)
        if triangles is not None and corners is not None:
            at = int(scn.flexfaceadr[f])
            used = slice(at, at + len(triangles))
            points, normals, texcoords = corners
            view("flexface")[used] = points.reshape(-1, 9)
            view("flexnormal")[used] = normals.reshape(-1, 9)
            view("flextexcoord")[used] = texcoords.reshape(-1, 6)


Corners = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Positions, normals and texture coordinates of the three corners of each triangle."""


def skin(m: MjModel, d: MjData, f: int) -> tuple[np.ndarray, Corners]:
    """The surface of a flex: both sides of a sheet and its rim, or the shell of a solid."""
    x, radius, flat = vertices(m, d, f), m.flex_radius[f], bool(m.flex_flatskin[f])
    elements, shell = elements_of(m, f), shell_of(m, f)
    if m.flex_dim[f] == 3:
        return shell, moved(m, f, x, shell, radius, vertex_normals(x, shell), flat)
    normals = vertex_normals(x, elements)
    # the sides take turns, and the lower one turns the other way
    both = np.stack([elements, elements[:, [0, 2, 1]]], axis=1).reshape(-1, 3)
    side = np.tile([1.0, -1.0], len(elements))[:, None]
    a, b = shell[:, 0], shell[:, 1]
    rim = np.stack([np.stack([a, b, b], axis=1), np.stack([b, a, a], axis=1)], axis=1).reshape(-1, 3)
    rim_side = np.tile([[1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]], (len(shell), 1))
    upper = moved(m, f, x, both, side * radius, normals, flat, side)
    points, _, coordinates = moved(m, f, x, rim, rim_side * radius, normals, False)
    # each triangle faces away from its edge and from the normal of the vertex that it has twice
    outward = unit(np.cross(np.repeat(x[b] - x[a], 2, axis=0), normals[np.stack([b, a], axis=1).ravel()]))
    edge = points, np.repeat(outward[:, None], 3, axis=1), coordinates
    pairs = zip(upper, edge, strict=True)
    return np.concatenate([both, rim]), tuple(np.concatenate(pair) for pair in pairs)  # type: ignore[return-value]


def faces(m: MjModel, d: MjData, f: int, layer: int) -> tuple[np.ndarray, Corners]:
    """The faces of elements, each as flat as it is: both sides of a sheet, or the solids of a layer."""
    x, elements = vertices(m, d, f), elements_of(m, f)
    if m.flex_dim[f] == 2:
        triangles = np.stack([elements, elements[:, [0, 2, 1]]], axis=1).reshape(-1, 3)
    else:
        first = m.flex_elemadr[f]
        layers = m.flex_elemlayer[first : first + len(elements)]
        triangles = elements[layers == layer][:, TETRAHEDRON].reshape(-1, 3)
    every = face_normals(x[triangles])
    points = x[triangles] + m.flex_radius[f] * every
    return triangles, (points, every, texcoords(m, f, triangles))


def moved(
    m: MjModel, f: int, x: np.ndarray, triangles: np.ndarray, distance: np.ndarray | float, normals: np.ndarray,
    flat: bool, side: np.ndarray | float = 1.0,
) -> Corners:  # fmt: skip
    """Triangles moved by a distance along the normals of their vertices; flat ones show normals of their own."""
    every = normals[triangles]
    points = x[triangles] + np.broadcast_to(distance, triangles.shape)[:, :, None] * every
    smooth = every * np.broadcast_to(side, triangles.shape)[:, :, None]
    return points, face_normals(x[triangles]) if flat else smooth, texcoords(m, f, triangles)


def face_normals(corners: np.ndarray) -> np.ndarray:
    """Normals of triangles, shape (n, 3, 3), the same for their three corners."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.repeat(unit(across)[:, None], 3, axis=1)


def vertices(m: MjModel, d: MjData, f: int) -> np.ndarray:
    """Positions of the vertices of a flex."""
    at = m.flex_vertadr[f]
    return d.flexvert_xpos[at : at + m.flex_vertnum[f]]


def elements_of(m: MjModel, f: int) -> np.ndarray:
    """Vertices of the elements of a flex."""
    size, at = m.flex_dim[f] + 1, m.flex_elemdataadr[f]
    return m.flex_elem[at : at + size * m.flex_elemnum[f]].reshape(-1, size)


def shell_of(m: MjModel, f: int) -> np.ndarray:
    """Vertices of the fragments of the shell of a flex."""
    size, at = int(m.flex_dim[f]), m.flex_shelldataadr[f]
    return m.flex_shell[at : at + size * m.flex_shellnum[f]].reshape(-1, size)


def vertex_normals(x: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Normals of vertices: the mean direction of the faces around, whatever their size."""
    flat = face_normals(x[triangles])[:, 0]
    normals = np.zeros_like(x)
    for k in range(3):
        np.add.at(normals, triangles[:, k], flat)
    return unit(normals)


def texcoords(m: MjModel, f: int, triangles: np.ndarray) -> np.ndarray:
    """Texture coordinates of corners: those that some element gives to their vertices; 0 if the flex has none."""
    at = m.flex_texcoordadr[f]
    if at < 0:
        return np.zeros((*triangles.shape, 2))
    elements, first = elements_of(m, f), m.flex_elemdataadr[f]
    of_vertex = np.zeros(m.flex_vertnum[f], int)
    of_vertex[elements.ravel()] = m.flex_elemtexcoord[first : first + elements.size]
    return m.flex_texcoord[at + of_vertex[triangles]]


def unit(v: np.ndarray) -> np.ndarray:
    """Rows of length 1; those of length 0 stay."""
    length = np.linalg.norm(v, axis=1, keepdims=True)
    return v / np.where(length > 0, length, 1.0)
