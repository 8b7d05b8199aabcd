"""Files that persist between processes: found by name, checked when read, safe under concurrent processes.

They are in a separate folder, which only this user may write to, because their contents run as code. All files of one
type together have a size limit: the least recently read files are removed first. Other files are never touched.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path

from conjoint.once import MAKING, made_once

from ..system import user_cache_folder, user_id
from ..warn import warn

MOST_BYTES = {".o": 1 << 29, ".json": 1 << 26, ".asset": 1 << 29, ".device": 1 << 29}
"""Size limit in bytes for all files of a type, by file extension, so that no type displaces another.

The types are objects, keys, results of processing assets (meshes, images and others), and device programs.
"""
SELDOM = 1 << 26
"""Number of bytes that a process writes before it checks the size of the cache again."""
CHECK_BYTES = 4
"""Length in bytes of the checksum at the end of every file."""
EMPTY = 1
"""Initial value of checksums. It is not zero, so that a file of zeros is not valid."""
OWN = r"[\w.]+(-[\w.]+)*-[0-9a-f]{16,64}(\.\w+)(\.[0-9a-f]{16})?"
"""Pattern of cache file names: type of content, hash, suffix, and a further suffix while a file is written."""
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH

_refused: set[Path] = set()
_judged: dict[Path, str] = {}
_written: dict[tuple[Path, str], int] = {}


def cache_folder() -> Path:
    """Return the cache folder: `conjoint` in CONJOINT_CACHE_DIR, else in the user's cache folder."""
    given = os.environ.get("CONJOINT_CACHE_DIR")
    return _below(given) if given else _cache_of_user()


@made_once
def _below(given: str) -> Path:
    return Path(given) / "conjoint"


_cache_of_user = made_once(user_cache_folder)


def refusal(folder: Path) -> str:
    """Return the reason why a folder must not be used; "" if it may be used.

    Other users who may write to the folder, or replace it with another folder, could make this user run any code.
    """
    user = user_id()
    if user is None:
        return ""
    places = [folder, folder.parent] if os.environ.get("CONJOINT_CACHE_DIR") else [folder]
    for place in places:
        # neither the folder nor a link to it may belong to another user
        for status in (place.lstat(), place.stat()):
            if status.st_uid not in (user, 0):
                return f"{place} belongs to another user"
        # in a folder like /tmp, other users cannot move our files
        shared = place is not folder and status.st_mode & stat.S_ISVTX
        if status.st_mode & OTHERS_WRITE and not shared:
            return f"other users may write to {place} (mode {stat.S_IMODE(status.st_mode):o}; chmod go-w {place})"
    return ""


def _trusted(folder: Path) -> bool:
    """Return True if a folder exists and may be used; warn once if it may not."""
    if folder not in _judged:
        try:
            _judged[folder] = refusal(folder)
        except OSError:
            # the folder does not exist yet, or it cannot be read, which a later write reports
            return False
    if _judged[folder]:
        _warn_of(folder, f"the cache in {folder} is not used, since its files run as code and {_judged[folder]}")
    return not _judged[folder]


def load(name: str) -> memoryview | None:
    """Return the data stored under `name`; None if there are no data or they are damaged."""
    folder = cache_folder()
    if not _trusted(folder):
        return None
    path = os.path.join(folder, name)
    try:
        with open(path, "rb") as file:
            kept = memoryview(file.read())
    except OSError:
        return None
    with contextlib.suppress(OSError):
        # mark the file as recently used
        os.utime(path)
    data, check = kept[:-CHECK_BYTES], kept[-CHECK_BYTES:]
    return data if check == _checksum(data) else None


def holds(name: str) -> bool:
    """Return True if there is a file `name`, damaged or not."""
    try:
        return (cache_folder() / name).exists()
    except OSError:
        # the folder is not readable
        return False


def store(name: str, *parts: bytes | memoryview) -> None:
    """Store `parts`, one after the other, under `name`.

    The file is written under a different name and then renamed, so that no process ever reads an incomplete file. If
    writing fails, nothing is stored, and a warning is issued once.
    """
    folder = cache_folder()
    # no other process or thread writes under this name
    aside = folder / f"{name}.{os.urandom(8).hex()}"
    try:
        _make(folder)
        if not _trusted(folder):
            return
        with open(aside, "xb") as file:
            file.write(b"".join((*parts, _checksum(*parts))))
        if not _renamed(aside, folder / name):
            return
        _make_room(folder, Path(name).suffix, sum(map(len, parts)))
    except OSError as error:
        _remove(aside)
        _warn_of(folder, f"cannot write the cache in {folder}: {error}")


def _renamed(aside: Path, path: Path) -> bool:
    """Move a new file into the cache.

    On Windows, keep the old file and return False if another process is reading it.
    """
    try:
        os.replace(aside, path)
    except PermissionError:
        if not path.exists():
            raise
        _remove(aside)
        return False
    return True


def _make(folder: Path) -> None:
    """Create a folder and its parents, accessible to this user only."""
    if not folder.is_dir():
        if folder.parent != folder:
            _make(folder.parent)
        folder.mkdir(0o700, exist_ok=True)


def _checksum(*parts: bytes | memoryview) -> bytes:
    return functools.reduce(lambda value, part: zlib.crc32(part, value), parts, EMPTY).to_bytes(CHECK_BYTES, "little")


def _make_room(folder: Path, kind: str, size: int) -> None:
    """Remove the least recently used files of a type if all files of this type exceed its size limit.

    The check is done at the first write of a process, and then after every `SELDOM` bytes written.
    """
    written = _written.get((folder, kind), SELDOM) + size
    _written[folder, kind] = written if written < SELDOM else 0
    if written < SELDOM:
        return
    files = sorted(_own_files(folder, kind))
    excess = sum(size for _, size, _ in files) - MOST_BYTES[kind]
    for _, size, path in files:
        if excess <= 0:
            break
        excess -= size
        _remove(path)


def _own_files(folder: Path, kind: str) -> Iterator[tuple[int, int, Path]]:
    """Yield the time of last use, size and path of each cache file of a type."""
    with os.scandir(folder) as entries:
        for entry in entries:
            name = re.fullmatch(OWN, entry.name)
            # another process may have removed it meanwhile
            with contextlib.suppress(OSError):
                if name and name[2] == kind and entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    yield status.st_mtime_ns, status.st_size, Path(entry.path)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _warn_of(folder: Path, what: str) -> None:
    """Warn, once per process, that `folder` cannot be used, for the reason `what`."""
    with MAKING.held:
        reported = folder in _refused
        _refused.add(folder)
    if not reported:
        text = f"{what}. Every process compiles stages and meshes again: "
        warn(text + "set CONJOINT_CACHE_DIR to a folder that only you can write to")
