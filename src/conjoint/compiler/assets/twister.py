"""The 64-bit Mersenne twister (Nishimura 2000), the source of random marks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

SIZE, MIDDLE = 312, 156
MATRIX = np.uint64(0xB5026F5AA96619E9)
UPPER, LOWER = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF)
MASK = (1 << 64) - 1
TEMPERING = ((29, 0x5555555555555555), (-17, 0x71D67FFFEDA60000), (-37, 0xFFF7EEE000000000))


def uniform(seed: int, count: int) -> NDArray[np.float64]:
    """`count` numbers between 0 and 1."""
    state = _seeded(seed)
    blocks = []
    for _ in range(-(-count // SIZE)):
        _turn(state)
        blocks.append(_tempered(state))
    words = np.concatenate(blocks)[:count] if blocks else np.zeros(0, np.uint64)
    return words.astype(np.float64) / 2.0**64


def _seeded(seed: int) -> Words:
    """State after seeding with one number."""
    words = [seed & MASK]
    for i in range(1, SIZE):
        words.append((6364136223846793005 * (words[-1] ^ (words[-1] >> 62)) + i) & MASK)
    return np.array(words, np.uint64)


def _turn(state: Words) -> None:
    """Replace all words of the state; each half needs only words that are already known."""
    for start, end in ((0, MIDDLE), (MIDDLE, SIZE - 1), (SIZE - 1, SIZE)):
        following = np.roll(state, -1)[start:end]
        mixed = (state[start:end] & UPPER) | (following & LOWER)
        other = np.roll(state, -MIDDLE)[start:end]
        state[start:end] = other ^ (mixed >> np.uint64(1)) ^ np.where(mixed & np.uint64(1), MATRIX, np.uint64(0))


def _tempered(state: Words) -> Words:
    """Numbers that a state stands for."""
    words = state.copy()
    for shift, mask in TEMPERING:
        amount = np.uint64(abs(shift))
        words ^= ((words >> amount) if shift > 0 else (words << amount)) & np.uint64(mask)
    return words ^ (words >> np.uint64(43))
