"""Flexes and skins in a scene: vertices, and triangles of flexes, offset by the radius of the flex."""

from conjoint.lang import cross, kernel, load, put, sqrt, vec3
from conjoint.physics.flex.skin import clear, update_skin
from conjoint.ray_renderer.listing import is_shown
from conjoint.ray_renderer.surfaces import SHEET, choose_texcoords
from conjoint.schema.enums_visual import mjtVisFlag

EXACT_KERNELS = True


@kernel
def take_flex_options(d):
    """Copy the visualization options of flexes to the scene."""
    d.scn.flexvertopt = d.opt.flags[mjtVisFlag.mjVIS_FLEXVERT]
    d.scn.flexedgeopt = d.opt.flags[mjtVisFlag.mjVIS_FLEXEDGE]
    d.scn.flexfaceopt = d.opt.flags[mjtVisFlag.mjVIS_FLEXFACE]
    d.scn.flexskinopt = d.opt.flags[mjtVisFlag.mjVIS_FLEXSKIN]


@kernel
def show_skins(m, d):
    """Write the vertices and normals of skins to the scene."""
    update_skins(m, d, d.opt.skingroup, d.scn.skinvert, d.scn.skinnormal)


@kernel
def update_skins(m, d, groups, positions, normals):
    """Compute the vertices and normals of skins; those of skins in hidden groups are zero, as in MuJoCo."""
    for s in range(m.nskin):
        if is_shown(groups, m.skin_group[s]):
            update_skin(m, d, s, positions, normals)
        else:
            clear(m, s, positions)
            clear(m, s, normals)


@kernel
def show_flexes(m, d, normals, texcoords):
    """Write the vertices of flexes to the scene, and the triangles of their skins or elements as the options select.

    Args:
        normals: scratch memory, one normal per vertex, and one per triangle of the largest flex.
        texcoords: scratch memory, one integer per vertex.
    """
    for v in range(m.nflexvert):
        put(d.scn.flexvert, 3 * v, d.flexvert_xpos[v])
    for f in range(m.nflex):
        first = d.scn.flexfaceadr[f]
        row = first
        if m.flex_dim[f] > 1 and (d.scn.flexskinopt != 0 or d.scn.flexfaceopt != 0):
            choose_texcoords(m, f, texcoords)
            if d.scn.flexskinopt == 0:
                row = show_faces(m, d, f, row, texcoords)
            elif m.flex_dim[f] == SHEET:
                row = show_sheet(m, d, f, row, normals, texcoords)
            else:
                row = show_shell(m, d, f, row, normals, texcoords)
        d.scn.flexfaceused[f] = row - first


@kernel
def show_sheet(m, d, f, row, normals, texcoords):
    """Write the triangles of a sheet: both sides, alternating, then its edge. Return the row after its triangles."""
    first = m.flex_vertadr[f]
    radius = m.flex_radius[f]
    find_normals(m, d, f, m.flex_elem, m.flex_elemdataadr[f], m.flex_elemnum[f], normals)
    for e in range(m.flex_elemnum[f]):
        at = m.flex_elemdataadr[f] + 3 * e
        for side in range(2):
            # the lower side has reversed winding
            sign = 1.0 - 2.0 * side
            for k in range(3):
                v = first + m.flex_elem[at + ((3 - k) % 3 if side == 1 else k)]
                normal = load(vec3, normals, 3 * v)
                put_corner(m, d, row, k, d.flexvert_xpos[v] + normal * (sign * radius), normal * sign, texcoords[v])
            if m.flex_flatskin[f]:
                # in MuJoCo, the lower side has the normal of the upper side
                flatten(d, row, load(vec3, normals, 3 * (m.nflexvert + e)))
            row += 1
    for s in range(m.flex_shellnum[f]):
        at = m.flex_shelldataadr[f] + 2 * s
        along = d.flexvert_xpos[first + m.flex_shell[at + 1]] - d.flexvert_xpos[first + m.flex_shell[at]]
        for side in range(2):
            sign = 1.0 - 2.0 * side
            a = first + m.flex_shell[at + side]
            b = first + m.flex_shell[at + 1 - side]
            # the normal is perpendicular to the edge and to the normal of the vertex that occurs twice in the triangle
            outward = unit(cross(along, load(vec3, normals, 3 * b)))
            put_rim(m, d, row, 0, a, sign * radius, normals, outward, texcoords)
            put_rim(m, d, row, 1, b, -sign * radius, normals, outward, texcoords)
            put_rim(m, d, row, 2, b, sign * radius, normals, outward, texcoords)
            row += 1
    return row


@kernel
def put_rim(m, d, row, k, v, distance, normals, outward, texcoords):
    """Write a corner of a triangle at the edge of a sheet."""
    put_corner(m, d, row, k, d.flexvert_xpos[v] + load(vec3, normals, 3 * v) * distance, outward, texcoords[v])


@kernel
def show_shell(m, d, f, row, normals, texcoords):
    """Write the triangles of a solid's shell; return the row after them."""
    first = m.flex_vertadr[f]
    find_normals(m, d, f, m.flex_shell, m.flex_shelldataadr[f], m.flex_shellnum[f], normals)
    for s in range(m.flex_shellnum[f]):
        at = m.flex_shelldataadr[f] + 3 * s
        for k in range(3):
            v = first + m.flex_shell[at + k]
            normal = load(vec3, normals, 3 * v)
            put_corner(m, d, row, k, d.flexvert_xpos[v] + normal * m.flex_radius[f], normal, texcoords[v])
        if m.flex_flatskin[f]:
            flatten(d, row, load(vec3, normals, 3 * (m.nflexvert + s)))
        row += 1
    return row


@kernel
def show_faces(m, d, f, row, texcoords):
    """Write both sides of a sheet, or one layer of a solid, with flat shading; return the row after its triangles."""
    dim = m.flex_dim[f]
    for e in range(m.flex_elemnum[f]):
        at = m.flex_elemdataadr[f] + (dim + 1) * e
        if dim == SHEET:
            show_face(m, d, f, row, at, at + 1, at + 2, texcoords)
            show_face(m, d, f, row + 1, at, at + 2, at + 1, texcoords)
            row += 2
        elif m.flex_elemlayer[m.flex_elemadr[f] + e] == d.opt.flex_layer:
            # the four sides of a tetrahedron, with normals outward
            show_face(m, d, f, row, at, at + 1, at + 2, texcoords)
            show_face(m, d, f, row + 1, at, at + 2, at + 3, texcoords)
            show_face(m, d, f, row + 2, at, at + 3, at + 1, texcoords)
            show_face(m, d, f, row + 3, at + 1, at + 3, at + 2, texcoords)
            row += 4
    return row


@kernel
def show_face(m, d, f, row, a, b, c, texcoords):
    """Write a flat triangle, offset by the radius along its normal; a, b and c are indices into `flex_elem`."""
    first = m.flex_vertadr[f]
    u = first + m.flex_elem[a]
    v = first + m.flex_elem[b]
    w = first + m.flex_elem[c]
    normal = face_normal(d, u, v, w)
    away = normal * m.flex_radius[f]
    put_corner(m, d, row, 0, d.flexvert_xpos[u] + away, normal, texcoords[u])
    put_corner(m, d, row, 1, d.flexvert_xpos[v] + away, normal, texcoords[v])
    put_corner(m, d, row, 2, d.flexvert_xpos[w] + away, normal, texcoords[w])


@kernel
def put_corner(m, d, row, k, point, normal, texcoord):
    """Write corner k of the triangle in a row: position, normal and texture coordinates."""
    put(d.scn.flexface, 9 * row + 3 * k, point)
    put(d.scn.flexnormal, 9 * row + 3 * k, normal)
    for i in range(2):
        d.scn.flextexcoord[row, 2 * k + i] = m.flex_texcoord[texcoord, i] if texcoord >= 0 else 0.0


@kernel
def flatten(d, row, normal):
    """Set a common normal for all corners of a triangle."""
    for k in range(3):
        put(d.scn.flexnormal, 9 * row + 3 * k, normal)


@kernel
def find_normals(m, d, f, corners, begin, count, normals):
    """Find the normals of vertices: normalized sums of the unit normals of adjacent triangles, not weighted by area."""
    first = m.flex_vertadr[f]
    for v in range(first, first + m.flex_vertnum[f]):
        put(normals, 3 * v, vec3(0.0, 0.0, 0.0))
    for t in range(count):
        at = begin + 3 * t
        normal = face_normal(d, first + corners[at], first + corners[at + 1], first + corners[at + 2])
        put(normals, 3 * (m.nflexvert + t), normal)
    for k in range(3):
        for t in range(count):
            v = first + corners[begin + 3 * t + k]
            put(normals, 3 * v, load(vec3, normals, 3 * v) + load(vec3, normals, 3 * (m.nflexvert + t)))
    for v in range(first, first + m.flex_vertnum[f]):
        put(normals, 3 * v, unit(load(vec3, normals, 3 * v)))


@kernel
def face_normal(d, a, b, c):
    """Return the unit normal of the triangle between three vertices."""
    return unit(cross(d.flexvert_xpos[b] - d.flexvert_xpos[a], d.flexvert_xpos[c] - d.flexvert_xpos[a]))


@kernel
def unit(v):
    """Return v with length 1; a zero vector is returned unchanged."""
    length = sqrt(v.x * v.x + v.y * v.y + v.z * v.z)
    return v / length if length > 0.0 else v
