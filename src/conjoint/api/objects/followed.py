"""Arrays that users see and no stage writes: made of others when first read, and kept up to date after every call."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

Fill = Callable[[Any], None]
"""Function that refreshes the arrays of a world."""


def follow(d: Any, key: Hashable, fill: Fill) -> None:
    """Let `fill` write its arrays now and after each call that changes world `d`; a key is followed once.

    Args:
        d: the world.
        key: identifies what is followed.
        fill: is called with the world.
    """
    d.followed.setdefault(key, fill)
    d.world.calls.invalidate()
    fill(d)


def refresh(d: Any) -> None:
    """Bring what is followed up to date."""
    for fill in list(d.followed.values()):
        fill(d)
