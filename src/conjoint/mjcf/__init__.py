"""Readers and writers of model files: MJCF, URDF and XML Schema."""

from importlib import import_module
from typing import TYPE_CHECKING

from conjoint.lazy import names_of

if TYPE_CHECKING:
    from conjoint.mjcf.reader import read_path, read_string

# load `conjoint.lang` completely before any of its modules (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")

__all__ = ["read_path", "read_string"]

__getattr__ = names_of(__name__, {"reader": "read_path read_string"})
