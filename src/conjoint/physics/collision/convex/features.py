"""Faces and edges of boxes, meshes, cylinders and capsules at their nearest or deepest corners.

A face is identified by a number. For a box, it is twice the axis, plus one for the lower end. For a mesh, it is the
index of the polygon. For a cylinder, it is 0 for the upper cap and 1 for the lower cap. The corners of outlines are in
clockwise order, seen from outside; the outline of a cap is a polygon inscribed in the circle. A cap counts as one
corner.
"""

from conjoint.lang import abs, dot, kernel, minimum, norm, normalize3, sqrt, struct, vec3, where
from conjoint.physics.collision.convex.clip import OUTLINE_MOST
from conjoint.physics.collision.hull import vertex_of
from conjoint.physics.geometry.change import moving_vector
from conjoint.physics.geometry.matrix import column, on_axis
from conjoint.physics.geometry.shape import corner_of
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom

CAP_CORNERS = 16
"""Number of corners of the outline of a cylinder's cap."""

EIGHTH = 0.923879532511287
QUARTER = 0.707106781186548
QUARTER_DOWN = 0.707106781186547
THREE_EIGHTHS = 0.38268343236509
"""Cosine of 3/8 of 180 degrees, with MuJoCo's digits.

`EIGHTH` and `QUARTER` are the cosines of 1/8 and 2/8 of 180 degrees; `QUARTER_DOWN` is `QUARTER` rounded down. The
rounding decides which corners become contacts if several choices have equal areas.
"""


@kernel
def settle_corners(m, body):
    """Move the deepest corners of a body to its surface without the margin, and set `deepest_vertex`.

    For cylinders, the vertex index is the number of the cap; for other bodies without vertices, it is -1.
    """
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
    """Return the point on the edge of a cylinder's cap that is on the same side of the axis as another point."""
    p = body.frame.T @ (point - body.pos)
    across = sqrt(p.x * p.x + p.y * p.y)
    scale = 0.0
    if across >= mjMINVAL:
        scale = body.size.x / across
    return in_world(body, vec3(p.x * scale, p.y * scale, where(cap == 0, body.size.y, -body.size.y)))


@kernel
def corner_count(body):
    """Return the number of distinct corners among the three deepest corners of a body, and move them to the front."""
    vertex = body.deepest_vertex
    if vertex[0] == vertex[1]:
        if vertex[0] == vertex[2]:
            return 1
        vertex[1] = vertex[2]
        body.deepest[1] = body.deepest[2]
        return 2
    return where(vertex[2] == vertex[0] or vertex[2] == vertex[1], 2, 3)


@kernel
def in_world(body, point):
    """Return a point, given in the frame of a body, in world coordinates."""
    return body.frame @ point + body.pos


# ---- faces


@struct
def Faces(corners=int, count=int, numbers=(int, OUTLINE_MOST), normals=(vec3, OUTLINE_MOST)):
    """Faces of a body that contain all of its deepest corners.

    `corners` is the number of these corners; `count` is the number of faces. `numbers` and `normals` are the face
    numbers and the normals in world coordinates.
    """


@kernel
def set_faces(m, body, way, faces, aligned):
    """Set `faces` to the faces that contain the deepest corners of a body.

    Args:
        m: model.
        body: the body, see `body`.
        way: direction in which this body pushes the other body out.
        faces: receives the faces.
        aligned: cosine of the angle up to which a face of a box counts as facing `way`.
    """
    faces.corners = corner_count(body)
    faces.count = 0
    if body.kind == mjtGeom.mjGEOM_BOX:
        set_box_faces(body, way, faces, aligned)
    elif body.kind == mjtGeom.mjGEOM_MESH:
        set_mesh_faces(m, body, faces)
    elif body.kind == mjtGeom.mjGEOM_CYLINDER and faces.corners == 1:
        faces.count = 1
        faces.numbers[0] = body.deepest_vertex[0]
        faces.normals[0] = column(body.frame, 2) * where(faces.numbers[0] == 0, 1.0, -1.0)


@kernel
def set_box_faces(body, way, faces, aligned):
    """Set the faces of a box that contain all its deepest corners.

    If there are none, or too many, set the face that faces `way`.
    """
    count = faces.corners
    n = faces_at_corners(body, faces)
    if n == 0 or (count == 3 and n != 1):
        n = 0
        length = norm(way)
        for axis in range(3):
            along = dot(column(body.frame, axis), way)
            if n == 0 and abs(along) > aligned * length:
                faces.numbers[0] = 2 * axis + where(along > 0.0, 0, 1)
                n = 1
    faces.count = n
    for k in range(n):
        number = faces.numbers[k]
        faces.normals[k] = body.frame @ on_axis(number // 2, where(number % 2 == 0, 1.0, -1.0))


@kernel
def faces_at_corners(body, faces):
    """List the face numbers of the faces of a box that contain all its deepest corners; return their number."""
    vertex = body.deepest_vertex
    count = faces.corners
    high = vertex[0] & vertex[count // 2] & vertex[count - 1]
    low = vertex[0] | vertex[count // 2] | vertex[count - 1]
    n = 0
    for axis in range(3):
        bit = 1 << axis
        if (high & bit) != 0 or (low & bit) == 0:
            faces.numbers[n] = 2 * axis + where((high & bit) != 0, 0, 1)
            n += 1
    return n


@kernel
def set_mesh_faces(m, body, faces):
    """Set the polygons of a mesh that contain all its deepest corners.

    With one deepest corner, these are all polygons at the corner; with two, up to two polygons; with three, one
    polygon.
    """
    mesh = body.mesh
    vertex = body.deepest_vertex
    count = faces.corners
    first = m.mesh_vertadr[mesh] + vertex[0]
    most = where(count == 1, OUTLINE_MOST, where(count == 2, 2, 1))
    n = 0
    for k in range(m.mesh_polymapnum[first]):
        polygon = m.mesh_polymap[m.mesh_polymapadr[first] + k]
        shared = count == 1 or is_at(m, mesh, vertex[1], polygon)
        if n < most and shared and (count < 3 or is_at(m, mesh, vertex[2], polygon)):
            faces.numbers[n] = polygon
            faces.normals[n] = body.frame @ m.mesh_polynormal[m.mesh_polyadr[mesh] + polygon]
            n += 1
    faces.count = n


@kernel
def is_at(m, mesh, v, polygon):
    """Return True if vertex v of a mesh is a corner of a polygon."""
    first = m.mesh_vertadr[mesh] + v
    found = False
    for k in range(m.mesh_polymapnum[first]):
        if m.mesh_polymap[m.mesh_polymapadr[first] + k] == polygon:
            found = True
    return found


@kernel
def outline_of(m, body, face, outline):
    """List the corners of a face of a body in world coordinates, in clockwise order; return their number."""
    if body.kind == mjtGeom.mjGEOM_BOX:
        for k in range(4):
            outline[k] = in_world(body, corner_of(body.size, (face_corners(face) >> (9 - 3 * k)) & 7))
        return 4
    if body.kind == mjtGeom.mjGEOM_CYLINDER:
        side = where(face == 0, 1.0, -1.0)
        for k in range(CAP_CORNERS):
            x = cap_cosine(k) * body.size.x
            y = -cap_cosine(k + 12) * body.size.x * side
            outline[k] = in_world(body, vec3(x, y, side * body.size.y))
        return CAP_CORNERS
    mesh = body.mesh
    polygon = m.mesh_polyadr[mesh] + face
    count = minimum(m.mesh_polyvertnum[polygon], OUTLINE_MOST)
    for k in range(count):
        v = m.mesh_polyvert[m.mesh_polyvertadr[polygon] + count - 1 - k]
        outline[k] = in_world(body, vertex_of(m, mesh, v))
    return count


@kernel
def face_corners(face):
    """Return the indices of the four corners of a box face, packed as octal digits."""
    upper = where(face == 0, 0o7315, where(face == 2, 0o2376, 0o6754))
    lower = where(face == 1, 0o2640, where(face == 3, 0o4510, 0o3201))
    return where(face % 2 == 0, upper, lower)


@kernel
def cap_cosine(k):
    """Return the cosine of the angle of corner k of a cap; its sine is the cosine of the corner four indices before."""
    k = k % CAP_CORNERS
    place = k % 4
    size = where(place == 0, 1.0, where(place == 1, EIGHTH, where(place == 2, QUARTER, THREE_EIGHTHS)))
    if k % 8 >= 4:
        size = where(place == 0, 0.0, where(place == 1, -THREE_EIGHTHS, where(place == 2, -QUARTER_DOWN, -EIGHTH)))
    return where(k < 8, size, -size)


# ---- edges


@kernel
def edges_from(m, body, count, end, ends, ways):
    """List the edges that start at the deepest corners of a body: their other ends and directions. Return their number.

    Args:
        m: model.
        body: the body, see `body`; for capsules and cylinders, its deepest corner is moved to the start of the edge.
        count: number of deepest corners.
        end: deepest point of the body.
        ends, ways: receive the other ends and the directions of the edges.

    Returns:
        the number of edges.
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
def edges_at(m, body, count, ends, ways):
    """List the other ends of the edges at the deepest corner of a body, or of the edge between two deepest corners.

    Returns:
        the number of edges; 0 if there are three deepest corners.
    """
    start = body.deepest[0]
    corner = body.deepest_vertex[0]
    n = 0
    if count == 2:
        ends[0] = body.deepest[1]
        n = 1
    elif count == 1 and body.kind == mjtGeom.mjGEOM_BOX:
        for axis in range(3):
            ends[axis] = in_world(body, corner_of(body.size, corner ^ (1 << axis)))
        n = 3
    elif count == 1:
        mesh = body.mesh
        first = m.mesh_vertadr[mesh] + corner
        n = minimum(m.mesh_polymapnum[first], OUTLINE_MOST)
        for k in range(n):
            polygon = m.mesh_polymap[m.mesh_polymapadr[first] + k]
            ends[k] = in_world(body, vertex_of(m, mesh, vertex_before(m, m.mesh_polyadr[mesh] + polygon, corner)))
    for k in range(n):
        ways[k] = normalize3(ends[k] - start)
    return n


@kernel
def vertex_before(m, polygon, v):
    """Return the vertex before vertex v in a polygon."""
    first = m.mesh_polyvertadr[polygon]
    count = m.mesh_polyvertnum[polygon]
    found = v
    for k in range(count):
        if m.mesh_polyvert[first + k] == v:
            found = m.mesh_polyvert[first + where(k == 0, count - 1, k - 1)]
    return found
