"""Kernels of a thread that does machine code for another one, and waits awake for a while."""

from __future__ import annotations

import enum

from ..language.functions import where
from ..language.kernel import kernel
from .addresses import call_stage, exchange, longs, read_acquire, replace, write_release


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
