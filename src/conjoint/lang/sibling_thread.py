"""Threads that do machine code: a sibling waits awake for a while, so that what comes soon begins at once.

A thread that sleeps takes some tens of microseconds to wake up, and some more to get the interpreter's lock; a step of
a small batch takes less. So work is handed over in memory, without Python.
"""

from __future__ import annotations

import enum
import threading
from queue import SimpleQueue

import numpy as np

from .addresses import call_stage, exchange, longs, read_acquire, replace, write_release
from .compiled import routine
from .fast_call import machine_call
from .functions import where
from .kernel import Kernel, kernel


class State(enum.IntEnum):
    """What a sibling does."""

    AWAKE = 0
    ASKED = 1
    BUSY = 2
    DONE = 3
    ASLEEP = 4
    ENDED = 5
    AWAITED = 6
    DONE_ASLEEP = 7


FUNCTION, ANSWER = 1, 5
"""Words of a slot behind its state: a function, its three arguments, its answer."""


@kernel
def serve(address, turns):
    """Do what is asked for. It ends when the state is ENDED, or when nothing has come for so many turns (0); or when
    somebody sleeps until the work is done (1)."""
    slot = longs(address)
    turn = 0
    while True:
        state = read_acquire(slot, 0)
        if state == State.ENDED:
            return 0
        if state == State.ASKED:
            turn = 0
            if replace(slot, 0, State.ASKED, State.BUSY):
                slot[ANSWER] = call_stage(slot[FUNCTION], slot[FUNCTION + 1], slot[FUNCTION + 2], slot[FUNCTION + 3])
                if not replace(slot, 0, State.BUSY, State.DONE):
                    write_release(slot, 0, State.DONE)
                    return 1
        else:
            turn += 1
            if turn >= turns:
                turn = 0
                if replace(slot, 0, State.AWAKE, State.ASLEEP) or replace(slot, 0, State.DONE, State.DONE_ASLEEP):
                    return 0


@kernel
def ask(address):
    """Ask for the work of a slot; what its state was."""
    return exchange(longs(address), 0, State.ASKED)


@kernel
def await_work(address):
    """Whether the work is not done yet; then `serve` will tell."""
    return where(replace(longs(address), 0, State.BUSY, State.AWAITED), 1, 0)


@kernel
def watch(address, turns):
    """Take back what was not begun (2), or wait for so many turns until the work is done (1), or not (0)."""
    slot = longs(address)
    if replace(slot, 0, State.ASKED, State.AWAKE):
        return 2
    for _ in range(turns):
        state = read_acquire(slot, 0)
        if state == State.DONE:
            write_release(slot, 0, State.AWAKE)
            return 1
        if state == State.DONE_ASLEEP:
            write_release(slot, 0, State.ASLEEP)
            return 1
    return 0


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
