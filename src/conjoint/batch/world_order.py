"""Order of worlds: those that will need about equal work share a block."""

from conjoint.lang import kernel, local, maximum, minimum
from conjoint.runtime.entry import entry

MOST_ROWS_TOLD_APART = 512
"""Constraint rows from which on worlds count as equal."""

CLASSES = 4
"""Classes of worlds with equally many rows, by their iterations, two in each."""

BINS = MOST_ROWS_TOLD_APART * CLASSES


@kernel
def order_homes(rows, iterations, homes, count, places):
    """Call `order_worlds` for each of `count` homes: first world, the one after the last, and number of places."""
    for k in range(count):
        order_worlds(rows, iterations, homes[3 * k], homes[3 * k + 1], homes[3 * k + 2], places)


@kernel
def order_worlds(rows, iterations, first, end, room, places):
    """Put the worlds from `first` to before `end` into places by the work that they will need, most of it first.

    Rows can be foreseen, iterations less so. Places behind the last world repeat it. A sort by counting: worlds are
    many, and kinds of them few.

    Args:
        rows: constraint rows of each world.
        iterations: of its last step.
        first, end: worlds.
        room: number of places from `first` on, at least as many as there are worlds.
        places: of the worlds in blocks; those from `first` on are written.
    """
    begins = local(int, BINS)
    least = BINS
    most = 0
    for w in range(first, end):
        b = bin_of(rows[w], iterations[w])
        least = minimum(least, b)
        most = maximum(most, b)
    for b in range(least, most + 1):
        begins[b] = 0
    for w in range(first, end):
        begins[bin_of(rows[w], iterations[w])] += 1
    place = first
    for b in range(most, least - 1, -1):
        here = begins[b]
        begins[b] = place
        place += here
    for w in range(first, end):
        b = bin_of(rows[w], iterations[w])
        places[begins[b]] = w
        begins[b] += 1
    for p in range(end, first + room):
        places[p] = places[end - 1]


@kernel
def bin_of(rows, iterations):
    """Return the bin of worlds with these rows and iterations; it grows with both."""
    kind = CLASSES * minimum(rows, MOST_ROWS_TOLD_APART - 1) + minimum(iterations // 2, CLASSES - 1)
    return maximum(kind, 0)


assign_worlds = entry(order_homes, "int[]", "int[]", "int[]", "int", "out long[]")
