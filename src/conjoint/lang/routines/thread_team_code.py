"""Kernels for threads that divide the work of one world: they process pieces of a loop until none are left."""

from __future__ import annotations

from ..language.kernel import kernel
from .addresses import (
    add_ordered,
    by_threads,
    call_piece,
    longs,
    read_acquire,
    read_relaxed,
    replace,
    write_relaxed,
    write_release,
)

LINE = 8
"""Number of words in a cache line. Each thread writes to a line of its own."""

DONE, WORK, RUNNING, RANGES = 0, LINE, 2 * LINE, 3 * LINE
"""Indices of words in a team's memory.

DONE counts the pieces that other threads have finished. WORK is the first of four words: the function, the frame, and
the numbers of threads and pieces. RUNNING is 1 while the caller is in machine code. RANGES is the start of one line per
thread, the caller's first. A line contains a range of pieces: the sequence number of the work times 2**32, plus the
first piece times 2**16, plus the end of the pieces. After the ranges, each thread except the caller has a line for its
state.
"""

AWAKE, ASLEEP = 0, 1
"""States of a thread."""

PATIENCE = 1000
"""Iterations to wait before taking pieces from a thread that has begun its range: a few microseconds."""

TURNS = 200_000
"""Iterations of busy waiting while the caller is in Python: at least 50 microseconds."""


@kernel
def one_by_one(m, d, count, work):
    """Call `work(m, d, k)` for every k from 0 to `count` - 1, in order."""
    for k in range(count):
        work(m, d, k)


@kernel
def side_by_side(m, d, team, count, work):
    """Call `work(m, d, k)` for every k from 0 to `count` - 1, on the threads of a team.

    The caller's thread does all the work if `team` is 0 or there is only one call.
    """
    if team == 0 or count < 2:
        one_by_one(m, d, count, work)
    else:
        by_threads(m, d, team, count, work)


@kernel
def take(address, own, waited):
    """Remove and return the first piece of the thread's own range, or else the last piece of another thread's range.

    Return -1 if no piece is left. A thread processes the same pieces in every step, so that their memory stays in its
    cache. A thread without work takes pieces of another thread immediately only if that thread has not begun.
    Otherwise it first waits for `PATIENCE` iterations.
    """
    team = longs(address)
    count = team[WORK + 2]
    pieces = read_relaxed(team, WORK + 3)
    k = 0
    while k < count:
        owner = own + k - (count if own + k >= count else 0)
        left = read_acquire(team, RANGES + LINE * owner)
        first = (left >> 16) & 65535
        end = left & 65535
        if first < end and (k == 0 or waited >= PATIENCE or first == owner * pieces // count):
            if replace(team, RANGES + LINE * owner, left, left + (65536 if k == 0 else -1)):
                return first if k == 0 else end - 1
        else:
            k += 1
    return -1


@kernel
def together(address, function, frame, count):
    """Run the caller's part: publish and divide the work, process some pieces, and wait for the other threads."""
    team = longs(address)
    team[WORK] = function
    team[WORK + 1] = frame
    write_relaxed(team, WORK + 3, count)
    write_relaxed(team, DONE, 0)
    threads = team[WORK + 2]
    mark = ((read_relaxed(team, RANGES) >> 32) + 1) << 32
    end = count
    for k in range(threads - 1, -1, -1):
        first = k * count // threads
        write_release(team, RANGES + LINE * k, mark | (first << 16) | end)
        end = first
    mine = 0
    waited = 0
    while True:
        piece = take(address, 0, waited)
        if piece >= 0:
            call_piece(function, frame, piece)
            mine += 1
            waited = 0
        elif read_acquire(team, DONE) + mine == count:
            return
        else:
            waited += 1


@kernel
def assist(address, own, state):
    """Run a thread's part: process pieces, and sleep after the caller has been in Python for `TURNS` iterations."""
    team = longs(address)
    turn = 0
    waited = 0
    while turn <= TURNS:
        piece = take(address, own, waited)
        if piece >= 0:
            call_piece(team[WORK], team[WORK + 1], piece)
            add_ordered(team, DONE, 1)
            turn = 0
            waited = 0
        else:
            turn = turn + 1 if read_relaxed(team, RUNNING) == 0 else 0
            waited += 1
    replace(longs(state), 0, AWAKE, ASLEEP)
    return 0
