"""The initial state of a world: memory that is cleared, and what is taken over from the model."""

from conjoint.lang import kernel


@kernel
def begin_anew(numbers, source, cleared, ncleared, rows, nrows, key):
    """Clear some numbers of a world and copy others from its model.

    Args:
        numbers: memory of the world, in numbers of eight bytes.
        source: that of the model.
        cleared: for each run of numbers that become zero, where it begins and ends.
        ncleared: how many runs.
        rows: for each row that is copied, where to, where from, how many numbers, and how many there are from one key
            to the next.
        nrows: how many rows.
        key: the keyframe.
    """
    for k in range(ncleared):
        for i in range(cleared[2 * k], cleared[2 * k + 1]):
            numbers[i] = 0
    for k in range(nrows):
        to = rows[4 * k]
        first = rows[4 * k + 1] + rows[4 * k + 3] * key
        for i in range(rows[4 * k + 2]):
            numbers[to + i] = source[first + i]
