"""Wait for events in tests, with a timeout that only a hanging program reaches."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

PATIENCE = 900.0
"""Seconds after which a test gives up."""


def wait_for(happened: Callable[[], Any], meanwhile: Callable[[], object] = lambda: None) -> Any:
    """Wait until a condition is true and return its value; AssertionError after `PATIENCE`.

    Args:
        happened: the condition.
        meanwhile: called before each look but the first.
    """
    end = time.monotonic() + PATIENCE
    while not (found := happened()):
        assert time.monotonic() < end, "nothing happened"
        meanwhile()
        time.sleep(0.005)
    return found


@contextlib.contextmanager
def interrupted() -> Iterator[None]:
    """Interrupt the work inside after a while, and expect that it ends by it.

    The work is long. Its inputs are made before it, so that the interrupt comes while it runs, also on a slow
    machine. It comes again: Python drops what is raised in a destructor. Another thread than the main one notices the
    signal, as may be in programs with threads.
    """
    over = threading.Event()

    def press() -> None:
        seconds = 0.3
        while not over.wait(seconds):
            signal.raise_signal(signal.SIGINT)
            seconds = 2.0

    user = threading.Thread(target=press)
    # a process that a shell began in the background takes no notice of interrupts
    before, hook = signal.signal(signal.SIGINT, signal.default_int_handler), sys.unraisablehook
    sys.unraisablehook = lambda what: None if what.exc_type is KeyboardInterrupt else hook(what)
    user.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        over.set()
        user.join()
        sys.unraisablehook = hook
        signal.signal(signal.SIGINT, before)
