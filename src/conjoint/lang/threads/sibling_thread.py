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
from ..routines.sibling_thread_code import ANSWER, FUNCTION, State, ask, await_work, serve, watch

TURNS = 200_000
"""Turns of waiting awake: a twentieth of a millisecond, longer than Python takes between two steps."""


class SiblingThread:
    """What a thread gets machine code to run through: `serve` is what it does."""

    def __init__(self) -> None:
        self._slot = np.zeros(6, np.int64)
        self._slot[0] = State.ASLEEP
        self._address = int(self._slot.ctypes.data)
        self._machine_call = machine_call()
        # what a thread that sleeps waits for: True to wake up, False to end; and what who waits for it does
        self._calls: SimpleQueue[bool] = SimpleQueue()
        self._done = threading.Event()

    def _call(self, function: Kernel, turns: int = 0) -> int:
        return self._machine_call(routine(function), self._address, turns, 0)

    def serve(self) -> None:
        """Do what is asked for, until `end`."""
        while self._calls.get():
            while self._call(serve, TURNS):
                self._done.set()

    def ask(self, function: int, a: int, b: int, c: int) -> None:
        """Ask for `function(a, b, c)`, once the work before is done."""
        self._slot[FUNCTION:ANSWER] = function, a, b, c
        if self._call(ask) == State.ASLEEP:
            self._calls.put(True)

    def answer(self, interrupts: list[BaseException]) -> int | None:
        """What the function answered, when it is done; None if the thread had not begun, and now it will not.

        An interrupt does not end the waiting, but is noted.
        """
        while True:
            try:
                watched = self._call(watch, TURNS)
                if watched:
                    return int(self._slot[ANSWER]) if watched == 1 else None
                self._done.clear()
                if self._call(await_work):
                    self._done.wait()
            except KeyboardInterrupt as interrupt:
                interrupts.append(interrupt)

    def end(self) -> None:
        """Let the thread go."""
        self._slot[0] = State.ENDED
        self._calls.put(False)
