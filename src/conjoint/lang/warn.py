"""Python warnings that point at a line of the user's program, however deep in the package they arise."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

BETWEEN = frozenset({__name__.partition(".")[0], "numpy", "functools", "contextlib", "concurrent", "threading"})
"""Packages to skip when looking for the user's line: Conjoint, and packages through which its functions are called."""
WRITTEN = "<arguments>"
"""File name of generated functions that check arguments; their source text is not in a file."""

_held = threading.local()


def warn(warning: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Issue a warning at the first line outside the package. Inside `held_warnings`, store it instead.

    Args:
        warning: text of the warning, or the warning itself.
        category: warning class, if only the text is passed.
    """
    if isinstance(warning, str):
        warning = category(warning)
    reported: list[Warning] | None = getattr(_held, "reported", None)
    if reported is not None:
        reported.append(warning)
        return
    level, frame = 2, sys._getframe(1)
    while _is_own(frame) and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)


@contextmanager
def held_warnings() -> Iterator[list[Warning]]:
    """Within this context, collect this thread's warnings in a list. A waiting thread issues them later with `warn`."""
    reported, before = list[Warning](), getattr(_held, "reported", None)
    _held.reported = reported
    try:
        yield reported
    finally:
        _held.reported = before


def _is_own(frame: FrameType) -> bool:
    """Return True if a frame runs code of this package, or of a package that calls its functions back."""
    package = frame.f_globals.get("__name__", "").partition(".")[0]
    return frame.f_code.co_filename == WRITTEN or package in BETWEEN
