"""Files that last from one process to the next: found by name, checked when read, safe under concurrent processes.

All of them together take a limited room: those that were not read for longest go first.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path

MOST_BYTES = 1 << 30
"""Bytes of all files together."""
SELDOM = 1 << 26
"""Bytes that a process writes before it looks again whether all files together take too much."""
CHECK_BYTES = 4
"""Length of the checksum at the end of every file."""
EMPTY = 1
"""Checksum of nothing; another than that of a file of zeros."""

_refused: set[Path] = set()
_written: dict[Path, int] = {}


def cache_folder() -> Path:
    """Where files are kept: CONJOINT_CACHE_DIR, else the user's cache folder."""
    given = os.environ.get("CONJOINT_CACHE_DIR")
    return Path(given) if given else _cache_of_user()


@functools.cache
def _cache_of_user() -> Path:
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / "conjoint"


def load(name: str) -> memoryview | None:
    """What is kept under `name`, None if there is nothing or if it is damaged."""
    path = cache_folder() / name
    try:
        kept = memoryview(path.read_bytes())
    except OSError:
        return None
    with contextlib.suppress(OSError):
        # it was of use now
        os.utime(path)
    data, check = kept[:-CHECK_BYTES], kept[-CHECK_BYTES:]
    return data if check == _checksum(data) else None


def store(name: str, *parts: bytes | memoryview) -> None:
    """Keep `parts`, one after the other. Written aside and renamed, so that no process ever reads half of a file."""
    folder = cache_folder()
    # nobody else writes under this name
    aside = folder / f"{name}.{os.urandom(8).hex()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open(aside, "xb") as file:
            for part in (*parts, _checksum(*parts)):
                file.write(part)
        os.replace(aside, folder / name)
    except OSError as error:
        _warn_of(folder, error)
        _remove(aside)
    else:
        _make_room(folder, sum(map(len, parts)))


def _checksum(*parts: bytes | memoryview) -> bytes:
    return functools.reduce(lambda value, part: zlib.crc32(part, value), parts, EMPTY).to_bytes(CHECK_BYTES, "little")


def _make_room(folder: Path, size: int) -> None:
    """Remove what was not used for longest, at the first writing of a process and then now and then."""
    _written[folder] = _written.get(folder, SELDOM) + size
    if _written[folder] < SELDOM:
        return
    _written[folder] = 0
    files = []
    for path in folder.iterdir():
        # another process may have removed it meanwhile
        with contextlib.suppress(OSError):
            status = path.stat()
            files.append((status.st_mtime_ns, status.st_size, path))
    excess = sum(size for _, size, _ in files) - MOST_BYTES
    for _, size, path in sorted(files):
        if excess <= 0:
            break
        excess -= size
        _remove(path)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _warn_of(folder: Path, error: OSError) -> None:
    """Say once in a process that nothing can be kept in `folder`."""
    if folder not in _refused:
        _refused.add(folder)
        text = f"cannot write the cache in {folder}, so every process makes compiled stages and meshes again: {error}; "
        warnings.warn(text + "set CONJOINT_CACHE_DIR to a folder that can be written", stacklevel=4)


def _source_files(folder: str) -> Iterator[tuple[str, int, int]]:
    """Name, size and time of every source file in a folder and those below it."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _source_files(entry.path)
            elif entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns


SOURCE_STATE = hashlib.sha256(repr(sorted(_source_files(str(Path(__file__).parents[1])))).encode()).hexdigest()
"""What tells the source of this package from any other, in the way of Python's compiled files: names, sizes and times.

Taken once, at import: what a process makes belongs to the source that it started with.
"""
