"""Expanding polytope of triangles around the origin (EPA), to which corners are added one at a time.

The corners of a face are in counter-clockwise order, seen from outside. Side k of a face leads from its corner k to the
next corner; the number of this side is 4 times the face number, plus k.
"""

from conjoint.lang import dot, group, kernel, minimum, real, struct, vec3, where
from conjoint.physics.collision.convex.gjk import FARTHEST, Corner, foot_on_plane, is_doubtful, plane_through
from conjoint.schema.constants import mjMINVAL

TURNS = 170
"""Maximum number of corners to add, even if `ccd_iterations` is larger."""

CORNERS_MOST = 5 + TURNS
FACES_MOST = 6 * TURNS
"""Capacity of a polytope for faces; `CORNERS_MOST` is the capacity for corners."""

NONE = -1
"""Face number that stands for no face."""

UNLISTED = -1
GONE = -2
"""Value of `place` for removed faces, which are now inside the polytope; `UNLISTED` means a face that is not listed."""

UNUSED = FACES_MOST
"""Index of a spare list element, to which removed faces that are not in the list are written, to avoid a branch."""


@struct
def Face(corners=(int, 3), across=(int, 3), place=int, foot=vec3, square=real):
    """Triangle of a polytope.

    Its fields are its corners, the adjacent sides of its neighbors, and its index in the list of candidate faces.
    `foot` is the point of its plane that is nearest to the origin, and `square` the squared distance of this point.
    """


@struct
def Polytope(
    corners=(Corner, CORNERS_MOST + 3),
    faces=(Face, FACES_MOST),
    listed=(int, FACES_MOST + 1),
    squares=(real, FACES_MOST + 1),
    corner_count=int,
    face_count=int,
    listed_count=int,
):
    """Polytope with its corners, its faces, and the list of candidate faces with their squared distances.

    It has capacity for three more corners, which are needed for a restart.
    """


@kernel
def clear(polytope, count):
    """Remove all faces, and set the number of corners to `count`."""
    polytope.corner_count = count
    polytope.face_count = 0
    polytope.listed_count = 0


@kernel
def next_side(side):
    """Return the side of a face that follows another side."""
    return where(side == 2, 0, side + 1)


@kernel
def set_sides(face, a, b, c, ab, bc, ca):
    """Set the corners of a face, and the adjacent sides of its neighbors."""
    face.corners[0] = a
    face.corners[1] = b
    face.corners[2] = c
    face.across[0] = ab
    face.across[1] = bc
    face.across[2] = ca


@kernel
def set_foot(face, p, q, r):
    """Set `foot` and `square` of a face with corners p, q, r.

    Returns:
        the squared distance of its plane from the origin, 0 if its corners define no plane.
    """
    foot, found = foot_on_plane(r, q, p)
    square = dot(foot, foot)
    face.foot = foot
    face.square = square
    return where(found, square, 0.0)


@kernel
def add_face(polytope, a, b, c, ab, bc, ca):
    """Add a face with corners a, b, c and the adjacent sides of its neighbors; see `set_foot` for the result."""
    face = polytope.faces[polytope.face_count]
    polytope.face_count += 1
    set_sides(face, a, b, c, ab, bc, ca)
    corners = polytope.corners
    return set_foot(face, corners[a].point, corners[b].point, corners[c].point)


# ---- the list


@kernel
def list_faces(polytope, first, lower, upper):
    """List the faces whose squared distance is between two limits, starting with face `first`."""
    count = polytope.listed_count
    for k in range(first, polytope.face_count):
        square = polytope.faces[k].square
        wanted = (square >= lower) & (square <= upper)
        # an unwanted entry is overwritten by the next entry
        polytope.listed[count] = k
        polytope.squares[count] = square
        polytope.faces[k].place = where(wanted, count, UNLISTED)
        count += where(wanted, 1, 0)
    polytope.listed_count = count


@kernel
def nearest_face(polytope):
    """Find the listed face nearest to the origin, the first one on ties.

    Returns:
        the face number, -1 if there is none; its squared distance.
    """
    best = NONE
    least = FARTHEST
    for k in range(polytope.listed_count):
        square = polytope.squares[k]
        nearer = square < least
        best = where(nearer, polytope.listed[k], best)
        least = where(nearer, square, least)
    return best, least


@kernel
def remove_face(polytope, face):
    """Remove a face; if it is in the list, the last face of the list is moved to its index."""
    place = polytope.faces[face].place
    listed = place != UNLISTED
    last = polytope.listed_count - where(listed, 1, 0)
    polytope.listed_count = last
    moved = where(listed, polytope.listed[last], face)
    to = where(listed, place, UNUSED)
    polytope.listed[to] = moved
    polytope.squares[to] = polytope.squares[last]
    polytope.faces[moved].place = place
    polytope.faces[face].place = GONE


# ---- growing


@group
def Growth(corner, eye, lower, upper):
    """Growth step of a polytope: the new corner, its point, and limits of the squared distance of a candidate face."""


@kernel
def replace_visible(polytope, face, growth, waiting):
    """Replace `face` and all other faces that are visible from a new corner.

    The new faces connect the corner with those sides of the remaining faces that border the gap. They are numbered
    after the existing faces, in their order around the corner; `count_new` adds them. Each face is built as soon as its
    side is known, because listing the sides first is about 10% slower.

    Args:
        polytope: the polytope.
        face: number of the first face to replace.
        growth: the new corner, see `Growth`.
        waiting: buffer for sides that have not been crossed yet.

    Returns:
        the number of new faces; True if each of them has a plane; the nearest candidate among them, -1 if there is
        none; its squared distance.
    """
    faces = polytope.faces
    first = polytope.face_count
    remove_face(polytope, face)
    for k in range(3):
        waiting[k] = faces[face].across[2 - k]
    left = 3
    count = 0
    sound = True
    best = NONE
    least = FARTHEST
    while left > 0:
        left -= 1
        entry = waiting[left]
        outer = faces[entry >> 2]
        if outer.place != GONE:
            if dot(outer.foot, growth.eye) - outer.square > mjMINVAL:
                remove_face(polytope, entry >> 2)
                side = next_side(entry & 3)
                waiting[left] = outer.across[next_side(side)]
                waiting[left + 1] = outer.across[side]
                left += 2
            else:
                if first + count < FACES_MOST:
                    square = join(polytope, first + count, growth, entry)
                    sound = sound & (square != 0.0)
                    candidate = where((square >= growth.lower) & (square <= growth.upper), square, FARTHEST)
                    best = where(candidate < least, first + count, best)
                    least = minimum(candidate, least)
                count += 1
    return count, sound, best, least


@kernel
def join(polytope, number, growth, entry):
    """Add a face between a corner and a side of an existing face, linked to the previous and the next new face.

    Returns:
        the result of `set_foot`.
    """
    side = entry & 3
    outer = polytope.faces[entry >> 2]
    outer.across[side] = 4 * number + 1
    start = outer.corners[side]
    end = outer.corners[next_side(side)]
    face = polytope.faces[number]
    set_sides(face, growth.corner, end, start, 4 * (number - 1) + 2, entry, 4 * (number + 1))
    p = polytope.corners[start].point
    q = polytope.corners[end].point
    normal, height, square = plane_through(p, q, growth.eye)
    if is_doubtful(height, square):
        return set_foot(face, growth.eye, q, p)
    # the usual case of `set_foot`, inlined because the call accounts for a tenth of the time
    foot = normal * (height / square)
    square = dot(foot, foot)
    face.foot = foot
    face.square = square
    return square


@kernel
def count_new(polytope, count):
    """Add `count` new faces to the face count, and connect the first and the last of them."""
    first = polytope.face_count
    last = first + count - 1
    polytope.face_count = first + count
    polytope.faces[first].across[0] = 4 * last + 2
    polytope.faces[last].across[2] = 4 * first


@kernel
def restart_with(polytope, face):
    """Clear the polytope, and keep only the three corners of a face as its first corners."""
    corners = polytope.corners
    for k in range(3):
        corners[CORNERS_MOST + k] = corners[face.corners[k]]
    for k in range(3):
        corners[k] = corners[CORNERS_MOST + k]
    clear(polytope, 0)
