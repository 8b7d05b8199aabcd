"""What is told about the installed package `mujoco` while this one stands in for it."""

import os
from collections.abc import Iterator
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path

from conjoint.schema.version import STANDS_FOR


class StandIn(Distribution):
    """The distribution that `importlib.metadata` finds under the official name."""

    def __init__(self, name: str):
        self.text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {STANDS_FOR.text}\nSummary: provided by conjoint\n"

    def read_text(self, filename: str | os.PathLike[str]) -> str | None:
        """The metadata; there are no other files."""
        return self.text if filename == "METADATA" else None

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        """Where a file of the package is."""
        return Path(__file__).parent.parent / path


def found(name: str, context: DistributionFinder.Context) -> Iterator[Distribution]:
    """The distribution of the package `name`, if it is asked for."""
    if context.name is None or context.name.lower() == name:
        yield StandIn(name)
