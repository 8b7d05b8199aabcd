"""What exists, declared once: fields of Model and Data, options, enumerations, constants, the MJCF grammar."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conjoint.schema.arena import ARENA_ROWS, CAPACITIES
    from conjoint.schema.data import DATA_ROWS
    from conjoint.schema.model import MODEL_FIELDS, MODEL_ROWS
    from conjoint.schema.plan import PLAN_ROWS
    from conjoint.schema.sizes import SIZES

# whole before any module of it (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")

__all__ = ["ARENA_ROWS", "CAPACITIES", "DATA_ROWS", "MODEL_FIELDS", "MODEL_ROWS", "PLAN_ROWS", "SIZES"]

_MODULES = {
    "ARENA_ROWS": "arena",
    "CAPACITIES": "arena",
    "DATA_ROWS": "data",
    "MODEL_FIELDS": "model",
    "MODEL_ROWS": "model",
    "PLAN_ROWS": "plan",
    "SIZES": "sizes",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for (CONTRIBUTING.md, Threads and imports)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
