"""Functions that wait for events in tests, with a timeout that only a hanging program reaches."""

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
"""Time (s) after which a test gives up."""


def wait_for(happened: Callable[[], Any], meanwhile: Callable[[], object] = lambda: None) -> Any:
    """Wait until a condition is true, and return its value.

    Args:
        happened: function that returns the value of the condition.
        meanwhile: function that is called before each evaluation of the condition except the first.

    Raises:
        AssertionError: the condition is still false after `PATIENCE`.
    """
    end = time.monotonic() + PATIENCE
    while not (found := happened()):
        assert time.monotonic() < end, "nothing happened"
        meanwhile()
        time.sleep(0.005)
    return found


@contextlib.contextmanager
def interrupted() -> Iterator[None]:
    """Interrupt the enclosed call after a while, and check that it ends with a KeyboardInterrupt.

    The call must be long, and its inputs must be built before, so that the interrupt arrives while it runs, even on a slow
    machine. The interrupt is repeated because Python drops exceptions that are raised in destructors. A thread other than the
    main thread raises the signal, as can happen in programs with threads.
    """
    over = threading.Event()

    def press() -> None:
        seconds = 0.3
        while not over.wait(seconds):
            signal.raise_signal(signal.SIGINT)
            seconds = 2.0

    user = threading.Thread(target=press)
    # a process that a shell starts in the background ignores interrupts
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
