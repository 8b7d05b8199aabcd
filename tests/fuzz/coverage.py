"""Measurement of the line coverage of the reader and the compiler."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import conjoint

SOURCE = str(Path(conjoint.__file__).parent)
WATCHED = tuple(f"{SOURCE}/{layer}/" for layer in ("mjcf", "compiler", "spec"))


class Coverage:
    """Line-coverage collector; fully covered functions are no longer traced."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, int]] = set()
        self.left: dict[CodeType, set[int]] = {}

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Record the lines that run inside this context manager."""
        sys.settrace(self._call)
        try:
            yield
        finally:
            sys.settrace(None)

    def _call(self, frame: FrameType, event: str, arg: Any) -> Callable[..., Any] | None:
        """Return the line tracer if some lines of the function have not run, otherwise None."""
        code = frame.f_code
        if not code.co_filename.startswith(WATCHED):
            return None
        left = self.left.get(code)
        if left is None:
            left = self.left[code] = {line for _, _, line in code.co_lines() if line and line != code.co_firstlineno}
        return self._line if left else None

    def _line(self, frame: FrameType, event: str, arg: Any) -> Callable[..., Any]:
        if event == "line":
            left = self.left[frame.f_code]
            if frame.f_lineno in left:
                left.discard(frame.f_lineno)
                self.seen.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line

    def share(self) -> tuple[int, int]:
        """Return the number of lines seen, and the number of all lines of functions in the watched files."""
        total = 0
        for folder in WATCHED:
            for path in Path(folder).rglob("*.py"):
                total += len(_lines(compile(path.read_text(), str(path), "exec"), inside=False))
        return len(self.seen), total


def _lines(code: CodeType, inside: bool) -> set[int]:
    """Return the line numbers of the functions inside `code`, and those of `code` itself if `inside`."""
    own = {line for _, _, line in code.co_lines() if line and line != code.co_firstlineno} if inside else set()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            own |= _lines(constant, inside or bool(constant.co_flags & 2))
    return own
