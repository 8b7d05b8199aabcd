"""Dense linear algebra for kernels, eight columns at a time.

In one world, these loops use the CPU's vector registers, eight columns side by side; in lanes, each of the eight sums
has a register of its own. Rows are padded to a stride that is a multiple of eight plus four. So equal columns of
different rows do not evict each other from the cache.
"""

from conjoint.lang import kernel, put, tile
from conjoint.lang.language.tile import TILE
from conjoint.schema.constants import mjMINVAL

MINIMUM_PIVOT = mjMINVAL
"""Smallest permitted pivot of a factorization."""


@kernel
def padded(n):
    """Return n rounded up to a multiple of the tile size."""
    return (n + TILE - 1) // TILE * TILE


@kernel
def stride_of(n):
    """Return the stride, in elements, between rows of n columns."""
    return padded(n) + 4


@kernel
def add_block(weight, source, at, target, to):
    """Add weight * source[at + c] to target[to + c] for eight columns c."""
    put(target, to, weight * tile(source, at) + tile(target, to))


@kernel
def clear(field, at, count):
    """Set field[at .. at + count - 1] to zero."""
    for k in range(at, at + count):
        field[k] = 0.0
