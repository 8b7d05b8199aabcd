"""Intersections of rays with flexes and skins: the distance along the ray, and the vertex nearest to the hit.

Rays hit a flex as it is drawn: spheres around vertices, capsules around edges, and triangles without thickness.
"""

from conjoint.lang import dot, formula, kernel, load, norm, normalize3, vec3, where
from conjoint.physics.collision.contact_candidates import contact_frame
from conjoint.physics.collision.flex.elements import vertex_of_element
from conjoint.physics.flex.edges import ends_of_edge
from conjoint.physics.geometry.matrix import greatest, least
from conjoint.physics.geometry.shape import SLACK
from conjoint.physics.rays.geoms import MISSED, nearer_of, ray_capsule, ray_inside, ray_quadric, ray_triangle

FACES = 4
"""Number of triangles of a tetrahedron."""

WITH_VERTICES, WITH_EDGES, WITH_FACES, WITH_SKIN = 1, 2, 4, 8
"""Flags for the parts of a flex: spheres around vertices, capsules around edges, triangles of elements, the surface."""


@kernel
def ray_flex(m, d, layer, shown, f, start, way):
    """Return the distance of a ray to flex f, and the vertex nearest to the hit; -1 for none (mju_rayFlex).

    Args:
        m: model.
        d: data, after mj_flex.
        layer: layer of the solid elements whose faces are tested, counted from the surface.
        shown: sum of flags for the parts to test: WITH_VERTICES (redundant with edges), WITH_EDGES, WITH_FACES
            (triangles of elements), WITH_SKIN (edges, and triangles of the outer elements; nothing for lines).
        f: index of the flex.
        start: origin of the ray.
        way: direction vector of the ray, whose length is the unit of distance.
    """
    best = MISSED
    nearest = -1
    # lines have no faces, and their surface consists only of edges
    flat = m.flex_dim[f] > 1
    if is_around(m, d, f, start, way):
        skin = shown & WITH_SKIN
        if shown & WITH_EDGES or (flat and skin):
            best, nearest = ray_edges(m, d, f, start, way)
        elif shown & WITH_VERTICES:
            best, nearest = ray_vertices(m, d, f, start, way)
        if flat and shown & (WITH_FACES | WITH_SKIN):
            x, v = ray_elements(m, d, f, where(skin != 0, 0, layer), start, way)
            best, nearest = nearer_of(best, nearest, x, v)
    return best, nearest


@kernel
def is_around(m, d, f, start, way):
    """Return True if a ray hits the bounding box of flex f."""
    low = d.flexvert_xpos[m.flex_vertadr[f]]
    high = low
    for v in range(m.flex_vertadr[f] + 1, m.flex_vertadr[f] + m.flex_vertnum[f]):
        low = least(low, d.flexvert_xpos[v])
        high = greatest(high, d.flexvert_xpos[v])
    middle = (low + high) * 0.5
    radius = m.flex_radius[f]
    half = ((high - low) * 0.5 + vec3(radius, radius, radius)) * SLACK
    near, far = ray_inside(middle - half, middle + half, start, way)
    return near <= far


@kernel
def ray_vertices(m, d, f, start, way):
    """Return the distance of a ray to the first sphere around a vertex of flex f, and the vertex; -1 for none."""
    best = MISSED
    nearest = -1
    radius = m.flex_radius[f]
    for k in range(m.flex_vertnum[f]):
        p = start - d.flexvert_xpos[m.flex_vertadr[f] + k]
        x = ray_quadric(dot(way, way), dot(way, p), dot(p, p) - radius * radius)
        best, nearest = nearer_of(best, nearest, x, k)
    return best, nearest


@kernel
def ray_edges(m, d, f, start, way):
    """Return the distance of a ray to the first capsule around an edge of flex f, and the nearer end of that edge."""
    best = MISSED
    nearest = -1
    for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
        v, w = ends_of_edge(m, f, e)
        a = d.flexvert_xpos[v]
        b = d.flexvert_xpos[w]
        x = ray_rod(a, b, m.flex_radius[f], start, way)
        met = start + way * x
        is_second = square_between(met, b) < square_between(met, a)
        best, nearest = nearer_of(best, nearest, x, where(is_second, m.flex_edge[e, 1], m.flex_edge[e, 0]))
    return best, nearest


@kernel
def ray_rod(a, b, radius, start, way):
    """Return the distance of a ray to the capsule around the segment between points a and b."""
    # axes of the capsule's frame; the first is along the segment
    axes = contact_frame(normalize3(b - a), vec3(0.0, 0.0, 0.0))
    p = axes @ (start - (a + b) * 0.5)
    u = axes @ way
    size = vec3(radius, norm(b - a) * 0.5, 0.0)
    return ray_capsule(size, vec3(p.y, p.z, p.x), vec3(u.y, u.z, u.x))


@formula("real", "vec3", "vec3")
def square_between(a, b):
    """Return the squared distance between two points."""
    return sum((a[i] - b[i]) * (a[i] - b[i]) for i in range(3))


@kernel
def ray_elements(m, d, f, layer, start, way):
    """Return the distance of a ray to the first triangle of flex f, and its corner nearest to the hit; -1 for none.

    In a solid, only the elements of `layer` are tested.
    """
    best = MISSED
    nearest = -1
    corners = m.flex_dim[f] + 1
    faces = where(corners == FACES, FACES, 1)
    first = m.flex_vertadr[f]
    points = d.flexvert_xpos
    for e in range(m.flex_elemnum[f]):
        if faces == 1 or m.flex_elemlayer[m.flex_elemadr[f] + e] == layer:
            for face in range(faces):
                a = vertex_of_element(m, f, e, face)
                b = vertex_of_element(m, f, e, (face + 1) % corners)
                c = vertex_of_element(m, f, e, (face + 2) % corners)
                x, which = ray_corners(points[first + a], points[first + b], points[first + c], start, way)
                best, nearest = nearer_of(best, nearest, x, where(which == 0, a, where(which == 1, b, c)))
    return best, nearest


@kernel
def ray_corners(a, b, c, start, way):
    """Return the distance of a ray to a triangle, and the index of the corner nearest to the hit."""
    x = ray_triangle(start, way, a, b, c)
    met = start + way * x
    which = 0
    if square_between(met, b) < square_between(met, a):
        which = 1
        a = b
    if square_between(met, c) < square_between(met, a):
        which = 2
    return x, which


@kernel
def ray_skin(face, vert, count, start, way):
    """Return the distance of a ray to a skin, and the vertex nearest to the hit; -1 for none (mju_raySkin).

    Args:
        face: vertex indices of the triangles.
        vert: positions of the vertices (m).
        count: number of triangles.
        start: origin of the ray.
        way: direction vector of the ray, whose length is the unit of distance.
    """
    best = MISSED
    nearest = -1
    for f in range(count):
        a = load(vec3, vert, 3 * face[3 * f])
        b = load(vec3, vert, 3 * face[3 * f + 1])
        c = load(vec3, vert, 3 * face[3 * f + 2])
        x, which = ray_corners(a, b, c, start, way)
        best, nearest = nearer_of(best, nearest, x, face[3 * f + which])
    return best, nearest
