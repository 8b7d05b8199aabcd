"""Choice between two sets of MuJoCo names for programs: the names up to version 3.3.5, or the names up to version 4.0.

An emulated version between the two lacks some names of the newer set.
"""

from __future__ import annotations

OWN = (3, 3, 5)
"""Version whose names and results are the default."""

OLDEST, NEWEST = (3, 3, 0), (4, 0, 0)
"""Oldest and newest version that the package can emulate."""

NEWER_NAMES = (3, 3, 6)
"""First version with the newer set of names, in which bits of flags and states have other numbers."""

LONG_NUMBERS = (3, 10, 0)
"""First version whose version number has three digits per part."""

ADDED = {
    "flexedge_J without zeros": (3, 5, 0),
    "ten_J without zeros": (3, 6, 0),
    "bool arrays": (3, 9, 0),  # fields of bytes that are true or false
    "unnamed assets": (3, 16, 0),  # an MjSpec names no asset by its file
    "frames as holders": (3, 16, 0),  # deleting a frame of an MjSpec deletes its elements
    "mujoco.batch": (3, 17, 0),
    "single frames": (4, 0, 0),  # a frame is attached without those around it, and the default prefix is "/"
}
"""Parts of the newer set of names, each with the version that added it. Older versions lack the part."""


class Version:
    """The MuJoCo version that this process emulates.

    Attributes:
        parts: the three numbers of the version.
        moved: whether programs get the newer set of names.
    """

    def __init__(self) -> None:
        self.parts = OWN
        self.moved = False

    def become(self, text: str) -> None:
        """Emulate a version, such as `3.3.5`, `3.11` or `4.0`.

        Raises:
            ValueError: the version cannot be emulated.
        """
        self.parts = parsed(text)
        self.moved = self.parts >= NEWER_NAMES

    def has(self, what: str) -> bool:
        """Return True if the emulated version has `what`, a part of the newer set (a key of `ADDED`)."""
        return self.parts >= ADDED[what]

    @property
    def text(self) -> str:
        """The version as text, as in `mj_versionString`."""
        return ".".join(map(str, self.parts))

    @property
    def number(self) -> int:
        """The version as a number, as in `mj_version`."""
        major, minor, patch = self.parts
        return 100 * major + 10 * minor + patch if self.parts < LONG_NUMBERS else 10**6 * major + 1000 * minor + patch


def parsed(text: str) -> tuple[int, int, int]:
    """Return the three numbers of a version. Missing numbers are zero.

    Raises:
        TypeError: `text` is not a string.
        ValueError: there is no such version.
    """
    if not isinstance(text, str):
        raise TypeError(f"a version must be text such as '3.3.5', not {text!r}")
    words = text.split(".")
    if 1 <= len(words) <= 3 and all(word.isascii() and word.isdigit() for word in words):
        major, minor, patch = (*map(int, words), 0, 0)[:3]
        if OLDEST <= (major, minor, patch) <= NEWEST:
            return major, minor, patch
    raise ValueError(f"version {text!r} is not available: choose one from 3.3.0 to 4.0.0, such as '3.3.5' or '4.0'")


STANDS_FOR = Version()
"""The MuJoCo version that this process emulates, set by `install_as_mujoco`."""
