"""Dual numbers for kernels that run as ordinary Python, so that derivatives can be stepped through in a debugger."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..memory.realisation import TANGENTS
from .dual import Condition, Directional, Dual

NO_TANGENTS = np.zeros(TANGENTS)
"""Tangents of a constant, all zero."""
NO_TANGENTS.flags.writeable = False


class Plain(Directional):
    """Dual numbers, and conditions on them, in plain Python."""

    __slots__ = ()

    def dual(self, value: Any, tangent: Any) -> Any:
        return value if tangent is None else PlainDual(value, tangent)

    def condition(self, value: Any, along: Any) -> PlainCondition:
        return PlainCondition(value, along)

    def still(self) -> np.ndarray:
        return NO_TANGENTS

    def select(self, side: Any, a: Any, b: Any) -> np.ndarray:
        return np.where(side, a, b)

    def exactly(self) -> Plain:
        return self

    def as_free_as(self, other: Any) -> Plain:
        return self


class PlainCondition(Plain, Condition):
    """A comparison of real numbers with tangents.

    Attributes:
        value: True if the comparison holds.
        tangent: result of the comparison along each direction, or one value for all directions.
    """

    __slots__ = ("tangent", "value")

    def __init__(self, value: Any, along: Any):
        self.value, self.tangent = bool(value), along

    def somewhere(self) -> bool:
        return self.value or bool(np.any(self.tangent))

    def __bool__(self) -> bool:
        return self.value


class PlainDual(Plain, Dual):
    """An immutable real with tangents.

    Attributes:
        value: a NumPy float64.
        tangent: array of its derivatives along eight directions.
    """

    __slots__ = ("tangent", "value")

    def __init__(self, value: Any, tangent: np.ndarray):
        self.value, self.tangent = np.float64(value), tangent

    def __repr__(self) -> str:
        return f"{self:g}"

    def __format__(self, form: str) -> str:
        changes = ", ".join(format(change, form) for change in self.tangent)
        return f"{self.value:{form}} changing by [{changes}]"

    def __float__(self) -> float:
        raise TypeError("an ordinary number is needed, not a real with tangents: write stop_gradient()")

    def __bool__(self) -> bool:
        return bool(self.value)
