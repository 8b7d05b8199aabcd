"""Trees that nest deeply: room for them, and an error instead of a crash where it ends."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from conjoint.lang.errors import ModelError

FRAMES = 6000
"""Calls inside each other that are allowed; 500 bodies in a chain need some 1500, many more may overrun the stack."""

P = ParamSpec("P")
R = TypeVar("R")


def nesting(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, which walks trees by calling itself, with room for that; too deep a tree is a ModelError."""

    @wraps(function)
    def walked(*args: P.args, **kwargs: P.kwargs) -> R:
        sys.setrecursionlimit(max(FRAMES, sys.getrecursionlimit()))
        try:
            return function(*args, **kwargs)
        except RecursionError:
            raise ModelError("the model is nested too deeply: over a thousand elements inside each other") from None

    return walked
