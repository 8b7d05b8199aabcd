"""Rules for arguments: what machine code can see of an object that a call passes (`lang.argument_guard`)."""

from __future__ import annotations

from dataclasses import dataclass

ANYTHING, EXACT, ARRAY, REAL, INTEGER, VALUE, WHOLE = range(7)
"""Rules for an argument: none; of this very type; an array; for kernels, numbers and values of several; and an integer
between two others."""

ANY = -1
"""A number of dimensions, or a length, that does not matter."""

CONTIGUOUS, WRITABLE = 0x0001, 0x0501
"""Flags of arrays that are read or written in place (NumPy C API: C_CONTIGUOUS; CARRAY)."""

RULE_WORDS, HEAD_WORDS = 8, 12
"""Words of a rule, and of what stands before the rules."""

LENGTHS = 2
"""Dimensions that a rule can look at."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What an argument must be for a call to go on at once.

    Attributes:
        kind: ANYTHING, EXACT, ...
        wanted: the type, or the type of the numbers of an array.
        optional: whether it may be None.
        flags: that an array must have.
        ndim: its number of dimensions, or ANY.
        lengths: along them: numbers, ANY, or -2 less the place of a size among the fields of `m`; of an integer the
            smallest and the largest.
        last: of a kernel's argument the numbers of a value; of others whether it has sizes, which must be alike.
    """

    kind: int = ANYTHING
    wanted: object = None
    optional: bool = False
    flags: int = 0
    ndim: int = ANY
    lengths: tuple[int, ...] = ()
    last: int = 0

    def words(self) -> list[int]:
        """As machine code reads it."""
        lengths = (*self.lengths, ANY, ANY)[:LENGTHS]
        return [self.kind, id(self.wanted), self.optional, self.flags, self.ndim, *lengths, self.last]
