"""Kernels of threads that do machine code for another, and wait awake for a while."""

from __future__ import annotations

import enum

from ..language.kernel import kernel
from .addresses import call_stage, exchange, longs, read_acquire, replace, write_release


class State(enum.IntEnum):
    """State of a worker's slot."""

    AWAKE = 0
    ASKED = 1
    BUSY = 2
    DONE = 3
    ASLEEP = 4
    ENDED = 5
    AWAITED = 6
    DONE_ASLEEP = 7


FUNCTION, ANSWER = 1, 5
"""Words of a slot after its state: a function, its three arguments, its answer."""


class Phase(enum.IntEnum):
    """Phase of a share of work."""

    TO_DO = 0
    ASKED = 1
    ASLEEP = 2
    LATE = 3
    ENGAGED = 4
    STOPPED = 5


SLOT, PHASE, ROW_WORDS = 0, 6, 8
"""Words of a row, which stands for a share: the slot of its thread (0: the caller's); a function, its arguments and its
answer as in a slot; its phase. A row is as long as a cache line."""

STOPPED, ANSWERED, HELD_UP = range(3)
"""Return values of `work_together`."""


@kernel
def serve(address, turns):
    """Run the work that callers request.

    It returns 0 if the state is ENDED, after that many turns without work, and after a spurious wake-up. It returns 1
    if the work is done and a caller sleeps until then.
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
    """Return 1 if the work is not done yet; `serve` then returns 1 when it is."""
    slot = longs(address)
    if replace(slot, 0, State.BUSY, State.AWAITED) or read_acquire(slot, 0) == State.AWAITED:
        return 1
    return 0


@kernel
def work_together(address, count, turns):
    """Let each share go on in its thread until all have stopped.

    Returns:
        HELD_UP if threads have to be woken up or waited for by other means; STOPPED if all shares have answered 0;
        ANSWERED if one has answered something else. It can be called again at any time, and goes on.
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
    """Ask the thread of a share to do it.

    A second interrupt while the first one is noted ends a call whose threads still work. What they did in it does not
    matter, but nothing else may be written into their slots until they are done.
    """
    slot = longs(row[SLOT])
    # not begun, and perhaps not woken up
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
    """Do a share in the thread of the caller."""
    row[ANSWER] = call_stage(row[FUNCTION], row[FUNCTION + 1], row[FUNCTION + 2], row[FUNCTION + 3])
    row[PHASE] = Phase.STOPPED


@kernel
def is_done(row, turns):
    """Wait that many turns for the thread of a share, and do its work if it has not begun. Return True if the share is
    done.
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
