"""Parallel loops: a kernel that the threads of a world call for every number below a count.

What the calls write is disjoint, and none reads what another writes. So the order in which they run, and the
threads that run them, change no bit; sums over calls are taken afterwards, in the order of the numbers.
"""

from __future__ import annotations

from typing import Any

from .group import Group
from .vocabulary import Word

TEAM = "team"
"""The field of `d` with the address of the thread team of a world; 0 if the caller works alone."""


@Word
def shared(kernel: Any, m: Any, d: Any, count: int, *arguments: Any) -> None:
    """Call `kernel(m, d, k, *arguments)` for every k from 0 to `count` - 1, in any order and on any thread."""
    for k in range(count):
        kernel(m, d, k, *arguments)


class Pieces(Group):
    """Kernel and its arguments after the number, in compiled code: `work(m, d, k)` calls it for piece k."""

    def __init__(self, kernel: Any, *arguments: Any):
        self.kernel, self.arguments = kernel, arguments

    @property
    def members(self) -> dict[str, Any]:
        return {str(k): item for k, item in enumerate((self.kernel, *self.arguments))}
