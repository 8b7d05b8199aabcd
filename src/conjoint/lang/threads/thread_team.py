"""Threads that divide the work of one world: they process pieces of a loop until none are left.

A kernel that shares work (`language/shared_work.py`) stores a function, its arguments and a number of pieces in memory.
The caller and all threads that are awake take one piece after the other, and the caller continues when all are done.
Threads that sleep or do other work do not delay the loop. Starting the work takes less than a microsecond.
"""

from __future__ import annotations

import os
import threading
from functools import partial

import numpy as np

from conjoint.once import MAKING

from ..calls.compiled import routine
from ..calls.fast_call import machine_call
from ..routines.thread_team_code import ASLEEP, AWAKE, DONE, LINE, RANGES, RUNNING, WORK, assist
from .thread_pool import ThreadPool


class Team:
    """Threads that help the thread in which a world is stepped.

    Attributes:
        nthread: number of threads, including that of the caller.
        address: address of the memory through which the caller passes work to the threads.
    """

    def __init__(self, nthread: int):
        self.nthread = nthread
        states = RANGES + LINE * nthread
        self._memory = np.zeros(states + LINE * nthread, np.int64)
        # the first word begins a cache line
        begin = -(int(self._memory.ctypes.data) // 8) % LINE
        self._words = self._memory[begin:].data
        self._words[WORK + 2] = nthread
        self.address = int(self._memory.ctypes.data) + 8 * begin
        self._pool = ThreadPool("conjoint world")
        self._process = 0
        self._places = [states + LINE * k for k in range(nthread - 1)]

    def begin(self) -> bool:
        """Wake the threads before a call to machine code that shares work; return False if another caller uses them."""
        if self._process != os.getpid():
            self._start()
        if not self._lock.acquire(blocking=False):
            return False
        for k, place in enumerate(self._places):
            if self._words[place] == ASLEEP:
                self._words[place] = AWAKE
                self._workers[k].submit(self._assists[k])
        self._words[RUNNING] = 1
        return True

    @property
    def helped(self) -> int:
        """Number of pieces that other threads did for the caller in the last parallel loop."""
        return int(self._words[DONE])

    def end(self) -> None:
        """Mark the end of the call to machine code, so that threads may fall asleep."""
        self._words[RUNNING] = 0
        self._lock.release()

    def _start(self) -> None:
        """Start the threads, once per process, because a forked child has only the forking thread.

        A forked child does not continue the work that threads of its parent were doing.
        """
        with MAKING.held:
            # another thread may have started them first
            if self._process == os.getpid():
                return
            self._lock = threading.Lock()
            self._memory[...] = 0
            self._words[WORK + 2] = self.nthread
            self._workers = self._pool.workers(len(self._places))
            self._assists = []
            for k, place in enumerate(self._places):
                self._words[place] = ASLEEP
                words = self.address, k + 1, self.address + 8 * place
                self._assists.append(partial(_assist, self._memory, *words))
            self._process = os.getpid()


def _assist(memory: np.ndarray, team: int, number: int, state: int) -> None:
    """Process pieces of a team's work until its caller needs no help for a while; `memory` stays alive until then."""
    machine_call()(routine(assist), team, number, state)
