"""Public arrays that no stage writes: computed from other fields on first access, then updated after every call."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

Fill = Callable[[Any], None]
"""Function that refreshes the arrays of a world."""


def follow(d: Any, key: Hashable, fill: Fill) -> None:
    """Call `fill` now and after each call that changes world `d`; each key is registered once.

    Args:
        d: the world.
        key: identifies the registration.
        fill: function of the world that writes the arrays.
    """
    d.followed.setdefault(key, fill)
    d.world.calls.invalidate()
    fill(d)


def refresh(d: Any) -> None:
    """Update all registered arrays."""
    for fill in list(d.followed.values()):
        fill(d)
