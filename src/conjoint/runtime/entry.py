"""Entries of the engine: its kernels, called from Python with arguments on a plan and a world."""

from __future__ import annotations

from conjoint.lang import Kernel
from conjoint.lang.calls.entry import Entry
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_ROWS


def entry(kernel: Kernel, *kinds: str) -> Entry:
    """`kernel` as a Python function of a `Plan`, a `World`, where it has them, and its other arguments.

    Args:
        kernel: the kernel.
        kinds: of its parameters behind `m` and `d`, as `lang.calls.entry.Entry` takes them.
    """
    return Entry(kernel, kinds, MODEL_ROWS, DATA_STRUCT)
