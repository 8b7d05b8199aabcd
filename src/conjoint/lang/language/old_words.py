"""Deprecated words of the kernel language. They work for one more version, with a warning that names the new word."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

from .builtin_words import is_language, names_in
from .functions import lanes_max, logical_not

OLD: dict[Any, str] = {
    "per_world": 'per_world: omit it, or write one_by_one="reason" if the kernel is faster one world at a time',
    lanes_max: "lanes_max(n): loop to n itself, since each world has its own count",
    logical_not: "logical_not(c): write `not c`",
}
"""Replacements for old words: keyed by name for options of kernels, and by function for functions."""


def warn_of_old_words(function: Callable[..., Any], options: Iterable[str]) -> None:
    """Warn once about all old words in a kernel, at its first line.

    Args:
        function: Python body of the kernel.
        options: names of the options in the kernel's declaration.
    """
    code, space = function.__code__, function.__globals__
    names = names_in(code)
    found: list[Any] = [name for name in options if name in OLD]
    for word in (lanes_max, logical_not):
        name = word.__name__
        if name in names:
            language = (vars(space[n]).get(name) for n in names if is_language(space.get(n)))
            found += [word] if word in (space.get(name), *language) else []
    if found:
        advice = "; ".join(OLD[word] for word in found)
        warnings.warn_explicit(
            f"kernel {function.__name__} has words of an older edition: {advice}", DeprecationWarning,
            code.co_filename, code.co_firstlineno, function.__module__, space.setdefault("__warningregistry__", {}),
        )  # fmt: skip
