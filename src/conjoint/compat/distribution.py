"""Metadata of the distribution `mujoco` while Conjoint replaces it."""

import os
from collections.abc import Iterator
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path

from conjoint.schema.version import STANDS_FOR


class StandIn(Distribution):
    """Metadata that `importlib.metadata` finds under the name of MuJoCo's package."""

    def __init__(self, name: str):
        self.text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {STANDS_FOR.text}\nSummary: provided by conjoint\n"

    def read_text(self, filename: str | os.PathLike[str]) -> str | None:
        """Return the text of the file METADATA, or None for other files."""
        return self.text if filename == "METADATA" else None

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        """Return the full path of a file in the package."""
        return Path(__file__).parent.parent / path


def found(name: str, context: DistributionFinder.Context) -> Iterator[Distribution]:
    """Yield the distribution called `name` if the search `context` includes this name."""
    if context.name is None or context.name.lower() == name:
        yield StandIn(name)
