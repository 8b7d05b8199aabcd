"""Faces and edges of boxes, meshes, cylinders and capsules at the corners between which they are nearest or deepest.

This is what several contacts of two bodies are made of in newer versions; see `manifold`. A cap of a cylinder has a
number, 0 above and 1 below, and counts as a corner: its outline is a polygon in the circle.
"""

from conjoint.lang import abs, dot, kernel, norm, sqrt, vec3, where
from conjoint.physics.collision.convex.features import (
    NO_FACE,
    OUTLINE_MOST,
    corner_count,
    edges_at,
    faces_at_corners,
    in_world,
    outline_of,
    set_mesh_faces,
)
from conjoint.physics.collision.hull import vertex_of
from conjoint.physics.geometry.change import moving_vector
from conjoint.physics.geometry.matrix import column, on_axis
from conjoint.physics.geometry.shape import corner_of
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom

EXACT_KERNELS = True

FACES_ALIGNED = 0.996
"""Cosine of the angle up to which faces count as parallel."""
EDGE_ALIGNED = 0.0888
"""Sine of the angle up to which an edge and a face count as parallel."""

CAP_CORNERS = 16
"""Corners of the outline of a cylinder's cap."""

EIGHTH = 0.923879532511287
QUARTER = 0.707106781186548
QUARTER_DOWN = 0.707106781186547
THREE_EIGHTHS = 0.38268343236509
"""Cosines of 1, 2 and 3 eighths of a half turn, in the digits of the official engine, which rounds the second up or
down: of corners between which there is equally much area, that decides which become contacts."""


@kernel
def settle_corners(m, body):
    """Put the deepest corners of a body where they are on its surface without the margin; cylinders get numbers."""
    kind = body.kind
    for i in range(3):
        if kind == mjtGeom.mjGEOM_BOX:
            body.deepest[i] = in_world(body, corner_of(body.size, body.deepest_vertex[i]))
        elif kind == mjtGeom.mjGEOM_MESH:
            body.deepest[i] = in_world(body, vertex_of(m, body.mesh, body.deepest_vertex[i]))
        elif kind == mjtGeom.mjGEOM_CYLINDER:
            body.deepest_vertex[i] = where(dot(column(body.frame, 2), body.deepest[i] - body.pos) >= 0.0, 0, 1)
            if body.margin > 0.0:
                body.deepest[i] = rim_point(body, body.deepest[i], body.deepest_vertex[i])
        else:
            body.deepest_vertex[i] = -1


@kernel
def rim_point(body, point, cap):
    """The point of the rim of a cylinder's cap that is on the same side of the axis as another point."""
    p = body.frame.T @ (point - body.pos)
    across = sqrt(p.x * p.x + p.y * p.y)
    scale = 0.0
    if across >= mjMINVAL:
        scale = body.size.x / across
    return in_world(body, vec3(p.x * scale, p.y * scale, where(cap == 0, body.size.y, -body.size.y)))


@kernel
def set_manifold_faces(m, body, way, faces):
    """Set `faces` to those at the deepest corners of a body; `way` is where the other body is pushed out."""
    faces.corners = corner_count(body)
    faces.count = 0
    if body.kind == mjtGeom.mjGEOM_BOX:
        set_faces_of_box(body, way, faces)
    elif body.kind == mjtGeom.mjGEOM_MESH:
        set_mesh_faces(m, body, faces)
    elif body.kind == mjtGeom.mjGEOM_CYLINDER and faces.corners == 1:
        faces.count = 1
        faces.numbers[0] = body.deepest_vertex[0]
        faces.normals[0] = column(body.frame, 2) * where(faces.numbers[0] == 0, 1.0, -1.0)


@kernel
def set_faces_of_box(body, way, faces):
    """Faces of a box that have all its deepest corners; without any, or with too many, the face towards `way`."""
    count = faces.corners
    n = faces_at_corners(body, faces)
    if n == 0 or (count == 3 and n != 1):
        n = 0
        length = norm(way)
        for axis in range(3):
            along = dot(column(body.frame, axis), way)
            if n == 0 and abs(along) > FACES_ALIGNED * length:
                faces.numbers[0] = 2 * axis + where(along > 0.0, 0, 1)
                n = 1
    faces.count = n
    for k in range(n):
        number = faces.numbers[k]
        faces.normals[k] = body.frame @ on_axis(number // 2, where(number % 2 == 0, 1.0, -1.0))


@kernel
def face_outline(m, body, face, outline):
    """Corners of a face of a body in the world, clockwise; how many."""
    if body.kind != mjtGeom.mjGEOM_CYLINDER:
        return outline_of(m, body, face, outline)
    side = where(face == 0, 1.0, -1.0)
    for k in range(CAP_CORNERS):
        x = cap_cosine(k) * body.size.x
        y = -cap_cosine(k + 12) * body.size.x * side
        outline[k] = in_world(body, vec3(x, y, side * body.size.y))
    return CAP_CORNERS


@kernel
def cap_cosine(k):
    """Cosine of the angle of corner k of a cap; the sine is that of the fourth corner before it."""
    k = k % CAP_CORNERS
    place = k % 4
    size = where(place == 0, 1.0, where(place == 1, EIGHTH, where(place == 2, QUARTER, THREE_EIGHTHS)))
    if k % 8 >= 4:
        size = where(place == 0, 0.0, where(place == 1, -THREE_EIGHTHS, where(place == 2, -QUARTER_DOWN, -EIGHTH)))
    return where(k < 8, size, -size)


@kernel
def edges_from(m, body, count, end, ends, ways):
    """List the edges of a body at its deepest corners: other ends, and directions.

    Args:
        m: model.
        body: see `body`; of a capsule and a cylinder the corner is put where the edge begins.
        count: how many corners are deepest.
        end: deepest point of the body.
        ends, ways: receive what is listed.

    Returns:
        how many.
    """
    axis = column(body.frame, 2)
    if body.kind == mjtGeom.mjGEOM_CYLINDER:
        body.deepest[0] = moving_vector(body.deepest[0], rim_point(body, end, body.deepest_vertex[0]))
        ways[0] = axis * where(body.deepest_vertex[0] == 0, -1.0, 1.0)
        ends[0] = body.deepest[0] + ways[0] * (2.0 * body.size.y)
        return 1
    if body.kind == mjtGeom.mjGEOM_CAPSULE:
        start = end - axis * (dot(end - body.pos, axis) + body.size.y)
        body.deepest[0] = start
        ways[0] = axis
        ends[0] = start + axis * (2.0 * body.size.y)
        return 1
    return edges_at(m, body, count, ends, ways)


@kernel
def best_facing(first, second, between):
    """The faces of two bodies that are most nearly parallel, and turned to each other.

    Args:
        first, second: faces of the bodies.
        between: vector from the deepest point of the first body to that of the second.

    Returns:
        the place of the first, times `OUTLINE_MOST`, plus that of the second; `NO_FACE` if none are parallel.
    """
    least = EDGE_ALIGNED * norm(between)
    best = -FACES_ALIGNED
    found = NO_FACE
    for i in range(first.count):
        if dot(first.normals[i], between) < -least:
            for j in range(second.count):
                cosine = dot(first.normals[i], second.normals[j])
                if dot(second.normals[j], between) > least and cosine < best:
                    best = cosine
                    found = OUTLINE_MOST * i + j
    return found


@kernel
def first_along(faces, ways, count, between):
    """The first face that is turned along `between` and has one of `count` edges along it; as `best_facing`."""
    for i in range(faces.count):
        if dot(faces.normals[i], between) > mjMINVAL:
            for j in range(count):
                if abs(dot(faces.normals[i], ways[j])) < EDGE_ALIGNED:
                    return OUTLINE_MOST * i + j
    return NO_FACE
