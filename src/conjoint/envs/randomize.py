"""Domain randomization: model parameters that are drawn at random for each episode of each world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from conjoint.batch.varied_models import check_variable

WAYS = ("scale", "shift", "value")
"""Uses of random numbers: they multiply the model's numbers, are added to them, or replace them."""


@dataclass(frozen=True)
class Range:
    """A range from which random numbers for a model field are drawn uniformly.

    Attributes:
        low: lower bound; a number, or an array that broadcasts to the field's shape in the model.
        high: upper bound; a number, or an array that broadcasts to the field's shape in the model.
        way: use of the random numbers: "scale" multiplies the model's numbers by them, "shift" adds them, "value"
            replaces the numbers by them.
        together: whether one random number applies to the whole field of a world, such as one factor for all masses.
    """

    low: npt.ArrayLike
    high: npt.ArrayLike
    way: str = "scale"
    together: bool = False


Ranges = Mapping[str, "Range | tuple[npt.ArrayLike, npt.ArrayLike]"]
"""Ranges by the name of a field that `Batch(vary=...)` accepts; a pair is a range of factors."""


class Randomization:
    """Random model parameters for worlds at the start of their episodes.

    Args:
        ranges: ranges by field name.
        model: model with which all worlds begin.

    Raises:
        ValueError: a range is invalid or does not match the shape of its field, or a field cannot differ between
            worlds.
    """

    def __init__(self, ranges: Ranges, model: Any):
        for name in ranges:
            check_variable(name)
        self.ranges = {name: _range(name, given) for name, given in ranges.items()}
        self.base = {name: np.array(_numbers(model, name)) for name in self.ranges}
        self.limits = {name: _limits(name, self.ranges[name], value.shape) for name, value in self.base.items()}

    @property
    def names(self) -> list[str]:
        """Names of the randomized fields."""
        return list(self.ranges)

    def draw(self, batch: Any, mask: np.ndarray, generator: np.random.Generator) -> None:
        """Draw new parameters for the worlds of a batch that `mask` selects.

        Random numbers are drawn for all worlds, so that a world's parameters do not depend on the mask.
        """
        for name, given in self.ranges.items():
            value, (low, high) = self.base[name], self.limits[name]
            nworld, ones = len(mask), (1,) * value.ndim
            shares = generator.random((nworld, *(ones if given.together else value.shape)))
            drawn = low + shares * (high - low)
            if given.way == "scale":
                drawn = value * drawn
            elif given.way == "shift":
                drawn = value + drawn
            _numbers(batch, name)[mask] = drawn[mask]


def _numbers(owner: Any, name: str) -> Any:
    """Return field `name` of a model or a batch; the names of options contain a dot."""
    for part in name.split("."):
        owner = getattr(owner, part)
    return owner


def _range(name: str, given: Any) -> Range:
    """Return a `Range` for an argument that is a range or a pair, after checking it."""
    found = given
    if not isinstance(given, Range):
        try:
            low, high = given
        except (TypeError, ValueError):
            raise ValueError(f"randomize: {name} needs a Range or a pair (low, high), not {given!r}") from None
        found = Range(low, high)
    if found.way not in WAYS:
        raise ValueError(f"randomize: {name}: the mode must be 'scale', 'shift' or 'value', not {found.way!r}")
    return found


def _limits(name: str, given: Range, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of a range, broadcast to the shape of the field."""
    try:
        low, high = (np.broadcast_to(np.asarray(end, float), shape) for end in (given.low, given.high))
    except (TypeError, ValueError):
        raise ValueError(f"randomize: {name}: low and high must be numbers that broadcast to {shape}") from None
    if not (np.isfinite(low) & np.isfinite(high) & (low <= high)).all():
        raise ValueError(f"randomize: {name}: low must not exceed high, and both must be finite")
    return low, high
