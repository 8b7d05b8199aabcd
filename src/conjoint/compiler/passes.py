"""Passes of the compiler: functions that complete a draft, with declarations of the fields they read and write.

A field is declared with the type of its elements, as in `joint: qposadr`, or with the draft, as in `draft: nq`. A pass
declares the fields that it creates or changes, and the fields that it reads if other passes create or change them.
Fields from the file that no pass changes need no declaration. `id` of a type stands for the ids of its elements.

`compile.PASSES` lists all passes. Tests check its order and the declarations (tests/compiler/test_compiler_passes.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conjoint.compiler.draft import Draft


@dataclass(frozen=True)
class Pass:
    """Function that completes a draft, with the fields that it reads and writes.

    Attributes:
        run: the function.
        reads: fields that it reads in their final form, because no later pass writes them.
        early: fields that it reads before later passes change them.
        changes: fields that it reads and writes.
        writes: fields that it creates, or overwrites without reading them.
    """

    run: Callable[[Draft], None]
    reads: frozenset[str]
    early: frozenset[str]
    changes: frozenset[str]
    writes: frozenset[str]

    def __call__(self, draft: Draft) -> None:
        """Run the pass on a draft."""
        self.run(draft)


def declared(
    *, reads: str = "", early: str = "", changes: str = "", writes: str = ""
) -> Callable[[Callable[[Draft], None]], Pass]:
    """Decorate a function as a pass.

    The arguments declare fields by element type, as in "joint: axis range; body: pos".
    """

    def decorate(run: Callable[[Draft], None]) -> Pass:
        return Pass(run, fields(reads), fields(early), fields(changes), fields(writes))

    return decorate


def fields(text: str) -> frozenset[str]:
    """Parse a declaration into the names of fields, each as `kind.name`."""
    parts = (part.partition(":") for part in text.split(";") if part.strip())
    return frozenset(f"{kind.strip()}.{name}" for kind, _, names in parts for name in names.split())
