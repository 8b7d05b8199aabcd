"""What exists, declared once: fields of Model and Data, options, enumerations, constants, the MJCF grammar."""

from conjoint.schema.arena import ARENA_ROWS, CAPACITIES
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.model import MODEL_FIELDS, MODEL_ROWS
from conjoint.schema.plan import PLAN_ROWS
from conjoint.schema.sizes import SIZES

__all__ = ["ARENA_ROWS", "CAPACITIES", "DATA_ROWS", "MODEL_FIELDS", "MODEL_ROWS", "PLAN_ROWS", "SIZES"]
