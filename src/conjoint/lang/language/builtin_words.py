"""Meanings of names in kernels that are not variables: the language module, and Python's built-in functions."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from types import CodeType, ModuleType
from typing import Any

from .functions import abs as magnitude
from .vocabulary import Word

LANGUAGE = __name__.rpartition(".language.")[0]
"""Name of the module whose attributes kernels may use: `import conjoint.lang as cj`, then `cj.where`."""


@Word
def min(a: Any, b: Any, *others: Any) -> Any:
    """Return the smallest number; among equal numbers the first, as in Python."""
    return builtins.min(a, b, *others)


@Word
def max(a: Any, b: Any, *others: Any) -> Any:
    """Return the largest number; among equal numbers the first, as in Python."""
    return builtins.max(a, b, *others)


BUILTINS: dict[str, Any] = {"abs": magnitude, "int": int, "max": max, "min": min}
"""Python functions that kernels may call without an import."""

INSTEAD = {
    "all": f"write {LANGUAGE}.all for all columns of a tile",
    "any": f"write `if c:`, or {LANGUAGE}.any for a gate that derivatives open, and for a tile",
    "float": f"write {LANGUAGE}.real",
    "pow": f"write {LANGUAGE}.pow",
    "round": f"write {LANGUAGE}.floor(x + 0.5)",
    "sum": "write a loop",
}
"""Hints in error messages about Python functions that kernels cannot call."""


def is_language(value: Any) -> bool:
    """Return True if a value is the module of the kernel language."""
    return isinstance(value, ModuleType) and value.__name__ == LANGUAGE


def members(module: ModuleType, names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Yield each of `names` that `module` defines, with its value."""
    for name in names:
        if name in vars(module):
            yield name, vars(module)[name]


def names_in(code: CodeType) -> set[str]:
    """Return the names of globals and attributes that a function and its nested functions use."""
    inside = [names_in(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*inside)
