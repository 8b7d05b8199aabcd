"""Parallel loops, in which the threads of a world call a kernel once for every index below a count.

No call reads or writes memory that another call writes. So the results do not depend on the order of the calls or on
the threads that run them, bit for bit. Sums over calls are computed afterwards, in the order of the indices.
"""

from __future__ import annotations

from typing import Any

from .group import Group
from .vocabulary import Word

TEAM = "team"
"""Name of the field of `d` with the address of a world's thread team, or 0 if the world has no other threads."""


@Word
def shared(kernel: Any, m: Any, d: Any, count: int, *arguments: Any) -> None:
    """Call `kernel(m, d, k, *arguments)` for every k from 0 to `count` - 1, in any order and on any thread."""
    for k in range(count):
        kernel(m, d, k, *arguments)


class Pieces(Group):
    """A kernel and its arguments after the index, for compiled code: `work(m, d, k)` calls the kernel for index k."""

    def __init__(self, kernel: Any, *arguments: Any):
        self.kernel, self.arguments = kernel, arguments

    @property
    def members(self) -> dict[str, Any]:
        return {str(k): item for k, item in enumerate((self.kernel, *self.arguments))}
