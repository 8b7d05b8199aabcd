"""The functions that read editable models from zip archives, and write them."""

import os
from typing import IO

from conjoint.api.spec.model import MjSpec


def from_zip(file: str | os.PathLike[str] | IO[bytes]) -> MjSpec:
    """The model in a zip archive; see `MjSpec.from_zip`."""
    return MjSpec.from_zip(file)


def to_zip(spec: MjSpec, file: str | os.PathLike[str] | IO[bytes]) -> None:
    """Write a model and its assets to a zip archive; see `MjSpec.to_zip`."""
    spec.to_zip(file)
