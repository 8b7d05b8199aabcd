"""Ray casting: the first geom that a ray hits; rays against single geoms, flexes and skins (API reference).

Distances are along the vector of a ray, in units of its length; -1 if the ray hits nothing.
"""

import numpy as np

from conjoint.api.arguments import (
    Groups,
    OutInteger,
    OutIntegers,
    OutVector,
    OutVector3,
    Vector,
    Vector3,
    Vector9,
    as_array,
    checked,
    newer_form,
    require,
)
from conjoint.api.functions.ray_normals import NONE, primitive_normal, write_normal
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import ArgumentError, FatalError
from conjoint.physics.rays import flex as ray_flex
from conjoint.physics.rays import scene as ray_scene
from conjoint.physics.rays import static_tree
from conjoint.physics.rays.geoms import ray_shape
from conjoint.runtime.entry import entry
from conjoint.schema.constants import mjMAXVAL, mjMINVAL, mjNGROUP
from conjoint.schema.enums import mjtGeom

SHAPES = (
    mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_ELLIPSOID,
    mjtGeom.mjGEOM_CYLINDER, mjtGeom.mjGEOM_BOX,
)  # fmt: skip
"""Geom types without triangles."""

ALL_GROUPS = np.ones(mjNGROUP, np.uint8)

_first_geom = entry(static_tree.write_first_geom, "vec3", "vec3", "byte[6]", "bool", "int", "real", "out int[]")
_first_geoms = entry(static_tree.first_geoms, "real[]", "int", "byte[6]", "bool", "int", "out int[]", "out real[]")
_ray_geom = entry(ray_scene.ray_geom, "int", "vec3", "vec3")
_ray_flex = entry(ray_flex.ray_flex, "int", "int", "int", "vec3", "vec3")
_ray_skin = entry(ray_flex.ray_skin, "int[]", "float[]", "int", "vec3", "vec3")
_ray_shape = entry(ray_shape, "int", "vec3", "mat3", "vec3", "vec3", "vec3")


@checked
def mj_ray(
    m: MjModel,
    d: MjData,
    pnt: Vector3,
    vec: Vector3,
    geomgroup: Groups | None,
    flg_static: int,
    bodyexclude: int,
    geomid: OutInteger | None = None,
    normal: OutVector3 | None = None,
) -> float:
    """Return the distance to the first geom that a ray hits.

    Args:
        d: the world, after `mj_kinematics`.
        pnt: start of the ray.
        vec: its direction; distances are in units of its length.
        geomgroup: mask of the six groups of geoms; None for all.
        flg_static: whether to include geoms fixed to the world.
        bodyexclude: body whose geoms are excluded; -1 for none.
        geomid: receives the id of the geom, -1 for none; None to skip it.
        normal: receives the outward normal where the ray hits, zeros for a miss; or None.

    Returns:
        The distance, -1 for a miss. Invisible geoms and flexes are ignored; see `mju_rayFlex`.

    Raises:
        FatalError: the vector has no length.
    """
    groups = ALL_GROUPS if geomgroup is None else geomgroup
    found = np.empty(1, np.int32) if geomid is None else geomid
    distance = _first_geom(m.plans.current, d.world, pnt, vec, groups, flg_static, bodyexclude, mjMAXVAL, found)
    if distance == static_tree.NO_WAY:
        raise ArgumentError("mj_ray: vector length is too small")
    if normal is not None:
        write_normal(m, d, int(found[0]), pnt, vec, distance, normal)
    return distance


@checked(normal="3 * nray")
def multi_ray_with_normals(
    m: MjModel,
    d: MjData,
    pnt: Vector3,
    vec: Vector,
    geomgroup: Groups | None,
    flg_static: int,
    bodyexclude: int,
    geomid: OutIntegers,
    dist: OutVector,
    normal: OutVector | None,
    nray: int,
    cutoff: float,
) -> None:
    """Cast rays as in `mj_multiRay` of newer versions: `normal` receives three numbers for each ray, or is None."""
    mj_multiRay(m, d, pnt, vec, geomgroup, flg_static, bodyexclude, geomid, dist, nray, cutoff)
    if normal is not None:
        for k in range(nray):
            part = slice(3 * k, 3 * k + 3)
            write_normal(m, d, int(geomid[k]), pnt, vec[part], float(dist[k]), normal[part])


@newer_form(multi_ray_with_normals, lambda arguments, named: len(arguments) == 12 or "normal" in named)
@checked(dist="nray", geomid="nray", vec="3 * nray")
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
    """Cast `nray` rays from one point, each like `mj_ray`.

    Args:
        d: the world, after `mj_kinematics`.
        pnt: start of the rays.
        vec: their directions, one after another.
        geomgroup: mask of the six groups of geoms; None for all.
        flg_static: whether to include geoms fixed to the world.
        bodyexclude: body whose geoms are excluded; -1 for none.
        geomid: receives the id of the geom that each ray hits, -1 for none.
        dist: receives the distances.
        nray: number of rays.
        cutoff: colliding geoms farther away than this are ignored, by their bounding spheres (planes: by their
            centers).
    """
    ways = vec.reshape(-1, 3)
    if nray and (ways * ways).sum(axis=1).min() < mjMINVAL**2:
        raise ArgumentError("mj_multiRay: vector length is too small")
    groups = ALL_GROUPS if geomgroup is None else geomgroup
    rays = np.concatenate((pnt, [cutoff], vec))
    _first_geoms(m.plans.current, d.world, rays, nray, groups, flg_static, bodyexclude, geomid, dist)


@checked
def mj_rayMesh(
    m: MjModel, d: MjData, geomid: int, pnt: Vector3, vec: Vector3, normal: OutVector3 | None = None
) -> float:
    """Return the distance at which a ray hits a mesh geom.

    Args:
        d: the world.
        geomid: id of the geom.
        pnt: start of the ray, in global coordinates.
        vec: its direction.
        normal: receives the outward normal of the geom, zeros if it is not met; None to skip it.

    Returns:
        The distance, in lengths of `vec`; -1 if it does not meet the geom.
    """
    return _distance(m, d, "mj_rayMesh", mjtGeom.mjGEOM_MESH, geomid, pnt, vec, normal)


@checked
def mj_rayHfield(
    m: MjModel, d: MjData, geomid: int, pnt: Vector3, vec: Vector3, normal: OutVector3 | None = None
) -> float:
    """Return the distance at which a ray hits a height-field geom: its surface, sides or base.

    Args:
        d: the world.
        geomid: id of the geom.
        pnt: start of the ray, in global coordinates.
        vec: its direction.
        normal: receives the outward normal of the geom, zeros if it is not met; None to skip it.

    Returns:
        The distance, in lengths of `vec`; -1 if it does not meet the geom.
    """
    return _distance(m, d, "mj_rayHfield", mjtGeom.mjGEOM_HFIELD, geomid, pnt, vec, normal)


@checked
def mju_rayGeom(
    pos: Vector3,
    mat: Vector9,
    size: Vector3,
    pnt: Vector3,
    vec: Vector3,
    geomtype: int,
    normal: OutVector3 | None = None,
) -> float:
    """Return the distance at which a ray hits a geom of primitive type.

    Args:
        pos: center of the geom.
        mat: its axes as columns, nine elements in row-major order.
        size: its size.
        pnt: start of the ray.
        vec: its direction.
        geomtype: type of the geom (mjtGeom).
        normal: receives the outward normal of the geom, zeros if it is not met; None to skip it.

    Raises:
        FatalError: the geom has a different type.
    """
    if geomtype not in SHAPES:
        raise ArgumentError(f"mju_rayGeom: unexpected geom type {geomtype}")
    distance = _ray_shape(geomtype, pos, mat, size, pnt, vec)
    if normal is not None:
        frame = mat.reshape(3, 3)
        place = frame.T @ (pnt + distance * vec - pos)
        normal[:] = NONE if distance < 0.0 else frame @ primitive_normal(geomtype, size, place)
    return distance


@checked(flexid="m.nflex")
def mju_rayFlex(
    m: MjModel,
    d: MjData,
    flex_layer: int,
    flg_vert: int,
    flg_edge: int,
    flg_face: int,
    flg_skin: int,
    flexid: int,
    pnt: Vector3,
    vec: Vector3,
    vertid: OutInteger | None,
) -> float:
    """Return the distance at which a ray hits a flex as drawn; -1 for a miss.

    The official package declares `pnt` and `vec` as single numbers, so that it cannot be called.

    Args:
        d: the world, after `mj_flex`.
        flex_layer: layer of a solid whose element faces count, by distance from the surface; used with `flg_face`.
        flg_vert: whether to include spheres around vertices, unless edges are included.
        flg_edge: whether to include capsules around edges.
        flg_face: whether to include faces of elements.
        flg_skin: whether the surface counts: edges and faces of the outer elements; lines have none.
        flexid: the flex.
        pnt: start of the ray.
        vec: its direction; distances are in units of its length.
        vertid: receives the vertex nearest to the hit, counted within the flex; unchanged for a miss. May be None.

    Raises:
        FatalError: the flex does not exist.
    """
    shown = sum(
        word
        for word, flag in (
            (ray_flex.WITH_VERTICES, flg_vert),
            (ray_flex.WITH_EDGES, flg_edge),
            (ray_flex.WITH_FACES, flg_face),
            (ray_flex.WITH_SKIN, flg_skin),
        )
        if flag
    )
    distance, vertex = _ray_flex(m.plans.current, d.world, flex_layer, shown, flexid, pnt, vec)
    return _met(distance, vertex, vertid)


@checked
def mj_rayFlex(
    m: MjModel,
    d: MjData,
    flex_layer: int,
    flg_vert: int,
    flg_edge: int,
    flg_face: int,
    flg_skin: int,
    flexid: int,
    pnt: Vector3,
    vec: Vector3,
    vertid: OutInteger | None = None,
    normal: OutVector3 | None = None,
) -> float:
    """Call `mju_rayFlex` under its newer name; arguments and result are the same.

    Raises:
        FatalError: the flex does not exist, or `normal` is given: normals of flexes are not implemented.
    """
    if normal is not None:
        raise FatalError("mj_rayFlex: normals of flexes are not implemented: leave out normal")
    return mju_rayFlex(m, d, flex_layer, flg_vert, flg_edge, flg_face, flg_skin, flexid, pnt, vec, vertid)


@checked
def mju_raySkin(
    nface: int, nvert: int, face: object, vert: object, pnt: Vector3, vec: Vector3, vertid: OutInteger | None
) -> float:
    """Return the distance at which a ray hits the triangles of a skin, -1 for a miss.

    The official package declares `face` and `vert` as single numbers, so that it cannot be called.

    Args:
        nface: number of triangles.
        nvert: number of vertices.
        face: vertices of the triangles, one after another, or (nface, 3).
        vert: positions of the vertices (m), one after another, or (nvert, 3).
        pnt: start of the ray.
        vec: its direction; distances are in units of its length.
        vertid: receives the vertex nearest to the hit; unchanged for a miss. May be None.

    Raises:
        ValueError: a triangle has a vertex that does not exist, or a number is negative.
    """
    if min(nface, nvert) < 0:
        raise ValueError(f"mju_raySkin: there are no {min(nface, nvert)} triangles or vertices")
    corners, places = _flat("face", face, np.int32), _flat("vert", vert, np.float32)
    require(len(corners) == 3 * nface, "face should be of size 3*nface")
    require(len(places) == 3 * nvert, "vert should be of size 3*nvert")
    if nface and not 0 <= corners.min() <= corners.max() < nvert:
        raise ValueError(f"mju_raySkin: face has vertices outside of 0 to {nvert - 1}")
    distance, vertex = _ray_skin(corners, places, nface, pnt, vec)
    return _met(distance, vertex, vertid)


def _flat(name: str, value: object, dtype: type) -> np.ndarray:
    """Return an array of `mju_raySkin` as a vector."""
    array = as_array(f"mju_raySkin: {name}", value, dtype)
    require(array.ndim in (1, 2), f"mju_raySkin: {name} must be a vector or a matrix of three columns")
    return np.ascontiguousarray(array).ravel()


def _met(distance: float, vertex: int, vertid: np.ndarray | None) -> float:
    """Return the distance; on a hit, store the vertex."""
    if vertid is not None and vertex >= 0:
        vertid[0] = vertex
    return distance


def _distance(
    m: MjModel, d: MjData, function: str, kind: int, geom: int, start: Vector3, way: Vector3, normal: OutVector3 | None
) -> float:
    """Return the distance at which a ray hits a geom of the given type, and write the normal there (`mj_rayMesh`)."""
    if not 0 <= geom < m.ngeom or m.geom_type[geom] != kind:
        raise ArgumentError(f"{function}: geom {geom} is not of type {mjtGeom(kind).name}")
    distance: float = _ray_geom(m.plans.current, d.world, geom, start, way)
    if normal is not None:
        write_normal(m, d, geom, start, way, distance, normal)
    return distance
