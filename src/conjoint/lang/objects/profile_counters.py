"""Counters of profiled code, which measure its time by stage and by labeled kernel.

Profiled code reads the processor's clock whenever a stage or a labeled kernel begins or ends. It adds the time since
the last reading to the current counter. So each counter contains the time of its own code alone, and their sum is the
total time. Counters belong to the process: only one thread at a time may run profiled code.
"""

from __future__ import annotations

import numpy as np

from conjoint.once import made_once

from ..errors import FatalError
from ..language.kernel import Kernel

STATE = "profile.state"
"""Symbol of the memory words that contain the state of the clock."""

LAST, CURRENT, ROW = range(3)
"""Indices of the words at `STATE`: last clock reading, and addresses of the current counter and current stage's row."""

TICKS, CALLS, READINGS = range(3)
"""Indices of the words in a counter: clock ticks, calls, and number of time intervals added to the ticks."""

WORDS = 4
"""Number of words that a counter occupies."""

MOST_STAGES, MOST_LABELS = 512, 64
"""Number of rows of counters, and of counters in a row.

They suffice for all stages and labels of the package, and for those that user programs add.
"""

OUTSIDE = ""
"""Name of the row for code outside of all stages, and of the counter for code without a label."""


def stage_symbol(stage: str) -> str:
    """Return the symbol of a stage's row of counters."""
    return f"profile.stage.{stage}"


def label_symbol(label: str) -> str:
    """Return the symbol of a label, whose address is the byte offset of the label's counter in a row."""
    return f"profile.label.{label}"


class Counters:
    """All counters, in memory that never moves, because code contains its address.

    Attributes:
        table: words of each counter, by row and by index in the row.
        state: state of the clock.
        rows: index of each stage's row.
        places: index of each label's counter in a row.
    """

    def __init__(self) -> None:
        self.table = np.zeros((MOST_STAGES, MOST_LABELS, WORDS), np.int64)
        self.rows, self.places = {OUTSIDE: 0}, {OUTSIDE: 0}
        self.state = np.zeros(3, np.int64)
        self.state[[CURRENT, ROW]] = self.table.ctypes.data

    def address_of(self, stage: str) -> int:
        """Return the address of a stage's row of counters."""
        return int(self.table.ctypes.data) + _number(self.rows, stage, MOST_STAGES) * self.table.strides[0]

    def offset_of(self, label: str) -> int:
        """Return the byte offset of a label's counter in a row."""
        return _number(self.places, label, MOST_LABELS) * self.table.strides[1]


def _number(known: dict[str, int], name: str, most: int) -> int:
    """Return the index of a name; a new name receives the next index.

    Raises:
        FatalError: there are too many names.
    """
    if known.setdefault(name, len(known)) >= most:
        raise FatalError(f"a profile has at most {most - 1} stages or labels, and {name!r} exceeds this number")
    return known[name]


@made_once
def counters() -> Counters:
    """Return the counters of this process."""
    return Counters()


def clock_symbols(kernel: Kernel) -> dict[str, int]:
    """Return the addresses of the symbols that a kernel's profiled code uses."""
    found = counters()
    symbols = {STATE: int(found.state.ctypes.data), stage_symbol(kernel.__name__): found.address_of(kernel.__name__)}
    return symbols | {label_symbol(label): found.offset_of(label) for label in kernel.labels}
