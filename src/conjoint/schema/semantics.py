"""The two editions of the physics, and the choice between them (docs/semantics.md).

Edition "3.3.5" computes what MuJoCo's documentation describes; edition "4.0" computes what the newest MuJoCo version
computes. The edition of a model is stored in its row `edition`. Kernels never read it: it selects stages and colliders.
"""

from __future__ import annotations

import os

from conjoint.schema.version import OWN, parsed

EDITION_3, EDITION_4 = 0, 1
"""Numbers of the editions, as stored in the row `edition` of a model."""

EDITIONS = ("3.3.5", "4.0")
"""Names of the editions. The index of a name is the number of its edition."""

VARIABLE = "CONJOINT_SEMANTICS"
"""Environment variable that selects the default edition of a process."""

IN_FILES = "conjoint.semantics"
"""Name of the custom text by which a file selects the edition of its model."""


def of_version(parts: tuple[int, ...]) -> int:
    """Return the number of a MuJoCo version's edition: 3.3.5 up to that version, 4.0 for newer versions."""
    return EDITION_4 if parts > OWN else EDITION_3


def read(chosen: str, requested: str = "semantics") -> int:
    """Return the number of an edition.

    Args:
        chosen: name of the edition, or a MuJoCo version, which stands for its edition: `"3.3.5"`, `"4.0"`.
        asked: name of the argument or variable, for the message.

    Raises:
        TypeError: `chosen` is not a string.
        ValueError: there is no such edition. Names of single rules, which earlier package versions accepted, are
            invalid.
    """
    if not isinstance(chosen, str):
        raise TypeError(f"{requested} must be the name of an edition, '3.3.5' or '4.0', not {chosen!r}")
    text = chosen.strip()
    try:
        return of_version(parsed(text))
    except ValueError:
        versionlike = text.replace(".", "").isdigit()
        hint = "" if versionlike else "; single rules of edition '4.0' cannot be chosen"
        raise ValueError(f"{requested}: there is no edition {chosen!r}; choose '3.3.5' or '4.0'{hint}") from None


class Default:
    """Default edition in this process, for models that do not select an edition.

    Attributes:
        given: number of the edition that the program selected; None if it selected none.
        version: number of the edition of the emulated MuJoCo version.
    """

    def __init__(self) -> None:
        self.given: int | None = None
        self.version = EDITION_3

    @property
    def edition(self) -> int:
        """Edition number selected by the program, or else by the environment, or else by the emulated version."""
        if self.given is not None:
            return self.given
        variable = os.environ.get(VARIABLE, "").strip()
        return read(variable, VARIABLE) if variable else self.version


DEFAULT = Default()
"""Default edition of this process, set by `conjoint.semantics` and `install_as_mujoco`."""


class Choice:
    """Selection of the default edition for this process. In a `with` statement, it ends with the block.

    Args:
        edition: number of the edition.
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
