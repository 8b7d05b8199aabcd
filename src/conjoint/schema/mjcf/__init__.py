"""The MJCF grammar: one row per element and attribute (XML Reference chapter)."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conjoint.schema.mjcf.grammar import INCLUDE, MUJOCO
    from conjoint.schema.mjcf.lookup import REMOVED, defaults, homes, rows, written_name
    from conjoint.schema.mjcf.table import Attribute, Element

__all__ = ["INCLUDE", "MUJOCO", "REMOVED", "Attribute", "Element", "defaults", "homes", "rows", "written_name"]

_MODULES = {
    "INCLUDE": "grammar",
    "MUJOCO": "grammar",
    "REMOVED": "lookup",
    "defaults": "lookup",
    "homes": "lookup",
    "rows": "lookup",
    "written_name": "lookup",
    "Attribute": "table",
    "Element": "table",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for (CONTRIBUTING.md, Threads and imports)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
