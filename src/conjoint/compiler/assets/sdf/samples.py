"""Formulas of the kernel language on arrays: what the compiler samples is what the engine computes with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from conjoint.lang import Formula
from conjoint.lang.language.formula import Symbol
from conjoint.spec.meshes.triangles import Reals

PRIMITIVES: dict[str, Callable[..., Any]] = {
    "where": np.where,
    "minimum": lambda a, b: np.where(a < b, a, b),
    "maximum": lambda a, b: np.where(a > b, a, b),
    "abs": np.abs,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "negative": np.signbit,
    "fma": lambda a, b, c: a * b + c,
}
"""What elementary functions are on arrays, by name."""


class Samples(NDArrayOperatorsMixin, Symbol):
    """Numbers at many points that a formula takes for one."""

    __slots__ = ("values",)

    def __init__(self, values: Any):
        self.values = values

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Samples:
        return Samples(getattr(ufunc, method)(*map(values_of, inputs), **options))

    def primitive(self, name: str, *args: Any) -> Samples:
        return Samples(PRIMITIVES[name](*map(values_of, args)))

    def exactly(self) -> Samples:
        return self

    def as_free_as(self, other: Symbol) -> Samples:
        return self


def values_of(number: Any) -> Any:
    """Arrays of samples, and other numbers as they are."""
    return number.values if isinstance(number, Samples) else number


def sampled(distance: Callable[..., Any], *points: Reals, settings: tuple[float, ...]) -> Reals:
    """A signed distance at points whose coordinates broadcast; a function of arrays if it is no formula."""
    if not isinstance(distance, Formula):
        return np.asarray(distance(*points, *settings))
    return np.asarray(values_of(distance(*map(Samples, points), *settings)))
