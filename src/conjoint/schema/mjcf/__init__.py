"""The MJCF grammar: one row per element and attribute (XML Reference chapter)."""

from conjoint.schema.mjcf.grammar import INCLUDE, MUJOCO
from conjoint.schema.mjcf.lookup import REMOVED, defaults, homes, rows, written_name
from conjoint.schema.mjcf.table import Attribute, Element

__all__ = ["INCLUDE", "MUJOCO", "REMOVED", "Attribute", "Element", "defaults", "homes", "rows", "written_name"]
