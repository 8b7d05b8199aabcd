"""Many worlds through one block: worlds come from arrays into the lanes of a block, step, and go back.

What lasts lies in NumPy arrays, one row for each world; the block is the workspace of a thread and stays in its cache.
Which world takes which lane is a list of indices, so that worlds can be put side by side as it pays.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .call import machine_call
from .driver import DRIVER, Run
from .native import load_text

COPY = """
copy_{bits}:
  %k_{bits} = phi i64 [ 0, %entry ], [ %k1_{bits}, %body_{bits} ]
  %more_{bits} = icmp slt i64 %k_{bits}, %count
  br i1 %more_{bits}, label %body_{bits}, label %done
body_{bits}:
  %i_{bits} = mul i64 %k_{bits}, %from_step
  %o_{bits} = mul i64 %k_{bits}, %to_step
  %p_{bits} = getelementptr i8, ptr %from, i64 %i_{bits}
  %q_{bits} = getelementptr i8, ptr %to, i64 %o_{bits}
  %x_{bits} = load i{bits}, ptr %p_{bits}, align 1
  store i{bits} %x_{bits}, ptr %q_{bits}, align 1
  %k1_{bits} = add i64 %k_{bits}, 1
  br label %copy_{bits}
"""

TRANSFER = f"""
define internal void @copy(ptr %from, i64 %from_step, ptr %to, i64 %to_step, i64 %count, i64 %size) {{
entry:
  switch i64 %size, label %copy_8 [ i64 4, label %copy_32 i64 8, label %copy_64 ]
{COPY.format(bits=8)}{COPY.format(bits=32)}{COPY.format(bits=64)}
done:
  ret void
}}

define internal void @move(ptr %task, i64 %block, i64 %out) {{
entry:
  %rows_p = getelementptr i64, ptr %task, i64 1
  %rows = load ptr, ptr %rows_p
  %nrow_p = getelementptr i64, ptr %task, i64 2
  %nrow = load i64, ptr %nrow_p
  %worlds_p = getelementptr i64, ptr %task, i64 3
  %worlds = load ptr, ptr %worlds_p
  %lanes_p = getelementptr i64, ptr %task, i64 4
  %lanes = load i64, ptr %lanes_p
  %first = mul i64 %block, %lanes
  br label %rows_loop
rows_loop:
  %r = phi i64 [ 0, %entry ], [ %r1, %rows_next ]
  %any_row = icmp slt i64 %r, %nrow
  br i1 %any_row, label %row, label %done
row:
  %words = mul i64 %r, 7
  %row_p = getelementptr i64, ptr %rows, i64 %words
  %stride_p = getelementptr i64, ptr %row_p, i64 1
  %count_p = getelementptr i64, ptr %row_p, i64 2
  %size_p = getelementptr i64, ptr %row_p, i64 3
  %lane_p = getelementptr i64, ptr %row_p, i64 4
  %before_p = getelementptr i64, ptr %row_p, i64 5
  %way_p = getelementptr i64, ptr %row_p, i64 6
  %array = load ptr, ptr %row_p
  %stride = load i64, ptr %stride_p
  %count = load i64, ptr %count_p
  %size = load i64, ptr %size_p
  %memory = load ptr, ptr %lane_p
  %before = load ptr, ptr %before_p
  %way = load i64, ptr %way_p
  %step = mul i64 %lanes, %size
  %shifted = lshr i64 %way, %out
  %bit = and i64 %shifted, 1
  %wanted = icmp ne i64 %bit, 0
  br i1 %wanted, label %lanes_loop, label %rows_next
lanes_loop:
  %l = phi i64 [ 0, %row ], [ %l1, %lanes_next ]
  %any_lane = icmp slt i64 %l, %lanes
  br i1 %any_lane, label %lane, label %rows_next
lane:
  %place = add i64 %first, %l
  %world_p = getelementptr i64, ptr %worlds, i64 %place
  %world = load i64, ptr %world_p
  %offset = mul i64 %world, %stride
  %outside = getelementptr i8, ptr %array, i64 %offset
  %lane_offset = mul i64 %l, %size
  %inside = getelementptr i8, ptr %memory, i64 %lane_offset
  %leaving = icmp ne i64 %out, 0
  br i1 %leaving, label %leave, label %enter
leave:
  call void @copy(ptr %inside, i64 %step, ptr %outside, i64 %size, i64 %count, i64 %size)
  br label %lanes_next
enter:
  call void @copy(ptr %outside, i64 %size, ptr %inside, i64 %step, i64 %count, i64 %size)
  %keeps = icmp ne ptr %before, null
  br i1 %keeps, label %keep, label %lanes_next
keep:
  %kept = getelementptr i8, ptr %before, i64 %offset
  call void @copy(ptr %outside, i64 %size, ptr %kept, i64 %size, i64 %count, i64 %size)
  br label %lanes_next
lanes_next:
  %l1 = add i64 %l, 1
  br label %lanes_loop
rows_next:
  %r1 = add i64 %r, 1
  br label %rows_loop
done:
  ret void
}}

define i32 @drive_worlds(ptr %task, i64 %last, ptr %at) {{
entry:
  %run = load ptr, ptr %task
  %due_p = getelementptr i64, ptr %task, i64 5
  %due = load ptr, ptr %due_p
  %begun_p = getelementptr i64, ptr %at, i64 1
  %begun = load i64, ptr %begun_p
  %goes_on = icmp ne i64 %begun, 0
  %stopped = load i64, ptr %at
  br i1 %goes_on, label %advance, label %loop
loop:
  %next = atomicrmw add ptr %due, i64 1 monotonic
  %more = icmp slt i64 %next, %last
  br i1 %more, label %begin, label %done
begin:
  call void @move(ptr %task, i64 %next, i64 0)
  br label %advance
advance:
  %i = phi i64 [ %stopped, %entry ], [ %next, %begin ]
  %status = call i32 @drive(ptr %run)
  %bad = icmp ne i32 %status, 0
  br i1 %bad, label %stop, label %finish
finish:
  call void @move(ptr %task, i64 %i, i64 1)
  br label %loop
stop:
  store i64 %i, ptr %at
  store i64 1, ptr %begun_p
  ret i32 %status
done:
  store i64 0, ptr %begun_p
  ret i32 0
}}
"""
"""`drive_worlds` takes one block after the other that is due, up to `last`, unless a stage answers other than 0: then
it stops in block `at[0]`, and `at[1]` is not 0; the next call goes on there. The number of the block that is due is
shared with other threads. A row of a task has seven words: array, bytes from world to world, numbers of a world, bytes
of a number, memory of the lanes, a second array that gets what comes in (0: none), and ways: 1 comes in, 2 goes out."""

DRIVE_WORLDS = DRIVER + TRANSFER
"""LLVM IR of both."""

INTO, OUT_OF = 1, 2
"""Ways of a field."""


@dataclass(frozen=True)
class FieldTransfer:
    """A field that moves between an array and the lanes.

    Attributes:
        array: one row for each world, contiguous; it may hold only the first numbers of the field.
        lanes: memory of the field in the block, [number][lane].
        ways: sum of `INTO` and `OUT_OF`.
        before: gets a copy of what comes in; None for none.
    """

    array: np.ndarray
    lanes: np.ndarray
    ways: int
    before: np.ndarray | None = None

    def words(self) -> list[int]:
        """The row that the driver reads."""
        size = self.array.itemsize
        count = self.array.nbytes // max(1, len(self.array)) // size
        before = 0 if self.before is None else self.before.ctypes.data
        return [self.array.ctypes.data, count * size, count, size, self.lanes.ctypes.data, before, self.ways]


@functools.cache
def _engine() -> Any:
    return load_text(DRIVE_WORLDS)


class WorldTransfer:
    """Worlds through a block, block by block.

    Args:
        run: the stages, on the memory of the block.
        fields: the fields that move.
        worlds: (nblock, lanes) indices of the worlds of every block; a world may stand in a block several times.
        due: the number of the block that is next; threads that share it share the blocks.
    """

    def __init__(self, run: Run, fields: Sequence[FieldTransfer], worlds: np.ndarray, due: np.ndarray):
        self.run, self.fields, self.worlds, self.due = run, fields, worlds, due
        self._rows = np.array([p.words() for p in fields], np.int64)
        places = [run.address, self._rows.ctypes.data, len(self._rows), worlds.ctypes.data, worlds.shape[1]]
        self._task = np.array([*places, due.ctypes.data], np.int64)
        self._at = np.zeros(2, np.int64)
        driver = int(_engine().get_function_address("drive_worlds"))
        self.arguments = driver, int(self._task.ctypes.data), len(worlds), int(self._at.ctypes.data)

    @property
    def block(self) -> int:
        """Block at which the last call stopped."""
        return int(self._at[0])

    def begin(self, nstep: int) -> None:
        """The next call runs the stages `nstep` times with every block that is due."""
        self._at[...] = 0
        self.run.nstep = self.run.memory[4] = nstep

    def go_on(self) -> int:
        """Begin, or go on where the last call stopped; 0, or the answer of the stage that stopped it."""
        return machine_call()(*self.arguments)


class PlainTransfer:
    """What `WorldTransfer` does, for kernels that run as ordinary Python; `run` has `go` and the driver's answers."""

    # no machine code
    arguments = 0, 0, 0, 0

    def __init__(self, run: Any, fields: Sequence[FieldTransfer], worlds: np.ndarray, due: np.ndarray):
        self.run, self.fields, self.worlds, self.due = run, fields, worlds, due
        self.block, self._nstep, self._begun = 0, 0, False

    def begin(self, nstep: int) -> None:
        """The next call runs the stages `nstep` times with every block that is due."""
        self._nstep, self._begun = nstep, False

    def go_on(self) -> int:
        """Begin, or go on where the last call stopped; 0, or the answer of the stage that stopped it."""
        while self._begun or self.due[0] < len(self.worlds):
            if not self._begun:
                self.block = int(self.due[0])
                self.due[0] += 1
                self._move(INTO)
            answer = self.run.go(self._nstep)
            self._begun = answer != 0
            if answer:
                return answer
            self._move(OUT_OF)
        return 0

    def _move(self, way: int) -> None:
        """Move the worlds of the block that is due."""
        worlds = self.worlds[self.block]
        for field in self.fields:
            if field.ways & way:
                rows = field.array.reshape(len(field.array), -1)
                inside = field.lanes.reshape(-1, len(worlds))[: rows.shape[1]]
                if way == INTO:
                    inside[...] = rows[worlds].T
                    if field.before is not None:
                        field.before.reshape(rows.shape)[worlds] = rows[worlds]
                else:
                    rows[worlds] = inside.T
