"""Values captured by user-defined kernels, and new versions of kernels whose captured values change.

Numbers, kernels and groups are compile-time constants. A Python function sees the value that a name has when it
runs, so a kernel is compiled again if its names have new values.
"""

from __future__ import annotations

import enum
from types import CellType
from typing import Any

from .builtin_words import BUILTINS, is_language, names_in
from .formula import Formula
from .group import Group, unfolded
from .kernel import Kernel

PACKAGE = __name__.partition(".")[0]


class Captured:
    """Values of all variables to which a kernel, and the user-defined kernels that it calls, refer.

    Attributes:
        kernels: the kernel, and the kernels outside this package that it calls.
    """

    def __init__(self, kernel: Kernel):
        self._globals: list[tuple[dict[str, Any], str, Any]] = []
        self._cells: list[tuple[CellType, Any]] = []
        self.kernels: list[Kernel] = []
        self._add(kernel, set())

    def _add(self, item: Kernel | Formula, seen: set[int]) -> None:
        """Record the globals and closure cells that a kernel or formula refers to."""
        seen.add(id(item))
        if isinstance(item, Kernel):
            self.kernels.append(item)
        function, names = item.function, sorted(names_in(item.function.__code__))
        found = self._taken(function.__globals__, names)
        for cell in function.__closure__ or ():
            if matters(value := contents(cell)):
                self._cells.append((cell, value))
                found.append(value)
        for module in [value for value in found if is_language(value)]:
            found += self._taken(vars(module), names)
        for value in unfolded(found):
            if isinstance(value, Kernel | Formula) and id(value) not in seen and is_of_a_program(value):
                self._add(value, seen)

    def _taken(self, space: dict[str, Any], names: list[str]) -> list[Any]:
        """Record the variables of a module that affect compiled code or would shadow a Python built-in.

        Return their values.
        """
        found = [(space, name, space.get(name)) for name in names if name in BUILTINS or matters(space.get(name))]
        self._globals += found
        return [value for *_, value in found]

    def holds(self) -> bool:
        """Return True if all variables still refer to the same objects."""
        for space, name, value in self._globals:
            if space.get(name) is not value:
                return False
        return all(contents(cell) is value for cell, value in self._cells)

    def equals(self, other: Captured) -> bool:
        """Return True if another kernel, or the same kernel at a later time, refers to equal values."""
        mine, others = ([*map(compared, (v for *_, v in (*c._globals, *c._cells)))] for c in (self, other))
        return mine == others

    @property
    def loose(self) -> list[str]:
        """Names of global numbers that are not named like constants (in capitals)."""
        return [name for _, name, value in self._globals if isinstance(value, int | float) and name != name.upper()]


def contents(cell: CellType) -> Any:
    """Return the value in a closure cell; None if the cell is still empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def matters(value: Any) -> bool:
    """Return True if compiled code depends on values of the type of `value`."""
    known = isinstance(value, bool | int | float | Kernel | Formula | Group) and not isinstance(value, enum.Enum)
    return known or is_language(value)


def is_of_a_program(item: Kernel | Formula) -> bool:
    """Return True if a kernel or formula does not belong to this package."""
    return (item.__module__ or "").partition(".")[0] != PACKAGE


def compared(value: Any) -> Any:
    """Return a key for comparing values: the digits of a number, the identity of any other object."""
    return repr(value) if isinstance(value, int | float) else id(value)


class Versions:
    """Latest version of each kernel: the kernel itself, or a copy of it after a captured value has changed."""

    def __init__(self) -> None:
        self._latest: dict[Kernel, tuple[Captured, Kernel]] = {}
        self._originals: dict[Kernel, Kernel] = {}

    def of(self, kernel: Kernel) -> tuple[Captured, Kernel]:
        """Return the values that a kernel refers to now, and the version of the kernel for these values."""
        original = self._originals.get(kernel, kernel)
        now, known = Captured(original), self._latest.get(original)
        if known is not None and known[0].equals(now):
            latest = known[1]
        else:
            # recompute all that was derived from the old values
            for one in now.kernels:
                one.forget()
            latest = original if known is None else original.again()
            self._originals[latest] = original
        self._latest[original] = now, latest
        return now, latest
