"""The MJCF grammar: one row per element and attribute (XML Reference chapter)."""

from conjoint.schema.mjcf.grammar import INCLUDE, MUJOCO, defaults
from conjoint.schema.mjcf.table import Attribute, Element

__all__ = ["INCLUDE", "MUJOCO", "Attribute", "Element", "defaults"]
