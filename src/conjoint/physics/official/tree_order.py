"""The order in which the official engine goes through pairs of boxes of trees, which the order of contacts shows."""

from conjoint.lang import kernel

WAITING = 512
"""Pairs of boxes of trees that may wait to be looked at."""


@kernel
def push(waiting, count, a, b):
    """Let a pair of boxes wait; how many do."""
    if count < WAITING:
        waiting[2 * count] = a
        waiting[2 * count + 1] = b
        return count + 1
    return count


@kernel
def rank(boxes, box):
    """What decides which of two boxes is divided first: the area of one whose corners are its centre and half sizes.

    A slip of the official engine, which shows in the order of contacts only.
    """
    x = boxes[box, 3] - boxes[box, 0]
    y = boxes[box, 4] - boxes[box, 1]
    z = boxes[box, 5] - boxes[box, 2]
    return x * y + y * z + z * x
