"""What users get for a function: its docstring as the official package has it, and arrays checked by machine code.

A docstring is a line with the signature, an empty one, then what the function does.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from types import FunctionType, NoneType
from typing import Any, get_args

import numpy as np

from conjoint.api.argument_kinds import ArrayArgument
from conjoint.api.arguments import FileName
from conjoint.api.newer_form import both_forms
from conjoint.lang.calls.argument_guard import Home, available, guarded
from conjoint.lang.routines.argument_rules import ARRAY
from conjoint.once import made_once

NUMBERS: dict[Any, str] = {int: "typing.SupportsInt", float: "typing.SupportsFloat", FileName: "str"}
"""Arguments that may also be what can be turned into these types."""


@made_once
def public(function: FunctionType, place: str) -> Callable[..., Any]:
    """What users get for a function of a module: documented, and a guard where it takes arrays or repeats calls.

    Args:
        function: the function.
        place: name of the module in which they find it.
    """
    function.__doc__ = documented(function)
    rules = getattr(function, "rules", ())
    repeated = getattr(function, "repeated", None)
    # other arguments are looked at in Python as quickly
    if not (repeated or any(rule.kind == ARRAY for rule in rules)) or not available():
        return both_forms(function)
    parameters = inspect.signature(function).parameters.values()
    least = sum(parameter.default is parameter.empty for parameter in parameters)
    listed = ", ".join(str(parameter.replace(annotation=parameter.empty)) for parameter in parameters)
    doc = f"{function.__name__}({listed})\n--\n\n{function.__doc__}"
    if repeated:
        return repeated(function, doc=doc, place=place)
    return guarded(inspect.unwrap(function), both_forms(function), rules, least, doc, place)


def in_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function in Python, with annotations, that stands behind one that `public` made."""
    home = getattr(function, "__self__", None)
    return home.function if isinstance(home, Home) else function


def documented(function: FunctionType) -> str:
    """The docstring of a function, with the official signature line before it if it is not there."""
    text = inspect.cleandoc(function.__doc__ or "")
    if text.startswith(f"{function.__name__}("):
        return text
    annotations = inspect.get_annotations(inspect.unwrap(function), eval_str=True)
    arguments = [
        f"{name}: {_argument(annotations.get(name, object))}"
        + ("" if parameter.default is parameter.empty else f" = {parameter.default!r}")
        for name, parameter in inspect.signature(function).parameters.items()
    ]
    returned = annotations.get("return")
    if returned == str | None:
        # officially None goes without saying
        returned = str
    line = f"{function.__name__}({', '.join(arguments)}) -> {_type(returned)}"
    return f"{line}\n\n{text}\n"


def _argument(annotation: Any) -> str:
    """The type of an argument."""
    if annotation in NUMBERS:
        return NUMBERS[annotation]
    kinds = get_args(annotation)
    if NoneType in kinds:
        rest = functools.reduce(operator.or_, (kind for kind in kinds if kind is not NoneType))
        return f"{_argument(rest)} | None"
    if len(kinds) > 1 and isinstance(kinds[1], ArrayArgument):
        return _array(kinds[1])
    if len(kinds) > 1 and kinds[0] is int:
        return NUMBERS[int]
    return _type(annotation)


def _array(argument: ArrayArgument) -> str:
    """An array: columns of any or a fixed length, or a matrix."""
    notes = [f"[{argument.shape[0] or 'm'}, 1]" if len(argument.shape) == 1 else "[m, n]"]
    notes += ["flags.writeable"] if argument.output else []
    notes += ["flags.c_contiguous"] if len(argument.shape) == 2 else []
    listed = ", ".join(f'"{note}"' for note in notes)
    return f"typing.Annotated[numpy.typing.NDArray[numpy.{np.dtype(argument.dtype).name}], {listed}]"


def _type(annotation: Any) -> str:
    """A class by its official name; classes of this package stand for those of the same name."""
    if annotation is None:
        return "None"
    if not isinstance(annotation, type):
        return "object"
    name = annotation.__name__
    if not annotation.__module__.startswith("conjoint."):
        return name
    return f"mujoco.{'_render' if name.startswith('Mjr') else '_structs'}.{name}"
