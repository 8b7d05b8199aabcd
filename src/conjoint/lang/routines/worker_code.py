"""Kernels for threads that run machine code for a caller, and spin for a while before they sleep."""

from __future__ import annotations

import enum

from ..language.kernel import kernel
from .addresses import call_stage, exchange, longs, read_acquire, replace, write_release


class State(enum.IntEnum):
    """State of a worker thread, the first word of its slot."""

    AWAKE = 0
    ASKED = 1
    BUSY = 2
    DONE = 3
    ASLEEP = 4
    ENDED = 5
    AWAITED = 6
    DONE_ASLEEP = 7


FUNCTION, ANSWER = 1, 5
"""Indices of words in a slot after its state: a function, followed by its three arguments, and its result."""


class Phase(enum.IntEnum):
    """Phase of the work of one thread in a call."""

    TO_DO = 0
    ASKED = 1
    ASLEEP = 2
    LATE = 3
    ENGAGED = 4
    STOPPED = 5


SLOT, PHASE, ROW_WORDS = 0, 6, 8
"""Indices and number of words in a row of the work table, which describes the work of one thread.

They are the slot of the thread (0 for the caller); a function, its arguments and its result, as in a slot; and the
phase of the work. A row is as long as a cache line.
"""

STOPPED, ANSWERED, HELD_UP = range(3)
"""Return values of `work_together`."""


@kernel
def serve(address, turns):
    """Run the functions that callers write into the slot at `address`.

    Return 0 if the state is ENDED, after `turns` iterations without work, or after a spurious wake-up. Return 1 if the
    work is done and a caller is sleeping until then.
    """
    slot = longs(address)
    turn = 0
    if read_acquire(slot, 0) == State.ASLEEP:
        return 0
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
def await_work(address):
    """Request that `serve` return 1 when the work is done. Return 1, or 0 if the work is already done."""
    slot = longs(address)
    if replace(slot, 0, State.BUSY, State.AWAITED) or read_acquire(slot, 0) == State.AWAITED:
        return 1
    return 0


@kernel
def work_together(address, count, turns):
    """Continue the work of all rows of a table, each in its own thread, until all threads have stopped.

    Args:
        address, count: address of the table, and number of its rows.
        turns: iterations to wait for a thread.

    Returns:
        HELD_UP if threads must be woken up or waited for by other means; STOPPED if all functions have returned 0;
        ANSWERED if one has returned another value. The kernel can be called again at any time, and continues.
    """
    held_up = 0
    for k in range(count):
        row = longs(address + 8 * ROW_WORDS * k)
        if row[SLOT] != 0 and (row[PHASE] == Phase.TO_DO or row[PHASE] == Phase.ENGAGED):
            ask(row)
        if row[PHASE] == Phase.ASLEEP or row[PHASE] == Phase.ENGAGED:
            held_up = 1
    if held_up != 0:
        return HELD_UP
    for k in range(count):
        row = longs(address + 8 * ROW_WORDS * k)
        if row[PHASE] == Phase.TO_DO:
            do_here(row)
    answered = STOPPED
    for k in range(count):
        row = longs(address + 8 * ROW_WORDS * k)
        if row[PHASE] != Phase.STOPPED and not is_done(row, turns):
            return HELD_UP
        if row[ANSWER] != 0:
            answered = ANSWERED
    return answered


@kernel
def ask(row):
    """Ask the worker thread described by a row of the work table to do the row's work.

    A second interrupt, while the first is being recorded, ends a call whose threads still work. Their results no longer
    matter, but nothing else may be written into their slots until they are done.
    """
    slot = longs(row[SLOT])
    # the thread has not begun, and has perhaps not been woken up
    replace(slot, 0, State.ASKED, State.ASLEEP)
    state = read_acquire(slot, 0)
    if state == State.BUSY or state == State.AWAITED:
        row[PHASE] = Phase.ENGAGED
    else:
        for k in range(FUNCTION, ANSWER):
            slot[k] = row[k]
        state = exchange(slot, 0, State.ASKED)
        row[PHASE] = Phase.ASLEEP if state == State.ASLEEP or state == State.DONE_ASLEEP else Phase.ASKED


@kernel
def do_here(row):
    """Do the work described by a row of the work table in the caller's thread."""
    row[ANSWER] = call_stage(row[FUNCTION], row[FUNCTION + 1], row[FUNCTION + 2], row[FUNCTION + 3])
    row[PHASE] = Phase.STOPPED


@kernel
def is_done(row, turns):
    """Spin for at most `turns` iterations until the worker thread of a row of the work table finishes.

    Return True if the work is done, False otherwise. If the worker thread has not begun, the caller's thread does the
    work.
    """
    slot = longs(row[SLOT])
    if replace(slot, 0, State.ASKED, State.AWAKE):
        do_here(row)
        return True
    for _ in range(turns):
        state = read_acquire(slot, 0)
        if state == State.DONE or state == State.DONE_ASLEEP:
            row[ANSWER] = slot[ANSWER]
            row[PHASE] = Phase.STOPPED
            write_release(slot, 0, State.AWAKE if state == State.DONE else State.ASLEEP)
            return True
    row[PHASE] = Phase.LATE
    return False
