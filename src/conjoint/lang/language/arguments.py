"""Sorting of call arguments: positional and keyword arguments are put into the order of the parameters."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any

from conjoint.once import made_once

from .kernel_error import KernelError

NOTHING: Mapping[str, Any] = {}
"""Empty set of keyword arguments."""


@made_once
def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Return the parameters of a Python function."""
    return tuple(signature(function).parameters.values())


def required(names: Sequence[str]) -> tuple[Parameter, ...]:
    """Return parameters with these names and without defaults."""
    return tuple(Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names)


def in_order(
    called: str, parameters: Sequence[Parameter], args: Sequence[Any], keywords: Mapping[str, Any]
) -> Sequence[Any]:
    """Return the arguments of a call by position. Missing arguments before the last passed one get their defaults.

    Args:
        called: name of the function, for error messages.
        parameters: parameters of the function.
        args, keywords: arguments by position and by keyword.

    Raises:
        KernelError: there are too many arguments, or one is missing, passed twice, or has an unknown name.
    """
    if not keywords and len(args) == len(parameters):
        return args
    named = [p for p in parameters if p.kind != Parameter.VAR_POSITIONAL]
    if len(args) > len(named):
        if len(named) == len(parameters):
            raise KernelError(f"{called} takes {len(named)} arguments, not {len(args) + len(keywords)}")
        if not keywords:
            return args
    given = dict(zip((p.name for p in named), args, strict=False))
    for name, value in keywords.items():
        if name in given:
            raise KernelError(f"{called} received its argument {name} twice, by position and by keyword")
        given[name] = value
    known = [p.name for p in named]
    for name in given:
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(known) or 'none'}"
            raise KernelError(f"{called} has no parameter {name}: {hint}")
    needed = [p.name for p in named if p.default is Parameter.empty]
    missing = [name for name in needed if name not in given]
    if missing:
        takes = f"{'at least ' if len(needed) < len(parameters) else ''}{len(needed)}"
        raise KernelError(f"{called} takes {takes} arguments, not {len(given)}: {', '.join(missing)} missing")
    last = max((k for k, p in enumerate(named) if p.name in given), default=-1)
    return [given.get(p.name, p.default) for p in named[: last + 1]]
