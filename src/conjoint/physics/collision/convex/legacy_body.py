"""Farthest points of bodies as the legacy pipeline finds them: of a flat side across the direction the middle."""

from conjoint.lang import dot, kernel, load, mat3, normalize3, sign, sqrt, vec3, where
from conjoint.physics.collision.convex.body import (
    FLEXIBLE,
    FRAME,
    KIND,
    MARGIN,
    MARKS,
    MESH,
    POSITION,
    REALS,
    SIZE,
    START,
    element_corner,
    prism_corner,
)
from conjoint.physics.collision.hull import best_vertex, climb, hull_names, vertex_of
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom


@kernel(per_world=True, exact=True)
def legacy_farthest(m, reals, marks, b, way):
    """The point of body b farthest in a direction of unit length."""
    at = b * REALS
    if marks[b * MARKS + KIND] == mjtGeom.mjGEOM_HFIELD:
        return prism_corner(reals, at, way)
    if marks[b * MARKS + KIND] == FLEXIBLE:
        return element_corner(reals, at, marks[b * MARKS + MESH], way) + way * (
            reals[at + SIZE] + reals[at + MARGIN] * 0.5
        )
    frame = load(mat3, reals, at + FRAME)
    own_way = frame.T @ way
    point = legacy_point(m, marks, b, load(vec3, reals, at + SIZE), own_way)
    point = point + own_way * reals[at + MARGIN] * 0.5
    return frame @ point + load(vec3, reals, at + POSITION)


@kernel(per_world=True, exact=True)
def legacy_point(m, marks, b, size, way):
    """The farthest point in the frame of body b, without its margin."""
    kind = marks[b * MARKS + KIND]
    if kind == mjtGeom.mjGEOM_MESH or kind == mjtGeom.mjGEOM_SDF:
        return legacy_vertex(m, marks, b, way)
    if kind == mjtGeom.mjGEOM_BOX:
        return vec3(sign(way.x) * size.x, sign(way.y) * size.y, sign(way.z) * size.z)
    if kind == mjtGeom.mjGEOM_CYLINDER:
        length = sqrt(way.x * way.x + way.y * way.y)
        if length > mjMINVAL:
            return vec3(way.x / length * size.x, way.y / length * size.x, sign(way.z) * size.y)
        return vec3(0.0, 0.0, sign(way.z) * size.y)
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        ball = normalize3(vec3(way.x * size.x, way.y * size.y, way.z * size.z))
        return vec3(ball.x * size.x, ball.y * size.y, ball.z * size.z)
    point = way * size.x
    if kind == mjtGeom.mjGEOM_CAPSULE:
        point = vec3(point.x, point.y, point.z + sign(way.z) * size.y)
    return point


@kernel(per_world=True, exact=True)
def legacy_vertex(m, marks, b, way):
    """The farthest vertex of a mesh: by climbing on its hull, or the first among all."""
    mesh = marks[b * MARKS + MESH]
    if m.mesh_graphadr[mesh] < 0:
        return vertex_of(m, mesh, best_vertex(m, mesh, -1, way))
    names = hull_names(m, mesh)
    start = where(marks[b * MARKS + START] < 0, 0, marks[b * MARKS + START])
    best = climb(m, mesh, start, dot(way, vertex_of(m, mesh, m.mesh_graph[names + start])), way)
    marks[b * MARKS + START] = best
    return vertex_of(m, mesh, m.mesh_graph[names + best])
