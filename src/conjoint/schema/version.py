"""The version of the official package whose names programs get; results are those of 3.3.5 whatever it is."""

from __future__ import annotations

OWN = (3, 3, 5)
"""The version whose names and results these are."""

NEWEST = (4, 0, 0)
"""The newest version that can be named."""

OLDEST = (3, 3, 0)
"""The oldest version that can be named."""

MOVED = (3, 3, 6)
"""The version in which bits of flags moved; those of states followed, and other numbers of enumerations."""

EDGES_PACKED = (3, 5, 0)
"""The version from which on moment arms of edges of flexes are shown without what is zero."""

TENDONS_PACKED = (3, 6, 0)
"""The version from which on moment arms of tendons are shown so, and the model has their structure."""

LONG_NUMBERS = (3, 10, 0)
"""The version in which numbers of versions became those of three digits per part."""

TRUE_OR_FALSE = (3, 9, 0)
"""The version from which on fields that are true or false are arrays of `bool`."""

BATCHES = (3, 17, 0)
"""The version that brought `mujoco.batch`."""

NAMED_ASSETS = (3, 16, 0)
"""The version from which on an asset of an `MjSpec` has no name but the one that it is given."""

FRAMES_AS_HOLDERS = (3, 16, 0)
"""The version from which on what is in a frame of an `MjSpec` is deleted with it."""

FRAMES_ALONE = (4, 0, 0)
"""The version in which a frame of an `MjSpec` is seen to be attached without those around it, and `/` to be the prefix
of a model that is attached without one."""


class Version:
    """What is stood in for in this process.

    Attributes:
        parts: its three numbers.
        moved: whether flags and states have the numbers of newer versions.
    """

    def __init__(self) -> None:
        self.parts = OWN
        self.moved = False

    def become(self, text: str) -> None:
        """Stand in for the version of this name, as `3.3.5`, `3.11` or `4.0`.

        Raises:
            ValueError: it is none that can be named.
        """
        self.parts = parsed(text)
        self.moved = self.parts >= MOVED

    @property
    def text(self) -> str:
        """As in `mj_versionString`."""
        return ".".join(map(str, self.parts))

    @property
    def number(self) -> int:
        """As in `mj_version`."""
        major, minor, patch = self.parts
        return 100 * major + 10 * minor + patch if self.parts < LONG_NUMBERS else 10**6 * major + 1000 * minor + patch


def parsed(text: str) -> tuple[int, int, int]:
    """The three numbers of a version; missing ones are zero.

    Raises:
        ValueError: there is no such version.
    """
    words = str(text).split(".")
    if 1 <= len(words) <= 3 and all(word.isascii() and word.isdigit() for word in words):
        major, minor, patch = (*map(int, words), 0, 0)[:3]
        if OLDEST <= (major, minor, patch) <= NEWEST:
            return major, minor, patch
    raise ValueError(f"version {text!r} cannot be stood in for: give one from 3.3.0 to 4.0.0, as '3.3.5' or '4.0'")


STANDS_FOR = Version()
"""Set by `install_as_mujoco`."""
