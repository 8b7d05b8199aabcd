"""Routines for profiles, which read the clock and measure the duration of a reading."""

from __future__ import annotations

from ..language.kernel import kernel


@kernel(label="reading")
def nothing(k):
    """Return the argument unchanged; profiled code reads the clock before and after this call."""
    return k


@kernel
def read_clock(count, a, b):
    """Read the clock twice for each of `count` calls to `nothing`."""
    last = 0
    for k in range(count):
        last = nothing(k)
    return last
