"""Whether something is limited: true, false, or inferred from its range."""

from __future__ import annotations

from typing import Any

from conjoint.compiler.draft import Draft

AUTO = 2


def limited(draft: Draft, element: Any, flag: str, interval: str) -> bool:
    """Value of the tristate `flag`, inferred from the range named `interval`; checks the range if it is used."""
    state, (low, high) = getattr(element, flag), getattr(element, interval)
    if state == AUTO:
        if (low or high) and not draft.settings(element).autolimits:
            draft.problems.about(
                element, f"has {interval} but not {flag}: set one of {flag} and compiler/autolimits", interval
            )
        state = low < high
    return bool(state)


def check_range(draft: Draft, element: Any, interval: str) -> None:
    """The lower end of a range must be below the upper."""
    low, high = getattr(element, interval)
    if low >= high:
        draft.problems.about(
            element, f"{interval} {low:g} {high:g}: the first must be smaller than the second", interval
        )
