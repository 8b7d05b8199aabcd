"""Which worlds share a block: those that will need equally much work."""

from conjoint.lang import kernel, local, maximum, minimum
from conjoint.runtime.entry import entry

MOST_ROWS_TOLD_APART = 512
"""Constraint rows from which on worlds count as equal."""

CLASSES = 4
"""Classes of worlds with equally many rows, by their iterations, two in each."""

BINS = MOST_ROWS_TOLD_APART * CLASSES


@kernel(per_world=True)
def order_worlds(rows, iterations, count, room, places):
    """Put `count` worlds into places by the work that they will need, most of it first.

    Rows can be foreseen, iterations less so. Places behind the last world repeat it. A sort by counting: worlds are
    many, and kinds of them few.

    Args:
        rows: constraint rows of each world.
        iterations: of its last step.
        count: number of worlds.
        room: number of places, at least as many.
        places: of the worlds in blocks.
    """
    begins = local(int, BINS)
    for b in range(BINS):
        begins[b] = 0
    for w in range(count):
        begins[bin_of(rows[w], iterations[w])] += 1
    end = 0
    for b in range(BINS - 1, -1, -1):
        here = begins[b]
        begins[b] = end
        end += here
    for w in range(count):
        b = bin_of(rows[w], iterations[w])
        places[begins[b]] = w
        begins[b] += 1
    for p in range(count, room):
        places[p] = places[count - 1]


@kernel(per_world=True)
def bin_of(rows, iterations):
    """Number of the worlds with so many rows and iterations; it grows with both."""
    kind = CLASSES * minimum(rows, MOST_ROWS_TOLD_APART - 1) + minimum(iterations // 2, CLASSES - 1)
    return maximum(kind, 0)


assign_worlds = entry(order_worlds, "int[]", "int[]", "int", "int", "out long[]")
