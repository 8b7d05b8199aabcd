"""Functions made from tables: a row has a function's kinds of arguments, its formula, and the line of its docstring.

    TABLE = {"mju_scl": ("out n, n, real", lambda res, vec, scl: scaled(res, vec, scl, len(res)), "res := vec scl.")}
    define(TABLE, globals())

The names of the arguments are those of the formula. Kinds are `real`, `int`, and for arrays their lengths: numbers, or
names of lengths that must agree; `out` marks what the function writes, `int` other numbers than doubles, `?` what may
be None. `-> real` is what the function returns, if anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import numpy as np

from conjoint.api.argument_kinds import Array
from conjoint.api.arguments import checked

Row = tuple[str, Callable[..., Any], str]

NUMBERS = {"real": float, "int": int, "text": str, "text?": str | None, "": None}
"""Types of kinds that are no arrays."""

ARRAY = re.compile(r"(?P<output>out )?(?P<dtype>(?:int|float) )?(?P<lengths>\w+(?: x \w+)?)(?P<optional>\?)?")
"""The kind of an array."""

DTYPES = {None: np.float64, "int ": np.int32, "float ": np.float32}


def define(table: Mapping[str, Row], module: dict[str, Any]) -> None:
    """Define the functions of a table in a module, which is given by its `globals()`."""
    for name, (kinds, formula, doc) in table.items():
        wanted, _, returned = kinds.partition(" -> ")
        annotations: dict[str, Any] = {}
        limits: dict[str, str] = {}
        for argument, kind in zip(formula.__code__.co_varnames, wanted.split(", "), strict=True):
            annotations[argument] = _annotation(kind)
            if kind not in NUMBERS and re.search("[a-z]", lengths := _array(kind)["lengths"]):
                limits[argument] = lengths.replace(" x ", ", ")
        formula.__name__ = formula.__qualname__ = name
        formula.__annotations__ = annotations | {"return": NUMBERS[returned]}
        formula.__doc__ = doc
        module[name] = checked(**limits)(formula)


def _array(kind: str) -> re.Match[str]:
    """The parts of the kind of an array."""
    found = ARRAY.fullmatch(kind)
    if found is None:
        raise ValueError(f"no kind of argument: {kind}")
    return found


def _annotation(kind: str) -> Any:
    """The annotation of an argument of a kind."""
    if kind in NUMBERS:
        return NUMBERS[kind]
    found = _array(kind)
    shape = tuple(int(length) if length.isdigit() else None for length in found["lengths"].split(" x "))
    made = Annotated[np.ndarray, Array(shape, bool(found["output"]), DTYPES[found["dtype"]])]
    return made | None if found["optional"] else made
