"""Errors of a model: collected, so that they are reported at once, and what it can do to Python itself."""

import re
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from itertools import islice
from typing import ParamSpec, TypeVar

from conjoint.lang.errors import ModelError, ModelWarning
from conjoint.lang.warn import warn
from conjoint.schema.mjcf.grammar import written_name
from conjoint.spec.element import Element, Place

FRAMES = 6000
"""Calls inside each other that are allowed; 500 bodies in a chain need some 1500, many more may overrun the stack."""

P = ParamSpec("P")
R = TypeVar("R")


def guarded(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function that walks a model's trees, so that exceeding Python's limits raises ModelError."""

    @wraps(function)
    def attempt(*args: P.args, **kwargs: P.kwargs) -> R:
        sys.setrecursionlimit(max(FRAMES, sys.getrecursionlimit()))
        try:
            return function(*args, **kwargs)
        except RecursionError:
            raise ModelError("the model is nested too deeply: over a thousand elements inside each other") from None
        except OverflowError:
            message = (
                "a number of the model is too large to compute with: look for sizes, positions and masses over 1e100"
            )
            raise ModelError(message) from None

    return attempt


MOST_SHOWN = 20
"""Problems printed in one error; the rest are counted."""
MOST_FOUND = 500
"""Problems after which no more are looked for."""
MOST_COMPARED = 200
"""Names that one that was not found is compared with."""
MOST_KNOWN = 8
"""Names that are listed where none is like the one that was not found."""


class Problems:
    """Problems found so far."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.warnings: set[str] = set()
        self._official = ""

    def add(
        self, message: str, place: Place | None = None, attribute: str | None = None, official: str | None = None
    ) -> None:
        """Note `message` about what stands at `place`. Raises ModelError if there are too many problems by now.

        Args:
            message: what is wrong.
            place: where it is written.
            attribute: the one that it is about.
            official: the line that the official package writes about the element; "" if the message has it.
        """
        where = ""
        if place is not None and not self.full:
            where = f"{place.at(_attribute(place, attribute, message))}: "
        # a stage that is repeated finds the same again
        if not self.messages:
            told = f"Element '{place.tag}', {_official_place(place)}" if place is not None else ""
            self._official = told if official is None else official
        if not where or where + message not in self.messages:
            self.messages.append(where + message)
        if len(self.messages) >= MOST_FOUND:
            self.check()

    def about(self, element: Element, message: str, attribute: str | None = None) -> None:
        """Note `message` about `element`, and the attribute whose value is called `attribute` in the Spec.

        A message may end in a line with the official sentence, which programs compare with: "Error: ...". The official
        line about the element follows.
        """
        said = "\nError: " in message
        # finding lines takes time
        official = _official_line(element) if said or not self.messages else ""
        if said:
            message, official = f"{message}\n{official}", ""
        written = attribute and written_name(element.kind, attribute)
        self.add(f"{element!r}: {message}", element.place, written, official)

    def warn(self, message: str, place: Place | None, attribute: str | None = None) -> None:
        """Say `message`, where it is true first, as a ModelWarning."""
        if message not in self.warnings:
            self.warnings.add(message)
            where = f"{place.at(attribute)}: " if place is not None else ""
            warn(where + message, ModelWarning)

    @property
    def full(self) -> bool:
        """True if further problems are only counted."""
        return len(self.messages) >= MOST_SHOWN

    def check(self) -> None:
        """Raise ModelError if there are problems; the second line has MuJoCo's form, which programs can parse."""
        if not self.messages:
            return
        shown = self.messages[:MOST_SHOWN]
        left = len(self.messages) - len(shown)
        if self._official:
            shown.insert(1, self._official)
        if left:
            shown.append(f"... and {left} more problem{'s' if left > 1 else ''}")
        raise ModelError("\n".join(shown))


def _official_line(element: Element) -> str:
    """Return the line that MuJoCo writes below an error: name, id and place."""
    name, place = element.__dict__.get("name", ""), element.place
    parts = [f"Element name '{name}'" if name else "Element", f"id {element.__dict__.get('id', -1)}"]
    return ", ".join(parts + ([_official_place(place)] if place is not None else []))


def _official_place(place: Place) -> str:
    """Return the line of an element, or the comment of the program that made it."""
    return f"line {place.line}" if place.line else place.at()


def _attribute(place: Place, attribute: str | None, message: str) -> str | None:
    """Return the attribute that `message` is about.

    It is `attribute` if that is written at `place`; otherwise one that has the value in quotes, or is named in words.
    """
    written = place.attributes
    if attribute in written:
        return attribute
    said = message.partition(">: ")[2]
    for value in re.findall("'([^']+)'", said):
        named = [name for name in written if written[name] == value and name != "name"]
        if named:
            return named[0]
    words = [form for word in re.findall(r"\w+", said) for form in (word, *_singular(word))]
    return next((word for word in words if word in written and word != "name"), None)


def _singular(word: str) -> list[str]:
    """Return the words that `word` may be the plural of: sizes, vertices, bodies."""
    endings = {"ices": "ex", "ies": "y", "s": ""}
    return [word.removesuffix(plural) + one for plural, one in endings.items() if word.endswith(plural)]


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return '; did you mean ...?' with the known word nearest to `word`, or ''."""
    names = list(known)
    if len(names) > MOST_COMPARED:
        # among many, only those that start alike and are as long: comparing takes time
        alike = (name for name in names if name[:2] == word[:2] and abs(len(name) - len(word)) < 3)
        names = list(islice(alike, MOST_COMPARED))
    near = [name for name in names if name.lower() == word.lower()]
    if not near:
        from difflib import get_close_matches

        near = get_close_matches(word, names, 1, 0.6)
    return f"; did you mean '{near[0]}'?" if near else ""


def choices(word: str, known: Iterable[str]) -> str:
    """Return the `suggestion` for a word; if no name is near and there are few, list them."""
    names = list(known)
    near = suggestion(word, names)
    if near or not 0 < len(names) <= MOST_KNOWN:
        return near
    return "; there is only " + ", ".join(f"'{name}'" for name in names)
