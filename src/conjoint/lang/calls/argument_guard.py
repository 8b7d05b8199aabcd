"""Guards: built-in functions that check their arguments in machine code, through Python's C API.

Valid arguments are passed on at once, to a Python function or to a compiled kernel. All other calls, including those
with keywords, go to a Python function that converts the arguments or raises an error. Error messages are therefore
written in Python, at no cost to valid calls.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from conjoint.once import made_once

from ..language.kernel import Kernel
from ..memory.layout import COMPONENTS
from ..memory.parameters import NUMBERS, Parameter
from ..routines import argument_guard_code
from ..routines.argument_guard_code import HEADER
from ..routines.argument_rules import ANY, ARRAY, CONTIGUOUS, EXACT, INTEGER, LENGTHS, REAL, VALUE, WRITABLE, Head, Rule
from .compiled import jit_enabled, routine
from .fast_call import METH_FASTCALL, METH_KEYWORDS, builtin


class Home(int):
    """Integer object to which a guard is bound: the address of the table that the guard's machine code reads.

    Attributes:
        function: the equivalent function in Python.
        place: name of the module that contains the guard.
        kept: objects that must live as long as the guard.
    """

    function: Callable[..., Any]
    place: str
    kept: tuple[Any, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        # a guard is pickled as an attribute of its module
        return import_module, (self.place,)


def available() -> bool:
    """Return True if guards can be created: kernels are compiled, and NumPy's arrays have the expected layout."""
    return jit_enabled() and _layout_holds()


@made_once
def _layout_holds() -> bool:
    """Return True if NumPy's arrays store their type and flags where guards read them."""
    array = np.zeros((2, 3))
    start = id(array)
    type_ = ctypes.c_void_p.from_address(start + HEADER - 8).value
    dtype = ctypes.c_void_p.from_address(start + HEADER + 40).value
    lengths = ctypes.c_void_p.from_address(start + HEADER + 16).value or 0
    flags = ctypes.c_int.from_address(start + HEADER + 48).value
    counts = ctypes.c_int.from_address(start + HEADER + 8).value, *(ctypes.c_int64 * 2).from_address(lengths)
    known = type_ == id(np.ndarray) and dtype == id(array.dtype) and flags & WRITABLE == WRITABLE
    return known and counts == (2, 2, 3)


def _made(
    kernel: Kernel, name: str, fallback: Callable[..., Any], head: Mapping[Head, int], rules: Sequence[Rule],
    place: str, doc: str, kept: tuple[Any, ...],
) -> Any:  # fmt: skip
    """Create a guard whose table begins with the words in `head`, a mapping from index to value."""
    words = {Head.FALLBACK: id(fallback), Head.NONE: id(None), Head.NDARRAY: id(np.ndarray), Head.FLOAT: id(float)}
    words |= head
    numbers = [words.get(k, 0) for k in Head] + [word for rule in rules for word in rule.words()]
    return with_table(kernel, name, fallback, numbers, place, doc, (rules, *kept))


def with_table(
    kernel: Kernel, name: str, fallback: Callable[..., Any], numbers: Sequence[int], place: str, doc: str,
    kept: tuple[Any, ...],
) -> Any:  # fmt: skip
    """Return a built-in function whose machine code reads a table of numbers.

    Args:
        kernel: kernel with the machine code.
        name: name of the function.
        fallback: equivalent function in Python.
        numbers: contents of the table.
        place: name of the module in which users find the function.
        doc: docstring, preceded by a text signature (see `builtin`).
        kept: objects that must live as long as the function.
    """
    table = np.array(numbers, np.int64)
    home = Home(table.ctypes.data)
    home.function, home.place, home.kept = fallback, place, (table, fallback, *kept)
    return builtin(name, routine(kernel), METH_FASTCALL | METH_KEYWORDS, home, place, doc)


def guarded(
    function: Callable[..., Any], fallback: Callable[..., Any], rules: Sequence[Rule], least: int, doc: str, place: str
) -> Any:
    """Return a built-in function that calls `function` if its arguments follow `rules`, and `fallback` otherwise.

    Args:
        function: Python function for valid arguments.
        fallback: Python function that converts or rejects the arguments, and accepts keywords.
        rules: one rule per argument.
        least: number of arguments without a default.
        doc: docstring, preceded by a text signature (see `builtin`).
        place: name of the module in which users find the function.
    """
    head = {Head.LEAST: least, Head.MOST: len(rules), Head.FUNCTION: id(function), Head.ATTRIBUTE: id(SIZES)}
    return _made(argument_guard_code.guarded, function.__name__, fallback, head, rules, place, doc, (function,))


STRUCTS = ((), ("m",), ("m", "d"))
"""Combinations of structs that can precede the other arguments of a kernel in machine code."""

SIZES, ADDRESS = "sizes", "address"
"""Names of attributes that machine code reads from objects: their `sizes`, and the `address` passed to kernels."""


def entered(
    caller: Callable[..., Any], structs: tuple[str, ...], parameters: Sequence[Parameter],
    results: Sequence[str], address: int, places: Mapping[str, int],
) -> Callable[..., Any]:  # fmt: skip
    """Wrap `caller`, which calls a kernel, in a guard. If no guard can check the call, return `caller` itself.

    Args:
        caller: Python function that checks the arguments and calls the kernel.
        structs: names of the kernel's struct parameters (`m`, `d`).
        parameters: other parameters of the kernel.
        results: types of the kernel's results.
        address: address of the kernel's entry.
        places: indices of the fields of `m` in its table of addresses, by name.
    """
    rules = [_kernel_rule(p, places) for p in parameters]
    odd = len(results) > 1 or any(kind not in NUMBERS and COMPONENTS[kind] < 2 for kind in results)
    if not available() or structs not in STRUCTS or None in rules or odd:
        return caller
    kind = {"real": REAL, "int": INTEGER, "bool": EXACT}.get(results[0], 0) if results else 0
    head = {Head.MOST: len(structs) + len(rules), Head.ATTRIBUTE: id(ADDRESS), Head.STRUCTS: len(structs)}
    head |= {Head.ENTRY: address, Head.RESULT_KIND: kind, Head.RESULTS: COMPONENTS[results[0]] if results else 0}
    known = [rule for rule in rules if rule]
    return _made(argument_guard_code.entered, caller.__name__, caller, head, known, caller.__module__, "", ())


def _kernel_rule(p: Parameter, places: Mapping[str, int]) -> Rule | None:
    """Return the rule for a kernel's parameter; None if machine code cannot check it."""
    if p.kind in NUMBERS and not p.is_array:
        return Rule(REAL if p.kind == "real" else INTEGER)
    if not p.is_array:
        return Rule(VALUE, np.dtype(np.float64), flags=CONTIGUOUS, ndim=1, lengths=(p.count,), last=p.count)
    components = (COMPONENTS[p.kind],) if COMPONENTS[p.kind] > 1 else ()
    if any(isinstance(n, str) and n not in places for n in p.shape) or len(p.shape + components) > LENGTHS:
        return None
    lengths = tuple(-2 - places[n] if isinstance(n, str) else n for n in p.shape) + components
    flags = WRITABLE if p.output else CONTIGUOUS
    ndim = len(lengths) if p.shape else ANY
    return Rule(ARRAY, p.dtype, flags=flags, ndim=ndim, lengths=lengths if p.shape else ())
