"""Skins in pictures: the triangles of their surface, each seen in its own pixels, from outside."""

from conjoint.lang import kernel, load, norm, normalize3, vec2, vec3
from conjoint.physics.geometry.matrix import greatest, least
from conjoint.physics.rays.geoms import ray_front
from conjoint.ray_renderer.triangles import blocks, bound_box, cast_triangle, passes, shares
from conjoint.schema.ray_picture import PATCH


@kernel
def cast_skin(m, d, s):
    """Let the pixels that shape s covers, a skin, show it."""
    k = d.shape_objid[s]
    for face in range(m.skin_facenum[k]):
        a, b, c = skin_triangle(m, d, k, face)
        cast_triangle(d, s, face, ray_front, a, b, c)


@kernel
def skin_point(m, d, k, face, corner):
    """A corner of a triangle of skin k."""
    return load(vec3, d.skin_point, 3 * skin_vertex(m, k, face, corner))


@kernel
def skin_vertex(m, k, face, corner):
    """The vertex at a corner of a triangle of skin k."""
    return m.skin_vertadr[k] + m.skin_face[m.skin_faceadr[k] + face, corner]


@kernel
def skin_triangle(m, d, k, face):
    """Corners of a triangle of skin k."""
    return skin_point(m, d, k, face, 0), skin_point(m, d, k, face, 1), skin_point(m, d, k, face, 2)


@kernel
def skin_shares(m, d, k, face, point):
    """How much each corner of a triangle of skin k counts at a point of it."""
    a, b, c = skin_triangle(m, d, k, face)
    return shares(a, b, c, point)


@kernel
def skin_normal(m, d, k, face, point):
    """Normal of skin k at a point of one of its triangles, between those of its corners."""
    share = skin_shares(m, d, k, face, point)
    n = vec3(0.0, 0.0, 0.0)
    for corner in range(3):
        n = n + load(vec3, d.skin_normal, 3 * skin_vertex(m, k, face, corner)) * share[corner]
    return normalize3(n)


@kernel
def skin_coordinate(m, d, k, face, point):
    """Texture coordinate of skin k, which has them, at a point of one of its triangles."""
    share = skin_shares(m, d, k, face, point)
    at = vec2(0.0, 0.0)
    for corner in range(3):
        row = m.skin_texcoordadr[k] + m.skin_face[m.skin_faceadr[k] + face, corner]
        at = at + load(vec2, m.skin_texcoord, 2 * row) * share[corner]
    return at


@kernel
def bound_skin(m, d, s):
    """Find a ball around shape s, a skin, and one around each patch of it, of triangles that follow each other."""
    k = d.shape_objid[s]
    low = skin_point(m, d, k, 0, 0)
    high = low
    for patch in range(patches_of(m, k)):
        first, end = patch_triangles(m, k, patch)
        near = skin_point(m, d, k, first, 0)
        far = near
        for face in range(first, end):
            for corner in range(3):
                point = skin_point(m, d, k, face, corner)
                near = least(near, point)
                far = greatest(far, point)
        at = patch_row(m, k, patch)
        d.patch_center[at] = (near + far) * 0.5
        d.patch_radius[at] = norm(far - near) * 0.5
        low = least(low, near)
        high = greatest(high, far)
    bound_box(d, s, low, high, 0.0)


@kernel
def patches_of(m, k):
    """Patches of skin k."""
    return (m.skin_facenum[k] + PATCH - 1) // PATCH


@kernel
def patch_row(m, k, patch):
    """Row of a patch of skin k among those of all skins; between skins there may be rows that nobody uses."""
    return m.skin_faceadr[k] // PATCH + k + patch


@kernel
def patch_triangles(m, k, patch):
    """First triangle of a patch of skin k, and the one behind its last."""
    end = (patch + 1) * PATCH
    if end > m.skin_facenum[k]:
        end = m.skin_facenum[k]
    return patch * PATCH, end


@kernel
def skin_hides(m, d, k, start, way):
    """True if skin k lies on the way to a lamp."""
    for patch in range(patches_of(m, k)):
        at = patch_row(m, k, patch)
        if passes(d.patch_center[at], d.patch_radius[at], start, way):
            first, end = patch_triangles(m, k, patch)
            for face in range(first, end):
                a, b, c = skin_triangle(m, d, k, face)
                if blocks(start, way, a, b, c):
                    return True
    return False
