"""Turns: one thread at a time works on something that cannot be shared, and the others wait."""

from __future__ import annotations

import os
import threading
import time
import weakref

PAUSE = 0.0003
"""Seconds after which a thread that waits looks again."""


class Turn:
    """Who works on something; the thread that has the turn may take it again.

    It is a list with one element, since that can be taken and put back in a third of the time of a lock: where calls
    take a microsecond, programs take and put it back themselves.

    Attributes:
        free: empty while a thread has the turn.
        owner: that thread, if it took the turn by a `with` statement; else 0.
    """

    __slots__ = ("__weakref__", "_depth", "free", "owner")

    def __init__(self) -> None:
        self.free, self.owner, self._depth = [True], 0, 0
        _turns.add(self)

    def __enter__(self) -> None:
        here = threading.get_ident()
        if self.owner != here:
            while True:
                try:
                    self.free.pop()
                    break
                except IndexError:
                    time.sleep(PAUSE)
            self.owner = here
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.owner = 0
            self.free.append(True)


_turns: weakref.WeakSet[Turn] = weakref.WeakSet()
"""All there are."""


def _take_over() -> None:
    """A fork has only the thread that made it: the turns of all others are free."""
    for turn in list(_turns):
        if turn.owner != threading.get_ident():
            turn.free[:], turn.owner, turn._depth = [True], 0, 0


os.register_at_fork(after_in_child=_take_over)
