"""Definition of functions by tables. A row contains a function's argument types, its formula and its docstring.

    TABLE = {"mju_scl": ("out n, n, real", lambda res, vec, scl: scaled(res, vec, scl, len(res)), "res := vec scl.")}
    define(TABLE, globals())

Argument names are those of the formula. The type of a scalar is `real`, `int` or `text`. The type of an array is its
shape: `3`, `n`, `rows x columns`. Lengths with the same name must agree. `out` marks outputs. `int` or `float` before a
shape marks arrays of int32 or float32 instead of float64. `?` marks arguments that may be None. `-> real` is the return
type, if there is one.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import numpy as np

from conjoint.api.argument_kinds import Array
from conjoint.api.arguments import checked

Row = tuple[str, Callable[..., Any], str]

NUMBERS = {"real": float, "int": int, "text": str, "text?": str | None, "": None}
"""Python types of the scalar kinds."""

ARRAY = re.compile(r"(?P<output>out )?(?P<dtype>(?:int |float )?)(?P<lengths>\w+(?: x \w+)?)(?P<optional>\??)")
"""Regular expression that parses the kind of an array argument, such as `out int 3 x n?`."""

DTYPES = {"": np.float64, "int ": np.int32, "float ": np.float32}


def define(table: Mapping[str, Row], module: dict[str, Any]) -> None:
    """Define the functions of a table in a module, given the module's `globals()`, and add shapes to the docstrings."""
    for name, (kinds, formula, doc) in table.items():
        wanted, _, returned = kinds.partition(" -> ")
        annotations: dict[str, Any] = {}
        limits: dict[str, str] = {}
        for argument, kind in zip(formula.__code__.co_varnames, wanted.split(", "), strict=True):
            annotations[argument], limit = (NUMBERS[kind], "") if kind in NUMBERS else _array(kind)
            limits |= {argument: limit} if limit else {}
        formula.__name__ = formula.__qualname__ = name
        formula.__annotations__ = annotations | {"return": NUMBERS[returned]}
        shapes = [f"`{each}` ({limit}{'' if ',' in limit else ','})" for each, limit in limits.items()]
        formula.__doc__ = f"{inspect.cleandoc(doc)}\n\nShapes: {', '.join(shapes)}." if shapes else doc
        module[name] = checked(**limits)(formula)


def _array(kind: str) -> tuple[Any, str]:
    """Return the annotation for an array kind, and the names of its lengths ("" if all its lengths are numbers)."""
    found = ARRAY.fullmatch(kind)
    if found is None:
        raise ValueError(f"no kind of argument: {kind}")
    output, dtype, lengths, optional = found.groups()
    wanted = lengths.split(" x ")
    shape = tuple(int(length) if length.isdigit() else None for length in wanted)
    annotation = Annotated[np.ndarray, Array(shape, bool(output), DTYPES[dtype])]
    return annotation | None if optional else annotation, ", ".join(wanted) if None in shape else ""
