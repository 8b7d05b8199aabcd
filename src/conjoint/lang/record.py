"""Records: values of several reals with names of their own."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from .formula import Formula
from .layout import COMPONENTS
from .values import MEMBERS


def record(declaration: Callable[..., Any]) -> Formula:
    """Declare a kind of values by a function that has parameters, the names of the reals, and a docstring.

    What it returns makes values of the kind. They live in registers and are immutable. They are variables, arguments,
    results and operands of `where`, `+`, `-` and of `*` with a real, like other values. A record that is declared
    again, with the same members, is the same kind.

    Raises:
        TypeError: there is another kind of that name.
    """
    name, members = declaration.__name__, tuple(signature(declaration).parameters)
    if name in COMPONENTS and MEMBERS.get(name) != members:
        raise TypeError(f"there are values of the kind {name} already: give the record another name")
    COMPONENTS[name], MEMBERS[name] = len(members), members

    def parts(*numbers: Any) -> tuple[Any, ...]:
        return tuple(number for _, number in zip(members, numbers, strict=True))

    parts.__name__, parts.__doc__, parts.__module__ = name, declaration.__doc__, declaration.__module__
    return Formula(parts, name, ("real",) * len(members))
