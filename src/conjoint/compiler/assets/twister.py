"""The 64-bit Mersenne twister (Nishimura 2000), the source of random marks."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from conjoint.compiler.assets.cache import lasting

Words = NDArray[np.uint64]
Indices = NDArray[np.int64]

SIZE, MIDDLE = 312, 156
BLOCK = 64 * MIDDLE
"""Words made at a time, so few that they stay in the cache of the processor."""
MATRIX = np.uint64(0xB5026F5AA96619E9)
UPPER, LOWER = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF)
ONE = np.uint64(1)
MASK = (1 << 64) - 1
TEMPERING = ((29, 0x5555555555555555), (-17, 0x71D67FFFEDA60000), (-37, 0xFFF7EEE000000000))


@lru_cache(8)
def chosen(seed: int, count: int, probability: float) -> Indices:
    """Which of `count` numbers between 0 and 1 are below `probability`."""
    return lasting(("marks", seed, count, probability), lambda: _chosen(seed, count, probability))


def _chosen(seed: int, count: int, probability: float) -> Indices:
    """Which of `count` numbers are below `probability`, by making all of them."""
    limit = np.uint64(min(probability, 1 - 2.0**-53) * 2.0**64)
    found = [start + np.flatnonzero(words < limit) for start, words in _words(seed, count)]
    return np.concatenate([np.empty(0, np.int64), *found])


def _words(seed: int, count: int) -> Iterator[tuple[int, Words]]:
    """The first `count` words after seeding with one number, some at a time, with the index of the first of them."""
    state = np.empty(SIZE + BLOCK, np.uint64)
    state[-SIZE:] = _seeded(seed)
    for start in range(0, count, BLOCK):
        state[:SIZE] = state[-SIZE:]
        _continue(state)
        yield start, _tempered(state[SIZE : SIZE + count - start])


def _continue(words: Words) -> None:
    """Fill `words` behind the state at their beginning."""
    mixed, low = np.empty((2, MIDDLE), np.uint64)
    # every word follows from three earlier ones, so that half a state can be made at once
    for at in range(0, len(words) - SIZE, MIDDLE):
        following = words[at + 1 : at + 1 + MIDDLE]
        np.bitwise_and(words[at : at + MIDDLE], UPPER, out=mixed)
        np.bitwise_and(following, LOWER, out=low)
        np.bitwise_or(mixed, low, out=mixed)
        np.right_shift(mixed, ONE, out=mixed)
        np.bitwise_and(following, ONE, out=low)
        np.multiply(low, MATRIX, out=low)
        np.bitwise_xor(mixed, low, out=mixed)
        np.bitwise_xor(words[at + MIDDLE : at + SIZE], mixed, out=words[at + SIZE : at + SIZE + MIDDLE])


def _seeded(seed: int) -> Words:
    """State after seeding with one number."""
    words = [seed & MASK]
    for i in range(1, SIZE):
        words.append((6364136223846793005 * (words[-1] ^ (words[-1] >> 62)) + i) & MASK)
    return np.array(words, np.uint64)


def _tempered(state: Words) -> Words:
    """Numbers that words of the state stand for."""
    words = state.copy()
    for shift, mask in TEMPERING:
        amount = np.uint64(abs(shift))
        words ^= ((words >> amount) if shift > 0 else (words << amount)) & np.uint64(mask)
    return words ^ (words >> np.uint64(43))
