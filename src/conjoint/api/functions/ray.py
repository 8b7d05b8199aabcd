"""Ray casting against all geoms of a model, or against single geoms, flexes and skins (API reference).

Distances are measured in lengths of the direction vector of the ray. A distance of -1 means that the ray hits nothing.
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
"""Primitive geom types, in contrast to types that consist of triangles."""

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
        vec: direction of the ray; distances are in lengths of this vector.
        geomgroup: mask of the six geom groups; None for all.
        flg_static: whether to include geoms fixed to the world.
        bodyexclude: body whose geoms are excluded; -1 for none.
        geomid: receives the id of the geom, -1 for a miss; None to skip it.
        normal: receives the outward surface normal at the hit point, zeros for a miss; None to skip it.

    Returns:
        The distance, -1 for a miss. Invisible geoms and flexes are ignored; for flexes, see `mju_rayFlex`.

    Raises:
        FatalError: the direction vector is zero.
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
    """Cast rays, with the signature of `mj_multiRay` in newer versions.

    `normal` receives three numbers per ray, or is None.
    """
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
    """Cast `nray` rays from one point, each as in `mj_ray`.

    Args:
        d: the world, after `mj_kinematics`.
        pnt: start of the rays.
        vec: concatenated direction vectors of the rays, 3 nray numbers.
        geomgroup: mask of the six geom groups; None for all.
        flg_static: whether to include geoms fixed to the world.
        bodyexclude: body whose geoms are excluded; -1 for none.
        geomid: receives, for each ray, the id of the geom that it hits, or -1 for a miss.
        dist: receives the distances, shape (nray,).
        nray: number of rays.
        cutoff: distance (m) beyond which geoms that can collide are ignored. It is compared with the distance from the
            start of the rays to the bounding sphere of the geom, or to the center of a plane.
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
        vec: direction of the ray.
        normal: receives the outward normal of the geom at the hit point, zeros for a miss; None to skip it.

    Returns:
        The distance, in lengths of `vec`; -1 for a miss.
    """
    return _distance(m, d, "mj_rayMesh", mjtGeom.mjGEOM_MESH, geomid, pnt, vec, normal)


@checked
def mj_rayHfield(
    m: MjModel, d: MjData, geomid: int, pnt: Vector3, vec: Vector3, normal: OutVector3 | None = None
) -> float:
    """Return the distance at which a ray hits the surface, a side or the base of a height-field geom.

    Args:
        d: the world.
        geomid: id of the geom.
        pnt: start of the ray, in global coordinates.
        vec: direction of the ray.
        normal: receives the outward normal of the geom at the hit point, zeros for a miss; None to skip it.

    Returns:
        The distance, in lengths of `vec`; -1 for a miss.
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
        pos: position of the geom's center.
        mat: rotation matrix of the geom, whose columns are the geom's axes; nine elements in row-major order.
        size: size parameters of the geom.
        pnt: start of the ray.
        vec: direction of the ray.
        geomtype: type of the geom (mjtGeom).
        normal: receives the outward normal of the geom at the hit point, zeros for a miss; None to skip it.

    Raises:
        FatalError: `geomtype` is not a primitive type.
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
    """Return the distance at which a ray hits the visible shape of a flex; -1 for a miss.

    MuJoCo's Python package declares `pnt` and `vec` as single numbers, so its function cannot be called.

    Args:
        d: the world, after `mj_flex`.
        flex_layer: layer of a solid whose element faces are included with `flg_face`. Layers are numbered from the
            surface inwards.
        flg_vert: whether to include spheres around vertices; ignored if edges are included.
        flg_edge: whether to include capsules around edges.
        flg_face: whether to include faces of elements.
        flg_skin: whether to include the surface, which consists of edges and faces of the outer elements.
            One-dimensional flexes have no surface.
        flexid: id of the flex.
        pnt: start of the ray.
        vec: direction of the ray; distances are in lengths of this vector.
        vertid: receives the index, within the flex, of the vertex nearest to the hit point; unchanged for a miss. May
            be None.

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
    """Return the result of `mju_rayFlex`; this is its name in newer versions.

    Raises:
        FatalError: the flex does not exist, or `normal` is passed, because normals of flexes are not implemented.
    """
    if normal is not None:
        raise FatalError("mj_rayFlex: normals of flexes are not implemented: omit normal")
    return mju_rayFlex(m, d, flex_layer, flg_vert, flg_edge, flg_face, flg_skin, flexid, pnt, vec, vertid)


@checked
def mju_raySkin(
    nface: int, nvert: int, face: object, vert: object, pnt: Vector3, vec: Vector3, vertid: OutInteger | None
) -> float:
    """Return the distance at which a ray hits the triangles of a skin; -1 for a miss.

    MuJoCo's Python package declares `face` and `vert` as single numbers, so its function cannot be called.

    Args:
        nface: number of triangles.
        nvert: number of vertices.
        face: vertex indices of the triangles, shape (3 nface,) or (nface, 3).
        vert: positions of the vertices (m), shape (3 nvert,) or (nvert, 3).
        pnt: start of the ray.
        vec: direction of the ray; distances are in lengths of this vector.
        vertid: receives the index of the vertex nearest to the hit point; unchanged for a miss. May be None.

    Raises:
        ValueError: a triangle refers to a vertex that does not exist, or `nface` or `nvert` is negative.
    """
    if min(nface, nvert) < 0:
        raise ValueError(f"mju_raySkin: there are no {min(nface, nvert)} triangles or vertices")
    corners, places = _flat("face", face, np.int32), _flat("vert", vert, np.float32)
    require(len(corners) == 3 * nface, "face should be of size 3*nface")
    require(len(places) == 3 * nvert, "vert should be of size 3*nvert")
    if nface and not 0 <= corners.min() <= corners.max() < nvert:
        raise ValueError(f"mju_raySkin: face contains vertices outside of 0 to {nvert - 1}")
    distance, vertex = _ray_skin(corners, places, nface, pnt, vec)
    return _met(distance, vertex, vertid)


def _flat(name: str, value: object, dtype: type) -> np.ndarray:
    """Return the array argument `name` of `mju_raySkin` as a vector."""
    array = as_array(f"mju_raySkin: {name}", value, dtype)
    require(array.ndim in (1, 2), f"mju_raySkin: {name} must be a vector or a matrix of three columns")
    return np.ascontiguousarray(array).ravel()


def _met(distance: float, vertex: int, vertid: np.ndarray | None) -> float:
    """Return `distance` unchanged, after storing the vertex in `vertid` if the ray hit."""
    if vertid is not None and vertex >= 0:
        vertid[0] = vertex
    return distance


def _distance(
    m: MjModel, d: MjData, function: str, kind: int, geom: int, start: Vector3, way: Vector3, normal: OutVector3 | None
) -> float:
    """Return the distance at which a ray hits a geom of the given type, and write the normal at the hit point."""
    if not 0 <= geom < m.ngeom or m.geom_type[geom] != kind:
        raise ArgumentError(f"{function}: geom {geom} is not of type {mjtGeom(kind).name}")
    distance: float = _ray_geom(m.plans.current, d.world, geom, start, way)
    if normal is not None:
        write_normal(m, d, geom, start, way, distance, normal)
    return distance
