"""XML to Spec."""

from conjoint.mjcf.reader import read_path, read_string

__all__ = ["read_path", "read_string"]
