"""Functions made from tables: a row has a function's kinds of arguments, its formula, and its docstring.

    TABLE = {"mju_scl": ("out n, n, real", lambda res, vec, scl: scaled(res, vec, scl, len(res)), "res := vec scl.")}
    define(TABLE, globals())

The names of the arguments are those of the formula. Kinds are

* `real`, `int`, `text`, and classes of the module, such as `MjModel`;
* for ids, `id m.nbody`: a number that they must be below;
* for arrays their lengths, `3`, `n`, `rows x columns`, `m.nv`: numbers, names of lengths that must agree, or
  expressions of other arguments. `out` marks what the function writes, `int` and `float` other numbers than doubles.

`?` at the end marks what may be None; `-> real` is what the function returns, if anything.
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

ARRAY = re.compile(r"(?P<output>out )?(?P<dtype>(?:int|float) )?(?P<lengths>.+)")
"""The kind of an array."""

DTYPES = {None: np.float64, "int ": np.int32, "float ": np.float32}


def define(table: Mapping[str, Row], module: dict[str, Any]) -> None:
    """Define the functions of a table in a module, which is given by its `globals()`."""
    for name, (kinds, formula, doc) in table.items():
        wanted, _, returned = kinds.partition(" -> ")
        annotations: dict[str, Any] = {}
        limits: dict[str, str] = {}
        for argument, kind in zip(formula.__code__.co_varnames, wanted.split(", "), strict=True):
            annotations[argument], limit = _declared(kind, module)
            limits |= {argument: limit} if limit else {}
        formula.__name__ = formula.__qualname__ = name
        formula.__annotations__ = annotations | {"return": NUMBERS[returned]}
        formula.__doc__ = doc
        module[name] = checked(**limits)(formula)


def _declared(kind: str, module: Mapping[str, Any]) -> tuple[Any, str]:
    """The annotation of an argument, and its limit (`checked`)."""
    if kind.endswith("?") and kind not in NUMBERS:
        annotation, limit = _declared(kind[:-1], module)
        return annotation | None, limit
    if kind in NUMBERS or isinstance(module.get(kind), type):
        return NUMBERS.get(kind, module.get(kind)), ""
    if kind.startswith("id "):
        return int, kind.removeprefix("id ")
    found = ARRAY.fullmatch(kind)
    output, dtype, lengths = found.groups() if found else ("", "", kind)
    wanted = lengths.split(" x ")
    shape = tuple(int(length) if length.isdigit() else None for length in wanted)
    return Annotated[np.ndarray, Array(shape, bool(output), DTYPES[dtype])], ", ".join(wanted) if None in shape else ""
