"""Procedural textures: gradients, checkers, plain colors, and marks on them.

Random marks come from the 64-bit Mersenne twister (Nishimura 2000).
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conjoint.compiler.assets.cache import lasting
from conjoint.compiler.assets.image import Image
from conjoint.compiler.kinds import Texture

Words = NDArray[np.uint64]
Indices = NDArray[np.int64]

SIZE, MIDDLE = 312, 156
BLOCK = 64 * MIDDLE
"""Number of random words generated at a time, small enough for the processor's cache."""
MATRIX = np.uint64(0xB5026F5AA96619E9)
UPPER, LOWER = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF)
ONE = np.uint64(1)
MASK = (1 << 64) - 1
TEMPERING = ((29, 0x5555555555555555), (-17, 0x71D67FFFEDA60000), (-37, 0xFFF7EEE000000000))


@lru_cache(8)
def chosen(seed: int, count: int, probability: float) -> Indices:
    """Draw `count` random numbers between 0 and 1, and return the indices of the numbers below `probability`.

    The result is cached.
    """
    return lasting(("marks", seed, count, probability), lambda: _chosen(seed, count, probability))


def _chosen(seed: int, count: int, probability: float) -> Indices:
    """Draw `count` random numbers between 0 and 1, and return the indices of the numbers below `probability`."""
    limit = np.uint64(min(probability, 1 - 2.0**-53) * 2.0**64)
    found = [start + np.flatnonzero(words < limit) for start, words in _words(seed, count)]
    return np.concatenate([np.empty(0, np.int64), *found])


def _words(seed: int, count: int) -> Iterator[tuple[int, Words]]:
    """Yield the first `count` random words in blocks, each with the index of its first word.

    The generator is seeded with the integer `seed`.
    """
    state = np.empty(SIZE + BLOCK, np.uint64)
    state[-SIZE:] = _seeded(seed)
    for start in range(0, count, BLOCK):
        state[:SIZE] = state[-SIZE:]
        _continue(state)
        yield start, _tempered(state[SIZE : SIZE + count - start])


def _continue(words: Words) -> None:
    """Fill `words` with random words that continue from the generator state, which is at the start of `words`."""
    mixed, low = np.empty((2, MIDDLE), np.uint64)
    # every word depends on three earlier ones, so half a state can be computed at once
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
    """Return the generator state after seeding with a single number."""
    words = [seed & MASK]
    for i in range(1, SIZE):
        words.append((6364136223846793005 * (words[-1] ^ (words[-1] >> 62)) + i) & MASK)
    return np.array(words, np.uint64)


def _tempered(state: Words) -> Words:
    """Return the random numbers that the words of a generator state encode."""
    words = state.copy()
    for shift, mask in TEMPERING:
        amount = np.uint64(abs(shift))
        words ^= ((words >> amount) if shift > 0 else (words << amount)) & np.uint64(mask)
    return words ^ (words >> np.uint64(43))


GRADIENT, CHECKER, FLAT = 1, 2, 3
EDGE, CROSS, RANDOM = 1, 2, 3
SEED = 42
BAND = 1 << 13
"""Number of texture pixels computed at a time."""
UP, DOWN = 2, 3
FRONT_BACK = (4, 5)
"""Indices of the front and back side of a cube. The order is right, left, up, down, front, back."""


def color_bytes(rgb: Any) -> NDArray[np.uint8]:
    """Convert colors to bytes. Out-of-range values wrap around, as in MuJoCo."""
    scaled = np.nan_to_num(255 * np.asarray(rgb, np.float64)).clip(-(2.0**31), 2.0**31)
    return scaled.astype(np.int64).astype(np.uint8)


def flat_pattern(texture: Texture, width: int, height: int) -> Image:
    """Return the pixels of a procedural texture with one image."""
    image = np.empty((height, width, 3), np.uint8)
    if texture.builtin == GRADIENT:
        x, y = _grid(width, height)
        for part in _bands(height, width):
            _mix(texture.rgb2, texture.rgb1, 2 * np.sqrt(x * x + y[part] * y[part]) - 1, image[part])
    elif texture.builtin == CHECKER:
        _checker(image, texture.rgb1, texture.rgb2)
    else:
        _plain(image, texture.rgb1)
    _mark(image[None], texture)
    return image


def cube_pattern(texture: Texture, width: int) -> Image:
    """Return the pixels of a procedural cube texture, whose six sides are one below the other."""
    faces = np.empty((6, width, width, 3), np.uint8)
    if texture.builtin == GRADIENT:
        x, y = _grid(width, width)
        for part in _bands(width, width):
            distance = np.sqrt(1 + x * x + y[part] * y[part])
            _mix(texture.rgb1, texture.rgb2, np.arcsin(y[part] / distance) / (0.5 * pi), faces[0, part])
            above = 1 - np.arccos(1 / distance) / (0.5 * pi)
            _mix(texture.rgb1, texture.rgb2, above, faces[UP, part])
            _mix(texture.rgb1, texture.rgb2, -above, faces[DOWN, part])
        faces[1] = faces[FRONT_BACK[0]] = faces[FRONT_BACK[1]] = faces[0]
    elif texture.builtin == CHECKER:
        for i, face in enumerate(faces):
            # front and back start with the other color
            _checker(face, *((texture.rgb2, texture.rgb1) if i in FRONT_BACK else (texture.rgb1, texture.rgb2)))
    else:
        _plain(faces, texture.rgb1)
        _plain(faces[DOWN], texture.rgb2)
    _mark(faces, texture)
    return faces.reshape(6 * width, width, 3)


def _grid(width: int, height: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return pixel coordinates between -1 and 1, with x to the right and y upwards. A single row or column gets NaN."""
    x = 2 * np.arange(width) / (width - 1 or np.nan) - 1
    y = 1 - 2 * np.arange(height) / (height - 1 or np.nan)
    return x[None, :], y[:, None]


def _bands(height: int, width: int) -> Iterator[slice]:
    """Yield bands of rows of an image, small enough that intermediate results stay in the processor's cache."""
    rows = max(1, BAND // width)
    return (slice(row, row + rows) for row in range(0, height, rows))


def _mix(first: Sequence[float], second: Sequence[float], position: NDArray[np.float64], pixels: Image) -> None:
    """Write a color gradient to `pixels`, from `second` at position -1 to `first` at 1, along a sigmoid."""
    share = 0.5 * (1 + position / np.sqrt(1 + position * position) * np.sqrt(2))
    np.clip(share, 0, 1, out=share)
    rest = 1 - share
    for channel, (a, b) in enumerate(zip(first, second, strict=True)):
        value = share * a
        value += rest * b
        if min(pixels.shape[:2]) == 1 or not (0 <= a <= 1 and 0 <= b <= 1):
            pixels[..., channel] = color_bytes(value)
            continue
        value *= 255
        pixels[..., channel] = value


def _checker(image: Image, first: Sequence[float], second: Sequence[float]) -> None:
    """Draw a checkerboard of two by two squares."""
    row, column = image.shape[0] // 2, image.shape[1] // 2
    # line by line: broadcasting three bytes to every pixel is slow
    line = np.empty(image.shape[1:], np.uint8)
    line[:column], line[column:] = color_bytes(first), color_bytes(second)
    image[:row] = line
    line[:column], line[column:] = color_bytes(second), color_bytes(first)
    image[row:] = line


def _plain(image: Image, color: Sequence[float]) -> None:
    """Fill the image with one color."""
    image[:] = np.full(image.shape[-2:], color_bytes(color))


def _mark(faces: Image, texture: Texture) -> None:
    """Draw the marks of a texture on all sides: edges, crosses or random pixels."""
    color = color_bytes(texture.markrgb)
    height, width = faces.shape[1:3]
    if texture.mark == EDGE:
        faces[:, [0, -1]] = faces[:, :, [0, -1]] = color
    elif texture.mark == CROSS:
        faces[:, height // 2] = faces[:, :, width // 2] = color
    elif texture.mark == RANDOM and texture.random > 0:
        pixels = faces.reshape(-1, 3)
        pixels[chosen(SEED, len(pixels), texture.random)] = color
