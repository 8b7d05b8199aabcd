"""The kernel through which Python calls a C function with three integers."""

from __future__ import annotations

from ..language.kernel import kernel
from .addresses import call_stage, longs, python


@kernel
def call(self, arguments, count):
    """Call the function at an address with three integers, without the GIL; all four arguments are Python integers."""
    given = longs(arguments)
    function = python.PyLong_AsLongLong(given[0])
    a = python.PyLong_AsLongLong(given[1])
    b = python.PyLong_AsLongLong(given[2])
    c = python.PyLong_AsLongLong(given[3])
    thread = python.PyEval_SaveThread()
    answer = call_stage(function, a, b, c)
    python.PyEval_RestoreThread(thread)
    return python.PyLong_FromLongLong(answer)
