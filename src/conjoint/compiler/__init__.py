"""Compiler from a Spec to a model."""

from importlib import import_module
from typing import TYPE_CHECKING

from conjoint.lazy import names_of

if TYPE_CHECKING:
    from conjoint.compiler.compile import compile_path, compile_spec, compile_string, read_path, read_string

# load `conjoint.lang` completely before any of its modules (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")

__all__ = ["compile_path", "compile_spec", "compile_string", "read_path", "read_string"]

__getattr__ = names_of(__name__, {"compile": "compile_path compile_spec compile_string read_path read_string"})
