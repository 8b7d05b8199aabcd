"""What exists, declared once: fields of Model and Data, options, enumerations, constants, the MJCF grammar."""

from importlib import import_module
from typing import TYPE_CHECKING

from conjoint.lazy import names_of

if TYPE_CHECKING:
    from conjoint.schema.arena import ARENA_ROWS, CAPACITIES
    from conjoint.schema.data import DATA_ROWS
    from conjoint.schema.model import MODEL_FIELDS, MODEL_ROWS
    from conjoint.schema.plan import PLAN_ROWS
    from conjoint.schema.sizes import SIZES

# whole before any module of it (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")

__all__ = ["ARENA_ROWS", "CAPACITIES", "DATA_ROWS", "MODEL_FIELDS", "MODEL_ROWS", "PLAN_ROWS", "SIZES"]

__getattr__ = names_of(
    __name__,
    {
        "arena": "ARENA_ROWS CAPACITIES",
        "data": "DATA_ROWS",
        "model": "MODEL_FIELDS MODEL_ROWS",
        "plan": "PLAN_ROWS",
        "sizes": "SIZES",
    },
)
