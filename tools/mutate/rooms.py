"""Mapping from rooms, which are folders or files of the package, to their tests."""

from __future__ import annotations

from pathlib import Path

HOST = ("envs", "render", "api", "compiler", "batch", "derivative")
"""Rooms of ordinary Python, for `--rooms host`."""

KERNELS = ("solver", "physics")
"""Rooms that contain kernels, the default of `--rooms`."""

ALSO = {
    "solver": ("physics", "derivative", "whole"), "physics": ("solver", "derivative", "whole"), "compiler": ("whole",),
    "render": ("viz",),
}  # fmt: skip
"""Additional test folders, by room: tests in `whole` step models, and tests in `derivative` differentiate steps."""


def files_of(tests: Path, room: str) -> list[str]:
    """Return the test files of a room, relative to `tests`: those of its package and of the folders in `ALSO`."""
    package = room.split("/")[0]
    found = [path for name in (package, *ALSO.get(package, ())) for path in (tests / name).rglob("test_*.py")]
    return sorted(path.relative_to(tests).as_posix() for path in found)
