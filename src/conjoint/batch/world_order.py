"""Order of worlds in blocks, which groups worlds with about equal work."""

from conjoint.lang import kernel, local, maximum, minimum
from conjoint.runtime.entry import entry

MOST_ROWS_DISTINGUISHED = 512
"""Number of constraint rows above which worlds are sorted as if they all had this number of rows."""

CLASSES = 4
"""Number of classes of worlds with the same number of rows. Each class covers two numbers of solver iterations."""

BINS = MOST_ROWS_DISTINGUISHED * CLASSES


@kernel
def order_homes(rows, iterations, homes, count, places):
    """Call `order_worlds` for `count` ranges in `homes`, each given as first world, end world and number of slots."""
    for k in range(count):
        order_worlds(rows, iterations, homes[3 * k], homes[3 * k + 1], homes[3 * k + 2], places)


@kernel
def order_worlds(rows, iterations, first, end, room, places):
    """Sort the worlds from `first` up to `end` (exclusive) into slots by expected work, largest first.

    The number of rows is more predictable than the number of iterations. Slots after the last world repeat that world.
    It is a counting sort, because there are many worlds and few bins.

    Args:
        rows: number of constraint rows of each world.
        iterations: number of solver iterations of each world's last step.
        first, end: range of worlds.
        room: number of slots, starting at slot `first`; at least the number of worlds.
        places: world in each slot of the blocks; entries from `first` on are written.
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
    """Return the bin of worlds with these numbers of rows and iterations. The bin index increases with both numbers."""
    kind = CLASSES * minimum(rows, MOST_ROWS_DISTINGUISHED - 1) + minimum(iterations // 2, CLASSES - 1)
    return maximum(kind, 0)


assign_worlds = entry(order_homes, "int[]", "int[]", "int[]", "int", "out long[]")
