"""Calling machine code from Python: a function of Python's C API, in a fifth of the time that ctypes takes.

`call(function, a, b, c)` calls the C function `int32 function(int64, int64, int64)` at an address, without the GIL, and
returns what it answers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from conjoint.once import made_once

from .native import load_text, provide

METH_FASTCALL = 0x0080
"""Arguments come as an array of objects (CPython, C API, Common Object Structures)."""

METH_KEYWORDS = 0x0002
"""Keywords are allowed, and come as a tuple of names behind the array."""

TRAMPOLINE = """
declare i64 @PyLong_AsLongLong(ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare ptr @PyLong_FromLongLong(i64)
define ptr @call(ptr %self, ptr %arguments, i64 %count) {
  %p1 = getelementptr ptr, ptr %arguments, i64 1
  %p2 = getelementptr ptr, ptr %arguments, i64 2
  %p3 = getelementptr ptr, ptr %arguments, i64 3
  %o0 = load ptr, ptr %arguments
  %o1 = load ptr, ptr %p1
  %o2 = load ptr, ptr %p2
  %o3 = load ptr, ptr %p3
  %address = call i64 @PyLong_AsLongLong(ptr %o0)
  %a = call i64 @PyLong_AsLongLong(ptr %o1)
  %b = call i64 @PyLong_AsLongLong(ptr %o2)
  %c = call i64 @PyLong_AsLongLong(ptr %o3)
  %function = inttoptr i64 %address to ptr
  %thread = call ptr @PyEval_SaveThread()
  %answer = call i32 %function(i64 %a, i64 %b, i64 %c)
  call void @PyEval_RestoreThread(ptr %thread)
  %wide = sext i32 %answer to i64
  %result = call ptr @PyLong_FromLongLong(i64 %wide)
  ret ptr %result
}
"""
NEEDED = ("PyLong_AsLongLong", "PyEval_SaveThread", "PyEval_RestoreThread", "PyLong_FromLongLong")


class _MethodDef(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p),
    )  # fmt: skip


METHODS: list[Any] = []
"""What must stay in memory for built-in functions."""


def builtin(name: str, address: int, flags: int, owner: Any = None, module: str | None = None, doc: str = "") -> Any:
    """A built-in function of Python.

    Args:
        name: its name.
        address: of the C function.
        flags: how arguments come (CPython, C API, PyMethodDef).
        owner: what the C function gets as its first argument, the function's `__self__`.
        module: name of the module that it says to come from.
        doc: its docstring, after a line with its parameters and one with two dashes.
    """
    method = _MethodDef(name.encode(), address, flags, doc.encode() or None)
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    made = make(("PyCFunction_NewEx", ctypes.pythonapi))
    METHODS.append(method)
    return made(ctypes.addressof(method), owner, module)


@made_once
def machine_call() -> Callable[..., int]:
    """`call(function, a, b, c)`, four integers."""
    for name in NEEDED:
        provide(getattr(ctypes.pythonapi, name))
    return builtin("call", load_text(TRAMPOLINE, "call")["call"], METH_FASTCALL)
