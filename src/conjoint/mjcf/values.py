"""Conversion of attribute text to values, as described by the attribute's row in the grammar."""

import math
import re
from typing import Any

from conjoint.once import MAKING
from conjoint.schema.mjcf.table import Attribute
from conjoint.spec import suggestion

LONG = 1 << 16
"""Minimum length of a text whose numbers are read by a kernel."""
ELSEWHERE = {
    "revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "spherical": "ball", "floating": "free",
    "hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "floating", "cube": "box",
    "on": "enable", "off": "disable", "1": "true", "0": "false", "yes": "true", "no": "false",
}  # fmt: skip
"""Equivalents of keywords, for hints: words of other formats or spellings, each with the keyword that may be meant."""
_WORD = re.compile(r"[^ \t\r\n]+")


def parse(row: Attribute, text: str) -> Any:
    """Return the value of an attribute, given its row in the grammar and its text.

    Raises:
        ValueError: the text does not match the row. The message says what is expected.
    """
    kind = row.type
    if kind == "real":
        found = _reals(row, text)
        return _shaped(row, [_real(word) for word in _words(row, text)]) if found is None else found
    if kind == "bits":
        return sum(_bits(row, text.split()))
    if kind == "choice" or row.choices:
        number = row.choices.get(text)
        if number is None:
            known = ", ".join(row.choices)
            other = ELSEWHERE.get(text, "")
            hint = suggestion(other if other in row.choices else text[:40], row.choices)
            raise ValueError(f"'{text:.40}' is not one of {known}{hint}")
        return number if kind == "choice" else text
    if kind == "int":
        return _shaped(row, [_integer(word) for word in _words(row, text)])
    if kind == "words":
        return tuple(text.split())
    return text


def _bits(row: Attribute, found: list[str]) -> list[int]:
    """Return the numbers of keywords. Each keyword may occur only once."""
    for place, word in enumerate(found):
        if word not in row.choices:
            raise ValueError(f"'{word:.40}' is not one of {', '.join(row.choices)}{suggestion(word[:40], row.choices)}")
        if word in found[:place]:
            raise ValueError(f"'{word}' is repeated")
    return [row.choices[word] for word in found]


def _reals(row: Attribute, text: str) -> Any:
    """Read numbers in the usual format with a fast parser. Return None if the text must be checked in full."""
    try:
        numbers = tuple(map(float, text.split())) if len(text) < LONG else _many(text)
    except ValueError:
        return None
    if not row.least <= len(numbers) <= (row.most or len(numbers)) or not _plain(text):
        return None
    if not math.isfinite(sum(numbers)):
        return None
    return numbers[0] if row.scalar else numbers


def _many(text: str) -> tuple[float, ...]:
    """Return the numbers in a long text."""
    with MAKING.held:
        from conjoint.spec.numbers import numbers_in

    return tuple(numbers_in(text.encode(), float))


def _plain(text: str) -> bool:
    """Return True if `text` has no Python-specific number syntax: underscores, or digits of other scripts."""
    return "_" not in text and text.isascii()


def _words(row: Attribute, text: str) -> list[str]:
    """Split `text` into words without converting them, so that a text with too many words is cheap to reject."""
    # blanks other than XML's are parts of words
    words = text.split() if text.isascii() else _WORD.findall(text)
    if row.most is not None and len(words) > row.most:
        expected = str(row.most) if row.most == row.least else f"{row.least} to {row.most}"
        raise ValueError(f"too many numbers: {len(words)}, expected {expected}")
    return words


def _real(word: str) -> float:
    """Return a real number, written in base 10 or 16. It may be infinite or NaN."""
    try:
        if not _plain(word):
            raise ValueError
        value = float.fromhex(word) if "x" in word.lower() else float(word)
    except OverflowError:
        raise ValueError(f"{word:.40} is too large") from None
    except ValueError:
        raise ValueError(f"{word[:40]!r} is not a number{_hint(word)}") from None
    if math.isinf(value) and any(digit in word for digit in "0123456789"):
        raise ValueError(f"{word:.40} is too large")
    return value


def _integer(word: str) -> int:
    """Return a whole number that fits into 32 bits."""
    try:
        if not _plain(word):
            raise ValueError
        value = int(word)
    except ValueError:
        raise ValueError(f"{word[:40]!r} is not a whole number{_hint(word)}") from None
    if not -(2**31) <= value < 2**31:
        raise ValueError(f"{word:.40} is out of range")
    return value


def _hint(word: str) -> str:
    """Return a hint for the message about a word that is not a number."""
    if "${" in word or "$(" in word:
        return ": it is an expression of xacro, which must be expanded first"
    return "; numbers are separated by blanks, and have points" if "," in word else ""


def _shaped(row: Attribute, numbers: list) -> Any:
    """Return the numbers in the shape of the row: one number, or a tuple of the right length."""
    count = len(numbers)
    if count < row.least:
        expected = row.least if row.most == row.least else f"{row.least} to {row.most}"
        raise ValueError(f"too few numbers: {count}, expected {expected}")
    return numbers[0] if row.scalar else tuple(numbers)
