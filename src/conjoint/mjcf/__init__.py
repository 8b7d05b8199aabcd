"""XML to Spec."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conjoint.mjcf.reader import read_path, read_string

# whole before any module of it (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")

__all__ = ["read_path", "read_string"]

_MODULES = {"read_path": "reader", "read_string": "reader"}


def __getattr__(name: str) -> Any:
    """Import what is asked for (CONTRIBUTING.md, Threads and imports)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
