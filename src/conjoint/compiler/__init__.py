"""Spec to model."""

from conjoint.compiler.compile import compile_path, compile_spec, compile_string, read_path, read_string

__all__ = ["compile_path", "compile_spec", "compile_string", "read_path", "read_string"]
