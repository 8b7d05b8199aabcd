"""A polytope of triangles around the origin, which grows corner by corner.

Corners are those of `gjk`. A face has eight numbers in `faces`: its three corners, counter-clockwise seen from outside;
the faces across its sides (side k goes from corner k to the next); its place in the list of the faces worth looking at;
and the face that stands at the place of that list which has the same number. The point of its plane nearest to the
origin is in `feet`, the square of the distance in `squares`. `counts` says how many of everything there are.
"""

from conjoint.lang import dot, kernel
from conjoint.physics.collision.convex.gjk import copy_corner
from conjoint.physics.collision.convex.simplex import foot_on_plane
from conjoint.schema.constants import mjMINVAL

TURNS = 170
"""Most corners that are added, also where `ccd_iterations` allows more."""

CORNERS_MOST = 5 + TURNS
POINTS_MOST = 3 * (CORNERS_MOST + 3)
NAMES_MOST = 2 * (CORNERS_MOST + 3)
FACES_MOST = 6 * TURNS
"""Room for corners and faces."""

ACROSS = 3
PLACE = 6
LISTED = 7
FACE = 8
"""Places in `faces`, and how many numbers a face has."""

NUMBERS_MOST = FACE * FACES_MOST

UNLISTED = -1
GONE = -2
"""What stands for the place of faces that are not looked at, and of those that are inside of the polytope by now."""

CORNER_COUNT = 0
FACE_COUNT = 1
LISTED_COUNT = 2
COUNTS = 3
"""Places in `counts`."""


@kernel(per_world=True, exact=True)
def add_face(points, faces, feet, squares, counts, a, b, c, ab, bc, ca):
    """Add the face with corners a, b, c and the given neighbours; the square of its distance, 0 if it has no plane."""
    face = counts[FACE_COUNT]
    counts[FACE_COUNT] = face + 1
    at = FACE * face
    faces[at] = a
    faces[at + 1] = b
    faces[at + 2] = c
    faces[at + ACROSS] = ab
    faces[at + ACROSS + 1] = bc
    faces[at + ACROSS + 2] = ca
    faces[at + PLACE] = UNLISTED
    foot, found = foot_on_plane(points[3 * c], points[3 * b], points[3 * a])
    feet[face] = foot
    squares[face] = dot(foot, foot)
    if not found:
        return 0.0
    return squares[face]


@kernel(per_world=True, exact=True)
def list_face(faces, counts, face):
    """Put a face in the list of those worth looking at."""
    place = counts[LISTED_COUNT]
    counts[LISTED_COUNT] = place + 1
    faces[FACE * place + LISTED] = face
    faces[FACE * face + PLACE] = place


@kernel(per_world=True, exact=True)
def remove_face(faces, counts, face):
    """Remove a face; the last one of the list takes its place there."""
    place = faces[FACE * face + PLACE]
    if place >= 0:
        last = counts[LISTED_COUNT] - 1
        counts[LISTED_COUNT] = last
        moved_face = faces[FACE * last + LISTED]
        faces[FACE * place + LISTED] = moved_face
        faces[FACE * moved_face + PLACE] = place
    faces[FACE * face + PLACE] = GONE


@kernel(per_world=True, exact=True)
def side_from(faces, face, corner):
    """The side of a face that begins at a corner of it."""
    if faces[FACE * face] == corner:
        return 0
    if faces[FACE * face + 1] == corner:
        return 1
    return 2


@kernel(per_world=True, exact=True)
def remove_visible(faces, feet, squares, counts, face, eye, waiting, horizon):
    """Remove `face` and all faces around it that the point `eye` sees.

    Args:
        faces: see above.
        feet: see above.
        squares: see above.
        counts: see above.
        face: the first to go.
        eye: a point outside.
        waiting: memory for sides, each three times its face and its number in it, that are still to be crossed.
        horizon: receives, the same way, the sides of faces that stay, around what went, in order.

    Returns:
        length of the horizon.
    """
    remove_face(faces, counts, face)
    count = 0
    for k in range(3):
        waiting[k] = 3 * face + 2 - k
    left = 3
    while left > 0:
        left -= 1
        inner = waiting[left] // 3
        side = waiting[left] % 3
        outer = faces[FACE * inner + ACROSS + side]
        if faces[FACE * outer + PLACE] != GONE:
            entry = side_from(faces, outer, faces[FACE * inner + (side + 1) % 3])
            if dot(feet[outer], eye) - squares[outer] > mjMINVAL:
                remove_face(faces, counts, outer)
                waiting[left] = 3 * outer + (entry + 2) % 3
                waiting[left + 1] = 3 * outer + (entry + 1) % 3
                left += 2
            else:
                horizon[count] = 3 * outer + entry
                count += 1
    return count


@kernel(per_world=True, exact=True)
def nearest_face(faces, squares, counts, limit):
    """The listed face nearest to the origin, the first of equals; -1 if none is nearer than the square `limit`."""
    best = -1
    least = limit
    for k in range(counts[LISTED_COUNT]):
        face = faces[FACE * k + LISTED]
        if squares[face] < least:
            least = squares[face]
            best = face
    return best


@kernel(per_world=True, exact=True)
def restart_with(points, names, counts, a, b, c):
    """Begin anew with three corners."""
    for k in range(3):
        counts[k] = 0
    copy_corner(points, names, CORNERS_MOST, a)
    copy_corner(points, names, CORNERS_MOST + 1, b)
    copy_corner(points, names, CORNERS_MOST + 2, c)
    for k in range(3):
        copy_corner(points, names, k, CORNERS_MOST + k)


@kernel(per_world=True, exact=True)
def corner_of_face(points, faces, face, k, which):
    """Corner k of a face: in the difference (which = 0) or on one body."""
    return points[3 * faces[FACE * face + k] + which]
