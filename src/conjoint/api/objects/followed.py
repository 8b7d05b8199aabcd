"""Public arrays that no stage writes. They are computed from other fields on first access and after every call."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

Fill = Callable[[Any], None]
"""Function that is called with a world, and refreshes arrays that are computed from it."""


def follow(d: Any, key: Hashable, fill: Fill) -> None:
    """Call `fill` now and after each function call that changes world `d`. Each key is registered once.

    Args:
        d: the world.
        key: unique key of the registration.
        fill: function of `d` that writes the arrays.
    """
    d.followed.setdefault(key, fill)
    d.world.calls.invalidate()
    fill(d)


def refresh(d: Any) -> None:
    """Update all registered arrays of world `d`."""
    for fill in list(d.followed.values()):
        fill(d)
