"""Rays: the first geom that a ray meets (API reference, Ray casting).

Distances are along the vector of a ray, in units of its length; -1 where nothing is met.
"""

import numpy as np

from conjoint.api.arguments import (
    Groups,
    OutInteger,
    OutIntegers,
    OutVector,
    Vector,
    Vector3,
    Vector9,
    checked,
    require,
)
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import FatalError, mat3, vec3
from conjoint.physics.ray import ray_shape
from conjoint.schema.constants import mjMINVAL, mjNGROUP
from conjoint.schema.enums import mjtGeom

MISSED = -1.0

SHAPES = (
    mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_ELLIPSOID,
    mjtGeom.mjGEOM_CYLINDER, mjtGeom.mjGEOM_BOX,
)  # fmt: skip
"""Types of geom that are not made of triangles."""


@checked
def mj_ray(
    m: MjModel,
    d: MjData,
    pnt: Vector3,
    vec: Vector3,
    geomgroup: Groups | None,
    flg_static: int,
    bodyexclude: int,
    geomid: OutInteger | None,
) -> float:
    """Distance to the first geom that a ray meets.

    Args:
        m: the model.
        d: the world, after `mj_kinematics`.
        pnt: where the ray starts.
        vec: its direction; distances are in units of its length.
        geomgroup: which of the six groups of geoms count; None for all.
        flg_static: whether geoms fixed to the world count.
        bodyexclude: body whose geoms do not count; -1 for none.
        geomid: receives the id of the geom, -1 for none; None to leave it out.

    Returns:
        The distance, -1 if no geom is met. Invisible geoms are not.

    Raises:
        FatalError: the vector has no length.
    """
    distance, found = _first_geom(m, d, pnt, vec, _targets(m, geomgroup, flg_static, bodyexclude))
    if geomid is not None:
        geomid[0] = found
    return distance


@checked
def mj_multiRay(
    m: MjModel,
    d: MjData,
    pnt: Vector3,
    vec: Vector,
    geomgroup: Groups | None,
    flg_static: int,
    bodyexclude: int,
    geomid: OutIntegers,
    dist: OutVector,
    nray: int,
    cutoff: float,
) -> None:
    """What `mj_ray` finds for `nray` rays from one point.

    Args:
        m: the model.
        d: the world, after `mj_kinematics`.
        pnt: where the rays start.
        vec: their directions, one after another.
        geomgroup: which of the six groups of geoms count; None for all.
        flg_static: whether geoms fixed to the world count.
        bodyexclude: body whose geoms do not count; -1 for none.
        geomid: receives the id of the geom that each ray meets, -1 for none.
        dist: receives the distances.
        nray: number of rays.
        cutoff: geoms whose bounds are farther away do not count.
    """
    require(len(dist) == nray, "dist should be of size nray")
    require(len(geomid) == nray, "geomid should be of size nray")
    require(len(vec) == 3 * nray, "vec should be of size 3*nray")
    targets = _targets(m, geomgroup, flg_static, bodyexclude)
    for i in range(nray):
        dist[i], geomid[i] = _first_geom(m, d, pnt, vec[3 * i : 3 * i + 3], targets)
        if dist[i] > cutoff:
            dist[i], geomid[i] = MISSED, -1


@checked
def mj_rayMesh(m: MjModel, d: MjData, geomid: int, pnt: Vector3, vec: Vector3) -> float:
    """Distance at which a ray meets a geom that is a mesh."""
    _check_geom(m, "mj_rayMesh", geomid, mjtGeom.mjGEOM_MESH)
    first, count = m.mesh_faceadr[m.geom_dataid[geomid]], m.mesh_facenum[m.geom_dataid[geomid]]
    vertices = m.mesh_vert[m.mesh_vertadr[m.geom_dataid[geomid]] :]
    start, way = _local(d, geomid, pnt, vec)
    return _first_triangle(vertices[m.mesh_face[first : first + count]].astype(float), start, way)


@checked
def mj_rayHfield(m: MjModel, d: MjData, geomid: int, pnt: Vector3, vec: Vector3) -> float:
    """Distance at which a ray meets a geom that is a height field: its surface, its sides or its base."""
    _check_geom(m, "mj_rayHfield", geomid, mjtGeom.mjGEOM_HFIELD)
    start, way = _local(d, geomid, pnt, vec)
    return _first_triangle(_hfield_triangles(m, int(m.geom_dataid[geomid])), start, way)


@checked
def mju_rayGeom(pos: Vector3, mat: Vector9, size: Vector3, pnt: Vector3, vec: Vector3, geomtype: int) -> float:
    """Distance at which a ray meets a geom of primitive type.

    Args:
        pos: centre of the geom.
        mat: its axes as columns, nine numbers by rows.
        size: its size.
        pnt: where the ray starts.
        vec: its direction.
        geomtype: type of the geom (mjtGeom).

    Raises:
        FatalError: the geom is of another type.
    """
    if geomtype not in SHAPES:
        raise FatalError(f"mju_rayGeom: unexpected geom type {geomtype}")
    return float(ray_shape(geomtype, vec3(*pos), mat3(*mat), vec3(*size), vec3(*pnt), vec3(*vec)))


def _targets(m: MjModel, geomgroup: np.ndarray | None, flg_static: int, bodyexclude: int) -> np.ndarray:
    """Ids of the geoms that count."""
    counts = m.geom_bodyid != bodyexclude
    if not flg_static:
        counts &= m.body_weldid[m.geom_bodyid] != 0
    if geomgroup is not None:
        counts &= geomgroup[np.clip(m.geom_group, 0, mjNGROUP - 1)] != 0
    # what a material or, without one, the geom's colour makes invisible
    alpha = m.geom_rgba[:, 3].copy()
    painted = m.geom_matid >= 0
    alpha[painted] = m.mat_rgba[m.geom_matid[painted], 3]
    return np.flatnonzero(counts & (alpha != 0))


def _first_geom(m: MjModel, d: MjData, pnt: np.ndarray, vec: np.ndarray, targets: np.ndarray) -> tuple[float, int]:
    """Distance to the first of `targets` that a ray meets, and its id; -1 for none."""
    if np.linalg.norm(vec) < mjMINVAL:
        raise FatalError("mj_ray: vector length is too small")
    best, found = MISSED, -1
    for geom in _near_line(m, d, pnt, vec, targets).tolist():
        kind = m.geom_type[geom]
        if kind == mjtGeom.mjGEOM_MESH:
            distance = mj_rayMesh(m, d, geom, pnt, vec)
        elif kind == mjtGeom.mjGEOM_HFIELD:
            distance = mj_rayHfield(m, d, geom, pnt, vec)
        elif kind in SHAPES:
            distance = mju_rayGeom(d.geom_xpos[geom], d.geom_xmat[geom], m.geom_size[geom], pnt, vec, int(kind))
        else:
            continue
        if distance >= 0.0 and (found < 0 or distance < best):
            best, found = distance, geom
    return best, found


def _near_line(m: MjModel, d: MjData, pnt: np.ndarray, vec: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Those of `targets` whose bounding sphere the line of a ray meets, or that have none."""
    offset = d.geom_xpos[targets] - pnt
    along = offset @ vec / (vec @ vec)
    apart = np.linalg.norm(offset - along[:, np.newaxis] * vec, axis=1)
    bound = m.geom_rbound[targets]
    return targets[(bound <= 0.0) | (apart <= 1.000001 * bound)]


def _local(d: MjData, geom: int, pnt: np.ndarray, vec: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A ray in the frame of a geom."""
    frame = d.geom_xmat[geom].reshape(3, 3)
    return frame.T @ (pnt - d.geom_xpos[geom]), frame.T @ vec


def _first_triangle(triangles: np.ndarray, start: np.ndarray, way: np.ndarray) -> float:
    """Distance to the first of n triangles (n x 3 x 3) that a ray meets, from either side.

    Möller, Trumbore, Fast, minimum storage ray-triangle intersection, 1997.
    """
    corner, first, second = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    normal = np.cross(way, second)
    determinant = np.einsum("ij,ij->i", first, normal)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1.0 / determinant
        offset = start - corner
        a = np.einsum("ij,ij->i", offset, normal) * inverse
        turned = np.cross(offset, first)
        b = turned @ way * inverse
        distance = np.einsum("ij,ij->i", second, turned) * inverse
        met = (np.abs(determinant) > mjMINVAL) & (a >= 0.0) & (b >= 0.0) & (a + b <= 1.0) & (distance >= 0.0)
    return float(distance[met].min()) if met.any() else MISSED


def _hfield_triangles(m: MjModel, i: int) -> np.ndarray:
    """Triangles of the surface, the sides and the base (a box) of height field i."""
    nrow, ncol = int(m.hfield_nrow[i]), int(m.hfield_ncol[i])
    half_x, half_y, height, base = m.hfield_size[i].tolist()
    x, y = np.meshgrid(np.linspace(-half_x, half_x, ncol), np.linspace(-half_y, half_y, nrow))
    elevation = m.hfield_data[m.hfield_adr[i] : m.hfield_adr[i] + nrow * ncol].reshape(nrow, ncol) * height
    top = np.stack([x, y, elevation], axis=-1)
    bottom = np.stack([x, y, np.full_like(x, -base)], axis=-1)
    strips = [np.stack([top[:, k], bottom[:, k]]) for k in (0, -1)] + [np.stack([top[k], bottom[k]]) for k in (0, -1)]
    # the base is a box: rays that start inside the field meet its top
    corners = bottom[[0, -1]][:, [0, -1]]
    lid = corners * (1.0, 1.0, 0.0)
    return np.concatenate([_split(grid) for grid in (top, *strips, corners, lid)])


def _split(grid: np.ndarray) -> np.ndarray:
    """Two triangles for each cell of a grid of points (rows x columns x 3), cut from the first to the last corner."""
    a, b, c, e = grid[:-1, :-1], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]
    return np.concatenate([np.stack(corners, axis=-2).reshape(-1, 3, 3) for corners in ((a, e, b), (a, c, e))])


def _check_geom(m: MjModel, function: str, geom: int, kind: int) -> None:
    if not 0 <= geom < m.ngeom or m.geom_type[geom] != kind:
        raise FatalError(f"{function}: geom {geom} is not of type {mjtGeom(kind).name}")
