"""Members of enums that words stand for: what to give in place of "box"."""

from difflib import get_close_matches
from enum import IntEnum
from typing import Any

from conjoint.schema import enums

OF_OPTIONS: dict[str, type[IntEnum]] = {
    "integrator": enums.mjtIntegrator, "cone": enums.mjtCone, "jacobian": enums.mjtJacobian, "solver": enums.mjtSolver,
}  # fmt: skip
"""Enums of options that are whole numbers."""


def member_for(enum: type[IntEnum], value: Any) -> str:
    """Name the member of an enum that a word stands for, or else the enum."""
    words = {part(name, "_", 1)[-1].lower(): name for name in enum.__members__ for part in (str.split, str.rsplit)}
    word = value.lower() if isinstance(value, str) else ""
    near = get_close_matches(word, words, 1)
    return f"{enum.__name__}.{words[near[0]]}" if near else f"a member of {enum.__name__}"


def hint_for(option: str, value: Any) -> str:
    """Return what to add to a message about a value of an option that is no number."""
    enum = OF_OPTIONS.get(option)
    return "" if enum is None or not isinstance(value, str) else f"; use {member_for(enum, value)}"
