"""Errors of a model, which are collected for a single report, and protection against deep recursion."""

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
"""Maximum recursion depth. 500 bodies in a chain need about 1500, and many more may overflow the stack."""

P = ParamSpec("P")
R = TypeVar("R")


def guarded(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function that traverses a model's tree, so that exceeding Python's recursion limit raises ModelError."""

    @wraps(function)
    def attempt(*args: P.args, **kwargs: P.kwargs) -> R:
        sys.setrecursionlimit(max(FRAMES, sys.getrecursionlimit()))
        try:
            return function(*args, **kwargs)
        except RecursionError:
            raise ModelError("the model is nested too deeply: more than a thousand levels") from None
        except OverflowError:
            message = (
                "a number of the model is too large for computations: check for sizes, positions and masses above 1e100"
            )
            raise ModelError(message) from None

    return attempt


MOST_SHOWN = 20
"""Maximum number of problems that an error message lists. Further problems are only counted."""
MOST_FOUND = 500
"""Number of problems after which compilation stops."""
MOST_COMPARED = 200
"""Maximum number of names that are compared with an unknown name."""
MOST_KNOWN = 8
"""Maximum number of names that a message lists if none is similar to an unknown name."""


class Problems:
    """Problems found so far in a model."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.warnings: set[str] = set()
        self._official = ""

    def add(
        self, message: str, place: Place | None = None, attribute: str | None = None, official: str | None = None
    ) -> None:
        """Add `message` about the element at `place`. Raises ModelError if there are too many problems.

        Args:
            message: description of the problem.
            place: location in a file.
            attribute: the attribute with the problem.
            official: MuJoCo's line about the element; "" if the message includes it.
        """
        where = ""
        if place is not None and not self.full:
            where = f"{place.at(_attribute(place, attribute, message))}: "
        # a repeated stage reports the same problem again
        if not self.messages:
            reported = f"Element '{place.tag}', {_official_place(place)}" if place is not None else ""
            self._official = reported if official is None else official
        if not where or where + message not in self.messages:
            self.messages.append(where + message)
        if len(self.messages) >= MOST_FOUND:
            self.check()

    def about(self, element: Element, message: str, attribute: str | None = None) -> None:
        """Add `message` about `element`, or about the attribute of the element whose value a Spec calls `attribute`.

        A message may end with a line of MuJoCo's message, "Error: ...", which programs compare. MuJoCo's line about the
        element is then added after it.
        """
        said = "\nError: " in message
        # find lines only if needed, because this takes time
        official = _official_line(element) if said or not self.messages else ""
        if said:
            message, official = f"{message}\n{official}", ""
        written = attribute and written_name(element.kind, attribute)
        self.add(f"{element!r}: {message}", element.place, written, official)

    def warn(self, message: str, place: Place | None, attribute: str | None = None) -> None:
        """Issue `message` as a ModelWarning, only once, for the first location."""
        if message not in self.warnings:
            self.warnings.add(message)
            where = f"{place.at(attribute)}: " if place is not None else ""
            warn(where + message, ModelWarning)

    @property
    def full(self) -> bool:
        """True if further problems are only counted, not listed."""
        return len(self.messages) >= MOST_SHOWN

    def check(self) -> None:
        """Raise ModelError if there are problems.

        The message's second line has MuJoCo's form, which programs can parse.
        """
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
    """Return the line that MuJoCo writes below an error, with name, id and location of the element."""
    name, place = element.__dict__.get("name", ""), element.place
    parts = [f"Element name '{name}'" if name else "Element", f"id {element.__dict__.get('id', -1)}"]
    return ", ".join(parts + ([_official_place(place)] if place is not None else []))


def _official_place(place: Place) -> str:
    """Return the line number of an element, or the text that its program set as location."""
    return f"line {place.line}" if place.line else place.at()


def _attribute(place: Place, attribute: str | None, message: str) -> str | None:
    """Return the attribute that `message` is about.

    It is `attribute` if the element at `place` has this attribute. Otherwise, it is an attribute whose value the
    message quotes, or an attribute that the message names.
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
    """Return possible singular forms of `word`, such as size, vertex or body."""
    endings = {"ices": "ex", "ies": "y", "s": ""}
    return [word.removesuffix(plural) + one for plural, one in endings.items() if word.endswith(plural)]


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return '; did you mean ...?' with the known word that is most similar to `word`, or ''."""
    names = list(known)
    if len(names) > MOST_COMPARED:
        # of many names, compare only those with the same start and length, to save time
        alike = (name for name in names if name[:2] == word[:2] and abs(len(name) - len(word)) < 3)
        names = list(islice(alike, MOST_COMPARED))
    near = [name for name in names if name.lower() == word.lower()]
    if not near:
        from difflib import get_close_matches

        near = get_close_matches(word, names, 1, 0.6)
    return f"; did you mean '{near[0]}'?" if near else ""


def choices(word: str, known: Iterable[str]) -> str:
    """Return the `suggestion` for a word. If no known name is similar and there are few, list all known names."""
    names = list(known)
    near = suggestion(word, names)
    if near or not 0 < len(names) <= MOST_KNOWN:
        return near
    return "; there is only " + ", ".join(f"'{name}'" for name in names)
