"""Findings of the doctor: a suspicious property of a model, its measured values, the fix and the page about it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

PAGE = "your-robot.md"
"""Page of the documentation that explains findings; each has an anchor there."""


@dataclass(frozen=True)
class Finding:
    """Something in a model that looks wrong.

    Attributes:
        check: name of the check: "mass", "inertia", "penetration", ...
        message: one sentence that says what looks wrong.
        elements: elements of the model, the worst first, each with its place in the file and the measured value.
        fix: what to do about it.
        page: page of the documentation that explains it, with an anchor.
    """

    check: str
    message: str
    elements: tuple[str, ...]
    fix: str
    page: str


def finding(check: str, message: str, elements: Sequence[str], fix: str, anchor: str) -> Finding:
    """Return a finding that is explained in the section `anchor` of the page about robots."""
    return Finding(check, message, tuple(elements), fix, f"{PAGE}#{anchor}")


def worst_first(odd: Iterable[tuple[float, str]]) -> list[str]:
    """Return the texts of elements, those with the largest number first; equal ones stay in their order."""
    return [text for _, text in sorted(odd, key=lambda pair: -pair[0])]
