"""The MJCF grammar: one row per element and attribute (XML Reference chapter)."""

from typing import TYPE_CHECKING

from conjoint.lazy import names_of

if TYPE_CHECKING:
    from conjoint.schema.mjcf.grammar import INCLUDE, MUJOCO
    from conjoint.schema.mjcf.lookup import REMOVED, defaults, homes, rows, written_name
    from conjoint.schema.mjcf.table import Attribute, Element

__all__ = ["INCLUDE", "MUJOCO", "REMOVED", "Attribute", "Element", "defaults", "homes", "rows", "written_name"]

__getattr__ = names_of(
    __name__,
    {
        "grammar": "INCLUDE MUJOCO",
        "lookup": "REMOVED defaults homes rows written_name",
        "table": "Attribute Element",
    },
)
