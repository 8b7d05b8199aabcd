"""Normals at the vertices of triangle meshes."""

from conjoint.lang import cross, dot, kernel, load, put, sqrt, vec3
from conjoint.schema.constants import mjMINVAL

EXACT_KERNELS = True

NO_DIRECTION = 1e-14
"""Squared length below which a sum of normals has no direction."""
SHARP = 0.8
"""Cosine of the angle between a triangle's normal and the average normal at a vertex, below which an edge is sharp."""


@kernel
def find_normals(vert, nvert, face, nface, smooth, directions, averages, away, total):
    """Average the normals of the triangles around each vertex, weighted by area, in single precision.

    Unless `smooth`, triangles at a large angle to the average are excluded, so that sharp edges stay sharp.

    Args:
        vert: vertices (nvert, 3).
        face: triangles (nface, 3).
        directions, averages: scratch (nface, 4), (nvert, 3).
        away: zeros (nvert, 3); scratch.
        total: zeros (nvert, 3); receives the normals.
    """
    add_normals(vert, face, nface, directions, total)
    if not smooth:
        leave_out(face, nface, nvert, directions, averages, away, total)
    for v in range(nvert):
        normalize(total, away, 3 * v)


@kernel
def add_normals(vert, face, nface, directions, total):
    """Compute areas and directions of triangles, and add their products to the sums at the vertices."""
    for f in range(nface):
        a = load(vec3, vert, 3 * face[3 * f])
        b = load(vec3, vert, 3 * face[3 * f + 1])
        c = load(vec3, vert, 3 * face[3 * f + 2])
        length, direction = direction_of(cross(b - a, c - a), 0.0)
        directions[4 * f] = length
        put(directions, 4 * f + 1, direction)
        for k in range(3):
            add_rounded(total, 3 * face[3 * f + k], direction * length)


@kernel
def leave_out(face, nface, nvert, directions, averages, away, total):
    """Subtract the normals of triangles at a large angle to the average normal at a vertex."""
    for v in range(nvert):
        # an average that is too short has no direction: exclude all triangles
        sum = vec3(total[3 * v], total[3 * v + 1], total[3 * v + 2])
        _, average = direction_of(sum, 1.0)
        put(averages, 3 * v, average)
    for i in range(3 * nface):
        f = i // 3
        direction = load(vec3, directions, 4 * f + 1)
        if dot(direction, load(vec3, averages, 3 * face[i])) < SHARP:
            add_rounded(away, 3 * face[i], direction * directions[4 * f])
    for i in range(3 * nvert):
        total[i] = total[i] - away[i]


@kernel
def direction_of(v, short):
    """Return the length of v, and v normalized. If v is too short to normalize, return 1 and v times `short`."""
    square = dot(v, v)
    if square < NO_DIRECTION:
        return 1.0, v * short
    length = sqrt(square)
    # do not multiply with the reciprocal: rounding ties are common for inputs with few digits
    return length, vec3(v.x / length, v.y / length, v.z / length)


@kernel
def add_rounded(sums, at, v):
    """Add a vector to three sums that are stored in single precision."""
    for k in range(3):
        sums[at + k] = sums[at + k] + v[k]


@kernel
def normalize(total, scratch, at):
    """Normalize a sum of normals. A sum that is too short becomes the z axis.

    Intermediate results are stored in `scratch`, which rounds them to single precision.
    """
    for k in range(3):
        scratch[at + k] = total[at + k] * total[at + k]
    for k in range(1, 3):
        scratch[at] = scratch[at] + scratch[at + k]
    scratch[at] = sqrt(scratch[at])
    short = scratch[at] < mjMINVAL
    for k in range(3):
        total[at + k] = (1.0 if k == 2 else 0.0) if short else total[at + k] / scratch[at]


@kernel
def merge_rows(rows, count, slots, nslot, first, group):
    """Find distinct rows. Returns the number of distinct rows.

    Args:
        rows: rows (count, 3).
        count: number of rows.
        slots: scratch (nslot,), initially -1.
        nslot: a power of two, larger than `count`.
        first: receives the first occurrence of each distinct row, in order.
        group: receives the index of the distinct row equal to each row.
    """
    found = 0
    for i in range(count):
        slot = hash_of(rows, 3 * i) & (nslot - 1)
        while slots[slot] >= 0 and not is_same(rows, 3 * first[slots[slot]], 3 * i):
            slot = (slot + 1) & (nslot - 1)
        if slots[slot] < 0:
            slots[slot] = found
            first[found] = i
            found += 1
        group[i] = slots[slot]
    return found


@kernel
def hash_of(rows, at):
    """Hash a row (Teschner et al., Optimized Spatial Hashing, 2003)."""
    key = (rows[at] * 73856093) ^ (rows[at + 1] * 19349663) ^ (rows[at + 2] * 83492791)
    # rows with few binary digits differ only in their high bits
    return key ^ (key >> 29) ^ (key >> 15)


@kernel
def is_same(rows, a, b):
    """Return True if two rows are equal."""
    return rows[a] == rows[b] and rows[a + 1] == rows[b + 1] and rows[a + 2] == rows[b + 2]
