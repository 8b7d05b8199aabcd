"""Threads that do machine code: a sibling waits awake for a while, so that what comes soon begins at once.

A thread that sleeps takes some tens of microseconds to wake up, and some more to get the interpreter's lock; a step of
a small batch takes less. So work is handed over in memory, without Python.
"""

from __future__ import annotations

import threading
from queue import SimpleQueue

import numpy as np

from ..calls.compiled import routine
from ..calls.fast_call import machine_call
from ..language.kernel import Kernel
from ..routines.sibling_thread_code import ROW_WORDS, State, await_work, serve

TURNS = 200_000
"""Turns of waiting awake: a twentieth of a millisecond, longer than Python takes between two steps."""


class SiblingThread:
    """What a thread gets machine code to run through: `serve` is what it does.

    Attributes:
        address: of its slot (`routines.sibling_thread_code`), which no other thread's memory shares a cache line with.
    """

    def __init__(self) -> None:
        self._memory = np.zeros(2 * ROW_WORDS, np.int64)
        first = -(int(self._memory.ctypes.data) // 8) % ROW_WORDS
        self._slot = self._memory[first : first + ROW_WORDS].data
        self._slot[0] = State.ASLEEP
        self.address = int(self._memory.ctypes.data) + 8 * first
        # what a thread that sleeps waits for: True to wake up, False to end; and what who waits for it does
        self._calls: SimpleQueue[bool] = SimpleQueue()
        self._done = threading.Event()

    def _call(self, function: Kernel, turns: int = 0) -> int:
        return machine_call()(routine(function), self.address, turns, 0)

    def serve(self) -> None:
        """Do what is asked for, until `end`."""
        while self._calls.get():
            while self._call(serve, TURNS):
                self._done.set()

    def wake(self) -> None:
        """Wake the thread up; once too often does no harm."""
        self._calls.put(True)

    def wait(self) -> None:
        """Sleep until the work is done, or a little less: the caller looks again.

        The event is cleared before the thread learns that somebody waits. An event that is set before that belongs to
        work that is done, so `await_work` sees that; one that is set later ends the waiting.
        """
        self._done.clear()
        if self._call(await_work):
            self._done.wait()

    def end(self) -> None:
        """Let the thread go."""
        self._slot[0] = State.ENDED
        self._calls.put(False)
