"""Skins in pictures: the triangles of their surface, each seen in its own pixels, from outside."""

from conjoint.lang import kernel, load, normalize3, vec2, vec3
from conjoint.physics.flex.kinematics import greatest, least
from conjoint.physics.ray import ray_front
from conjoint.physics.sight.triangles import blocks, bound_box, cast_triangle, shares


@kernel(per_world=True)
def cast_skin(m, d, s):
    """Let the pixels that shape s covers, a skin, show it."""
    k = d.shape_objid[s]
    for face in range(m.skin_facenum[k]):
        a, b, c = skin_triangle(m, d, k, face)
        cast_triangle(d, s, face, ray_front, a, b, c)


@kernel(per_world=True)
def skin_point(m, d, k, face, corner):
    """A corner of a triangle of skin k."""
    return load(vec3, d.skin_point, 3 * skin_vertex(m, k, face, corner))


@kernel(per_world=True)
def skin_vertex(m, k, face, corner):
    """The vertex at a corner of a triangle of skin k."""
    return m.skin_vertadr[k] + m.skin_face[m.skin_faceadr[k] + face, corner]


@kernel(per_world=True)
def skin_triangle(m, d, k, face):
    """Corners of a triangle of skin k."""
    return skin_point(m, d, k, face, 0), skin_point(m, d, k, face, 1), skin_point(m, d, k, face, 2)


@kernel(per_world=True)
def skin_shares(m, d, k, face, point):
    """How much each corner of a triangle of skin k counts at a point of it."""
    a, b, c = skin_triangle(m, d, k, face)
    return shares(a, b, c, point)


@kernel(per_world=True)
def skin_normal(m, d, k, face, point):
    """Normal of skin k at a point of one of its triangles, between those of its corners."""
    share = skin_shares(m, d, k, face, point)
    n = vec3(0.0, 0.0, 0.0)
    for corner in range(3):
        n = n + load(vec3, d.skin_normal, 3 * skin_vertex(m, k, face, corner)) * share[corner]
    return normalize3(n)


@kernel(per_world=True)
def skin_coordinate(m, d, k, face, point):
    """Texture coordinate of skin k, which has them, at a point of one of its triangles."""
    share = skin_shares(m, d, k, face, point)
    at = vec2(0.0, 0.0)
    for corner in range(3):
        row = m.skin_texcoordadr[k] + m.skin_face[m.skin_faceadr[k] + face, corner]
        at = at + load(vec2, m.skin_texcoord, 2 * row) * share[corner]
    return at


@kernel(per_world=True)
def bound_skin(m, d, s):
    """Find a ball around shape s, a skin."""
    k = d.shape_objid[s]
    low = load(vec3, d.skin_point, 3 * m.skin_vertadr[k])
    high = low
    for v in range(m.skin_vertadr[k] + 1, m.skin_vertadr[k] + m.skin_vertnum[k]):
        point = load(vec3, d.skin_point, 3 * v)
        low = least(low, point)
        high = greatest(high, point)
    bound_box(d, s, low, high, 0.0)


@kernel(per_world=True)
def skin_hides(m, d, k, start, way):
    """True if skin k lies on the way to a lamp."""
    for face in range(m.skin_facenum[k]):
        a, b, c = skin_triangle(m, d, k, face)
        if blocks(start, way, a, b, c):
            return True
    return False
