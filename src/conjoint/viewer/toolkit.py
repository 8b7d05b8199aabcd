"""What the window is made of: packages that must be installed, and the one thread at a time that draws with them."""

from __future__ import annotations

import threading

from conjoint.lang.optional_packages import need

DRAWING = threading.RLock()
"""Held while a window draws: GLFW and Dear ImGui have one current context for all threads."""


def require_toolkit() -> None:
    """Import what the window needs.

    Raises:
        MissingExtraError: something is not installed; the message says how to install it.
    """
    need("viewer", "the window")
