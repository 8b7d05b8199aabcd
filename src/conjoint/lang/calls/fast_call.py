"""Calls to machine code through Python's C API, five times as fast as through ctypes.

`call(function, a, b, c)` calls the C function `int32 function(int64, int64, int64)` at the address `function`, without
the GIL, and returns its result.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from conjoint.once import made_once

from ..routines.fast_call_code import call
from .compiled import routine

METH_FASTCALL = 0x0080
"""Flag: arguments are passed as an array of objects (CPython, C API, Common Object Structures)."""

METH_KEYWORDS = 0x0002
"""Flag: keywords are allowed; their names are passed as a tuple, and their values at the end of the array."""


class _MethodDef(ctypes.Structure):
    """The C struct PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p),
    )  # fmt: skip


METHODS: list[Any] = []
"""Objects that must stay in memory as long as the built-in functions that use them."""


def builtin(name: str, address: int, flags: int, owner: Any = None, module: str | None = None, doc: str = "") -> Any:
    """Return a built-in Python function that calls machine code at an address.

    Args:
        name: name of the function.
        address: address of the C function.
        flags: calling convention (CPython, C API, PyMethodDef).
        owner: first argument passed to the C function; also the function's `__self__`.
        module: name of the module in the function's `__module__`.
        doc: docstring, preceded by a line with the function's signature and a line with two dashes.
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
