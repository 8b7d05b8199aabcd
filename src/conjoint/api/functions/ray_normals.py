"""Surface normals at the hit points of rays: outward unit vectors, as newer MuJoCo versions report them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom

NONE = (0.0, 0.0, 0.0)
"""Normal that is reported if a ray hits nothing."""


def write_normal(
    m: MjModel, d: MjData, geom: int, pnt: np.ndarray, vec: np.ndarray, distance: float, normal: np.ndarray
) -> None:
    """Write the surface normal at the point where a ray hits a geom, or zeros for a miss.

    Args:
        m: the model.
        d: the world.
        geom: id of the geom, -1 for a miss.
        pnt: start of the ray.
        vec: direction of the ray.
        distance: distance of the hit point, in lengths of `vec`; negative for a miss.
        normal: receives the normal, three elements.
    """
    if geom < 0 or distance < 0.0:
        normal[:] = NONE
        return
    frame = d.geom_xmat[geom].reshape(3, 3)
    start, way = frame.T @ (pnt - d.geom_xpos[geom]), frame.T @ vec
    kind = int(m.geom_type[geom])
    if kind in (mjtGeom.mjGEOM_MESH, mjtGeom.mjGEOM_SDF) and m.geom_dataid[geom] >= 0:
        found = _of_triangles(_mesh_triangles(m, int(m.geom_dataid[geom])), start, way, distance)
    elif kind == mjtGeom.mjGEOM_HFIELD:
        found = _of_hfield(m, int(m.geom_dataid[geom]), start, way, distance)
    else:
        found = primitive_normal(kind, m.geom_size[geom], start + distance * way)
    normal[:] = frame @ found


def primitive_normal(kind: int, size: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the unit normal of a primitive at the surface point p, both in the frame of the geom."""
    n = PRIMITIVES[kind](size, p) if kind in PRIMITIVES else p
    return n / max(float(np.linalg.norm(n)), mjMINVAL)


def _axis(p: np.ndarray, k: int) -> np.ndarray:
    """Return the unit vector along axis k, with the sign of p[k]."""
    n = np.zeros(3)
    n[k] = 1.0 if p[k] >= 0.0 else -1.0
    return n


def _cylinder(size: np.ndarray, p: np.ndarray) -> np.ndarray:
    on_side = abs(np.hypot(p[0], p[1]) - size[0]) <= abs(abs(p[2]) - size[1])
    return np.array((p[0], p[1], 0.0)) if on_side else _axis(p, 2)


PRIMITIVES: dict[int, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    mjtGeom.mjGEOM_PLANE: lambda size, p: np.array((0.0, 0.0, 1.0)),
    mjtGeom.mjGEOM_CAPSULE: lambda size, p: np.array((p[0], p[1], p[2] - np.clip(p[2], -size[1], size[1]))),
    mjtGeom.mjGEOM_ELLIPSOID: lambda size, p: p / (size * size),
    mjtGeom.mjGEOM_CYLINDER: _cylinder,
    mjtGeom.mjGEOM_BOX: lambda size, p: _axis(p, int(np.argmin(np.abs(np.abs(p) - size)))),
}
"""Functions that return a vector along the normal, given the size and a surface point, by geom type.

For other geom types, the surface point itself is a vector along the normal.
"""


def _mesh_triangles(m: MjModel, mesh: int) -> np.ndarray:
    """Return the corners of the triangles of a mesh, shape (n, 3, 3)."""
    first, count = int(m.mesh_faceadr[mesh]), int(m.mesh_facenum[mesh])
    return m.mesh_vert[m.mesh_vertadr[mesh] + m.mesh_face[first : first + count]].astype(float)


def _of_triangles(corners: np.ndarray, start: np.ndarray, way: np.ndarray, distance: float) -> np.ndarray:
    """Return the normal of the triangle that a ray hits at the given distance."""
    a, ab, ac = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normals = np.cross(ab, ac)
    slope = normals @ way
    with np.errstate(divide="ignore", invalid="ignore"):
        met = np.einsum("ij,ij->i", normals, a - start) / slope
        arm = start + met[:, None] * way - a
        square = np.einsum("ij,ij->i", normals, normals)
        u = np.einsum("ij,ij->i", np.cross(arm, ac), normals) / square
        v = np.einsum("ij,ij->i", np.cross(ab, arm), normals) / square
        # error of each triangle: relative distance from the hit point, plus how far the point lies outside of the
        # triangle
        away = np.abs(met - distance) / max(abs(distance), mjMINVAL) + np.maximum.reduce((-u, -v, u + v - 1.0, 0.0 * u))
    n = normals[int(np.nanargmin(np.where(slope == 0.0, np.inf, away)))]
    return n / np.linalg.norm(n)


def _of_hfield(m: MjModel, field: int, start: np.ndarray, way: np.ndarray, distance: float) -> np.ndarray:
    """Return the normal of a height field at a hit point on its surface, a side or its bottom."""
    p = start + distance * way
    x, y, top, base = m.hfield_size[field]
    for k, limit in ((0, x), (1, y)):
        if abs(abs(p[k]) - limit) <= EDGE * limit:
            return _axis(p, k)
    if abs(p[2] + base) <= EDGE * base:
        return np.array((0.0, 0.0, -1.0))
    nrow, ncol, first = (int(a[field]) for a in (m.hfield_nrow, m.hfield_ncol, m.hfield_adr))
    heights = m.hfield_data[first : first + nrow * ncol].reshape(nrow, ncol).astype(float) * top
    column = int(np.clip((p[0] + x) / (2 * x) * (ncol - 1), 0, ncol - 2))
    row = int(np.clip((p[1] + y) / (2 * y) * (nrow - 1), 0, nrow - 2))
    return _of_triangles(_cell(heights, row, column, (x, y)), start, way, distance)


EDGE = 1e-9
"""Relative tolerance for deciding that a point is on a side or on the bottom of a height field."""


def _cell(heights: np.ndarray, row: int, column: int, half: tuple[Any, Any]) -> np.ndarray:
    """Return the corners of the two triangles above a cell of a height field, ordered so that normals point upwards."""
    nrow, ncol = heights.shape

    def corner(r: int, c: int) -> tuple[float, float, float]:
        place = (2 * half[0] * c / (ncol - 1) - half[0], 2 * half[1] * r / (nrow - 1) - half[1])
        return (*place, float(heights[r, c]))

    a, b = corner(row, column), corner(row, column + 1)
    c, e = corner(row + 1, column), corner(row + 1, column + 1)
    return np.array(((a, b, e), (a, e, c)))
