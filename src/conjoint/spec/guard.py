"""What a model can do to Python itself, as errors of the model: nesting without end, numbers without bounds."""

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from conjoint.lang.errors import ModelError

FRAMES = 6000
"""Calls inside each other that are allowed; 500 bodies in a chain need some 1500, many more may overrun the stack."""

P = ParamSpec("P")
R = TypeVar("R")


def guarded(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, which computes with a model and walks its trees; what is too much for Python is a ModelError."""

    @wraps(function)
    def attempt(*args: P.args, **kwargs: P.kwargs) -> R:
        sys.setrecursionlimit(max(FRAMES, sys.getrecursionlimit()))
        try:
            return function(*args, **kwargs)
        except RecursionError:
            raise ModelError("the model is nested too deeply: over a thousand elements inside each other") from None
        except OverflowError:
            message = (
                "a number of the model is too large to compute with: look for sizes, positions and masses over 1e100"
            )
            raise ModelError(message) from None

    return attempt
