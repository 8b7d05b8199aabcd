"""Words of the kernel language for memory at an address, for threads, and for C functions.

Only kernels that run other kernels use these words: the driver, the transfer of worlds, threads, and argument checks.
The arguments and results of such kernels are 64-bit integers. These kernels cannot run uncompiled:
`calls.compiled.routine` turns them into C functions.
"""

from __future__ import annotations

from typing import Any

from ..language.group import Group
from ..language.vocabulary import Word


class MachineWord(Word):
    """A word of the kernel language that exists only in compiled kernels."""

    def __init__(self, name: str, doc: str):
        self.__name__, self.__doc__, self.__module__ = name, doc, __name__

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        raise NotImplementedError(f"{self.__name__} runs in compiled kernels only")


class CFunction(MachineWord):
    """Function of Python's C API and its result type: "int" for integers and addresses, "real", or "" for no result."""

    def __init__(self, name: str, result: str):
        super().__init__(name, f"C function {name} of Python's C API.")
        self.result = result


class CFunctions(Group):
    """Functions of Python's C API, with their result types."""

    def __init__(self, **results: str):
        self.functions = {name: CFunction(name, result) for name, result in results.items()}
        self.__dict__.update(self.functions)

    @property
    def members(self) -> dict[str, Any]:
        return self.functions


python: Any = CFunctions(
    PyErr_Clear="", PyErr_Fetch="", PyErr_Occurred="int", PyErr_Restore="", PyDict_DelItem="int", PyDict_SetItem="int",
    PyBool_FromLong="int", PyFloat_AsDouble="real", PyFloat_FromDouble="int", PyObject_GetAttr="int",
    PyObject_Vectorcall="int", PyTuple_GetItem="int", PyTuple_New="int", PyTuple_SetItem="", PyTuple_Size="int",
    Py_DecRef="", Py_IncRef="", PyLong_AsLongLong="int", PyLong_FromLongLong="int", PyEval_SaveThread="int",
    PyEval_RestoreThread="",
)  # fmt: skip
"""All functions of Python's C API that kernels call."""

octets = MachineWord("octets", "octets(p): array of bytes that starts at address p.")
ints = MachineWord("ints", "ints(p): array of 32-bit integers that starts at address p.")
longs = MachineWord("longs", "longs(p): array of 64-bit integers that starts at address p.")
reals = MachineWord("reals", "reals(p): array of float64 numbers that starts at address p.")
address = MachineWord("address", "address(array): memory address of an array.")
copy = MachineWord("copy", "copy(to, source, count): copy `count` bytes from address `source` to address `to`.")
prefetch = MachineWord("prefetch", "prefetch(p): fetch the memory at address p into the cache, for a single read.")
turn = MachineWord(
    "turn",
    "turn(bits, a, b, c, d, e, f, g, h): transpose a 4 x 4 matrix of numbers with `bits` bits. Its rows are read at "
    "addresses a to d, and its columns written at e to h. Four more addresses receive copies of the rows at a to d.",
)
call_stage = MachineWord(
    "call_stage", "call_stage(function, a, b, c): call a C function with the type int32 (int64, int64, int64)."
)
call_piece = MachineWord(
    "call_piece", "call_piece(function, a, b): call a C function with the type void (int64, int64)."
)
by_threads = MachineWord(
    "by_threads", "by_threads(m, d, team, count, work): call `work(m, d, k)` for every k < count, on several threads."
)

read_relaxed = MachineWord("read_relaxed", "read_relaxed(array, i): atomic read with relaxed order.")
read_acquire = MachineWord("read_acquire", "read_acquire(array, i): atomic read with acquire order.")
write_relaxed = MachineWord("write_relaxed", "write_relaxed(array, i, x): atomic write with relaxed order.")
write_release = MachineWord("write_release", "write_release(array, i, x): atomic write with release order.")
add_relaxed = MachineWord(
    "add_relaxed", "add_relaxed(array, i, x): atomic addition with relaxed order; returns the old value."
)
add_ordered = MachineWord(
    "add_ordered", "add_ordered(array, i, x): atomic addition with acquire-release order; returns the old value."
)
exchange = MachineWord(
    "exchange", "exchange(array, i, x): atomic write with acquire-release order; returns the old value."
)
replace = MachineWord(
    "replace", "replace(array, i, old, new): atomically write `new` if the value is `old`; returns True if it was."
)
