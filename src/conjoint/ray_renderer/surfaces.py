"""Drawing of flexes and skins: triangles in world coordinates, and rods along lines and edges of sheets."""

from conjoint.lang import clip, cross, dot, kernel, load, maximum, minimum, norm, normalize3, vec2, vec3
from conjoint.physics.flex.edges import ends_of_edge
from conjoint.physics.geometry.matrix import greatest, least
from conjoint.physics.rays.flex import ray_rod
from conjoint.physics.rays.geoms import ray_front, ray_triangle
from conjoint.ray_renderer.window import cover_box, pixels_between, seen_at, show, way_through, widen
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom
from conjoint.schema.ray_picture import PATCH


@kernel
def has_pose(kind):
    """Return True if shapes of this type have a pose."""
    return kind != mjtGeom.mjGEOM_FLEX and kind != mjtGeom.mjGEOM_SKIN


@kernel
def cast_triangle(d, s, part, meet, a, b, c):
    """Draw a triangle, part of shape s, in the pixels whose rays hit it according to the function `meet`."""
    low, high = widen(seen_at(d, a), seen_at(d, a), seen_at(d, b))
    low, high = widen(low, high, seen_at(d, c))
    first_column, first_row, end_column, end_row = pixels_between(d, low, high)
    for row in range(first_row, end_row):
        for column in range(first_column, end_column):
            start, way = way_through(d, row, column)
            show(d, row * d.width + column, s, meet(start, way, a, b, c), part)


@kernel
def blocks(start, way, a, b, c):
    """Return True if a triangle blocks the segment `way` from a point to a lamp."""
    x = ray_triangle(start, way, a, b, c)
    return x >= 0.0 and x <= 1.0


@kernel
def passes(center, radius, start, way):
    """Return True if the ray from a point along `way` intersects a sphere."""
    offset = center - start
    along = dot(offset, way)
    outside = dot(offset, offset) - radius * radius
    return outside <= 0.0 or (along >= 0.0 and outside * dot(way, way) <= along * along)


@kernel
def bound_box(d, s, low, high, radius):
    """Set the bounding sphere of shape s, given two corners of its bounding box and the radius of its parts."""
    d.shape_center[s] = (low + high) * 0.5
    d.shape_radius[s] = norm(high - low) * 0.5 + radius


@kernel
def shares(a, b, c, p):
    """Return the barycentric weights of a triangle's corners at a point."""
    across = cross(b - a, c - a)
    square = maximum(dot(across, across), mjMINVAL * mjMINVAL)
    second = dot(cross(p - a, c - a), across) / square
    third = dot(cross(b - a, p - a), across) / square
    return vec3(1.0 - second - third, second, third)


RODS = -2
"""Part number of the first rod of a flex; rod e has the number `RODS - e`. Triangles have numbers from 0 upward."""

SHEET = 2
"""Dimension of a two-dimensional flex, which has two sides."""


@kernel
def cast_flex(m, d, s):
    """Draw shape s, a flex, in the pixels that it covers."""
    f = d.shape_objid[s]
    choose_texcoords(m, f, d.flex_texcoord_row)
    for e in range(rods_of(m, f)):
        cast_rod(m, d, s, f, e)
    if m.flex_dim[f] >= SHEET:
        find_normals(m, d, f)
        for k in range(triangles_of(m, f)):
            a, b, c = surface_triangle(m, d, f, k)
            cast_triangle(d, s, k, ray_triangle, a, b, c)


@kernel
def triangles_of(m, f):
    """Return the number of surface triangles of flex f: both sides of a sheet's elements, or the shell of a solid."""
    if m.flex_dim[f] == SHEET:
        return 2 * m.flex_elemnum[f]
    return m.flex_shellnum[f]


@kernel
def vertices_of(m, f, k):
    """Return the vertices of surface triangle k of flex f."""
    first = m.flex_vertadr[f]
    if m.flex_dim[f] == SHEET:
        at = m.flex_elemdataadr[f] + 3 * (k // 2)
        return first + m.flex_elem[at], first + m.flex_elem[at + 1], first + m.flex_elem[at + 2]
    at = m.flex_shelldataadr[f] + 3 * k
    return first + m.flex_shell[at], first + m.flex_shell[at + 1], first + m.flex_shell[at + 2]


@kernel
def choose_texcoords(m, f, rows):
    """Find the texture coordinate row of each vertex of flex f; -1 if the flex has no texture coordinates.

    Each vertex of a solid has its own row; otherwise the last element at a vertex determines the row, as in MuJoCo.
    """
    first = m.flex_vertadr[f]
    adr = m.flex_texcoordadr[f]
    for v in range(m.flex_vertnum[f]):
        # models compiled by other programs may have fewer rows
        rows[first + v] = minimum(adr + v, m.nflextexcoord - 1) if adr >= 0 else -1
    if adr >= 0 and m.flex_dim[f] <= SHEET:
        begin = m.flex_elemdataadr[f]
        for i in range(begin, begin + (m.flex_dim[f] + 1) * m.flex_elemnum[f]):
            if m.flex_elemtexcoord[i] >= 0:
                rows[first + m.flex_elem[i]] = adr + m.flex_elemtexcoord[i]


@kernel
def flex_coordinate(m, d, f, part, point):
    """Return the texture coordinates of flex f, which must have some, at a point of a part."""
    if part <= RODS:
        v, w = ends_of_rod(m, f, RODS - part)
        along = share_of_rod(d, v, w, point)
        return texcoord_of(m, d, v) * (1.0 - along) + texcoord_of(m, d, w) * along
    a, b, c = surface_triangle(m, d, f, part)
    i, j, h = vertices_of(m, f, part)
    share = shares(a, b, c, point)
    return texcoord_of(m, d, i) * share.x + texcoord_of(m, d, j) * share.y + texcoord_of(m, d, h) * share.z


@kernel
def texcoord_of(m, d, v):
    """Return the texture coordinates of a flex vertex."""
    return load(vec2, m.flex_texcoord, 2 * d.flex_texcoord_row[v])


@kernel
def share_of_rod(d, v, w, point):
    """Return the position of a point along the rod from vertex v to vertex w, from 0 to 1."""
    along = d.flexvert_xpos[w] - d.flexvert_xpos[v]
    return clip(dot(point - d.flexvert_xpos[v], along) / maximum(dot(along, along), mjMINVAL), 0.0, 1.0)


@kernel
def find_normals(m, d, f):
    """Compute vertex normals of flex f: normalized sums of the unit normals of adjacent triangles."""
    for v in range(m.flex_vertnum[f]):
        d.flex_normal[m.flex_vertadr[f] + v] = vec3(0.0, 0.0, 0.0)
    for k in range(triangles_of(m, f)):
        i, j, h = vertices_of(m, f, k)
        across = cross(d.flexvert_xpos[j] - d.flexvert_xpos[i], d.flexvert_xpos[h] - d.flexvert_xpos[i])
        length = norm(across)
        if length > mjMINVAL:
            across = across / length
            d.flex_normal[i] = d.flex_normal[i] + across
            d.flex_normal[j] = d.flex_normal[j] + across
            d.flex_normal[h] = d.flex_normal[h] + across
    for v in range(m.flex_vertadr[f], m.flex_vertadr[f] + m.flex_vertnum[f]):
        d.flex_normal[v] = d.flex_normal[v] / maximum(norm(d.flex_normal[v]), mjMINVAL)


@kernel
def surface_triangle(m, d, f, k):
    """Return the corners of surface triangle k of flex f, which is offset by the radius from the vertices."""
    i, j, h = vertices_of(m, f, k)
    radius = m.flex_radius[f]
    if m.flex_dim[f] == SHEET and k % 2 == 1:
        radius = -radius
    a = d.flexvert_xpos[i] + d.flex_normal[i] * radius
    b = d.flexvert_xpos[j] + d.flex_normal[j] * radius
    return a, b, d.flexvert_xpos[h] + d.flex_normal[h] * radius


@kernel
def rods_of(m, f):
    """Return the number of rods of flex f: the edges of a line, or the edges of a sheet's outline; 0 for a solid."""
    if m.flex_dim[f] < SHEET:
        return m.flex_edgenum[f]
    if m.flex_dim[f] == SHEET:
        return m.flex_shellnum[f]
    return 0


@kernel
def ends_of_rod(m, f, e):
    """Return the two end vertices of rod e of flex f."""
    if m.flex_dim[f] < SHEET:
        return ends_of_edge(m, f, m.flex_edgeadr[f] + e)
    at = m.flex_shelldataadr[f] + 2 * e
    return m.flex_vertadr[f] + m.flex_shell[at], m.flex_vertadr[f] + m.flex_shell[at + 1]


@kernel
def cast_rod(m, d, s, f, e):
    """Draw rod e of flex f as a capsule with the flex's radius."""
    v, w = ends_of_rod(m, f, e)
    a = d.flexvert_xpos[v]
    b = d.flexvert_xpos[w]
    radius = m.flex_radius[f]
    around = vec3(radius, radius, radius)
    first = least(a, b) - around
    span = greatest(a, b) + around - first
    x, y, z = vec3(span.x, 0.0, 0.0), vec3(0.0, span.y, 0.0), vec3(0.0, 0.0, span.z)
    first_column, first_row, end_column, end_row = cover_box(d, first, x, y, z)
    for row in range(first_row, end_row):
        for column in range(first_column, end_column):
            start, way = way_through(d, row, column)
            show(d, row * d.width + column, s, ray_rod(a, b, radius, start, way), RODS - e)


@kernel
def bound_flex(m, d, s):
    """Compute the bounding sphere of shape s, a flex, if it has a surface."""
    f = d.shape_objid[s]
    if m.flex_dim[f] < SHEET:
        return
    find_normals(m, d, f)
    low = d.flexvert_xpos[m.flex_vertadr[f]]
    high = low
    for v in range(m.flex_vertadr[f] + 1, m.flex_vertadr[f] + m.flex_vertnum[f]):
        low = least(low, d.flexvert_xpos[v])
        high = greatest(high, d.flexvert_xpos[v])
    bound_box(d, s, low, high, m.flex_radius[f])


@kernel
def flex_hides(m, d, f, start, way):
    """Return True if the surface of flex f blocks the segment `way` from a point to a lamp."""
    for k in range(triangles_of(m, f)):
        a, b, c = surface_triangle(m, d, f, k)
        if blocks(start, way, a, b, c):
            return True
    return False


@kernel
def cast_skin(m, d, s):
    """Draw shape s, a skin, in the pixels that it covers."""
    k = d.shape_objid[s]
    for face in range(m.skin_facenum[k]):
        a, b, c = skin_triangle(m, d, k, face)
        cast_triangle(d, s, face, ray_front, a, b, c)


@kernel
def skin_point(m, d, k, face, corner):
    """Return the position of a corner of a triangle of skin k."""
    return load(vec3, d.skin_point, 3 * skin_vertex(m, k, face, corner))


@kernel
def skin_vertex(m, k, face, corner):
    """Return the vertex id at a corner of a triangle of skin k."""
    return m.skin_vertadr[k] + m.skin_face[m.skin_faceadr[k] + face, corner]


@kernel
def skin_triangle(m, d, k, face):
    """Return the positions of the corners of a triangle of skin k."""
    return skin_point(m, d, k, face, 0), skin_point(m, d, k, face, 1), skin_point(m, d, k, face, 2)


@kernel
def skin_shares(m, d, k, face, point):
    """Return the barycentric weights of the corners of a triangle of skin k at a point."""
    a, b, c = skin_triangle(m, d, k, face)
    return shares(a, b, c, point)


@kernel
def skin_normal(m, d, k, face, point):
    """Return the normal of skin k at a point of a triangle, interpolated between the triangle's corners."""
    share = skin_shares(m, d, k, face, point)
    n = vec3(0.0, 0.0, 0.0)
    for corner in range(3):
        n = n + load(vec3, d.skin_normal, 3 * skin_vertex(m, k, face, corner)) * share[corner]
    return normalize3(n)


@kernel
def skin_coordinate(m, d, k, face, point):
    """Return the texture coordinates of skin k, which must have some, at a point of a triangle."""
    share = skin_shares(m, d, k, face, point)
    at = vec2(0.0, 0.0)
    for corner in range(3):
        row = m.skin_texcoordadr[k] + m.skin_face[m.skin_faceadr[k] + face, corner]
        at = at + load(vec2, m.skin_texcoord, 2 * row) * share[corner]
    return at


@kernel
def bound_skin(m, d, s):
    """Compute bounding spheres of shape s, a skin, and of each of its patches of consecutive triangles."""
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
    """Return the number of patches of skin k."""
    return (m.skin_facenum[k] + PATCH - 1) // PATCH


@kernel
def patch_row(m, k, patch):
    """Return the row of a patch of skin k in the arrays for the patches of all skins; some rows may be unused."""
    return m.skin_faceadr[k] // PATCH + k + patch


@kernel
def patch_triangles(m, k, patch):
    """Return the index range of the triangles in a patch of skin k: first and end (exclusive)."""
    end = (patch + 1) * PATCH
    if end > m.skin_facenum[k]:
        end = m.skin_facenum[k]
    return patch * PATCH, end


@kernel
def skin_hides(m, d, k, start, way):
    """Return True if skin k blocks the segment `way` from a point to a lamp."""
    for patch in range(patches_of(m, k)):
        at = patch_row(m, k, patch)
        if passes(d.patch_center[at], d.patch_radius[at], start, way):
            first, end = patch_triangles(m, k, patch)
            for face in range(first, end):
                a, b, c = skin_triangle(m, d, k, face)
                if blocks(start, way, a, b, c):
                    return True
    return False
