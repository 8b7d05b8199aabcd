"""Sorting of integers and indices, with one kernel for nearly sorted lists and one for all other lists."""

from conjoint.lang import kernel, minimum, where


@kernel
def sort_numbers(m, d, numbers, first, end):
    """Sort the nearly sorted integers in numbers[first:end] in place."""
    insertion_sort(m, d, numbers, first, end, (end - first) * (end - first), is_no_larger)


@kernel
def is_no_larger(m, d, i, j):
    """Return True if integer i is not larger than integer j."""
    return i <= j


@kernel
def insertion_sort(m, d, order, first, end, most, precedes):
    """Sort the indices in order[first:end] in place; return False after more than `most` moves.

    Args:
        m, d: model, data.
        order: indices to sort.
        first, end: range of the positions to sort.
        most: number of moves after which a merge sort is faster.
        precedes: kernel of (m, d, i, j) that returns True if index i comes before j or is equal to it.
    """
    moves = 0
    for k in range(first + 1, end):
        s = order[k]
        j = k - 1
        while j >= first and not precedes(m, d, order[j], s):
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = s
        moves += k - 1 - j
        if moves > most:
            return False
    return True


@kernel
def merge_sort(m, d, order, first, end, row, precedes):
    """Sort the indices in order[first:end] stably, by merging runs from one row of `order` into the other row.

    Args:
        m, d: model, data.
        order: two rows; the indices to sort are in the first row.
        first, end: range of the positions to sort.
        row: length of a row.
        precedes: kernel of (m, d, i, j) that returns True if index i comes before j or is equal to it.

    Returns:
        start of the row with the sorted indices: 0 or `row`.
    """
    source = 0
    size = 1
    while size < end - first:
        target = row - source
        start = first
        while start < end:
            middle = minimum(start + size, end)
            last = minimum(middle + size, end)
            merge_runs(m, d, order, source, target, start, middle, last, precedes)
            start = last
        source = target
        size = 2 * size
    return source


@kernel
def merge_runs(m, d, order, source, target, start, middle, end, precedes):
    """Merge the sorted runs start .. middle - 1 and middle .. end - 1 of one row of `order` into the other row."""
    if middle == end or precedes(m, d, order[source + middle - 1], order[source + middle]):
        for k in range(start, end):
            order[target + k] = order[source + k]
    else:
        a = start
        b = middle
        for k in range(start, end):
            s = order[source + minimum(a, middle - 1)]
            t = order[source + minimum(b, end - 1)]
            left = (a < middle) & ((b >= end) | precedes(m, d, s, t))
            order[target + k] = where(left, s, t)
            a += where(left, 1, 0)
            b += where(left, 0, 1)
