"""Passes of the compiler: functions that complete a draft, and which of its fields they read and write.

A field is named by the kind of the elements that have it, `joint: qposadr`, or is one of the draft itself, `draft: nq`.
Declared is what a pass makes, changes, or reads of what passes make or change; what a file says, and no pass changes,
is there from the beginning. `id` of a kind stands for the numbers of its elements, by which others refer to them.

The list of all passes is `compile.PASSES`; its order is checked, and so is the truth of declarations
(tests/compiler/test_compiler_passes.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conjoint.compiler.draft import Draft


@dataclass(frozen=True)
class Pass:
    """A function that completes a draft.

    Attributes:
        run: the function.
        reads: fields that it reads when they are final: no later pass writes them.
        early: fields that it reads although later passes change them.
        changes: fields that it reads and writes.
        writes: fields that it makes, or gives other values without reading them.
    """

    run: Callable[[Draft], None]
    reads: frozenset[str]
    early: frozenset[str]
    changes: frozenset[str]
    writes: frozenset[str]

    def __call__(self, draft: Draft) -> None:
        """Complete a draft."""
        self.run(draft)


def declared(
    *, reads: str = "", early: str = "", changes: str = "", writes: str = ""
) -> Callable[[Callable[[Draft], None]], Pass]:
    """Make a pass of a function, with the fields that it reads and writes: "joint: axis range; body: pos"."""

    def decorate(run: Callable[[Draft], None]) -> Pass:
        return Pass(run, fields(reads), fields(early), fields(changes), fields(writes))

    return decorate


def fields(text: str) -> frozenset[str]:
    """Return the fields that a text names: kind.name."""
    parts = (part.partition(":") for part in text.split(";") if part.strip())
    return frozenset(f"{kind.strip()}.{name}" for kind, _, names in parts for name in names.split())
