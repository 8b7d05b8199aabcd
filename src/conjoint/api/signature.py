"""Public form of functions, with docstrings as in MuJoCo and array arguments that machine code checks.

A docstring consists of a line with the signature, an empty line, and the description.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from conjoint.api.argument_kinds import official_class
from conjoint.api.arguments import both_forms, kind_of
from conjoint.lang.calls.argument_guard import Home, available, guarded
from conjoint.lang.routines.argument_rules import ARRAY
from conjoint.once import made_once


@made_once
def public(function: FunctionType, place: str) -> Callable[..., Any]:
    """Return the public form of a function.

    Machine code checks the arguments if some of them are arrays, or if it can repeat calls of the function.

    Args:
        function: the function.
        place: name of the public module of the function.
    """
    function.__doc__ = documented(function)
    # these attributes are set by `checked` and `repeatable`
    noted: dict[str, Any] = vars(function)
    rules, repeated = noted.get("rules", ()), noted.get("repeated")
    # Python checks other arguments as fast as machine code
    if not (repeated or any(rule.kind == ARRAY for rule in rules)) or not available():
        return both_forms(function)
    parameters = inspect.signature(function).parameters.values()
    least = sum(parameter.default is parameter.empty for parameter in parameters)
    listed = ", ".join(str(parameter.replace(annotation=parameter.empty)) for parameter in parameters)
    doc = f"{function.__name__}({listed})\n--\n\n{function.__doc__}"
    if repeated:
        return repeated(function, doc=doc, place=place)
    return guarded(noted["direct"], both_forms(function), rules, least, doc, place)


def in_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the annotated Python function that `public` wrapped."""
    home = getattr(function, "__self__", None)
    return home.function if isinstance(home, Home) else function


def documented(function: FunctionType) -> str:
    """Return the docstring of a function with a signature line as in MuJoCo, which is added if it is missing."""
    text = inspect.cleandoc(function.__doc__ or "")
    if text.startswith(f"{function.__name__}("):
        return text
    annotations = inspect.get_annotations(inspect.unwrap(function), eval_str=True)
    arguments = [
        f"{name}: {kind_of(annotations.get(name, object)).official}"
        + ("" if parameter.default is parameter.empty else f" = {parameter.default!r}")
        for name, parameter in inspect.signature(function).parameters.items()
    ]
    returned = annotations.get("return")
    # MuJoCo's docstrings do not mention None as a return value
    result = official_class(str if returned == str | None else returned)
    line = f"{function.__name__}({', '.join(arguments)}) -> {result}"
    return f"{line}\n\n{text}\n"
