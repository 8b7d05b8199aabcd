"""Findings of the doctor: a suspicious property of a model, its measured values, its fix, and a page about it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

PAGE = "your-robot.md"
"""Page of the documentation that explains findings, with an anchor for each topic."""


@dataclass(frozen=True)
class Finding:
    """A suspicious property of a model.

    Attributes:
        check: name of the check: "mass", "inertia", "penetration", ...
        message: one sentence that says what looks wrong.
        elements: elements of the model, the worst first, each with its source location and the measured value.
        fix: instruction for correcting the model.
        page: page and anchor of the documentation that explains the finding.
    """

    check: str
    message: str
    elements: tuple[str, ...]
    fix: str
    page: str


def finding(check: str, message: str, elements: Sequence[str], fix: str, anchor: str) -> Finding:
    """Return a finding, given the anchor of the documentation section that explains it."""
    return Finding(check, message, tuple(elements), fix, f"{PAGE}#{anchor}")


def worst_first(odd: Iterable[tuple[float, str]]) -> list[str]:
    """Return the texts of elements, sorted by their numbers, largest first; equal elements keep their order."""
    return [text for _, text in sorted(odd, key=lambda pair: -pair[0])]
