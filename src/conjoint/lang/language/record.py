"""Records (values with several named real components) and structs (named members stored in memory)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

from ..memory.layout import COMPONENTS
from .formula import Formula
from .values import MEMBERS


def record(declaration: Callable[..., Any]) -> Formula:
    """Declare a value type; the parameters of the decorated function are the names of its components.

    Calling the returned formula creates a value of this type. Values are immutable and stored in registers. Like other
    values, they can be variables, arguments, results, and operands of `where`, of `+` and `-`, and of `*` with a real.
    Declaring a record again with the same members returns the same type.

    Raises:
        TypeError: there is another type with this name.
    """
    name, members = declaration.__name__, tuple(signature(declaration).parameters)
    if name in COMPONENTS and MEMBERS.get(name) != members:
        raise TypeError(f"there is another kind {name} already: give the record another name")
    COMPONENTS[name], MEMBERS[name] = len(members), members

    @wraps(declaration)
    def parts(*numbers: Any) -> tuple[Any, ...]:
        return tuple(number for _, number in zip(members, numbers, strict=True))

    return Formula(parts, name, ("real",) * len(members))


class Uniform:
    """Type of a struct member that has the same value in all worlds (`vocabulary.uniform`)."""

    def __init__(self, kind: Any):
        self.kind = kind


class StructKind:
    """Declaration of a struct: the type and length of each member.

    Attributes:
        members: type and length of each member, by name; the length is 0 if the member is not an array.
        uniform: names of members that are equal in all worlds.
    """

    def __init__(self, declaration: Callable[..., Any]):
        self.__name__, self.__doc__, self.__module__ = declaration.__name__, declaration.__doc__, declaration.__module__
        given = {name: p.default for name, p in signature(declaration).parameters.items()}
        self.uniform = frozenset(name for name, kind in given.items() if isinstance(kind, Uniform))
        kinds = {name: kind.kind if isinstance(kind, Uniform) else kind for name, kind in given.items()}
        self.members = {name: kind if isinstance(kind, tuple) else (kind, 0) for name, kind in kinds.items()}

    def __repr__(self) -> str:
        kinds = {
            name: kind if isinstance(kind, StructKind) else kind.__name__ for name, (kind, _) in self.members.items()
        }
        members = (f"{name}: {kinds[name]} {n}" for name, (_, n) in self.members.items())
        return f"{self.__name__}({', '.join(members)})"


def struct(declaration: Callable[..., Any]) -> StructKind:
    """Declare a struct; the decorated function's parameters are its members, and their default values are the types.

    A type is `real`, `int`, a value type or another struct, or a pair of a type and a length. A kernel creates structs
    with `local(Body, 2)`. Elements are references, whose members can be read and written.
    """
    return StructKind(declaration)


class Members:
    """A struct in uncompiled kernels."""


class MembersList(list[Members]):
    """Array of structs in uncompiled kernels."""

    def __setitem__(self, i: Any, value: Any) -> None:
        vars(self[i]).update(vars(_copied(value)))


def _copied(x: Any) -> Any:
    """Return a deep copy of a struct or array."""
    if isinstance(x, Members):
        found = Members()
        vars(found).update({name: _copied(member) for name, member in vars(x).items()})
        return found
    return type(x)(map(_copied, x)) if isinstance(x, list) else x
