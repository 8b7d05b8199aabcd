"""What the window is made of: packages that must be installed, and the one thread at a time that draws with them."""

from __future__ import annotations

import importlib
import threading

from conjoint.lang import FatalError

PACKAGES = {"moderngl": "moderngl", "glfw": "glfw", "imgui_bundle": "imgui-bundle"}
"""Modules that the window imports, and what they are called where they are installed from."""

DRAWING = threading.RLock()
"""Held while a window draws: GLFW and Dear ImGui have one current context for all threads."""


def require_toolkit() -> None:
    """Import what the window needs.

    Raises:
        FatalError: something is not installed; the message says how to install it.
    """
    for module, package in PACKAGES.items():
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise FatalError(f"the window needs {package} ({error}): pip install 'conjoint[viewer]'") from None
