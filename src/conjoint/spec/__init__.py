"""The editable model."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conjoint.spec.element import Body, Element, Place
    from conjoint.spec.problems import Problems, choices, suggestion
    from conjoint.spec.spec import DefaultsClass, Spec

# whole before any module of it (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")

__all__ = ["Body", "DefaultsClass", "Element", "Place", "Problems", "Spec", "choices", "suggestion"]

_MODULES = {
    "Body": "element",
    "Element": "element",
    "Place": "element",
    "Problems": "problems",
    "choices": "problems",
    "suggestion": "problems",
    "DefaultsClass": "spec",
    "Spec": "spec",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for (CONTRIBUTING.md, Threads and imports)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
