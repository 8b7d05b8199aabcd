"""Rules for arguments: properties of a passed object that machine code can check (`lang.calls.argument_guard`)."""

from __future__ import annotations

import enum
from dataclasses import dataclass

ANYTHING, EXACT, ARRAY, REAL, INTEGER, VALUE, WHOLE = range(7)
"""Types of rules for an argument.

The first three allow anything, an object of exactly one type, and an array. The next three, for kernels, allow a real,
an integer, and a value of several numbers. The last one allows an integer between two bounds.
"""

ANY = -1
"""Wildcard for any number of dimensions, or any length."""

CONTIGUOUS, WRITABLE = 0x0001, 0x0501
"""Flags that arrays must have to be read, or written, in place (NumPy C API: C_CONTIGUOUS; CARRAY)."""


class Head(enum.IntEnum):
    """Indices of the words before the rules in a guard's table: objects, numbers, and the address of an entry."""

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
    """Indices of the words of a rule, in the order of the attributes of `Rule`."""

    KIND = 0
    WANTED = 1
    OPTIONAL = 2
    FLAGS = 3
    NDIM = 4
    FIRST = 5
    SECOND = 6
    LAST = 7


RULE_WORDS, HEAD_WORDS = len(Of), len(Head)
"""Number of words of a rule, and of the head before the rules."""

MOST_SLOTS = 256
"""Number of slots in a frame, for the numbers in the arguments and results of an entry."""

LENGTHS = 2
"""Maximum number of dimensions whose length a rule can check."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule that an argument must follow for a direct call.

    Attributes:
        kind: type of the rule: ANYTHING, EXACT, ...
        wanted: required type of the object, or of the numbers of an array.
        optional: True if the argument may be None.
        flags: flags that an array must have.
        ndim: required number of dimensions, or ANY.
        lengths: required lengths along the dimensions: numbers, ANY, or -2 minus the index of a size among the fields
            of `m`. For an integer, its least and greatest value.
        last: for a kernel's argument, the count of numbers in a value. For other arguments, True if the argument must
            have an attribute `sizes`, which must be the same object for all such arguments.
    """

    kind: int = ANYTHING
    wanted: object = None
    optional: bool = False
    flags: int = 0
    ndim: int = ANY
    lengths: tuple[int, ...] = ()
    last: int = 0

    def words(self) -> list[int]:
        """Return the rule as integers, in the order in which machine code reads them."""
        lengths = (*self.lengths, ANY, ANY)[:LENGTHS]
        return [self.kind, id(self.wanted), self.optional, self.flags, self.ndim, *lengths, self.last]
