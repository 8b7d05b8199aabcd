"""Outlines of groups of triangles, one for each connected island of triangles.

Edges are stored in the order of insertion. If another triangle has the reversed edge, both edges are removed.

The scratch array `room` stores, for the largest group, three edges of each triangle. For each island, it stores the
island that it was merged into, its first edge and its number of edges. For each bucket of a hash table of edges, it
stores the newest edge.
"""

from conjoint.lang import kernel

NONE = -1
START, END, NEXT, ISLAND, EDGE = 0, 1, 2, 3, 4
"""Offsets in the record of an edge: its ends, the next older edge in its bucket, and its island.

EDGE is the record size. The island of a removed edge is `NONE`.
"""
JOINED, FIRST, SIDES, HASH, BUCKETS, ROOM = 12, 13, 14, 15, 4, 19
"""Offsets of the parts of `room`, number of buckets, and size of `room`, all per triangle of the largest group."""
MIX = 7919
"""Multiplier that distributes edges over buckets."""


@kernel
def outline_groups(face, members, starts, ngroup, walked, num, flat, most, room):
    """Find the outlines of groups of triangles. Within a group, the oldest islands come first.

    Args:
        face: vertices of all triangles (n, 3).
        members: triangles, concatenated by group.
        starts: start of each group in `members`, and the end of the last one.
        ngroup: number of groups.
        walked: 1 to follow the edges even if only three remain.
        num: receives the number of vertices of each outline.
        flat: receives the vertices; it needs three elements for each member, and one more.
        most: number of triangles in the largest group.
        room: scratch (`ROOM` most), initially -1.

    Returns:
        number of outlines, and total number of their vertices.
    """
    count = 0
    used = 0
    for group in range(ngroup):
        first = starts[group]
        size = starts[group + 1] - first
        if size == 1:
            for k in range(3):
                flat[used + k] = face[3 * members[first] + k]
            num[count] = 3
            count += 1
            used += 3
        else:
            nedge = join_triangles(face, members, first, size, most, room)
            left = list_starts(room, nedge, flat, used)
            forget_edges(room, nedge, most)
            if left == 3 and walked == 0:
                # MuJoCo's compiler up to 3.5 treats any three edges as a triangle, in this order
                num[count] = left
                count += 1
                used += left
            else:
                link_edges(room, nedge, most)
                for island in range(size):
                    length = walk(room, island, most, flat, used)
                    if length > 2:
                        num[count] = length
                        count += 1
                        used += length
                forget_edges(room, nedge, most)
    return count, used


@kernel
def join_triangles(face, members, first, size, most, room):
    """Find the edges of a group that are not shared by two triangles, and merge islands.

    Returns the number of stored edges.
    """
    nedge = 0
    for island in range(size):
        room[JOINED * most + island] = island
        room[FIRST * most + island] = NONE
        room[SIDES * most + island] = 0
        corner = 3 * members[first + island]
        new = 0
        for k in range(3):
            back = find_edge(room, most, face[corner + (k + 1) % 3], face[corner + k])
            if back >= 0:
                # merge islands that share an edge into the older one
                one = root_of(room, most, island)
                two = root_of(room, most, room[EDGE * back + ISLAND])
                room[JOINED * most + (one if one > two else two)] = two if one > two else one
                room[EDGE * back + ISLAND] = NONE
            else:
                new += 1 << k
        for k in range(3):
            if (new >> k) & 1 != 0:
                start = face[corner + k]
                end = face[corner + (k + 1) % 3]
                bucket = bucket_of(most, start, end)
                room[EDGE * nedge + START] = start
                room[EDGE * nedge + END] = end
                room[EDGE * nedge + NEXT] = room[bucket]
                room[EDGE * nedge + ISLAND] = island
                room[bucket] = nedge
                nedge += 1
    return nedge


@kernel
def bucket_of(most, start, end):
    """Return the index in `room` of an edge's bucket, which stores the newest edge."""
    return HASH * most + (start * MIX + end) % (BUCKETS * most)


@kernel
def find_edge(room, most, start, end):
    """Return the oldest remaining edge from `start` to `end`, or `NONE` if there is none."""
    found = NONE
    at = room[bucket_of(most, start, end)]
    while at >= 0:
        edge = EDGE * at
        if room[edge + START] == start and room[edge + END] == end and room[edge + ISLAND] >= 0:
            found = at
        at = room[edge + NEXT]
    return found


@kernel
def root_of(room, most, island):
    """Return the oldest of the islands that were merged with `island`."""
    at = JOINED * most
    while room[at + island] != island:
        room[at + island] = room[at + room[at + island]]
        island = room[at + island]
    return island


@kernel
def list_starts(room, nedge, flat, used):
    """Write the start vertices of the remaining edges to `flat`, starting at index `used`. Returns their number."""
    length = 0
    for edge in range(nedge):
        if room[EDGE * edge + ISLAND] >= 0:
            flat[used + length] = room[EDGE * edge + START]
            length += 1
    return length


@kernel
def forget_edges(room, nedge, most):
    """Empty the hash-table buckets of all edges, for both keys: the two ends, and the start vertex alone."""
    for edge in range(nedge):
        start = room[EDGE * edge + START]
        room[bucket_of(most, start, room[EDGE * edge + END])] = NONE
        room[bucket_of(most, start, start)] = NONE


@kernel
def link_edges(room, nedge, most):
    """Index edges by island and start vertex. Of several edges with the same key, only the oldest is listed."""
    for edge in range(nedge):
        if room[EDGE * edge + ISLAND] >= 0:
            island = root_of(room, most, room[EDGE * edge + ISLAND])
            start = room[EDGE * edge + START]
            if find_side(room, most, island, start) < 0:
                bucket = bucket_of(most, start, start)
                room[EDGE * edge + ISLAND] = island
                room[EDGE * edge + NEXT] = room[bucket]
                room[bucket] = edge
                room[SIDES * most + island] += 1
                if room[FIRST * most + island] < 0:
                    room[FIRST * most + island] = edge


@kernel
def find_side(room, most, island, start):
    """Return the edge of an island that starts at a vertex, or `NONE` if there is none."""
    at = room[bucket_of(most, start, start)]
    while at >= 0 and (room[EDGE * at + START] != start or room[EDGE * at + ISLAND] != island):
        at = room[EDGE * at + NEXT]
    return at


@kernel
def walk(room, island, most, flat, used):
    """Write the vertices along the outline of an island, from the start of its oldest edge until the outline is closed.

    Returns:
        number of vertices; 0 if the outline is not closed, or if the island was merged into another.
    """
    side = room[FIRST * most + island]
    if side < 0:
        return 0
    start = room[EDGE * side + START]
    flat[used] = start
    length = 1
    while room[EDGE * side + END] != start:
        vertex = room[EDGE * side + END]
        flat[used + length] = vertex
        length += 1
        side = find_side(room, most, island, vertex)
        if side < 0 or length > room[SIDES * most + island]:
            return 0
    return length
