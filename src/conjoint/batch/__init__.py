"""Many worlds of one model, stepped in lanes and on several threads."""

from importlib import import_module
from typing import TYPE_CHECKING

from conjoint.lazy import names_of

if TYPE_CHECKING:
    from conjoint.batch.batch import Batch

# import the package completely before any of its modules (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")

__all__ = ["Batch"]

__getattr__ = names_of(__name__, {"batch": "Batch"})
