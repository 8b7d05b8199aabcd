"""Digest of this package's source, which caches use to distinguish versions of the package.

Names, sizes and times of files do not distinguish two versions if times are preserved or all equal, as with Nix, Bazel,
file system images and `rsync -t`. Reading a thousand files takes ten times as long as reading their times. So the
digest is stored for later processes, together with everything that the system reports about the files, as in Git's
index: their sizes, modification and status change times, inode and device numbers. The list of files that an installer
has written (RECORD) is also included.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from conjoint.once import made_once

from . import disk_cache

PACKAGE = Path(__file__).parents[2]
"""Folder of the package."""

SETTLED = 2_000_000_000
"""Minimum age, in nanoseconds, of a file's last change, so that any further change gets a different time stamp.

The bound holds on every file system.
"""


def _sources(folder: str) -> Iterator[os.DirEntry[str]]:
    """Yield the source files in a folder and its subfolders."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield entry
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _sources(entry.path)


def _statuses(folder: str) -> list[tuple[str, int, int, int, int, int]]:
    """Return the system's status of every source file: name, size, times, inode and device number."""
    found = []
    for entry in _sources(folder):
        s = os.stat(entry.path)
        found.append((entry.path, s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino, s.st_dev))
    return sorted(found)


STATUSES = _statuses(str(PACKAGE))
"""Statuses of the source files on import. Objects that a process stores belong to the source with which it started."""


@made_once
def source_state() -> str:
    """Return the digest of the source with which this process started."""
    name = f"source-{hashlib.sha256(repr((STATUSES, _recorded())).encode()).hexdigest()[:32]}.json"
    kept = disk_cache.load(name)
    if kept is not None:
        return bytes(kept).decode()
    found = source_digest()
    if _statuses(str(PACKAGE)) != STATUSES:
        # the source has changed, so this process may have imported either version
        return hashlib.sha256(repr((found, STATUSES)).encode()).hexdigest()
    if time.time_ns() - max(max(times) for _, _, *times, _, _ in STATUSES) > SETTLED:
        disk_cache.store(name, found.encode())
    return found


def source_digest() -> str:
    """Return the hash of the contents of all source files of this package."""
    sha = hashlib.sha256()
    for name, path in sorted((Path(e.path).relative_to(PACKAGE).as_posix(), e.path) for e in _sources(str(PACKAGE))):
        with open(path, "rb") as file:
            contents = file.read()
        sha.update(f"{name} {len(contents)}\n".encode() + contents)
    return sha.hexdigest()


def _recorded() -> bytes:
    """Return the installer's lists of files and their hashes, for all installed packages named `conjoint`."""
    with os.scandir(PACKAGE.parent) as entries:
        folders = sorted(e.path for e in entries if e.name.startswith("conjoint-") and e.name.endswith(".dist-info"))
    lists = [Path(folder, "RECORD") for folder in folders]
    return b"".join(path.read_bytes() for path in lists if path.is_file())
