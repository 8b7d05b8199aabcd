"""What sweeps share: boxes sorted by where they begin along an axis, and strips of boxes that meet across it."""

from conjoint.lang import kernel, minimum, strip, where


@kernel
def insertion_sort(keys, base, order, first, end, most):
    """Sort numbers in `order` by their keys, which begin at `base`; False if that takes more than `most` moves."""
    moves = 0
    for k in range(first + 1, end):
        s = order[k]
        x = keys[base + s]
        j = k - 1
        while j >= first and keys[base + order[j]] > x:
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = s
        moves += k - 1 - j
        if moves > most:
            return False
    return True


@kernel
def merge_sort(keys, base, order, first, end, row):
    """Sort numbers in `order` by their keys, which begin at `base`; equal ones stay in order.

    Runs that are in order are merged, two at a time, from one row of `order` into the other one.

    Returns:
        where the row begins that is sorted: 0 or `row`.
    """
    source = 0
    size = 1
    while size < end - first:
        target = row - source
        start = first
        while start < end:
            middle = minimum(start + size, end)
            merge_runs(keys, base, order, source, target, start, middle, minimum(middle + size, end))
            start += 2 * size
        source = target
        size = 2 * size
    return source


@kernel
def merge_runs(keys, base, order, source, target, start, middle, end):
    """Merge the runs start .. middle - 1 and middle .. end - 1, which are in order."""
    a = start
    b = middle
    for k in range(start, end):
        s = order[source + minimum(a, middle - 1)]
        t = order[source + minimum(b, end - 1)]
        left = (a < middle) & ((b >= end) | (keys[base + s] <= keys[base + t]))
        order[target + k] = where(left, s, t)
        a += where(left, 1, 0)
        b += where(left, 0, 1)


@kernel
def strips_meet(bounds, row, block, i):
    """Which boxes of a strip meet box i along the other two axes: rows 1 to 4 have low and high ends along each."""
    meets = (strip(bounds, row + block) <= bounds[2, i]) & (strip(bounds, 2 * row + block) >= bounds[1, i])
    meets = meets & (strip(bounds, 3 * row + block) <= bounds[4, i])
    return meets & (strip(bounds, 4 * row + block) >= bounds[3, i])
