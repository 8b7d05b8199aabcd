"""Ctrl+C while a window is open."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol


class Closable(Protocol):
    """What stops when it is told that it is closed."""

    closed: bool


@contextmanager
def closes(window: Closable) -> Iterator[None]:
    """Let Ctrl+C close the window, and raise it behind: Python drops what is raised in a destructor, and a picture
    runs many of them. The second Ctrl+C is raised at once.

    Raises:
        KeyboardInterrupt: it was pressed.
    """
    # programs with a handler of their own keep it, and only the main thread may have one
    ordinary = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not ordinary or threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            signal.default_int_handler(number, frame)
        pressed = window.closed = True

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if pressed:
        raise KeyboardInterrupt
