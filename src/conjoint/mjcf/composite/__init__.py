"""Macro `composite`, which creates bodies in a regular pattern, with the constraints that hold them together."""

from conjoint.mjcf.composite.read import read_composite

__all__ = ["read_composite"]
