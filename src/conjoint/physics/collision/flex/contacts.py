"""Contacts of flexes with geoms, with each other and with themselves, listed after contacts of geoms (mj_collision).

Planes collide with vertices; all other geoms and flexes collide with elements. Spheres and lines do so in closed form,
other convex bodies by GJK and EPA or by portals. For these algorithms, an element is the convex hull of its vertices,
with a skin. Shapes with signed distances use their meshes, as in MuJoCo. An element does not collide with the geoms of
a body to which one of its vertices is fixed, nor with elements with which it shares a vertex.
"""

from conjoint.lang import dot, kernel, load, local, norm, normalize3, real, vec3, z_axis
from conjoint.physics.collision.capsule_box import Line, line_contacts
from conjoint.physics.collision.contact_candidates import POINTS, VECTORS
from conjoint.physics.collision.convex.body import Body, set_geom
from conjoint.physics.collision.convex.editions import PORTAL
from conjoint.physics.collision.flex.elements import (
    corner,
    is_active,
    near_box,
    nearest_on_element,
    set_element,
    vertex_of_element,
)
from conjoint.physics.collision.flex.pairs import (
    Pair,
    collide_convex,
    collide_lines,
    keep_balls,
    keep_contact,
    keep_contacts,
    of_element,
    of_geom,
    of_vertex,
)
from conjoint.physics.collision.flex.self_collision import collide_flexes, collide_self, find_internal_contacts
from conjoint.physics.collision.hfield import Box, prism_contacts
from conjoint.physics.geometry.matrix import greatest, least
from conjoint.physics.geometry.shape import SLACK, world_box
from conjoint.physics.pair_filter import NO_CONTACTS, bits_match, margins_between
from conjoint.schema.constants import mjMAXCONPAIR
from conjoint.schema.enums import mjtDisableBit, mjtGeom


@kernel(one_by_one="worlds together run at 0.70 of the speed (a cloth on a ball and a box)")
def flex_contacts(m, d, edition):
    """Find the contacts of flexes in the native pipeline."""
    all_contacts(m, d, edition.touch, edition)


@kernel(one_by_one="worlds together run at 0.70 of the speed (a cloth on a ball and a box)")
def legacy_flex_contacts(m, d, edition):
    """Find the contacts of flexes in the legacy pipeline."""
    all_contacts(m, d, PORTAL, edition)


@kernel
def all_contacts(m, d, how, edition):
    """Find the contacts of flexes: first with geoms, ordered by body, then with other flexes, last with themselves.

    Args:
        m: model.
        d: data.
        how: `Touch` for two convex bodies.
        edition: `Edition` with the rules for margins.
    """
    d.nfound = d.nfound_geoms
    if (m.opt.disableflags & NO_CONTACTS) == 0:
        for b in range(m.nbody):
            for f in range(m.nflex):
                for g in range(m.body_geomadr[b], m.body_geomadr[b] + m.body_geomnum[b]):
                    if bits_match(m.geom_contype[g], m.geom_conaffinity[g], m.flex_contype[f], m.flex_conaffinity[f]):
                        collide_geom(m, d, g, f, how, edition)
        for f in range(m.nflex):
            for other in range(f + 1, m.nflex):
                contype = m.flex_contype[other]
                if bits_match(m.flex_contype[f], m.flex_conaffinity[f], contype, m.flex_conaffinity[other]):
                    collide_flexes(m, d, f, other, how, edition)
        for f in range(m.nflex):
            if m.flex_rigid[f] == 0 and (m.flex_contype[f] & m.flex_conaffinity[f]) != 0:
                if m.flex_internal[f] != 0:
                    find_internal_contacts(m, d, f)
                collide_self(m, d, f, how)


@kernel
def collide_geom(m, d, g, f, how, edition):
    """Find the contacts between a geom and a flex."""
    margins = margins_between(m, m.geom_margin[g], m.geom_gap[g], m.flex_margin[f], m.flex_gap[f], edition)
    margin = margins.listed
    if m.geom_type[g] == mjtGeom.mjGEOM_PLANE:
        collide_plane(m, d, g, f, margins)
    else:
        center, half = world_box(m, d, g)
        reach = half * SLACK + vec3(margin, margin, margin)
        # without its trees, which contain only active elements, MuJoCo tests all elements
        deep = (m.opt.disableflags & mjtDisableBit.mjDSBL_MIDPHASE) != 0
        if near_box(d.bvh_aabb_dyn, m.flex_bvhadr[f] - m.nbvhstatic, center, reach):
            for e in range(m.flex_elemnum[f]):
                near = near_box(d.flexelem_aabb, m.flex_elemadr[f] + e, center, reach)
                if near and (deep or is_active(m, f, e)) and not holds_vertex(m, m.geom_bodyid[g], f, e):
                    collide_element(m, d, g, f, e, margins, how)


@kernel
def collide_plane(m, d, g, f, margins):
    """Store a contact for each vertex of a flex that is within the margin of a plane."""
    normal = z_axis(d.geom_xmat[g])
    for v in range(m.flex_vertnum[f]):
        point = d.flexvert_xpos[m.flex_vertadr[f] + v]
        dist = dot(point - d.geom_xpos[g], normal) - m.flex_radius[f]
        if dist <= margins.listed:
            pos = point - normal * (m.flex_radius[f] + 0.5 * dist)
            keep_contact(d, Pair(of_geom(g), of_vertex(f, v), margins), dist, pos, normal)


@kernel
def holds_vertex(m, body, f, e):
    """Return True if a vertex of element e of flex f is fixed to a body."""
    for k in range(m.flex_dim[f] + 1):
        if m.flex_vertbodyid[m.flex_vertadr[f] + vertex_of_element(m, f, e, k)] == body:
            return True
    return False


@kernel
def collide_element(m, d, g, f, e, margins, how):
    """Find the contacts between a geom and element e of flex f."""
    kind = m.geom_type[g]
    dim = m.flex_dim[f]
    pair = Pair(of_geom(g), of_element(f, e), margins)
    if kind == mjtGeom.mjGEOM_SPHERE and dim < 3:
        center = d.geom_xpos[g]
        nearest = nearest_on_element(m, d, f, e, center)
        keep_balls(d, pair, center, m.geom_size[g].x, nearest, m.flex_radius[f])
    elif kind == mjtGeom.mjGEOM_CAPSULE and dim == 1:
        half = z_axis(d.geom_xmat[g]) * m.geom_size[g].y
        center = d.geom_xpos[g]
        radius = m.geom_size[g].x
        collide_lines(m, d, pair, center - half, center + half, radius)
    elif kind == mjtGeom.mjGEOM_BOX and dim == 1:
        collide_box_line(m, d, g, f, e, pair)
    elif kind == mjtGeom.mjGEOM_HFIELD:
        collide_height_field(m, d, g, f, e, pair, how)
    else:
        bodies = local(Body, 2)
        set_geom(m, d, g, margins.listed, bodies[0])
        set_element(m, d, f, e, margins.listed, bodies[1])
        collide_convex(m, d, pair, bodies, how)


@kernel(exact=True)
def collide_box_line(m, d, box, f, e, pair):
    """Find up to two contacts between a box and an element that is a line."""
    dists = local(real, 2)
    points = local(vec3, 2 * VECTORS)
    frame = d.geom_xmat[box]
    size = m.geom_size[box]
    # from the second vertex to the first, as in MuJoCo, because the direction decides ties
    start = corner(m, d, f, e, 1)
    end = corner(m, d, f, e, 0)
    center = frame.T @ ((start + end) * 0.5 - d.geom_xpos[box])
    half = frame.T @ ((end - start) * 0.5)
    length = norm(half)
    radius = m.flex_radius[f]
    line = Line(center, normalize3(half), half, length)
    margin = pair.margins.listed
    limit = margin + 2.0 * (radius + length + size.x + size.y + size.z)
    n = line_contacts(m, d, box, line, limit, radius, margin, dists, points)
    for k in range(n):
        # these normals point from the line to the box
        points[VECTORS * k + 1] = -points[VECTORS * k + 1]
    keep_contacts(d, pair, n, dists, points)


@kernel(exact=True)
def collide_height_field(m, d, field, f, e, pair, how):
    """Find the contacts between a height field and an element; `how` is the `Touch` for a prism."""
    bodies = local(Body, 2)
    dists = local(real, mjMAXCONPAIR)
    points = local(vec3, POINTS)
    box = place_element(m, d, field, f, e, bodies[1])
    n = prism_contacts(m, d, field, bodies, box, pair.margins.listed, dists, points, how)
    keep_contacts(d, pair, n, dists, points)


@kernel(exact=True)
def place_element(m, d, field, f, e, body):
    """Set a body to element e of flex f in a height field's frame; return the element's bounding box without skin."""
    set_element(m, d, f, e, 0.0, body)
    low = d.geom_xmat[field].T @ (corner(m, d, f, e, 0) - d.geom_xpos[field])
    high = low
    for k in range(m.flex_dim[f] + 1):
        vertex = d.geom_xmat[field].T @ (corner(m, d, f, e, k) - d.geom_xpos[field])
        body.corners[k] = vertex
        low = least(low, vertex)
        high = greatest(high, vertex)
    middle = load(vec3, d.flexelem_aabb, (m.flex_elemadr[f] + e, 0)) - d.geom_xpos[field]
    body.pos = d.geom_xmat[field].T @ middle
    return Box(low, high)
