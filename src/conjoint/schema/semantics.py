"""The two editions of the physics, and which one models get (docs/semantics.md).

A model is computed as the documents describe, which is edition "3.3.5", or as the newest official version does, which
is edition "4.0". It has its edition in the row `edition`. Kernels never read it: stages and colliders are chosen by it.
"""

from __future__ import annotations

import os
import re

from conjoint.schema.version import OWN, parsed

EDITION_3, EDITION_4 = 0, 1
"""Numbers of the editions, as they stand in the row `edition` of a model."""

EDITIONS = ("3.3.5", "4.0")
"""Names of the editions by their numbers."""

VARIABLE = "CONJOINT_SEMANTICS"
"""Variable of the environment that chooses the edition of a process."""

IN_FILES = "conjoint.semantics"
"""Name of the custom text of a file that chooses the edition of its model."""

_RULE = re.compile(r"[a-z]\w*|[\d.]+\s*[+-].*", re.DOTALL)


def of_version(parts: tuple[int, ...]) -> int:
    """The edition of an official version: up to 3.3.5 the first, from then on the second."""
    return EDITION_4 if parts > OWN else EDITION_3


def read(chosen: str, asked: str = "semantics") -> int:
    """The number of an edition.

    Args:
        chosen: its name, or an official version, of which the edition is meant: `"3.3.5"`, `"4.0"`.
        asked: whose argument it is, for the message.

    Raises:
        TypeError: it is no text.
        ValueError: there is no such edition, or it names single rules, which earlier versions took.
    """
    if not isinstance(chosen, str):
        raise TypeError(f"{asked} must be the name of an edition, '3.3.5' or '4.0', not {chosen!r}")
    text = chosen.strip()
    if _RULE.fullmatch(text):
        raise ValueError(f"{asked} {chosen!r}: single rules cannot be chosen; '4.0' has all of them, '3.3.5' has none")
    try:
        return of_version(parsed(text))
    except ValueError:
        raise ValueError(f"{asked}: there is no edition {chosen!r}; give '3.3.5' or '4.0'") from None


class Default:
    """What models get that do not choose themselves, in this process.

    Attributes:
        given: the edition that a program has chosen; None: none has.
        version: the edition of the version that is stood in for.
    """

    def __init__(self) -> None:
        self.given: int | None = None
        self.version = EDITION_3

    @property
    def edition(self) -> int:
        """As a program chose, as the environment says, or that of the version that is stood in for."""
        if self.given is not None:
            return self.given
        variable = os.environ.get(VARIABLE, "").strip()
        return read(variable, VARIABLE) if variable else self.version


DEFAULT = Default()
"""Set by `conjoint.semantics` and `install_as_mujoco`."""


class Choice:
    """An edition that was chosen for this process; with `with`, as long as its block runs.

    Args:
        edition: its number.
    """

    def __init__(self, edition: int):
        self._before, self._edition = DEFAULT.given, edition
        DEFAULT.given = edition

    def __enter__(self) -> Choice:
        return self

    def __exit__(self, *_: object) -> None:
        DEFAULT.given = self._before

    def __str__(self) -> str:
        return EDITIONS[self._edition]

    def __repr__(self) -> str:
        return f"<conjoint.semantics: {self}>"
