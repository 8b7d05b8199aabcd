"""Collecting what is wrong with a model, so that it is reported at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from conjoint.lang.errors import ModelError
from conjoint.spec.element import Element, Place

MOST_SHOWN = 20
"""Problems printed in one error; the rest are counted."""
MOST_FOUND = 500
"""Problems after which no more are looked for."""


class Problems:
    """Problems found so far."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def add(self, message: str, place: Place | None = None, attribute: str | None = None) -> None:
        """Note `message` about what stands at `place`. Raises ModelError if there are too many problems by now."""
        where = f"{place.at(attribute)}: " if place is not None and len(self.messages) < MOST_SHOWN else ""
        self.messages.append(where + message)
        if len(self.messages) >= MOST_FOUND:
            self.check()

    def about(self, element: Element, message: str, attribute: str | None = None) -> None:
        """Note `message` about `element`."""
        self.add(f"{element!r}: {message}", element.place, attribute)

    def check(self) -> None:
        """Raise ModelError if there are problems."""
        if not self.messages:
            return
        shown = self.messages[:MOST_SHOWN]
        left = len(self.messages) - len(shown)
        if left:
            shown.append(f"... and {left} more problem{'s' if left > 1 else ''}")
        raise ModelError("\n".join(shown))


def suggestion(word: str, known: Iterable[str]) -> str:
    """'; did you mean ...?' with the known word nearest to `word`, or ''."""
    near = difflib.get_close_matches(word, list(known), 1, 0.6)
    return f"; did you mean '{near[0]}'?" if near else ""
