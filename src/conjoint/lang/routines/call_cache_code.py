"""The kernel for `lang.calls.call_cache`: repeats the last call to a function on a world if nothing has changed."""

from __future__ import annotations

import enum

from ..language.kernel import kernel
from ..language.vocabulary import local, real
from .addresses import address, longs, python
from .argument_guard_code import TYPE, address_of, failed
from .driver_code import LANE, NSTEP, STAGE, STEP, drive

VERSION, SLOTS, ROWS = range(3)
"""Indices of words in a cache: its version, the dictionary of the world's `Turn`, and the start of the rows."""

MODEL, RUN = range(2)
"""Indices of words in a row: the object that identifies the model, and the run of the function; 0 if there is none."""

ROW_WORDS = 2


class Repeat(enum.IntEnum):
    """Indices of words in the table of a function that repeats cached calls.

    The first words are Python objects. Then follow the largest number of steps (0 if the function has no such
    argument), the function's row, and the address of the current version.
    """

    FALLBACK = 0
    GO_ON = 1
    MODEL_TYPE = 2
    DATA_TYPE = 3
    IDENTITY = 4
    CACHE = 5
    FREE = 6
    TRUE = 7
    NONE = 8
    INT = 9
    STEPS = 10
    MOST = 11
    ROW = 12
    VERSION = 13


@kernel
def repeated(self, arguments, count, names):
    """Repeat the cached run of a function for a model and a world. On a cache miss, call the Python function."""
    head = longs(python.PyLong_AsLongLong(self))
    given = longs(arguments)
    cache = 0
    nstep = steps_of(given, count, names, head)
    if nstep > 0 and fits_types(given[0], given[1], head):
        cache = address_of(given[1], head[Repeat.CACHE])
    if cache != 0 and longs(cache)[VERSION] == longs(head[Repeat.VERSION])[0]:
        row = cache + 8 * (ROWS + ROW_WORDS * head[Repeat.ROW])
        slots = longs(cache)[SLOTS]
        if fits_model(given[0], head, row) and takes_turn(slots, head):
            done = run_again(arguments, head, row, nstep)
            python.PyDict_SetItem(slots, head[Repeat.FREE], head[Repeat.TRUE])
            return done
    return python.PyObject_Vectorcall(head[Repeat.FALLBACK], arguments, count, names)


@kernel
def steps_of(given, count, names, head):
    """Return the number of steps requested by a call with a model and a world; 0 if Python must check the arguments."""
    total = count
    if names != 0:
        # one keyword after two positional arguments
        total = count + python.PyTuple_Size(names)
        if count != 2 or total != 3 or python.PyTuple_GetItem(names, 0) != head[Repeat.STEPS]:
            return 0
    if total == 2:
        return 1
    if total != 3 or longs(given[2])[TYPE] != head[Repeat.INT]:
        return 0
    n = python.PyLong_AsLongLong(given[2])
    if failed(n) or n > head[Repeat.MOST]:
        return 0
    return n


@kernel
def fits_types(m, d, head):
    """Return True if the arguments are a model and a world; False for derived classes, which Python handles."""
    return longs(m)[TYPE] == head[Repeat.MODEL_TYPE] and longs(d)[TYPE] == head[Repeat.DATA_TYPE]


@kernel
def fits_model(m, head, row):
    """Return True if the row contains a run for this model."""
    found = python.PyObject_GetAttr(m, head[Repeat.IDENTITY])
    if found == 0:
        python.PyErr_Clear()
        return False
    # the model owns the object, and the caller owns the model
    python.Py_DecRef(found)
    return found == longs(row)[MODEL]


@kernel
def takes_turn(slots, head):
    """Acquire the lock of the world (`conjoint.once.Turn`); return False if another thread holds it."""
    # the result is a C int, which has 32 bits
    if (python.PyDict_DelItem(slots, head[Repeat.FREE]) & 0xFFFFFFFF) == 0:
        return True
    python.PyErr_Clear()
    return False


@kernel
def run_again(arguments, head, row, nstep):
    """Run the stages without the GIL; Python handles their requests. Return None, or 0 after a Python error."""
    run = longs(row)[RUN]
    longs(run)[NSTEP] = nstep
    thread = python.PyEval_SaveThread()
    answer = drive(run)
    python.PyEval_RestoreThread(thread)
    if answer != 0:
        return go_on(arguments, head, row, nstep, answer)
    python.Py_IncRef(head[Repeat.NONE])
    return head[Repeat.NONE]


@kernel
def go_on(arguments, head, row, nstep, answer):
    """Call Python to continue a run that a stage has stopped; `answer` is the stage's status.

    An interrupt during the stages ends the Python function before its first line, and thus before the `try` that would
    complete the step. The position of the run is then still inside the step. So the interrupt is saved, a second call
    completes the step, and the interrupt is raised again.
    """
    given = longs(arguments)
    steps = python.PyLong_FromLongLong(nstep)
    reason = python.PyLong_FromLongLong(answer)
    passed = longs(address(local(real, 4)))
    passed[0] = given[0]
    passed[1] = given[1]
    passed[2] = steps
    passed[3] = reason
    made = python.PyObject_Vectorcall(head[Repeat.GO_ON], address(passed), 4, 0)
    if made == 0 and is_inside_step(row):
        error = address(local(real, 3))
        python.PyErr_Fetch(error, error + 8, error + 16)
        again = python.PyObject_Vectorcall(head[Repeat.GO_ON], address(passed), 4, 0)
        if again == 0:
            python.PyErr_Clear()
        else:
            python.Py_DecRef(again)
        begin_anew(row)
        kept = longs(error)
        python.PyErr_Restore(kept[0], kept[1], kept[2])
    python.Py_DecRef(steps)
    python.Py_DecRef(reason)
    return made


@kernel
def is_inside_step(row):
    """Return True if the run of a row has stopped inside a step. Python may have removed the run."""
    run = longs(row)[RUN]
    return run != 0 and (longs(run)[STEP] != 0 or longs(run)[STAGE] != 0 or longs(run)[LANE] != 0)


@kernel
def begin_anew(row):
    """Reset the position of a row's run, so that the next call begins with the first stage."""
    run = longs(row)[RUN]
    if run != 0:
        for word in range(STEP, LANE + 1):
            longs(run)[word] = 0
