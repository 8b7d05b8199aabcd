"""Names of files that the viewers save."""

from __future__ import annotations

from pathlib import Path


def free_name(stem: str, suffix: str) -> Path:
    """Return the path of a file in the working folder that does not exist yet, such as stem_001.png."""
    number = 1
    while (path := Path(f"{stem}_{number:03d}{suffix}")).exists():
        number += 1
    return path


def located(path: Path) -> str:
    """Return the name of a file and its folder as text."""
    return f"{path.name} in {path.absolute().parent}"
