"""Entry points of the engine: kernels that Python calls with arguments on a plan and a world."""

from __future__ import annotations

from conjoint.lang.calls.entry import Entry
from conjoint.lang.language.name import Work
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_ROWS


def entry(work: Work, *kinds: str) -> Entry:
    """Return a Python function that calls a kernel.

    Its arguments are a `Plan` and a `World`, if the kernel has the parameters `m` and `d`, and the kernel's other
    arguments.

    Args:
        work: the kernel, or its name.
        kinds: types of its parameters after `m` and `d`, in the notation of `lang.calls.entry.Entry`.
    """
    return Entry(work, kinds, MODEL_ROWS, DATA_STRUCT)
