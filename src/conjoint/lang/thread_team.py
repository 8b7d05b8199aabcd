"""Threads that share the work of one world: they take pieces of a loop as long as there are any.

A kernel that shares work (`lang/shared_work.py`) writes down a function, its arguments and a number of pieces; the
caller and all threads that are awake take one piece after the other, and the caller goes on when all are done. Nobody
waits for a thread that sleeps or is busy elsewhere. Work is handed over in memory, in less than a microsecond.
"""

from __future__ import annotations

import os
import threading
import weakref
from dataclasses import dataclass
from queue import SimpleQueue

import numpy as np

from conjoint.once import MAKING

from .fast_call import machine_call
from .native import load_text

LINE = 8
"""Words of a cache line: what different threads write lies in different ones."""

DONE, WORK, RUNNING, RANGES = 0, LINE, 2 * LINE, 3 * LINE
"""Words of a team's memory: how many pieces threads have done; the function, the frame, the numbers of threads and
of pieces; 1
while the caller is in machine code; from RANGES on, a line for each thread, the caller first: its range of pieces, as
the number of the work times 2**32, the first piece times 2**16, and the piece behind the last. Behind these, a line for
the state of each thread but the caller."""

AWAKE, ASLEEP = 0, 1
"""States of a thread."""

PATIENCE = 1000
"""Turns after which pieces of a thread that has begun are taken away from it: some microseconds."""

TURNS = 200_000
"""Turns of waiting awake while the caller is in Python: a twentieth of a millisecond or more."""


@dataclass(frozen=True)
class Text:
    """A function of LLVM IR."""

    name: str
    text: str


TAKE = Text("team.take", f"""
define internal i64 @team.take(ptr %team, i64 %self, i64 %waited) nounwind {{
entry:
  %count_p = getelementptr i64, ptr %team, i64 {WORK + 2}
  %count = load i64, ptr %count_p
  %pieces_p = getelementptr i64, ptr %team, i64 {WORK + 3}
  %pieces = load atomic i64, ptr %pieces_p monotonic, align 8
  %patient = icmp slt i64 %waited, {PATIENCE}
  br label %look
look:
  %k = phi i64 [ 0, %entry ], [ %k, %claim ], [ %k1, %next ]
  %sum = add i64 %self, %k
  %beyond = icmp sge i64 %sum, %count
  %back = sub i64 %sum, %count
  %owner = select i1 %beyond, i64 %back, i64 %sum
  %line = mul i64 %owner, {LINE}
  %place = add i64 %line, {RANGES}
  %range_p = getelementptr i64, ptr %team, i64 %place
  %range = load atomic i64, ptr %range_p acquire, align 8
  %high = lshr i64 %range, 16
  %first = and i64 %high, 65535
  %end = and i64 %range, 65535
  %any = icmp ult i64 %first, %end
  br i1 %any, label %left, label %next
left:
  %own = icmp eq i64 %k, 0
  br i1 %own, label %claim, label %other
other:
  %scaled = mul i64 %owner, %pieces
  %dealt = udiv i64 %scaled, %count
  %begun = icmp ne i64 %first, %dealt
  %leave = and i1 %begun, %patient
  br i1 %leave, label %next, label %claim
claim:
  %last = sub i64 %end, 1
  %piece = select i1 %own, i64 %first, i64 %last
  %change = select i1 %own, i64 65536, i64 -1
  %less = add i64 %range, %change
  %swap = cmpxchg ptr %range_p, i64 %range, i64 %less acq_rel acquire
  %taken = extractvalue {{ i64, i1 }} %swap, 1
  br i1 %taken, label %found, label %look
next:
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %count
  br i1 %more, label %look, label %none
found:
  ret i64 %piece
none:
  ret i64 -1
}}
""")  # fmt: skip
"""Take a piece: the first of one's own range, or else the last of somebody else's; -1 if there is none.

A thread gets the same pieces again and again: what it works on is in its cache. So who has nothing left takes pieces of
others at once only if they have not begun, and else waits for so many turns.
"""

TOGETHER = Text("team.together", f"""
define internal void @team.together(i64 %address, ptr %function, ptr %frame, i64 %count) nounwind {{
entry:
  %team = inttoptr i64 %address to ptr
  %done = getelementptr i64, ptr %team, i64 {DONE}
  %function_p = getelementptr i64, ptr %team, i64 {WORK}
  %frame_p = getelementptr i64, ptr %team, i64 {WORK + 1}
  %threads_p = getelementptr i64, ptr %team, i64 {WORK + 2}
  %ranges = getelementptr i64, ptr %team, i64 {RANGES}
  store ptr %function, ptr %function_p
  store ptr %frame, ptr %frame_p
  %pieces_p = getelementptr i64, ptr %team, i64 {WORK + 3}
  store atomic i64 %count, ptr %pieces_p monotonic, align 8
  store atomic i64 0, ptr %done monotonic, align 8
  %threads = load i64, ptr %threads_p
  %old = load atomic i64, ptr %ranges monotonic, align 8
  %high = lshr i64 %old, 32
  %number = add i64 %high, 1
  %mark = shl i64 %number, 32
  br label %deal
deal:
  %k = phi i64 [ %threads, %entry ], [ %k1, %deal ]
  %end = phi i64 [ %count, %entry ], [ %first, %deal ]
  %k1 = sub i64 %k, 1
  %scaled = mul i64 %k1, %count
  %first = udiv i64 %scaled, %threads
  %shifted = shl i64 %first, 16
  %both = or i64 %shifted, %end
  %range = or i64 %mark, %both
  %line = mul i64 %k1, {LINE}
  %range_p = getelementptr i64, ptr %ranges, i64 %line
  store atomic i64 %range, ptr %range_p release, align 8
  %others = icmp sgt i64 %k1, 0
  br i1 %others, label %deal, label %look
look:
  %mine = phi i64 [ 0, %deal ], [ %more, %work ], [ %mine, %wait ]
  %waited = phi i64 [ 0, %deal ], [ 0, %work ], [ %longer, %wait ]
  %piece = call i64 @team.take(ptr %team, i64 0, i64 %waited)
  %any = icmp sge i64 %piece, 0
  br i1 %any, label %work, label %wait
work:
  call void %function(ptr %frame, i64 %piece)
  %more = add i64 %mine, 1
  br label %look
wait:
  %theirs = load atomic i64, ptr %done acquire, align 8
  %all = add i64 %theirs, %mine
  %longer = add i64 %waited, 1
  %over = icmp eq i64 %all, %count
  br i1 %over, label %finish, label %look
finish:
  ret void
}}
""")  # fmt: skip
"""What the caller does: write the work down, deal the pieces, take some, and wait for those that threads have taken."""

ASSIST = f"""
{TAKE.text}
define i32 @assist(ptr %team, i64 %self, ptr %state) {{
entry:
  %done = getelementptr i64, ptr %team, i64 {DONE}
  %function_p = getelementptr i64, ptr %team, i64 {WORK}
  %frame_p = getelementptr i64, ptr %team, i64 {WORK + 1}
  %running_p = getelementptr i64, ptr %team, i64 {RUNNING}
  br label %look
look:
  %turn = phi i64 [ 0, %entry ], [ 0, %work ], [ %next, %rest ]
  %waited = phi i64 [ 0, %entry ], [ 0, %work ], [ %longer, %rest ]
  %piece = call i64 @team.take(ptr %team, i64 %self, i64 %waited)
  %any = icmp sge i64 %piece, 0
  br i1 %any, label %work, label %rest
work:
  %function = load ptr, ptr %function_p
  %frame = load ptr, ptr %frame_p
  call void %function(ptr %frame, i64 %piece)
  %before = atomicrmw add ptr %done, i64 1 acq_rel
  br label %look
rest:
  %running = load atomic i64, ptr %running_p monotonic, align 8
  %idle = icmp eq i64 %running, 0
  %longer = add i64 %waited, 1
  %counted = add i64 %turn, 1
  %next = select i1 %idle, i64 %counted, i64 0
  %tired = icmp sgt i64 %next, {TURNS}
  br i1 %tired, label %over, label %look
over:
  %sleep = cmpxchg ptr %state, i64 {AWAKE}, i64 {ASLEEP} acq_rel acquire
  ret i32 0
}}
"""
"""What a thread does: take pieces; fall asleep when the caller has been in Python for so many turns."""


class Team:
    """The threads of a world beside the one that steps it.

    Attributes:
        nthread: threads, that of the caller included.
        address: of the memory by which work is handed over.
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
        self._calls: list[SimpleQueue[bool]] = []
        self._process = 0
        self._places = [states + LINE * k for k in range(nthread - 1)]

    def begin(self) -> bool:
        """Wake the threads up before machine code that shares work; False if another caller has them."""
        if self._process != os.getpid():
            self._start()
        if not self._lock.acquire(blocking=False):
            return False
        for k, place in enumerate(self._places):
            if self._words[place] == ASLEEP:
                self._words[place] = AWAKE
                self._calls[k].put(True)
        self._words[RUNNING] = 1
        return True

    @property
    def helped(self) -> int:
        """Pieces of the last work that threads did for the caller."""
        return int(self._words[DONE])

    def end(self) -> None:
        """The machine code is over: threads may fall asleep."""
        self._words[RUNNING] = 0
        self._lock.release()

    def _start(self) -> None:
        """Start the threads, once in a process: a fork has only the thread that made it.

        Work that threads of the parent were at is theirs: it is not gone on with here.
        """
        with MAKING.held:
            # another thread may have come first
            if self._process == os.getpid():
                return
            self._lock = threading.Lock()
            self._memory[...] = 0
            self._words[WORK + 2] = self.nthread
            self._calls = [SimpleQueue() for _ in self._places]
            weakref.finalize(self, _dismiss, self._calls)
            for k, (calls, place) in enumerate(zip(self._calls, self._places, strict=True)):
                self._words[place] = ASLEEP
                arguments = (self._memory, self.address, k + 1, self.address + 8 * place, calls)
                threading.Thread(target=_serve, args=arguments, name="conjoint world", daemon=True).start()
            self._process = os.getpid()


def _serve(memory: np.ndarray, team: int, number: int, state: int, calls: SimpleQueue[bool]) -> None:
    """Assist a team whenever it wakes this thread up, until it is told False; `memory` is kept meanwhile."""
    call, assist = machine_call(), load_text(ASSIST, "assist")["assist"]
    while calls.get():
        call(assist, team, number, state)


def _dismiss(queues: list[SimpleQueue[bool]]) -> None:
    for calls in queues:
        calls.put(False)
