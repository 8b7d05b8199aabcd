"""Threads that do machine code: a sibling waits awake for a while, so that what comes soon begins at once.

A thread that sleeps takes some tens of microseconds to wake up, and some more to get the interpreter's lock; a step of
a small batch takes less. So work is handed over in memory, without Python.
"""

from __future__ import annotations

import enum
import threading
from queue import SimpleQueue

import numpy as np

from .fast_call import machine_call
from .native import load_text


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


SIBLING_CODE = """
define i32 @serve(ptr %slot, i64 %turns, i64 %unused) {
entry:
  %function_p = getelementptr i64, ptr %slot, i64 1
  %a_p = getelementptr i64, ptr %slot, i64 2
  %b_p = getelementptr i64, ptr %slot, i64 3
  %c_p = getelementptr i64, ptr %slot, i64 4
  %answer_p = getelementptr i64, ptr %slot, i64 5
  br label %wait
wait:
  %turn = phi i64 [ 0, %entry ], [ %next, %still ], [ 0, %take ], [ 0, %work ], [ 0, %over ]
  %state = load atomic i64, ptr %slot acquire, align 8
  switch i64 %state, label %still [ i64 1, label %take i64 5, label %end ]
still:
  %next = add i64 %turn, 1
  %more = icmp slt i64 %next, %turns
  br i1 %more, label %wait, label %tired
tired:
  %rest = cmpxchg ptr %slot, i64 0, i64 4 acq_rel acquire
  %sleeps = extractvalue { i64, i1 } %rest, 1
  br i1 %sleeps, label %end, label %over
over:
  %leave = cmpxchg ptr %slot, i64 3, i64 7 acq_rel acquire
  %leaves = extractvalue { i64, i1 } %leave, 1
  br i1 %leaves, label %end, label %wait
take:
  %start = cmpxchg ptr %slot, i64 1, i64 2 acq_rel acquire
  %taken = extractvalue { i64, i1 } %start, 1
  br i1 %taken, label %work, label %wait
work:
  %address = load i64, ptr %function_p
  %a = load i64, ptr %a_p
  %b = load i64, ptr %b_p
  %c = load i64, ptr %c_p
  %function = inttoptr i64 %address to ptr
  %answer = call i32 %function(i64 %a, i64 %b, i64 %c)
  %wide = sext i32 %answer to i64
  store i64 %wide, ptr %answer_p
  %finish = cmpxchg ptr %slot, i64 2, i64 3 acq_rel acquire
  %unawaited = extractvalue { i64, i1 } %finish, 1
  br i1 %unawaited, label %wait, label %tell
tell:
  store atomic i64 3, ptr %slot release, align 8
  ret i32 1
end:
  ret i32 0
}

define i32 @ask(ptr %slot, i64 %unused, i64 %unused2) {
  %old = atomicrmw xchg ptr %slot, i64 1 acq_rel
  %short = trunc i64 %old to i32
  ret i32 %short
}

define i32 @await(ptr %slot, i64 %unused, i64 %unused2) {
  %swap = cmpxchg ptr %slot, i64 2, i64 6 acq_rel acquire
  %busy = extractvalue { i64, i1 } %swap, 1
  %answer = zext i1 %busy to i32
  ret i32 %answer
}

define i32 @watch(ptr %slot, i64 %turns, i64 %unused) {
entry:
  %swap = cmpxchg ptr %slot, i64 1, i64 0 acq_rel acquire
  %never = extractvalue { i64, i1 } %swap, 1
  br i1 %never, label %end, label %wait
wait:
  %turn = phi i64 [ 0, %entry ], [ %next, %still ]
  %state = load atomic i64, ptr %slot acquire, align 8
  switch i64 %state, label %still [ i64 3, label %free i64 7, label %asleep ]
still:
  %next = add i64 %turn, 1
  %more = icmp slt i64 %next, %turns
  br i1 %more, label %wait, label %end
free:
  store atomic i64 0, ptr %slot release, align 8
  br label %end
asleep:
  store atomic i64 4, ptr %slot release, align 8
  br label %end
end:
  %answer = phi i32 [ 2, %entry ], [ 1, %free ], [ 1, %asleep ], [ 0, %still ]
  ret i32 %answer
}
"""
"""A slot has six words: the state, a function and its three arguments, its answer. `serve` does what is asked for; it
ends when the state is ENDED, when nothing has come for so many turns (ASLEEP, DONE_ASLEEP), or when somebody sleeps
until the work is done (1). `ask` tells what the state was. `watch` takes back what was not begun (2), or tells whether
the work is done (1); `await` tells whether it still is not, and then `serve` will."""

TURNS = 200_000
"""Turns of waiting awake: a twentieth of a millisecond, longer than Python takes between two steps."""


class SiblingThread:
    """What a thread gets machine code to run through: `serve` is what it does."""

    def __init__(self) -> None:
        self._slot = np.zeros(6, np.int64)
        self._slot[0] = State.ASLEEP
        self._address = int(self._slot.ctypes.data)
        self._functions, self._machine_call = load_text(SIBLING_CODE, "serve", "ask", "watch", "await"), machine_call()
        # what a thread that sleeps waits for: True to wake up, False to end; and what who waits for it does
        self._calls: SimpleQueue[bool] = SimpleQueue()
        self._done = threading.Event()

    def _call(self, name: str, turns: int = 0) -> int:
        return self._machine_call(self._functions[name], self._address, turns, 0)

    def serve(self) -> None:
        """Do what is asked for, until `end`."""
        while self._calls.get():
            while self._call("serve", TURNS):
                self._done.set()

    def ask(self, function: int, a: int, b: int, c: int) -> None:
        """Ask for `function(a, b, c)`, once the work before is done."""
        self._slot[1:5] = function, a, b, c
        if self._call("ask") == State.ASLEEP:
            self._calls.put(True)

    def answer(self, interrupts: list[BaseException]) -> int | None:
        """What the function answered, when it is done; None if the thread had not begun, and now it will not.

        An interrupt does not end the waiting, but is noted.
        """
        while True:
            try:
                watched = self._call("watch", TURNS)
                if watched:
                    return int(self._slot[5]) if watched == 1 else None
                self._done.clear()
                if self._call("await"):
                    self._done.wait()
            except KeyboardInterrupt as interrupt:
                interrupts.append(interrupt)

    def end(self) -> None:
        """Let the thread go."""
        self._slot[0] = State.ENDED
        self._calls.put(False)
