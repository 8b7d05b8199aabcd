"""composite: bodies, and what holds them together, laid out in a regular pattern."""

from conjoint.mjcf.composite.read import read_composite

__all__ = ["read_composite"]
