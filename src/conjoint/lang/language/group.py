"""Groups: compile-time arguments of kernels that bundle several kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, make_dataclass
from inspect import signature
from typing import Any


class Group:
    """Base class of frozen dataclasses whose members are kernels, formulas, constants and other groups.

    A kernel receives a group as an argument, or refers to one in a module's variable, and calls its members:
    `space.move(m, d)`. The kernel is compiled separately for each group passed to it, so that all calls are direct.
    """

    @property
    def members(self) -> dict[str, Any]:
        """All members, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


def group(declaration: Callable[..., Any]) -> Any:
    """Declare a group type for kernels; the parameters of the decorated function are the names of its members."""
    made: Any = make_dataclass(declaration.__name__, signature(declaration).parameters, bases=(Group,), frozen=True)
    made.__doc__, made.__module__ = declaration.__doc__, declaration.__module__
    return made


def unfolded(values: Iterable[Any]) -> list[Any]:
    """Return the values, with each group replaced by its members."""
    found = []
    for value in values:
        found += unfolded(value.members.values()) if isinstance(value, Group) else [value]
    return found
