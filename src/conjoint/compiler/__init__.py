"""Spec to model."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conjoint.compiler.compile import compile_path, compile_spec, compile_string, read_path, read_string

# whole before any module of it (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")

__all__ = ["compile_path", "compile_spec", "compile_string", "read_path", "read_string"]

_MODULES = {
    "compile_path": "compile",
    "compile_spec": "compile",
    "compile_string": "compile",
    "read_path": "compile",
    "read_string": "compile",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for (CONTRIBUTING.md, Threads and imports)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
