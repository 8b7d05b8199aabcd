"""Whether something is limited: true, false, or inferred from its range."""

from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.schema.mjcf.lookup import written_name

AUTO = 2
"""Tristates: as the range says."""


def limited(draft: Draft, element: Any, flag: str, interval: str) -> bool:
    """Value of the tristate `flag`, inferred from the range named `interval`; checks the range if it is used."""
    state, (low, high) = getattr(element, flag), getattr(element, interval)
    if state == AUTO:
        if (low or high) and not draft.settings(element).autolimits:
            given, needed = written_name(element.kind, interval), written_name(element.kind, flag)
            draft.problems.about(
                element, f"has {given} but not {needed}: set one of {needed} and compiler/autolimits", interval
            )
        state = low < high
    return bool(state)


def check_range(draft: Draft, element: Any, interval: str) -> None:
    """The lower end of a range must be below the upper."""
    low, high = getattr(element, interval)
    if low < high:
        return
    name = written_name(element.kind, interval)
    if low == high == 0:
        draft.problems.about(element, f"it is limited, but the attribute '{name}' is missing: two numbers", interval)
        return
    # as written: the angles of the element itself may have been converted
    low, high = getattr(element.origin, interval, (low, high))
    draft.problems.about(element, f"{name} {low:g} {high:g}: the first must be smaller than the second", interval)
