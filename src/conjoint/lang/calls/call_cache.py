"""Inline cache of calls: machine code that repeats a function's last call on a world.

Successive calls to a function with the same model and world run the same stages on the same memory. Python determines
these stages and ensures that nothing else must be done; a `CallCache` stores the result. As long as the cache is valid,
the next call runs no Python function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conjoint.once import FREE, Turn

from ..routines.call_cache_code import ROW_WORDS, ROWS, SLOTS, VERSION, Repeat
from ..routines.call_cache_code import repeated as repeated_code
from .argument_guard import with_table
from .driver import Run

_current = np.ones(1, np.int64)
"""Current version number; a cache is valid if it has this version. It starts at 1, so that version 0 is never valid."""


def invalidate_all() -> None:
    """Invalidate all caches, after a change that affects the Python part of every call."""
    _current[0] += 1


class CallCache:
    """Cache of the last call to each function on one world.

    Args:
        count: number of functions whose calls are cached.
        turn: lock of the world, which a thread acquires to work on it.

    Attributes:
        address: address of the memory that machine code reads.
    """

    __slots__ = ("_kept", "_turn", "_words", "address")

    def __init__(self, count: int, turn: Turn):
        memory = np.zeros(ROWS + ROW_WORDS * count, np.int64)
        self.address = int(memory.ctypes.data)
        self._turn, self._words = turn, memory.data
        self._words[SLOTS] = id(turn.slots)
        self._kept: dict[int, tuple[object, Run]] = {}

    def add(self, row: int, model: object, run: Run) -> None:
        """Cache `run` for calls to function number `row` with the object `model`, and mark the cache as valid."""
        first = ROWS + ROW_WORDS * row
        self._kept[row] = model, run
        self._words[first], self._words[first + 1] = id(model), run.address
        self._words[VERSION] = int(_current[0])

    def holds(self, row: int, run: Run) -> bool:
        """Return True if the cache is valid and contains `run` for function number `row`."""
        words = self._words
        return words[VERSION] == _current[0] and words[ROWS + ROW_WORDS * row + 1] == run.address

    def remove(self, row: int) -> None:
        """Remove the cached call to function number `row`, so that its next call goes through Python."""
        first = ROWS + ROW_WORDS * row
        self._words[first] = self._words[first + 1] = 0
        self._kept.pop(row, None)

    def invalidate(self) -> None:
        """Invalidate the cache, so that the next call to each function goes through Python."""
        self._words[VERSION] = 0


def repeated(
    function: Callable[..., Any], row: int, go_on: Callable[..., Any], types: tuple[type, type],
    names: tuple[str, str, str], most: int, doc: str, place: str,
) -> Any:  # fmt: skip
    """Return a built-in function that repeats a world's cached call. On a cache miss, it calls `function`.

    Args:
        function: Python function that fills the cache.
        row: index of the function's row in every `CallCache`.
        go_on: function called with the model, the world, the number of steps and the status of the stage that stopped
            the run.
        types: types of the model and the world.
        names: three names: the attribute that identifies the model, the attribute with the address of the world's
            cache, and the argument with the number of steps.
        most: largest number of steps that machine code may run in one call; 0 if there is no such argument.
        doc: docstring, preceded by a text signature (see `builtin`).
        place: name of the module in which users find the function.
    """
    words = {Repeat.FALLBACK: id(function), Repeat.GO_ON: id(go_on), Repeat.ROW: row, Repeat.FREE: id(FREE)}
    words |= {Repeat.MODEL_TYPE: id(types[0]), Repeat.DATA_TYPE: id(types[1]), Repeat.TRUE: id(True)}
    words |= {Repeat.IDENTITY: id(names[0]), Repeat.CACHE: id(names[1]), Repeat.NONE: id(None)}
    words |= {Repeat.STEPS: id(names[2]), Repeat.INT: id(int), Repeat.MOST: most}
    words[Repeat.VERSION] = int(_current.ctypes.data)
    return with_table(
        repeated_code, function.__name__, function, [words[k] for k in Repeat], place, doc, (go_on, types, names)
    )
