"""Mapping from each room of the package to its tests."""

from __future__ import annotations

from pathlib import Path

HOST = ("envs", "render", "api", "compiler", "batch", "derivative")
"""Rooms of ordinary Python that are tried one by one."""

KERNELS = ("solver", "physics")
"""Rooms of kernels."""

ALSO = {
    "solver": ("physics", "derivative", "whole"), "physics": ("solver", "derivative", "whole"), "compiler": ("whole",),
    "render": ("viz",),
}  # fmt: skip
"""Folders of further tests of a room: those of `whole` step models, those of `derivative` differentiate them."""


def files_of(tests: Path, room: str) -> list[str]:
    """Return a room's test files, relative to `tests`: its package's folder and some others."""
    package = room.split("/")[0]
    found = [path for name in (package, *ALSO.get(package, ())) for path in (tests / name).rglob("test_*.py")]
    return sorted(path.relative_to(tests).as_posix() for path in found)
