"""Faces and edges of boxes and meshes at the corners between which they are deepest in another body.

A face has a number: of boxes, twice its axis, and one more if it is at the lower end; of meshes, that of the polygon.
Outlines run clockwise, seen from outside.
"""

from conjoint.lang import abs, dot, kernel, minimum, normalize3, sqrt, struct, vec3, where
from conjoint.physics.collision.convex.clip import OUTLINE_MOST
from conjoint.physics.collision.hull import vertex_of
from conjoint.physics.geometry.matrix import on_axis
from conjoint.physics.geometry.shape import corner_of
from conjoint.schema.enums import mjtGeom

FACES_ALIGNED = 0.99999872
"""Cosine of the angle up to which faces count as parallel."""

EDGE_ALIGNED = 0.00159999931
"""Its sine."""

NO_FACE = -1


@kernel
def corner_count(body):
    """How many different corners of a body its three deepest are; these come first then."""
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
    """A point of a body in the world."""
    return body.frame @ point + body.pos


# ---- faces


@struct
def Faces(corners=int, count=int, numbers=(int, OUTLINE_MOST), normals=(vec3, OUTLINE_MOST)):
    """Faces of a body that have all of its deepest corners: how many corners these are, and how many faces; the numbers
    of the faces, and their normals in the world."""


@kernel
def set_faces(m, body, way, faces):
    """Set `faces` to those at the deepest corners of a body; `way` is where the other body is pushed out."""
    faces.corners = corner_count(body)
    if body.kind == mjtGeom.mjGEOM_BOX:
        set_box_faces(body, way, faces)
    else:
        set_mesh_faces(m, body, faces)


@kernel
def faces_at_corners(body, faces):
    """Number the faces of a box that have all its deepest corners; how many there are."""
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
def set_box_faces(body, way, faces):
    """Faces of a box; if its corners are no face, edge or corner, the face towards `way`, if there is one."""
    count = faces.corners
    n = faces_at_corners(body, faces)
    if n != 4 - count:
        n = 0
        local_way = body.frame.T @ way
        local_way = local_way * (1.0 / sqrt(dot(local_way, local_way)))
        for axis in range(3):
            if n == 0 and abs(local_way[axis]) > FACES_ALIGNED:
                faces.numbers[0] = 2 * axis + where(local_way[axis] > 0.0, 0, 1)
                n = 1
    faces.count = n
    for k in range(n):
        number = faces.numbers[k]
        faces.normals[k] = body.frame @ on_axis(number // 2, where(number % 2 == 0, 1.0, -1.0))


@kernel
def set_mesh_faces(m, body, faces):
    """Polygons of a mesh: of one corner all, of two up to two, of three one."""
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
    """Whether a vertex of a mesh is a corner of a polygon."""
    first = m.mesh_vertadr[mesh] + v
    found = False
    for k in range(m.mesh_polymapnum[first]):
        if m.mesh_polymap[m.mesh_polymapadr[first] + k] == polygon:
            found = True
    return found


@kernel
def outline_of(m, body, face, outline):
    """Corners of a face of a body in the world; how many."""
    if body.kind == mjtGeom.mjGEOM_BOX:
        for k in range(4):
            outline[k] = in_world(body, corner_of(body.size, (face_corners(face) >> (9 - 3 * k)) & 7))
        return 4
    mesh = body.mesh
    polygon = m.mesh_polyadr[mesh] + face
    count = minimum(m.mesh_polyvertnum[polygon], OUTLINE_MOST)
    for k in range(count):
        v = m.mesh_polyvert[m.mesh_polyvertadr[polygon] + count - 1 - k]
        outline[k] = in_world(body, vertex_of(m, mesh, v))
    return count


@kernel
def face_corners(face):
    """The four corners of a face of a box, an octal digit each."""
    upper = where(face == 0, 0o7315, where(face == 2, 0o2376, 0o6754))
    lower = where(face == 1, 0o2640, where(face == 3, 0o4510, 0o3201))
    return where(face % 2 == 0, upper, lower)


# ---- edges


@kernel
def edges_at(m, body, count, ends, ways):
    """List the other ends of the edges of a body at its deepest corner, or that of the edge between its two deepest.

    Returns:
        how many; 0 if three corners are deepest.
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
    """The vertex before another one in a polygon."""
    first = m.mesh_polyvertadr[polygon]
    count = m.mesh_polyvertnum[polygon]
    found = v
    for k in range(count):
        if m.mesh_polyvert[first + k] == v:
            found = m.mesh_polyvert[first + where(k == 0, count - 1, k - 1)]
    return found


# ---- pairs of them


@kernel
def first_pair(faces, ways, count, low, high):
    """The first face that has the cosine of its angle to one of `count` directions between two limits.

    Returns:
        its place, times `OUTLINE_MOST`, plus that of the direction; `NO_FACE` if there is none.
    """
    for i in range(faces.count):
        for j in range(count):
            cosine = dot(faces.normals[i], ways[j])
            if cosine > low and cosine < high:
                return OUTLINE_MOST * i + j
    return NO_FACE
