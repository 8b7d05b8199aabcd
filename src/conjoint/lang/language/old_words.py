"""Words of an older edition of the kernel language: they work for one version, and warn programs of what to write."""

from __future__ import annotations

import dis
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .builtin_words import is_language, names_in
from .formula import Formula
from .functions import lanes_max, logical_not

OPTIONS = {"per_world": 'leave it out, or write one_by_one="reason" if the kernel is faster one world at a time'}
"""Old options of kernels, and what to write now."""

WORDS = {
    lanes_max: "lanes_max(n): loop to n itself, as each world has its own count",
    logical_not: "logical_not(c): write `not c`",
}
"""Old functions, and what to write now."""


def warn_of_old_words(function: Callable[..., Any], options: Iterable[str]) -> None:
    """Warn of all old words of a kernel at once, at the first line that has one.

    Args:
        function: its Python body.
        options: names of the options that its declaration gives.
    """
    code, space = function.__code__, function.__globals__
    found = [(code.co_firstlineno, f"{name}: {OPTIONS[name]}") for name in options if name in OPTIONS]
    if not {word.__name__ for word in WORDS}.isdisjoint(names_in(code)):
        # backwards, so that the first line of a word remains
        lines = dict([*words_read(code, space)][::-1])
        found += [(line, WORDS[word]) for word, line in lines.items()]
    if found:
        text = "; ".join(f"line {line}, {advice}" for line, advice in sorted(found))
        warnings.warn_explicit(
            f"kernel {function.__name__} has words of an older edition: {text}", DeprecationWarning,
            code.co_filename, min(found)[0], function.__module__, space.setdefault("__warningregistry__", {}),
        )  # fmt: skip


def words_read(code: types.CodeType, space: Mapping[str, Any]) -> Iterator[tuple[Any, int]]:
    """Yield the old words that a function reads, by their names or by that of the module, and the lines."""
    before: Any = None
    for instruction in dis.get_instructions(code):
        inner, name, value = instruction.argval, instruction.argval, None
        if isinstance(inner, types.CodeType):
            yield from words_read(inner, space)
        elif instruction.opname == "LOAD_GLOBAL":
            value = space.get(name)
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and is_language(before):
            value = vars(before).get(name)
        if isinstance(value, Formula) and value in WORDS and instruction.positions:
            yield value, instruction.positions.lineno or code.co_firstlineno
        before = value
