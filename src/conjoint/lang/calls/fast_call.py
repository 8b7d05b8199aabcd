"""Calls of machine code through Python's C API, which take a fifth of the time of ctypes.

`call(function, a, b, c)` calls the C function `int32 function(int64, int64, int64)` at an address, without the GIL, and
returns what it answers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from conjoint.once import made_once

from ..routines.fast_call_code import call
from .compiled import routine

METH_FASTCALL = 0x0080
"""Arguments come as an array of objects (CPython, C API, Common Object Structures)."""

METH_KEYWORDS = 0x0002
"""Keywords are allowed, and come as a tuple of names after the array."""


class _MethodDef(ctypes.Structure):
    """The C struct PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p),
    )  # fmt: skip


METHODS: list[Any] = []
"""Objects that must stay in memory for built-in functions."""


def builtin(name: str, address: int, flags: int, owner: Any = None, module: str | None = None, doc: str = "") -> Any:
    """Return a built-in Python function that calls machine code at an address.

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
    """Return a function `call(function, a, b, c)` with four integer parameters."""
    return builtin("call", routine(call), METH_FASTCALL)
