"""Conversion of long texts to numbers."""

from collections.abc import Callable

import numpy as np

from conjoint.runtime.entry import entry
from conjoint.spec.kernels.numbers import NUMBERS_OF_WORD, read_numbers

_read_numbers = entry(read_numbers, "byte[]", "int", "out real[]", "out long[]")


def numbers_in(text: bytes, other: Callable[[bytes], float]) -> list[float]:
    """Return the numbers in a text, separated by blanks, each rounded to the nearest.

    Args:
        text: the text.
        other: function that converts a word to a number, for words that are not plain decimal numbers, or have too many
            digits.
    """
    most = len(text) // 2 + 1
    values, others = np.empty(most), np.empty((most, NUMBERS_OF_WORD), np.int64)
    count, left = _read_numbers(np.frombuffer(text, np.uint8), len(text), values, others)
    for place, start, end in others[:left].tolist():
        values[place] = other(text[start:end])
    found: list[float] = values[:count].tolist()
    return found
