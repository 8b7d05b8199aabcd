"""The kernel of a fast call, and the functions of Python's C API that kernels call."""

from __future__ import annotations

from ..language.kernel import kernel
from .addresses import CFunction, call_stage, longs

PyErr_Clear = CFunction("PyErr_Clear", "")
PyErr_Occurred = CFunction("PyErr_Occurred", "int")
PyBool_FromLong = CFunction("PyBool_FromLong", "int")
PyFloat_AsDouble = CFunction("PyFloat_AsDouble", "real")
PyFloat_FromDouble = CFunction("PyFloat_FromDouble", "int")
PyObject_GetAttr = CFunction("PyObject_GetAttr", "int")
PyObject_Vectorcall = CFunction("PyObject_Vectorcall", "int")
PyTuple_New = CFunction("PyTuple_New", "int")
PyTuple_SetItem = CFunction("PyTuple_SetItem", "")
Py_DecRef = CFunction("Py_DecRef", "")
Py_IncRef = CFunction("Py_IncRef", "")
PyLong_AsLongLong = CFunction("PyLong_AsLongLong", "int")
PyLong_FromLongLong = CFunction("PyLong_FromLongLong", "int")
PyEval_SaveThread = CFunction("PyEval_SaveThread", "int")
PyEval_RestoreThread = CFunction("PyEval_RestoreThread", "")


@kernel
def call(self, arguments, count):
    """Call the function at an address with three integers, without the GIL; all four are Python's."""
    given = longs(arguments)
    function = PyLong_AsLongLong(given[0])
    a = PyLong_AsLongLong(given[1])
    b = PyLong_AsLongLong(given[2])
    c = PyLong_AsLongLong(given[3])
    thread = PyEval_SaveThread()
    answer = call_stage(function, a, b, c)
    PyEval_RestoreThread(thread)
    return PyLong_FromLongLong(answer)
