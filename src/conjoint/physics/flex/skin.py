"""Skins: triangles whose vertices follow bones according to their weights (Modeling chapter, Deformable objects).

For linear blend skinning, see Magnenat-Thalmann, Laperrière, Thalmann, Joint-dependent local deformations for hand
animation and object grasping, 1988.
"""

from conjoint.lang import conj_quat, cross, kernel, load, maximum, mul_quat, norm, put, quat, rotate, vec3
from conjoint.lang.language.algebra import MINIMUM_VALUE


@kernel
def update_skin(m, d, s, positions, normals):
    """Compute the positions and normals of the vertices of skin s (mjv_updateSkin).

    Args:
        m: model.
        d: data, after mj_kinematics.
        s: index of the skin.
        positions: vertex positions of all skins; the elements of skin s are set, in world coordinates (m).
        normals: vertex normals of all skins; the elements of skin s are set to unit vectors.
    """
    clear(m, s, positions)
    for bone in range(m.skin_boneadr[s], m.skin_boneadr[s] + m.skin_bonenum[s]):
        pull_vertices(m, d, s, bone, positions)
    find_normals(m, s, positions, normals)
    first = m.skin_vertadr[s]
    for v in range(first, first + m.skin_vertnum[s]):
        inflated = load(vec3, positions, 3 * v) + load(vec3, normals, 3 * v) * m.skin_inflate[s]
        put(positions, 3 * v, inflated)


@kernel
def clear(m, s, points):
    """Set the positions or normals of the vertices of skin s to zero."""
    first = m.skin_vertadr[s]
    for v in range(first, first + m.skin_vertnum[s]):
        put(points, 3 * v, vec3(0.0, 0.0, 0.0))


@kernel
def pull_vertices(m, d, s, bone, positions):
    """Add the contribution of a bone to the vertex positions of skin s: positions moved by the bone, times weights."""
    body = m.skin_bonebodyid[bone]
    bound = load(vec3, m.skin_bonebindpos, (bone, 0))
    turn = mul_quat(d.xquat[body], conj_quat(load(quat, m.skin_bonebindquat, (bone, 0))))
    first = m.skin_bonevertadr[bone]
    for k in range(first, first + m.skin_bonevertnum[bone]):
        v = m.skin_vertadr[s] + m.skin_bonevertid[k]
        rest = load(vec3, m.skin_vert, (v, 0))
        carried = rotate(turn, rest - bound) + d.xpos[body]
        put(positions, 3 * v, load(vec3, positions, 3 * v) + carried * m.skin_bonevertweight[k])


@kernel
def find_normals(m, s, positions, normals):
    """Compute the vertex normals of skin s, each the area-weighted mean of the normals of adjacent triangles."""
    clear(m, s, normals)
    first = m.skin_vertadr[s]
    for f in range(m.skin_faceadr[s], m.skin_faceadr[s] + m.skin_facenum[s]):
        a = load(vec3, positions, 3 * (first + m.skin_face[f, 0]))
        b = load(vec3, positions, 3 * (first + m.skin_face[f, 1]))
        c = load(vec3, positions, 3 * (first + m.skin_face[f, 2]))
        outward = cross(b - a, c - a)
        for k in range(3):
            v = first + m.skin_face[f, k]
            put(normals, 3 * v, load(vec3, normals, 3 * v) + outward)
    for v in range(first, first + m.skin_vertnum[s]):
        outward = load(vec3, normals, 3 * v)
        put(normals, 3 * v, outward / maximum(norm(outward), MINIMUM_VALUE))
