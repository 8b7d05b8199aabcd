"""Reader of Qhull's lists, and the graph of the edges of a hull.

Qhull's structures are those of its headers (libqhull_r.h, qset_r.h; versions 8.0). The memory of the process is an
array of words that starts at address `WORD`.
"""

from conjoint.lang import kernel

WORD = 8
"""Size of a word (a pointer or a real) in bytes."""
NEXT, PREVIOUS, POINT, NEIGHBORS = 0, 1, 2, 3
"""Word indices of some fields of Qhull's vertexT."""
FACET_NORMAL, FACET_PREVIOUS, FACET_NEXT, FACET_VERTICES, FACET_VISIT = 3, 6, 7, 8, 13
"""Word indices of some fields of Qhull's facetT."""
ELEMENTS = 1
"""Index of the first element in a setT, after the word for its capacity."""
HALF = 32
"""Bits of a C integer. A word contains two C integers, the first in its lower half."""
LOWER = 0xFFFFFFFF
POINT_BYTES = 24


@kernel
def word_at(words, address, word):
    """Return the word with index `word` of the structure at `address`."""
    return words[address // WORD + word - 1]


@kernel
def first_of(words, at, previous):
    """Return the first entry of the linked list that contains entry `at`.

    Word `previous` of an entry is the address of the preceding entry.
    """
    while word_at(words, at, previous) != 0:
        at = word_at(words, at, previous)
    return at


@kernel
def count_members(words, at):
    """Return the number of elements of a setT.

    The word after the elements is this number plus one, or zero if the set is full.
    """
    room = word_at(words, at, 0) & LOWER
    count = word_at(words, at, ELEMENTS + room) & LOWER
    return count - 1 if count > 0 else room


@kernel
def count_lists(words, facet):
    """Count the facets and vertices of the hull that contains `facet`, and the facets around all vertices."""
    nfacet = 0
    at = first_of(words, facet, FACET_PREVIOUS)
    while word_at(words, at, FACET_NEXT) != 0:
        nfacet += 1
        at = word_at(words, at, FACET_NEXT)
    nvertex = 0
    around = 0
    at = first_of(words, word_at(words, word_at(words, facet, FACET_VERTICES), ELEMENTS), PREVIOUS)
    while word_at(words, at, NEXT) != 0:
        nvertex += 1
        around += count_members(words, word_at(words, at, NEIGHBORS))
        at = word_at(words, at, NEXT)
    return nfacet, nvertex, around


@kernel
def read_lists(words, reals, facet, points, facets, normals, vertices, degrees, around):
    """Read the lists of the hull that contains `facet`. The outputs are described in `hull.Lists`.

    Args:
        words: memory of the process as integers. The scratch word `visitid` of each facet receives its index in the
            list.
        reals: memory of the process as reals.
        facet: address of a facet.
        points: address of the points.
    """
    nfacet = 0
    at = first_of(words, facet, FACET_PREVIOUS)
    while word_at(words, at, FACET_NEXT) != 0:
        corners = word_at(words, at, FACET_VERTICES)
        normal = word_at(words, at, FACET_NORMAL)
        for k in range(3):
            vertex = word_at(words, corners, ELEMENTS + k)
            facets[3 * nfacet + k] = (word_at(words, vertex, POINT) - points) // POINT_BYTES
            normals[3 * nfacet + k] = word_at(reals, normal, k)
        words[at // WORD + FACET_VISIT - 1] = (word_at(words, at, FACET_VISIT) >> HALF << HALF) + nfacet
        nfacet += 1
        at = word_at(words, at, FACET_NEXT)
    nvertex = 0
    listed = 0
    at = first_of(words, word_at(words, word_at(words, facet, FACET_VERTICES), ELEMENTS), PREVIOUS)
    while word_at(words, at, NEXT) != 0:
        vertices[nvertex] = (word_at(words, at, POINT) - points) // POINT_BYTES
        members = word_at(words, at, NEIGHBORS)
        degrees[nvertex] = count_members(words, members)
        for k in range(degrees[nvertex]):
            around[listed + k] = word_at(words, word_at(words, members, ELEMENTS + k), FACET_VISIT) & LOWER
        listed += degrees[nvertex]
        nvertex += 1
        at = word_at(words, at, NEXT)


@kernel
def list_edges(facets, vertices, nvertex, degrees, around, adr, edges, places, seen):
    """List the vertices that share an edge with each vertex of a hull, followed by -1.

    Args:
        facets, vertices, nvertex, degrees, around: lists of the hull, as in `hull.Lists`.
        adr: receives the start of the list of each vertex.
        edges: receives the lists.
        places: scratch, an integer for each point.
        seen: scratch, an integer for each vertex, initially -1.
    """
    for v in range(nvertex):
        places[vertices[v]] = v
    count = 0
    first = 0
    for v in range(nvertex):
        adr[v] = count
        for k in range(3 * first, 3 * (first + degrees[v])):
            # the other corners of each facet at the vertex
            other = places[facets[3 * around[k // 3] + k % 3]]
            if other != v and seen[other] != v:
                seen[other] = v
                edges[count] = other
                count += 1
        edges[count] = -1
        count += 1
        first += degrees[v]
