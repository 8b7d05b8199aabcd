"""Grouping unit vectors by the cell of inclination and azimuth they are in, as the official compiler does since 3.6.

There is a cell for every multiple of 0.01 rad of each angle. The official compiler keeps the cells in a hash table and
lists them in the order of that table, which decides which of two sides of a mesh comes first. So this is that table:
one list of all cells, in which those of a bucket are neighbours (chaining: Knuth, The Art of Computer Programming 3,
section 6.4), with as many buckets as the library of its compiler makes. What it lists was found by experiments.
"""

import struct
from collections.abc import Iterator

import numpy as np

from conjoint.spec.meshes.triangles import Reals

CELL = 0.01
"""Width of a cell (rad)."""
POLE = 1e-7
"""Vectors are at a pole, and have azimuth 0, where the size of z is 1 but for less than this."""
GOLDEN = 0x9E3779B9
"""Bits of the golden ratio, which spread hashes (Knuth, section 6.4)."""
BITS = (1 << 64) - 1
START = -1


def cells(numbers: list[int], unit: Reals) -> Iterator[list[int]]:
    """Groups of numbers whose unit vectors are in the same cell, in the order of the table.

    Args:
        numbers: what is grouped.
        unit: a unit vector for each of them.
    """
    x, y, z = unit.T
    # a zero of negative sign would be the other side of the cut
    y = np.where(y == 0, 0.0, y)
    azimuth = np.where(1 - np.abs(z) < POLE, 0.0, np.arctan2(y, x))
    rounded = np.rint(np.stack([azimuth, np.arccos(np.clip(z, -1, 1))]) / CELL)
    groups: dict[tuple[float, float], list[int]] = {}
    for number, key in zip(numbers, zip(*rounded.tolist(), strict=True), strict=True):
        groups.setdefault(key, []).append(number)
    found = list(groups.values())
    for cell in table_order([_hash(*key) for key in groups]):
        yield found[cell]


def _hash(azimuth: float, inclination: float) -> int:
    """Of a cell: bits of its numbers, mixed."""
    first, second = (struct.unpack("<Q", struct.pack("<d", number or 0.0))[0] for number in (azimuth, inclination))
    return (first ^ (second + GOLDEN + (first << 6 & BITS) + (first >> 2))) & BITS


def table_order(hashes: list[int]) -> list[int]:
    """Order in which a table lists what was put into it in this order."""
    buckets = 0
    after = {START: START}
    before: dict[int, int] = {}
    for node, number in enumerate(hashes):
        if node >= buckets:
            buckets = _prime(2 * buckets + 1 if buckets > 2 else 5 if buckets else 2)
            before = _gather(after, hashes, buckets)
        bucket = number % buckets
        last = before.setdefault(bucket, START)
        after[node], after[last] = after[last], node
        if last == START and after[node] != START:
            # the bucket that was first now comes behind this node, unless it is in that bucket
            follower = hashes[after[node]] % buckets
            if follower != bucket:
                before[follower] = node
    return list(_walk(after))


def _gather(after: dict[int, int], hashes: list[int], buckets: int) -> dict[int, int]:
    """Make nodes of a bucket neighbours; returns for each bucket the node before its first one."""
    before: dict[int, int] = {}
    node, last = after[START], START
    current = START
    while node != START:
        bucket = hashes[node] % buckets
        if bucket == current or bucket not in before:
            if bucket != current:
                before[bucket], current = last, bucket
            last = node
        else:
            # move it to the front of its bucket
            after[last] = after[node]
            after[node], after[before[bucket]] = after[before[bucket]], node
        node = after[last]
    return before


def _walk(after: dict[int, int]) -> Iterator[int]:
    """Nodes in order."""
    node = after[START]
    while node != START:
        yield node
        node = after[node]


def _prime(number: int) -> int:
    """The smallest prime number from this one on."""
    while any(number % k == 0 for k in range(2, int(number**0.5) + 1)):
        number += 1
    return number
