"""Triangles of geoms: scaled unit shapes, meshes of a model, and flexes and skins of a scene.

A shape is an array of vertices, three for each triangle. A vertex consists of a position and a normal in the geom's
frame, and texture coordinates.
"""

from __future__ import annotations

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvScene
from conjoint.ray_renderer.normals import FLAT
from conjoint.schema.enums import mjtGeom
from conjoint.viz.flexes import face_normals

CORNER = 8
"""Number of values per vertex: position 3, normal 3, texture coordinates 2."""


PLANE_CELLS = 1
"""Cells per side of a plane. Lighting is computed per pixel, so a plane needs no finer triangles."""


def corners(points: np.ndarray, normals: np.ndarray, texcoords: np.ndarray | None = None) -> np.ndarray:
    """Return an array of vertices, float32, shape (n, CORNER); texture coordinates are 0 by default."""
    if texcoords is None:
        texcoords = np.zeros((len(points), 2))
    return np.concatenate([points, normals, texcoords], axis=1).astype(np.float32)


def quads(grid: np.ndarray) -> np.ndarray:
    """Return two triangles for each cell of a grid of points, shape (rows, columns, n).

    The triangles are counterclockwise if the direction of columns is to the left of the direction of rows.
    """
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    return np.stack([a, b, c, a, c, d], axis=2).reshape(-1, grid.shape[-1])


def lathe(profile: np.ndarray, normals: np.ndarray, slices: int) -> np.ndarray:
    """Return a surface of revolution about z, given its profile (radius, height) from the bottom up, and normals."""
    angle = np.linspace(0, 2 * np.pi, slices + 1)
    turn = np.stack([np.cos(angle), np.sin(angle)], axis=1)

    def swept(rows: np.ndarray) -> np.ndarray:
        flat = turn[:, None, :] * rows[None, :, :1]
        return np.concatenate([flat, np.broadcast_to(rows[None, :, 1:], (*flat.shape[:2], 1))], axis=2)

    return corners(quads(swept(profile)), quads(swept(normals)))


def arc(start: float, end: float, stacks: int) -> np.ndarray:
    """Return points (radius, height) of a unit circle between two latitudes (rad)."""
    latitude = np.linspace(start, end, stacks + 1)
    return np.stack([np.cos(latitude), np.sin(latitude)], axis=1)


def sphere(slices: int, stacks: int) -> np.ndarray:
    """Return the unit sphere."""
    line = arc(-np.pi / 2, np.pi / 2, stacks)
    return lathe(line, line, slices)


def half_sphere(slices: int, stacks: int) -> np.ndarray:
    """Return the upper half of the unit sphere."""
    line = arc(0, np.pi / 2, stacks)
    return lathe(line, line, slices)


def tube(slices: int, stacks: int) -> np.ndarray:
    """Return the side of a unit cylinder, from z = -1 to 1."""
    height = np.linspace(-1, 1, stacks + 1)
    line = np.stack([np.ones_like(height), height], axis=1)
    return lathe(line, np.stack([np.ones_like(height), np.zeros_like(height)], axis=1), slices)


def disk(slices: int) -> np.ndarray:
    """Return the unit disk in the plane z = 0, facing up."""
    up = np.tile([0.0, 1.0], (2, 1))
    return lathe(np.array([[1.0, 0.0], [0.0, 0.0]]), up, slices)


def cone(slices: int, stacks: int) -> np.ndarray:
    """Return the side of a cone of unit radius at z = 0 with its tip at z = 1."""
    height = np.linspace(0, 1, stacks + 1)
    line = np.stack([1 - height, height], axis=1)
    return lathe(line, np.tile(np.sqrt([0.5, 0.5]), (stacks + 1, 1)), slices)


def box() -> np.ndarray:
    """Return the surface of the cube from -1 to 1."""
    sides = []
    for axis in range(3):
        for sign in (1.0, -1.0):
            normal, u, v = np.zeros(3), np.zeros(3), np.zeros(3)
            normal[axis], u[(axis + 1) % 3], v[(axis + 2) % 3] = sign, sign, 1.0
            grid = np.array([[normal + s * u + t * v for t in (-1, 1)] for s in (-1, 1)])
            points = quads(grid)
            sides.append(corners(points, np.tile(normal, (len(points), 1))))
    return np.concatenate(sides)


def square(cells: int) -> np.ndarray:
    """Return the square from -1 to 1 in the plane z = 0, facing up."""
    line = np.linspace(-1, 1, cells + 1)
    grid = np.stack([*np.meshgrid(line, line, indexing="ij"), np.zeros((cells + 1, cells + 1))], axis=2)
    points = quads(grid)
    return corners(points, np.tile([0.0, 0.0, 1.0], (len(points), 1)))


def line_box() -> np.ndarray:
    """Return the edges of the cube from -1 to 1, as pairs of end points to be drawn as lines."""
    signs = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    ends = [(a, b) for a in signs for b in signs if (a != b).sum() == 1 and (b > a).any()]
    points = np.array(ends).reshape(-1, 3)
    return corners(points, np.tile([0.0, 0.0, 1.0], (len(points), 1)))


def segment() -> np.ndarray:
    """Return the line from z = 0 to z = 1 on the z axis."""
    return corners(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), np.tile([0.0, 0.0, 1.0], (2, 1)))


def triangle() -> np.ndarray:
    """Return the triangle of the origin and the unit points on the x and y axes."""
    points = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    return corners(points, np.tile([0.0, 0.0, 1.0], (3, 1)))


def flat(points: np.ndarray) -> np.ndarray:
    """Return the vertices of flat-shaded triangles, with the faces' normals."""
    return corners(points, face_normals(points.reshape(-1, 3, 3)).reshape(-1, 3))


def mesh(m: MjModel, i: int) -> np.ndarray:
    """Return the triangles of a mesh, with its normals and texture coordinates."""
    at, count = m.mesh_faceadr[i], m.mesh_facenum[i]
    faces = slice(at, at + count)
    points = m.mesh_vert[m.mesh_vertadr[i] + m.mesh_face[faces].ravel()]
    normals = m.mesh_normal[m.mesh_normaladr[i] + m.mesh_facenormal[faces].ravel()]
    if m.mesh_texcoordadr[i] >= 0:
        texcoords = m.mesh_texcoord[m.mesh_texcoordadr[i] + m.mesh_facetexcoord[faces].ravel()]
        return corners(points, normals, texcoords)
    # as in MuJoCo, meshes without texture coordinates have sharp edges
    own = face_normals(points.reshape(-1, 3, 3)).reshape(-1, 3)
    sharp = np.einsum("ck,ck->c", normals, own) < FLAT
    return corners(points, np.where(sharp[:, None], own, normals))


def hull(m: MjModel, i: int) -> np.ndarray:
    """Return the convex hull of a mesh with flat-shaded faces; return the mesh itself if it has no hull."""
    start = m.mesh_graphadr[i]
    if start < 0:
        return mesh(m, i)
    # mesh_graph contains the numbers of vertices and faces, two numbers per vertex, the edges (one number per vertex
    # and three per face), and the faces
    nvert, nface = m.mesh_graph[start : start + 2]
    first = start + 2 + 3 * nvert + 3 * nface
    ids = m.mesh_graph[first : first + 3 * nface]
    points = m.mesh_vert[m.mesh_vertadr[i] + ids]
    return flat(points)


def hfield(m: MjModel, i: int) -> np.ndarray:
    """Return the triangles of a height field: its surface, its sides and its bottom."""
    nrow, ncol, (rx, ry, top, base) = m.hfield_nrow[i], m.hfield_ncol[i], m.hfield_size[i]
    start = m.hfield_adr[i]
    heights = m.hfield_data[start : start + nrow * ncol].reshape(nrow, ncol).T * top
    x, y = np.meshgrid(np.linspace(-rx, rx, ncol), np.linspace(-ry, ry, nrow), indexing="ij")
    u, v = (x / rx + 1) / 2, (y / ry + 1) / 2
    grid = np.stack([x, y, heights], axis=2)
    # as in MuJoCo, every triangle has its own normal
    points = quads(grid)
    normals = face_normals(points.reshape(-1, 3, 3)).reshape(-1, 3)
    surface = corners(points, normals, quads(np.stack([u, v], axis=2)))
    rim = [grid[:, 0], grid[-1], grid[::-1, -1], grid[0, ::-1]]
    sides = []
    for edge in rim:
        below = edge.copy()
        below[:, 2] = -base
        points = quads(np.stack([below, edge], axis=1))
        sides.append(flat(points))
    bottom = np.array([[-rx, -ry], [-rx, ry], [rx, ry], [-rx, -ry], [rx, ry], [rx, -ry]])
    points = np.column_stack([bottom, np.full(6, -base)])
    return np.concatenate([surface, *sides, flat(points)])


def shape_corners(m: MjModel, name: str, slices: int, stacks: int) -> np.ndarray:
    """Return the vertices of a shape, given its name ("sphere", "mesh 3", ...).

    Args:
        m: the model.
        name: name of the shape.
        slices, stacks: numbers of subdivisions around and along round shapes.
    """
    kind, _, number = name.partition(" ")
    match kind:
        case "sphere":
            return sphere(slices, stacks)
        case "half_sphere":
            return half_sphere(slices, max(1, stacks // 2))
        case "tube":
            return tube(slices, stacks)
        case "disk":
            return disk(slices)
        case "cone":
            return cone(slices, stacks)
        case "square":
            return square(PLANE_CELLS)
        case "mesh":
            return mesh(m, int(number))
        case "hull":
            return hull(m, int(number))
        case "hfield":
            return hfield(m, int(number))
        case "box":
            return box()
        case "line_box":
            return line_box()
        case "segment":
            return segment()
    return triangle()


def flexible_corners(m: MjModel, scene: MjvScene, kind: int, i: int) -> np.ndarray:
    """Return the vertices of the triangles of flex or skin `i`, in world coordinates."""
    return skin_corners(m, scene, i) if kind == mjtGeom.mjGEOM_SKIN else flex_corners(scene, i)


def skin_corners(m: MjModel, scene: MjvScene, i: int) -> np.ndarray:
    """Return the triangles of a skin in its current pose."""
    faces = m.skin_face[m.skin_faceadr[i] : m.skin_faceadr[i] + m.skin_facenum[i]].ravel()
    vertices = m.skin_vertadr[i] + faces
    texcoords = None
    if m.skin_texcoordadr[i] >= 0:
        texcoords = m.skin_texcoord[m.skin_texcoordadr[i] + faces]
    points, normals = (scene.memory.view(name)[vertices] for name in ("skinvert", "skinnormal"))
    return corners(points, normals, texcoords)


def flex_corners(scene: MjvScene, i: int) -> np.ndarray:
    """Return the triangles of a flex that the scene contains."""
    row = {name: scene.memory.view(name) for name in ("flexface", "flexnormal", "flextexcoord")}
    start = int(scene.flexfaceadr[i])
    used = slice(start, start + int(scene.flexfaceused[i]))
    points, normals = row["flexface"][used].reshape(-1, 3), row["flexnormal"][used].reshape(-1, 3)
    return corners(points, normals, row["flextexcoord"][used].reshape(-1, 2))


def flex_skeleton(m: MjModel, scene: MjvScene, i: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the vertices and the end points of edges to draw for a flex, and the radius with which they are drawn."""
    at, count = int(scene.flexvertadr[i]), int(scene.flexvertnum[i])
    points = scene.memory.view("flexvert")[at : at + count]
    first, number = int(scene.flexedgeadr[i]), int(scene.flexedgenum[i])
    ends = points[scene.memory.view("flexedge")[first : first + number]]
    # the surface of a flex hides vertices and edges, except those of one-dimensional flexes
    bare = m.flex_dim[i] == 1 or not scene.flexskinopt
    balls = points if bare and (scene.flexvertopt or m.flex_dim[i] == 1) else points[:0]
    return balls, ends if bare and scene.flexedgeopt else ends[:0], float(m.flex_radius[i])
