"""Rules for arguments: properties of a passed object that machine code can check (`lang.calls.argument_guard`)."""

from __future__ import annotations

import enum
from dataclasses import dataclass

ANYTHING, EXACT, ARRAY, REAL, INTEGER, VALUE, WHOLE = range(7)
"""Rules for an argument: none; of this very type; an array; for kernels, numbers and values of several; and an integer
between two others."""

ANY = -1
"""A number of dimensions, or a length, that does not matter."""

CONTIGUOUS, WRITABLE = 0x0001, 0x0501
"""Flags of arrays that are read or written in place (NumPy C API: C_CONTIGUOUS; CARRAY)."""


class Head(enum.IntEnum):
    """Words of a guard's table before its rules: objects of Python, numbers, and the address of an entry."""

    FALLBACK = 0
    LEAST = 1
    MOST = 2
    FUNCTION = 3
    NONE = 4
    NDARRAY = 5
    FLOAT = 6
    ATTRIBUTE = 7
    STRUCTS = 8
    ENTRY = 9
    RESULTS = 10
    RESULT_KIND = 11


class Of(enum.IntEnum):
    """Words of a rule, as `Rule` explains them."""

    KIND = 0
    WANTED = 1
    OPTIONAL = 2
    FLAGS = 3
    NDIM = 4
    FIRST = 5
    SECOND = 6
    LAST = 7


RULE_WORDS, HEAD_WORDS = len(Of), len(Head)
"""Words of a rule, and of the head before the rules."""

MOST_SLOTS = 256
"""Slots of a frame: numbers that the arguments and results of an entry take."""

LENGTHS = 2
"""Dimensions that a rule can look at."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule that an argument must follow for a direct call.

    Attributes:
        kind: ANYTHING, EXACT, ...
        wanted: the type, or the type of the numbers of an array.
        optional: True if it may be None.
        flags: flags that an array must have.
        ndim: its number of dimensions, or ANY.
        lengths: lengths along them: numbers, ANY, or -2 minus the place of a size among the fields of `m`; for an
            integer, its least and greatest value.
        last: for a kernel's argument, the numbers of a value; for others, True if it has sizes, which must be equal.
    """

    kind: int = ANYTHING
    wanted: object = None
    optional: bool = False
    flags: int = 0
    ndim: int = ANY
    lengths: tuple[int, ...] = ()
    last: int = 0

    def words(self) -> list[int]:
        """Return the words of the rule that machine code reads."""
        lengths = (*self.lengths, ANY, ANY)[:LENGTHS]
        return [self.kind, id(self.wanted), self.optional, self.flags, self.ndim, *lengths, self.last]
