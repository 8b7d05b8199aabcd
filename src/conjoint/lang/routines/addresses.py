"""Words of the kernel language for memory at an address, for threads, and for C functions.

Only kernels that run other kernels use these words: the driver, the transfer of worlds, threads, and argument checks.
The arguments and results of such kernels are 64-bit integers, and they run only compiled:
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
        super().__init__(name, f"The C function {name} of Python.")
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

octets = MachineWord("octets", "The bytes from an address on: an array.")
ints = MachineWord("ints", "The integers of 32 bits from an address on: an array.")
longs = MachineWord("longs", "The integers of 64 bits from an address on: an array.")
reals = MachineWord("reals", "The float64 numbers from an address on: an array.")
address = MachineWord("address", "The address of an array.")
copy = MachineWord("copy", "copy(to, source, count): copy so many bytes from one address to another.")
prefetch = MachineWord("prefetch", "Fetch what lies at an address into the cache, to be read once.")
turn = MachineWord(
    "turn",
    "turn(bits, a, b, c, d, e, f, g, h): four numbers of so many bits at each of a, b, c and d become the columns of "
    "four rows at e, f, g and h. Four more addresses get copies of the numbers at a, b, c and d.",
)
call_stage = MachineWord("call_stage", "call_stage(function, a, b, c): call int32 function(int64, int64, int64).")
call_piece = MachineWord("call_piece", "call_piece(function, a, b): call void function(int64, int64).")
by_threads = MachineWord(
    "by_threads", "by_threads(m, d, team, count, work): call `work(m, d, k)` for every k below a count, on threads."
)

read_relaxed = MachineWord("read_relaxed", "read_relaxed(array, i): read atomically, in no order.")
read_acquire = MachineWord("read_acquire", "read_acquire(array, i): read atomically, before what follows.")
write_relaxed = MachineWord("write_relaxed", "write_relaxed(array, i, x): write atomically, in no order.")
write_release = MachineWord("write_release", "write_release(array, i, x): write atomically, after what came before.")
add_relaxed = MachineWord("add_relaxed", "add_relaxed(array, i, x): add atomically, in no order; what it was.")
add_ordered = MachineWord("add_ordered", "add_ordered(array, i, x): add atomically, in order; what it was.")
exchange = MachineWord("exchange", "exchange(array, i, x): write atomically, in order; what it was.")
replace = MachineWord(
    "replace", "replace(array, i, old, new): write `new` if it is `old`, atomically and in order; whether it was."
)
