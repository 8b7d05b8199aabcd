"""Farthest points of bodies as the legacy pipeline finds them: of a flat side across the direction the middle."""

from conjoint.lang import dot, kernel, normalize3, sign, sqrt, vec3, where
from conjoint.physics.collision.convex.body import FLEXIBLE, element_corner, prism_corner
from conjoint.physics.collision.hull import best_vertex, climb, hull_names, vertex_of
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom


@kernel(per_world=True)
def legacy_farthest(m, body, way):
    """The point of a body farthest in a direction of unit length."""
    if body.kind == mjtGeom.mjGEOM_HFIELD:
        return prism_corner(body, way)
    if body.kind == FLEXIBLE:
        return element_corner(body, way) + way * (body.size.x + body.margin * 0.5)
    own_way = body.frame.T @ way
    point = legacy_point(m, body, body.size, own_way)
    point = point + own_way * body.margin * 0.5
    return body.frame @ point + body.pos


@kernel(per_world=True)
def legacy_point(m, body, size, way):
    """The farthest point in the frame of a body, without its margin."""
    kind = body.kind
    if kind == mjtGeom.mjGEOM_MESH or kind == mjtGeom.mjGEOM_SDF:
        return legacy_vertex(m, body, way)
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


@kernel(per_world=True)
def legacy_vertex(m, body, way):
    """The farthest vertex of a mesh: by climbing on its hull, or the first among all."""
    mesh = body.mesh
    if m.mesh_graphadr[mesh] < 0:
        return vertex_of(m, mesh, best_vertex(m, mesh, -1, way))
    names = hull_names(m, mesh)
    start = where(body.start < 0, 0, body.start)
    best = climb(m, mesh, start, dot(way, vertex_of(m, mesh, m.mesh_graph[names + start])), way)
    body.start = best
    return vertex_of(m, mesh, m.mesh_graph[names + best])
