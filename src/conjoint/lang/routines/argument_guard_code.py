"""Kernels of guards, which check Python objects and call Python (`lang.calls.argument_guard`)."""

from __future__ import annotations

from ..language.functions import where
from ..language.kernel import kernel
from ..language.vocabulary import local, real
from .addresses import address, call_stage, copy, ints, longs, python, reals
from .argument_rules import (
    ANY,
    ARRAY,
    EXACT,
    HEAD_WORDS,
    INTEGER,
    MOST_SLOTS,
    REAL,
    RULE_WORDS,
    VALUE,
    WHOLE,
    Head,
    Of,
)

HEADER = object.__basicsize__
"""Size in bytes of Python's object header, which ends with the type. An array's other fields follow (NumPy C API,
PyArrayObject).
"""

TYPE, NUMBERS = HEADER // 8 - 1, HEADER // 8
LENGTHS_AT, DTYPE = HEADER // 8 + 2, HEADER // 8 + 5
"""Indices of two words in an array object: the address of its lengths, and its number type.

`TYPE` is the index of an object's type, and `NUMBERS` that of the address of an array's numbers.
"""

NDIM, FLAGS = HEADER // 4 + 2, HEADER // 4 + 12
"""Indices of 32-bit words in an array object: its number of dimensions and its flags."""


@kernel
def fits(o, place, head, sizes):
    """Return True if an object follows a rule; `sizes` is the address table of `m`, which contains named lengths."""
    rule = longs(place)
    kind = rule[Of.KIND]
    if rule[Of.OPTIONAL] != 0 and o == head[Head.NONE]:
        return True
    if kind == EXACT:
        return longs(o)[TYPE] == rule[Of.WANTED]
    if kind == WHOLE:
        return longs(o)[TYPE] == rule[Of.WANTED] and is_between(o, rule[Of.FIRST], rule[Of.SECOND])
    if (kind == ARRAY) | (kind == VALUE):
        return longs(o)[TYPE] == head[Head.NDARRAY] and array_fits(o, rule, sizes)
    return True


@kernel
def is_between(o, least, most):
    """Return True if a Python integer is between two numbers, inclusive."""
    n = python.PyLong_AsLongLong(o)
    return not failed(n) and n >= least and n <= most


@kernel
def failed(n):
    """Return True if `n` signals a Python error, and clear the error."""
    if n != -1 or python.PyErr_Occurred() == 0:
        return False
    python.PyErr_Clear()
    return True


@kernel
def array_fits(o, rule, sizes):
    """Return True if the number type, flags, dimensions and lengths of an array follow a rule."""
    if longs(o)[DTYPE] != rule[Of.WANTED] or (ints(o)[FLAGS] & rule[Of.FLAGS]) != rule[Of.FLAGS]:
        return False
    ndim = rule[Of.NDIM]
    if ndim == ANY:
        return True
    lengths = longs(longs(o)[LENGTHS_AT])
    return (
        ints(o)[NDIM] == ndim
        and (ndim < 1 or length_fits(lengths[0], rule[Of.FIRST], sizes))
        and (ndim < 2 or length_fits(lengths[1], rule[Of.SECOND], sizes))
    )


@kernel
def length_fits(length, wanted, sizes):
    """Return True if a length has the value that a rule requires: a number, or a size of the model."""
    if wanted < ANY:
        return longs(longs(sizes)[-2 - wanted])[0] == length
    return wanted == ANY or length == wanted


@kernel
def guarded(self, arguments, count, names):
    """Check the arguments and call a Python function: the direct one if they are valid, else the fallback.

    Arguments whose rules require the attribute `sizes` must all have the same `sizes` object.
    """
    at = python.PyLong_AsLongLong(self)
    head = longs(at)
    given = longs(arguments)
    good = names == 0 and count >= head[Head.LEAST] and count <= head[Head.MOST]
    sizes = 0
    i = 0
    while good and i < count:
        rule = at + 8 * (HEAD_WORDS + RULE_WORDS * i)
        good = fits(given[i], rule, head, 0)
        if good and longs(rule)[Of.LAST] != 0:
            found = python.PyObject_GetAttr(given[i], head[Head.ATTRIBUTE])
            if found == 0:
                python.PyErr_Clear()
                good = False
            else:
                python.Py_DecRef(found)
                good = sizes == 0 or sizes == found
                sizes = found
        i += 1
    if good:
        return python.PyObject_Vectorcall(head[Head.FUNCTION], arguments, count, 0)
    return python.PyObject_Vectorcall(head[Head.FALLBACK], arguments, count, names)


@kernel
def entered(self, arguments, count, names):
    """Check the arguments, pack them into a frame, and call a kernel without the GIL.

    If an argument is invalid, call the fallback.
    """
    at = python.PyLong_AsLongLong(self)
    head = longs(at)
    given = longs(arguments)
    frame = address(local(real, MOST_SLOTS))
    structs = head[Head.STRUCTS]
    m = 0
    d = 0
    good = names == 0 and count == head[Head.MOST]
    if good and structs > 0:
        m = address_of(given[0], head[Head.ATTRIBUTE])
        good = m != 0
    if good and structs > 1:
        d = address_of(given[1], head[Head.ATTRIBUTE])
        good = d != 0
    slot = frame
    i = structs
    while good and i < count:
        rule = at + 8 * (HEAD_WORDS + RULE_WORDS * (i - structs))
        good = fits(given[i], rule, head, m)
        if good:
            taken = packed(given[i], longs(rule), head, slot)
            slot += 8 * taken
            good = taken > 0
        i += 1
    if not good:
        return python.PyObject_Vectorcall(head[Head.FALLBACK], arguments, count, names)
    thread = python.PyEval_SaveThread()
    call_stage(head[Head.ENTRY], m, d, frame)
    python.PyEval_RestoreThread(thread)
    return result_of(slot, head)


@kernel
def address_of(o, name):
    """Return the address stored in the attribute `name` of an object; 0 if the object has no such attribute."""
    found = python.PyObject_GetAttr(o, name)
    if found == 0:
        python.PyErr_Clear()
        return 0
    address = python.PyLong_AsLongLong(found)
    python.Py_DecRef(found)
    return 0 if failed(address) else address


@kernel
def packed(o, rule, head, slot):
    """Write an argument into the frame at `slot`. Return the number of slots, or 0 if the argument is invalid."""
    kind = rule[Of.KIND]
    if kind == REAL:
        if longs(o)[TYPE] != head[Head.FLOAT]:
            return 0
        reals(slot)[0] = python.PyFloat_AsDouble(o)
    elif kind == INTEGER:
        n = python.PyLong_AsLongLong(o)
        if failed(n):
            return 0
        longs(slot)[0] = n
    elif kind == VALUE:
        copy(slot, longs(o)[NUMBERS], 8 * rule[Of.LAST])
        return rule[Of.LAST]
    else:
        longs(slot)[0] = o
    return 1


@kernel
def result_of(slot, head):
    """Return the results that a kernel wrote after its arguments, as a Python object."""
    count = head[Head.RESULTS]
    kind = head[Head.RESULT_KIND]
    if count > 1:
        made = python.PyTuple_New(count)
        for k in range(count if made != 0 else 0):
            python.PyTuple_SetItem(made, k, python.PyFloat_FromDouble(reals(slot)[k]))
        return made
    if kind == REAL:
        return python.PyFloat_FromDouble(reals(slot)[0])
    if kind == INTEGER:
        return python.PyLong_FromLongLong(longs(slot)[0])
    if kind == EXACT:
        return python.PyBool_FromLong(where(longs(slot)[0] != 0, 1, 0))
    python.Py_IncRef(head[Head.NONE])
    return head[Head.NONE]
