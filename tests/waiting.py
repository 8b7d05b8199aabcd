"""Waiting in tests: for the event, with a limit that only a program that hangs reaches, also on a slow machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

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
