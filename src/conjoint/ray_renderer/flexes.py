"""Flexes in pictures: rods along lines and rims, and the triangles of their surface, each seen in its own pixels."""

from conjoint.lang import clip, cross, dot, kernel, load, maximum, minimum, norm, vec2, vec3
from conjoint.physics.flex.edges import ends_of_edge
from conjoint.physics.geometry.matrix import greatest, least
from conjoint.physics.rays.flex import ray_rod
from conjoint.physics.rays.geoms import ray_triangle
from conjoint.ray_renderer.pixels import show
from conjoint.ray_renderer.triangles import blocks, bound_box, cast_triangle, shares
from conjoint.ray_renderer.window import cover_box, way_through
from conjoint.schema.constants import mjMINVAL

RODS = -2
"""The part of a flex that is its first rod: rod e is `RODS - e`. Parts from 0 upwards are triangles."""

SHEET = 2
"""Dimensions of a flex that has two sides."""


@kernel
def cast_flex(m, d, s):
    """Let the pixels that shape s covers, a flex, show it."""
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
    """Triangles of the surface of flex f: both sides of the elements of a sheet, or the shell of a solid."""
    if m.flex_dim[f] == SHEET:
        return 2 * m.flex_elemnum[f]
    return m.flex_shellnum[f]


@kernel
def vertices_of(m, f, k):
    """Vertices of triangle k of the surface of flex f."""
    first = m.flex_vertadr[f]
    if m.flex_dim[f] == SHEET:
        at = m.flex_elemdataadr[f] + 3 * (k // 2)
        return first + m.flex_elem[at], first + m.flex_elem[at + 1], first + m.flex_elem[at + 2]
    at = m.flex_shelldataadr[f] + 3 * k
    return first + m.flex_shell[at], first + m.flex_shell[at + 1], first + m.flex_shell[at + 2]


@kernel
def choose_texcoords(m, f, rows):
    """Find the row of texture coordinates of each vertex of flex f; -1 if the flex has none.

    Each vertex of a solid has its own; otherwise the last element at a vertex decides, as in MuJoCo.
    """
    first = m.flex_vertadr[f]
    adr = m.flex_texcoordadr[f]
    for v in range(m.flex_vertnum[f]):
        # compiled models of other programs may have fewer
        rows[first + v] = minimum(adr + v, m.nflextexcoord - 1) if adr >= 0 else -1
    if adr >= 0 and m.flex_dim[f] <= SHEET:
        begin = m.flex_elemdataadr[f]
        for i in range(begin, begin + (m.flex_dim[f] + 1) * m.flex_elemnum[f]):
            if m.flex_elemtexcoord[i] >= 0:
                rows[first + m.flex_elem[i]] = adr + m.flex_elemtexcoord[i]


@kernel
def flex_coordinate(m, d, f, part, point):
    """Texture coordinates of flex f, which has them, at a point of one of its parts."""
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
    """Texture coordinates of a vertex of a flex."""
    return load(vec2, m.flex_texcoord, 2 * d.flex_texcoord_row[v])


@kernel
def share_of_rod(d, v, w, point):
    """How far a point is along the rod from vertex v to w, from 0 to 1."""
    along = d.flexvert_xpos[w] - d.flexvert_xpos[v]
    return clip(dot(point - d.flexvert_xpos[v], along) / maximum(dot(along, along), mjMINVAL), 0.0, 1.0)


@kernel
def find_normals(m, d, f):
    """Normals of the vertices of flex f: the mean direction of the triangles around, whatever their size."""
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
    """Corners of triangle k of the surface of flex f, which has a distance of its radius from the vertices."""
    i, j, h = vertices_of(m, f, k)
    radius = m.flex_radius[f]
    if m.flex_dim[f] == SHEET and k % 2 == 1:
        radius = -radius
    a = d.flexvert_xpos[i] + d.flex_normal[i] * radius
    b = d.flexvert_xpos[j] + d.flex_normal[j] * radius
    return a, b, d.flexvert_xpos[h] + d.flex_normal[h] * radius


@kernel
def rods_of(m, f):
    """Rods of flex f: the edges of a line, the rim of a sheet; a solid has none outside of its surface."""
    if m.flex_dim[f] < SHEET:
        return m.flex_edgenum[f]
    if m.flex_dim[f] == SHEET:
        return m.flex_shellnum[f]
    return 0


@kernel
def ends_of_rod(m, f, e):
    """Vertices at the ends of rod e of flex f."""
    if m.flex_dim[f] < SHEET:
        return ends_of_edge(m, f, m.flex_edgeadr[f] + e)
    at = m.flex_shelldataadr[f] + 2 * e
    return m.flex_vertadr[f] + m.flex_shell[at], m.flex_vertadr[f] + m.flex_shell[at + 1]


@kernel
def cast_rod(m, d, s, f, e):
    """Let pixels show rod e of flex f, with its radius."""
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
    """Find a ball around shape s, a flex with a surface."""
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
    """True if the surface of flex f lies on the way to a lamp."""
    for k in range(triangles_of(m, f)):
        a, b, c = surface_triangle(m, d, f, k)
        if blocks(start, way, a, b, c):
            return True
    return False
