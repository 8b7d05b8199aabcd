"""Expanding polytope of triangles around the origin (EPA), to which corners are added one by one.

Corners of a face run counter-clockwise, seen from outside. Side k of a face goes from its corner k to the next; its
number is 4 times that of the face, plus k.
"""

from conjoint.lang import dot, group, kernel, minimum, real, struct, vec3, where
from conjoint.physics.collision.convex.gjk import FARTHEST, Corner, foot_on_plane, is_doubtful, plane_through
from conjoint.schema.constants import mjMINVAL

TURNS = 170
"""Largest number of corners to add, even if `ccd_iterations` is larger."""

CORNERS_MOST = 5 + TURNS
FACES_MOST = 6 * TURNS
"""Room for corners and faces."""

NONE = -1
"""Number for no face."""

UNLISTED = -1
GONE = -2
"""Places of faces that are not listed, and of those that are now inside of the polytope."""

UNUSED = FACES_MOST
"""Place in the list for writes of faces that are not listed."""


@struct
def Face(corners=(int, 3), across=(int, 3), place=int, foot=vec3, square=real):
    """Triangle of a polytope. It has corners, adjacent sides of its neighbors, a place in the list of candidate faces,
    and the point of its plane nearest to the origin, with the square of its distance.
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
    """Corners, with room for three for a restart; faces, and the list of candidate faces, with the squares of their
    distances."""


@kernel
def clear(polytope, count):
    """Remove all faces, and set the number of corners to `count`."""
    polytope.corner_count = count
    polytope.face_count = 0
    polytope.listed_count = 0


@kernel
def next_side(side):
    """Return the side of a face after another."""
    return where(side == 2, 0, side + 1)


@kernel
def set_sides(face, a, b, c, ab, bc, ca):
    """Set the corners of a face, and its adjacent sides."""
    face.corners[0] = a
    face.corners[1] = b
    face.corners[2] = c
    face.across[0] = ab
    face.across[1] = bc
    face.across[2] = ca


@kernel
def set_foot(face, p, q, r):
    """Set the point nearest to the origin of a face with corners p, q, r.

    Returns:
        the square of its distance, 0 if the face has no plane.
    """
    foot, found = foot_on_plane(r, q, p)
    square = dot(foot, foot)
    face.foot = foot
    face.square = square
    return where(found, square, 0.0)


@kernel
def add_face(polytope, a, b, c, ab, bc, ca):
    """Add the face with corners a, b, c and the given sides across; see `set_foot` for the result."""
    face = polytope.faces[polytope.face_count]
    polytope.face_count += 1
    set_sides(face, a, b, c, ab, bc, ca)
    corners = polytope.corners
    return set_foot(face, corners[a].point, corners[b].point, corners[c].point)


# ---- the list


@kernel
def list_faces(polytope, first, lower, upper):
    """List faces with square distances between two limits, from face `first` on."""
    count = polytope.listed_count
    for k in range(first, polytope.face_count):
        square = polytope.faces[k].square
        wanted = (square >= lower) & (square <= upper)
        # an unwanted entry is overwritten by the next one
        polytope.listed[count] = k
        polytope.squares[count] = square
        polytope.faces[k].place = where(wanted, count, UNLISTED)
        count += where(wanted, 1, 0)
    polytope.listed_count = count


@kernel
def nearest_face(polytope):
    """Find the listed face nearest to the origin, the first one on ties.

    Returns:
        the face, -1 if there is none; the square of its distance.
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
    """Remove a face; if it is listed, the last one of the list takes its place there."""
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
    """Growth of a polytope: a corner, its point, and limits of the square distance of a face that may be the answer."""


@kernel
def replace_visible(polytope, face, growth, waiting):
    """Replace `face`, and all faces around it that a corner sees, by faces between the corner and those that stay.

    The new faces follow the others, in their order around the corner; `count_new` adds them. Each is made as soon as
    its side is known: listing the sides first takes a tenth more time.

    Args:
        polytope: see above.
        face: the first face to replace.
        growth: the corner.
        waiting: memory for sides that are still to be crossed.

    Returns:
        the number of new faces; True if all of them have a plane; the nearest candidate for the answer, -1 if there is
        none; the square of its distance.
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
    """Add a face between a corner and a side of an existing face, linked to the new faces before and after it.

    Returns:
        what `set_foot` returns.
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
    # the usual case of `set_foot`, inlined: the call takes a tenth of the time
    foot = normal * (height / square)
    square = dot(foot, foot)
    face.foot = foot
    face.square = square
    return square


@kernel
def count_new(polytope, count):
    """Add new faces to the count, and connect the first and the last of them."""
    first = polytope.face_count
    last = first + count - 1
    polytope.face_count = first + count
    polytope.faces[first].across[0] = 4 * last + 2
    polytope.faces[last].across[2] = 4 * first


@kernel
def restart_with(polytope, face):
    """Restart with the three corners of a face."""
    corners = polytope.corners
    for k in range(3):
        corners[CORNERS_MOST + k] = corners[face.corners[k]]
    for k in range(3):
        corners[k] = corners[CORNERS_MOST + k]
    clear(polytope, 0)
