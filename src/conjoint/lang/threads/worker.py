"""A thread that works for a caller: it runs Python functions, and machine code whose address is written into its slot.

A sleeping thread needs tens of microseconds to wake up, and tens more to acquire the interpreter's lock; a step of a
small batch takes less. So addresses of machine code are passed on in memory, without Python. After its work, the thread
spins for a while, so that work that arrives soon begins at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

import numpy as np

from ..calls.compiled import routine
from ..calls.fast_call import machine_call
from ..language.kernel import Kernel
from ..routines.worker_code import ROW_WORDS, State, await_work, serve

TURNS = 200_000
"""Iterations of busy waiting, about 50 microseconds, which is longer than Python takes between two steps."""

Calls = SimpleQueue[Callable[[], object] | None]
"""Queue of functions for a thread to run; None ends the thread."""


class Worker:
    """A thread of this process, which starts at once. The running thread refers only to the queue of its calls.

    Args:
        name: name of the thread.

    Attributes:
        address: address of its slot (`routines.worker_code`), which shares no cache line with other threads' memory.
    """

    def __init__(self, name: str) -> None:
        self._memory = np.zeros(2 * ROW_WORDS, np.int64)
        first = -(int(self._memory.ctypes.data) // 8) % ROW_WORDS
        self._slot = self._memory[first : first + ROW_WORDS].data
        self._slot[0] = State.ASLEEP
        self.address = int(self._memory.ctypes.data) + 8 * first
        self._calls: Calls = SimpleQueue()
        self._done = threading.Event()
        threading.Thread(target=_run_calls, args=(self._calls,), name=name, daemon=True).start()

    def submit(self, call: Callable[[], object]) -> None:
        """Queue a function for the thread to run. The function must not raise an error."""
        self._calls.put(call)

    def wake(self) -> None:
        """Wake the thread to read its slot. An unnecessary call does no harm."""
        self._calls.put(self._serve)

    def wait(self) -> None:
        """Sleep until the machine code in the slot has run. The method may return early, so callers must check again.

        The event is cleared before the thread learns that a caller waits. If the event is set before that, it belongs
        to work that is done, and `await_work` detects this. If it is set later, it ends the wait.
        """
        self._done.clear()
        if self._machine_call(await_work):
            self._done.wait()

    def end(self) -> None:
        """End the thread after it has run all functions in its queue."""
        self._slot[0] = State.ENDED
        self._calls.put(None)

    def _serve(self) -> None:
        """Run machine code from the slot until none arrives for a while."""
        while self._machine_call(serve, TURNS):
            self._done.set()

    def _machine_call(self, function: Kernel, turns: int = 0) -> int:
        return machine_call()(routine(function), self.address, turns, 0)


def _run_calls(calls: Calls) -> None:
    """Run calls from a queue, until None arrives."""
    while (call := calls.get()) is not None:
        call()
        # release the function while the thread waits
        del call
