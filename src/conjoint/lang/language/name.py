"""Names that stand for kernels in tables, so that kernels' modules are imported only when they are needed.

A module is needed if its kernel must be compiled or runs uncompiled. Examples of names:

    motion = Name("conjoint.physics").motion
    motion.kinematics.kinematics                    # a kernel
    awake(motion.kinematics.kinematics)             # the kernel that a function returns for it
    constraint.jacobian.JACOBIANS[0]                # an item
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from conjoint.once import MAKING

from .kernel import Kernel


class Name:
    """Expression built from a module by attribute access, indexing and calls. Equal expressions are the same object.

    Args:
        text: the expression; the name of a module, if it is the only argument.
        owner: name of the object whose attribute, item or call result this is.
        step: name of the attribute, key of the item, or arguments of the call.
    """

    __slots__ = ("_found", "_owner", "_step", "_text")
    _text: str
    _owner: Name | None
    _step: Any
    _found: Any

    def __new__(cls, text: str, owner: Name | None = None, step: Any = None) -> Name:
        """Return the unique `Name` with this text."""
        known = _names.get(text)
        if known is None:
            made = super().__new__(cls)
            made._text, made._owner, made._step = text, owner, step
            known = _names.setdefault(text, made)
        return known

    def __getattr__(self, name: str) -> Name:
        if name.startswith("_"):
            raise AttributeError(name)
        return Name(f"{self._text}.{name}", self, name)

    def __getitem__(self, key: int) -> Name:
        return Name(f"{self._text}[{key!r}]", self, key)

    def __iter__(self) -> Any:
        raise TypeError(f"{self} has as many items as its module says")

    def __call__(self, *arguments: Any) -> Name:
        return Name(f"{self._text}({', '.join(map(repr, arguments))})", self, arguments)

    def __repr__(self) -> str:
        return self._text


_names: dict[str, Name] = {}

Work = Kernel | Name
"""A kernel, or its name."""


def value_of(item: Any) -> Any:
    """Return the object that a `Name` refers to, importing its module; return any other `item` unchanged.

    Raises:
        AttributeError, ModuleNotFoundError: there is no such object.
    """
    if not isinstance(item, Name):
        return item
    try:
        return item._found
    except AttributeError:
        with MAKING.held:
            item._found = _found(item._text, item._owner, item._step)
        return item._found


def _found(text: str, owner: Name | None, step: Any) -> Any:
    """Find the object that a `Name` refers to."""
    if owner is None:
        return import_module(text)
    found = value_of(owner)
    if isinstance(step, tuple):
        return found(*map(value_of, step))
    if isinstance(step, int):
        return found[step]
    # a module of a package, or an attribute
    return import_module(text) if isinstance(found, ModuleType) and hasattr(found, "__path__") else getattr(found, step)


def kernel_of(work: Work) -> Kernel:
    """Return the kernel, importing its module if `work` is a name."""
    found: Kernel = value_of(work)
    return found


def name_of(work: Work) -> str:
    """Return the last part of a `Name`, or the name of a kernel."""
    return repr(work).partition("(")[0].rpartition(".")[2] if isinstance(work, Name) else work.__name__
