"""A polytope of triangles around the origin, which grows corner by corner.

Corners of a face run counter-clockwise, seen from outside. Side k of a face goes from its corner k to the next.
"""

from conjoint.lang import dot, kernel, real, struct, vec3, where
from conjoint.physics.collision.convex.gjk import Corner
from conjoint.physics.collision.convex.simplex import FARTHEST, foot_on_plane
from conjoint.schema.constants import mjMINVAL

TURNS = 170
"""Most corners that are added, also where `ccd_iterations` allows more."""

CORNERS_MOST = 5 + TURNS
FACES_MOST = 6 * TURNS
"""Room for corners and faces."""

NONE = -1
"""No face."""

UNLISTED = -1
GONE = -2
"""What stands for the place of faces that are not looked at, and of those that are inside of the polytope by now."""


@struct
def Face(corners=(int, 3), across=(int, 3), place=int, foot=vec3, square=real):
    """A triangle: its corners, the faces across its sides, its place in the list of the faces worth looking at; the
    point of its plane nearest to the origin, and the square of the distance."""


@struct
def Polytope(
    corners=(Corner, CORNERS_MOST + 3),
    faces=(Face, FACES_MOST),
    listed=(int, FACES_MOST),
    corner_count=int,
    face_count=int,
    listed_count=int,
):
    """Corners, with room for three to begin anew with; faces, and the list of those worth looking at."""


@kernel
def clear(polytope, count):
    """No faces, and `count` corners."""
    polytope.corner_count = count
    polytope.face_count = 0
    polytope.listed_count = 0


@kernel
def add_face(polytope, a, b, c, ab, bc, ca):
    """Add the face with corners a, b, c and the given neighbours; the square of its distance, 0 if it has no plane."""
    face = polytope.faces[polytope.face_count]
    polytope.face_count += 1
    face.corners[0] = a
    face.corners[1] = b
    face.corners[2] = c
    face.across[0] = ab
    face.across[1] = bc
    face.across[2] = ca
    face.place = UNLISTED
    corners = polytope.corners
    foot, found = foot_on_plane(corners[c].point, corners[b].point, corners[a].point)
    face.foot = foot
    face.square = dot(foot, foot)
    if not found:
        return 0.0
    return face.square


@kernel
def list_face(polytope, face):
    """Put a face in the list of those worth looking at."""
    place = polytope.listed_count
    polytope.listed_count = place + 1
    polytope.listed[place] = face
    polytope.faces[face].place = place


@kernel
def remove_face(polytope, face):
    """Remove a face; the last one of the list takes its place there."""
    place = polytope.faces[face].place
    if place >= 0:
        last = polytope.listed_count - 1
        polytope.listed_count = last
        moved = polytope.listed[last]
        polytope.listed[place] = moved
        polytope.faces[moved].place = place
    polytope.faces[face].place = GONE


@kernel
def side_from(face, corner):
    """The side of a face that begins at a corner of it."""
    return where(face.corners[0] == corner, 0, where(face.corners[1] == corner, 1, 2))


@kernel
def remove_visible(polytope, face, eye, waiting, horizon):
    """Remove `face` and all faces around it that the point `eye` sees.

    Args:
        polytope: see above.
        face: the first to go.
        eye: a point outside.
        waiting: memory for sides, each three times its face and its number in it, that are still to be crossed.
        horizon: receives, the same way, the sides of faces that stay, around what went, in order.

    Returns:
        length of the horizon.
    """
    remove_face(polytope, face)
    count = 0
    for k in range(3):
        waiting[k] = 3 * face + 2 - k
    left = 3
    while left > 0:
        left -= 1
        inner = polytope.faces[waiting[left] // 3]
        side = waiting[left] % 3
        number = inner.across[side]
        outer = polytope.faces[number]
        if outer.place != GONE:
            entry = side_from(outer, inner.corners[(side + 1) % 3])
            if dot(outer.foot, eye) - outer.square > mjMINVAL:
                remove_face(polytope, number)
                waiting[left] = 3 * number + (entry + 2) % 3
                waiting[left + 1] = 3 * number + (entry + 1) % 3
                left += 2
            else:
                horizon[count] = 3 * number + entry
                count += 1
    return count


@kernel
def nearest_face(polytope):
    """The listed face nearest to the origin, the first of equals; -1 if there is none."""
    best = NONE
    least = FARTHEST
    for k in range(polytope.listed_count):
        square = polytope.faces[polytope.listed[k]].square
        if square < least:
            least = square
            best = polytope.listed[k]
    return best


@kernel
def restart_with(polytope, face):
    """Begin anew with the three corners of a face."""
    corners = polytope.corners
    for k in range(3):
        corners[CORNERS_MOST + k] = corners[face.corners[k]]
    for k in range(3):
        corners[k] = corners[CORNERS_MOST + k]
    clear(polytope, 0)
