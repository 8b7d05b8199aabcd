"""Parser of OBJ files (Wavefront's text format). As in MuJoCo, it reads the first shape with faces."""

from conjoint.lang import kernel
from conjoint.spec.kernels.numbers import MINUS, NEWLINE, NINE, PLUS, RETURN, ZERO, end_of_word, is_blank, number_in

VERTEX, NORMAL, TEXCOORD, CORNER, UNUSED = 0, 1, 2, 3, 4
"""Types of words that the kernel leaves to the caller."""
VERTICES, NORMALS, TEXCOORDS, CORNERS, POLYGONS, LEFT_OUT, OTHERS, COUNTS = 0, 1, 2, 3, 4, 5, 6, 7
"""Indices in `counts`: coordinate lines, corners, polygons, skipped polygons, and words left to the caller."""
OTHER = 7
"""Number of integers stored for each word that is left to the caller.

The integers are its type, the index of its number or corner, its start and end, and the three counts of coordinate
lines.
"""
LEAST_CORNERS, MOST_CORNERS = 3, 100
"""Minimum and maximum number of corners of a face. As in MuJoCo's reader, other faces are skipped."""
NONE, STRANGE = -1, -2
"""Codes for a missing index, and for an index that is left to the caller."""
MOST_DIGITS = 9
SLASH, LETTER_F, LETTER_G, LETTER_L, LETTER_N, LETTER_O, LETTER_P, LETTER_T, LETTER_V = (
    47, 102, 103, 108, 110, 111, 112, 116, 118,
)  # fmt: skip


@kernel
def scan_obj(text, end, vert, normal, texcoord, corners, sizes, others, counts):
    """Read coordinates, and the polygons of the first shape.

    A group or object starts the next shape if there were faces before. An object also starts the next shape after
    lines, points, or faces with two or too many corners; a group discards these.

    Args:
        text: bytes of the file.
        end: number of bytes.
        vert, normal, texcoord: receive the coordinates (n, 3), (n, 3) and (n, 2).
        corners: receives vertex, texture coordinate and normal of each polygon corner, counted from zero; -1 for none.
        sizes: receives the number of corners of each polygon.
        others: receives words that are left to the caller.
        counts: receives `COUNTS` counts.
    """
    for k in range(COUNTS):
        counts[k] = 0
    drawn = False
    ended = False
    at = next_of_line(text, 0, end)
    while at < end:
        first = text[at]
        second = text[at + 1] if at + 1 < end else NEWLINE
        is_short = is_blank_of_line(second)
        if first == LETTER_V and is_short:
            at = read_row(text, at + 1, end, vert, 3, VERTEX, others, counts)
        elif first == LETTER_V:
            if at + 2 < end and is_blank_of_line(text[at + 2]):
                if second == LETTER_N:
                    at = read_row(text, at + 2, end, normal, 3, NORMAL, others, counts)
                elif second == LETTER_T:
                    at = read_row(text, at + 2, end, texcoord, 2, TEXCOORD, others, counts)
        elif is_short and (text[at] == LETTER_F or text[at] == LETTER_L or text[at] == LETTER_P):
            drawn = True
            at = read_polygon(text, at + 1, end, first == LETTER_F and not ended, corners, sizes, others, counts)
        elif is_short and (text[at] == LETTER_G or text[at] == LETTER_O):
            ended = ended or counts[POLYGONS] > 0 or (drawn and first == LETTER_O)
            if not ended:
                drawn = False
                counts[LEFT_OUT] = 0
        at = next_line(text, at, end)


@kernel
def is_blank_of_line(c):
    """Return True if a character separates words within a line."""
    return is_blank(c) and c != NEWLINE and c != RETURN


@kernel
def next_of_line(text, at, end):
    """Return the start of the next word of a line, or the end of the line."""
    while at < end and is_blank_of_line(text[at]):
        at += 1
    return at


@kernel
def next_line(text, at, end):
    """Return the start of the first word of the next line."""
    while at < end and text[at] != NEWLINE and text[at] != RETURN:
        at += 1
    while at < end and is_blank(text[at]):
        at += 1
    return at


@kernel
def leave(kind, place, start, end, others, counts):
    """Add a word to the list of words that are left to the caller."""
    other = OTHER * counts[OTHERS]
    others[other] = kind
    others[other + 1] = place
    others[other + 2] = start
    others[other + 3] = end
    for k in range(3):
        others[other + 4 + k] = counts[k]
    counts[OTHERS] += 1


@kernel
def read_row(text, at, end, rows, width, kind, others, counts):
    """Read the first numbers of a line. Missing numbers are zero. Returns the end of the last number."""
    row = width * counts[kind]
    for k in range(width):
        at = next_of_line(text, at, end)
        stop = end_of_word(text, at, end)
        rows[row + k] = 0.0
        if stop > at:
            rows[row + k], good = number_in(text, at, stop)
            if not good:
                leave(kind, row + k, at, stop, others, counts)
        at = stop
    counts[kind] += 1
    return at


@kernel
def read_polygon(text, at, end, used, corners, sizes, others, counts):
    """Read the corners of a polygon, or of unused elements, which must also be well-formed.

    Returns:
        end of the last corner.
    """
    first = counts[CORNERS]
    left = counts[OTHERS]
    size = 0
    at = next_of_line(text, at, end)
    stop = end_of_word(text, at, end)
    while stop > at:
        # the next polygon overwrites unused corners
        here = 3 * (first + size)
        if not read_corner(text, at, stop, corners, here, counts):
            leave(CORNER, here, at, stop, others, counts)
        size += 1
        at = next_of_line(text, stop, end)
        stop = end_of_word(text, at, end)
    if used and size >= LEAST_CORNERS and size <= MOST_CORNERS:
        sizes[counts[POLYGONS]] = size
        counts[POLYGONS] += 1
        counts[CORNERS] = first + size
        return at
    for k in range(left, counts[OTHERS]):
        others[OTHER * k] = UNUSED
    if used and size > MOST_CORNERS:
        counts[LEFT_OUT] += 1
    return at


@kernel
def read_corner(text, at, stop, corners, here, counts):
    """Read a corner written as v, v/t, v//n or v/t/n. Returns False if it has another form."""
    vertex, at = index_in(text, at, stop, counts[VERTICES])
    texcoord = NONE
    normal = NONE
    if at < stop and text[at] == SLASH:
        at += 1
        if at < stop and text[at] == SLASH:
            normal, at = index_in(text, at + 1, stop, counts[NORMALS])
        else:
            texcoord, at = index_in(text, at, stop, counts[TEXCOORDS])
            if at < stop and text[at] == SLASH:
                normal, at = index_in(text, at + 1, stop, counts[NORMALS])
    corners[here] = vertex
    corners[here + 1] = texcoord
    corners[here + 2] = normal
    return at == stop and vertex != STRANGE and texcoord != STRANGE and normal != STRANGE


@kernel
def index_in(text, at, stop, defined):
    """Return an index, counted from zero, and its end. A negative index counts back from the last defined element."""
    negative = at < stop and text[at] == MINUS
    if negative or (at < stop and text[at] == PLUS):
        at += 1
    first = at
    index = 0
    while at < stop and text[at] >= ZERO and text[at] <= NINE and at < first + MOST_DIGITS:
        index = 10 * index + text[at] - ZERO
        at += 1
    if index == 0:
        return STRANGE, at
    return (defined - index if negative else index - 1), at
