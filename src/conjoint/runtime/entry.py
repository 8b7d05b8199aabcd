"""Entries of the engine: its kernels, called from Python with arguments on a plan and a world."""

from __future__ import annotations

from conjoint.lang.calls.entry import Entry
from conjoint.lang.language.name import Work
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_ROWS


def entry(work: Work, *kinds: str) -> Entry:
    """Return a kernel as a Python function of a `Plan` and a `World`, if it has these parameters, and its other
    arguments.

    Args:
        work: the kernel, or its name.
        kinds: of its parameters after `m` and `d`, as `lang.calls.entry.Entry` takes them.
    """
    return Entry(work, kinds, MODEL_ROWS, DATA_STRUCT)
