"""Triangles of flexes and skins, whose corners come with the scene."""

from __future__ import annotations

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvScene
from conjoint.render.shapes import corners
from conjoint.schema.enums import mjtGeom


def flexible_corners(m: MjModel, scene: MjvScene, kind: int, i: int) -> np.ndarray:
    """Corners of flex or skin `i`, in the world."""
    return skin_corners(m, scene, i) if kind == mjtGeom.mjGEOM_SKIN else flex_corners(scene, i)


def skin_corners(m: MjModel, scene: MjvScene, i: int) -> np.ndarray:
    """The triangles of a skin where it is now."""
    faces = m.skin_face[m.skin_faceadr[i] : m.skin_faceadr[i] + m.skin_facenum[i]].ravel()
    vertices = m.skin_vertadr[i] + faces
    texcoords = None
    if m.skin_texcoordadr[i] >= 0:
        texcoords = m.skin_texcoord[m.skin_texcoordadr[i] + faces]
    points, normals = (scene.memory.view(name)[vertices] for name in ("skinvert", "skinnormal"))
    return corners(points, normals, texcoords)


def flex_corners(scene: MjvScene, i: int) -> np.ndarray:
    """The triangles that the scene shows of a flex."""
    row = {name: scene.memory.view(name) for name in ("flexface", "flexnormal", "flextexcoord")}
    start = int(scene.flexfaceadr[i])
    used = slice(start, start + int(scene.flexfaceused[i]))
    points, normals = row["flexface"][used].reshape(-1, 3), row["flexnormal"][used].reshape(-1, 3)
    return corners(points, normals, row["flextexcoord"][used].reshape(-1, 2))


def flex_skeleton(m: MjModel, scene: MjvScene, i: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Vertices and ends of edges of a flex that are shown, and the radius that they are shown with."""
    at, count = int(scene.flexvertadr[i]), int(scene.flexvertnum[i])
    points = scene.memory.view("flexvert")[at : at + count]
    first, number = int(scene.flexedgeadr[i]), int(scene.flexedgenum[i])
    ends = points[scene.memory.view("flexedge")[first : first + number]]
    # a skin covers all but lines
    bare = m.flex_dim[i] == 1 or not scene.flexskinopt
    balls = points if bare and (scene.flexvertopt or m.flex_dim[i] == 1) else points[:0]
    return balls, ends if bare and scene.flexedgeopt else ends[:0], float(m.flex_radius[i])
