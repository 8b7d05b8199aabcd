"""Names of files, whatever the system that wrote them: paths, and addresses.

`package://` of ROS is looked up where ROS and its users keep packages, `file://` on the disk.
"""

import errno
import os
import posixpath
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from typing import Any

from conjoint.lang.errors import ModelError
from conjoint.lang.text import is_text, sought

ADDRESS = re.compile(r"[A-Za-z][\w+.-]+://")
"""The start of an address."""
FILE = "file://"
PACKAGE = re.compile(r"package://([^/\\]+)[/\\]+(.+)", re.DOTALL)
_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")
DEPTH = 3
"""Folders below an entry of a search path among which packages are looked for."""
HEAD = 1 << 14
"""Bytes of a package.xml that are read for its name."""

_argument: ContextVar[tuple[str, ...]] = ContextVar("package_path", default=())

Folder = str | os.PathLike[str]
PackagePath = Folder | Iterable[Folder] | None
"""Folders in which packages are looked up: one, several, or None for those that ROS names."""


@contextmanager
def packages_in(path: PackagePath) -> Iterator[None]:
    """Look packages up in these folders first.

    Raises:
        TypeError: it is no folder and no list of folders.
    """
    several = isinstance(path, Iterable) and not isinstance(path, str | os.PathLike)
    given: Any = path
    folders = [] if path is None else list(given) if several else [given]
    if not all(isinstance(folder, str | os.PathLike) for folder in folders):
        raise TypeError(f"package_path should be a folder or a list of folders, not {path!r}")
    token = _argument.set(tuple(os.fspath(folder) for folder in folders))
    try:
        yield
    finally:
        _argument.reset(token)


def addressed_file(address: str, folder: str) -> str | None:
    """Return the path of the file at an address, None if there is none.

    Args:
        address: the address.
        folder: folder of the model, above which packages are looked for last.
    """
    if address.startswith(FILE):
        path = address[len(FILE) :]
        # /C:/ is a drive
        path = path[1:] if re.match(r"/[A-Za-z]:[/\\]", path) else path
        return path if os.path.isfile(path) else None
    match = PACKAGE.match(address)
    if match is None:
        return None
    paths = (os.path.normpath(os.path.join(place, match[2])) for place in _package(match[1], folder))
    return next(filter(os.path.isfile, paths), None)


def why_not_found(address: str, folder: str) -> str:
    """Return a hint about an address without a file, to append to a message."""
    match = PACKAGE.match(address)
    if match is None:
        if address.startswith(FILE):
            return ""
        scheme = address.partition("//")[0]
        return f"; {scheme}// is not looked up: name the file relative to the folder of the model"
    found = next(_package(match[1], folder), None)
    if found is not None:
        return f"; the package '{match[1]}' is at '{found}', and has no such file"
    return (
        f"; there is no package '{match[1]}' in package_path, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH and the folders "
        "above the model: set one of these, or name the file relative to the folder of the model"
    )


def _package(name: str, folder: str) -> Iterator[str]:
    """Yield the folders of packages with a name, in the order of the search."""
    ros, ament = (os.environ.get(key, "").split(os.pathsep) for key in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"))
    shares = (os.path.join(prefix, "share") for prefix in ament if prefix)
    roots = chain(_argument.get(), filter(None, ros), shares)
    near = chain.from_iterable((place, os.path.join(place, name)) for place in _above(folder))
    places = chain(chain.from_iterable(_below(root, name, DEPTH) for root in roots), near)
    seen: set[str] = set()
    for place in places:
        if place not in seen and _is_package(place, name):
            seen.add(place)
            yield place


def _is_package(folder: str, name: str) -> bool:
    """Return True if a folder has the name of a package, or its package.xml has."""
    if os.path.basename(folder) == name:
        return os.path.isdir(folder)
    try:
        with open(os.path.join(folder, "package.xml"), "rb") as file:
            match = _NAME.search(file.read(HEAD))
    except (OSError, ValueError):
        return False
    return match is not None and match[1] == os.fsencode(name)


def _below(root: str, name: str, depth: int) -> Iterator[str]:
    """Yield a folder, the one of a name in it, and then those down to a depth; not those below a package."""
    root = os.path.abspath(root)
    yield root
    yield os.path.join(root, name)
    if depth == 0 or os.path.exists(os.path.join(root, "package.xml")):
        return
    try:
        with os.scandir(root) as entries:
            folders = sorted(entry.path for entry in entries if entry.is_dir())
    except OSError:
        return
    for folder in folders:
        yield from _below(folder, name, depth - 1)


def _above(folder: str) -> Iterator[str]:
    """Yield a folder, and those above it."""
    here = os.path.abspath(folder)
    while True:
        yield here
        above = os.path.dirname(here)
        if above == here:
            return
        here = above


CONTENTS = (bytes, bytearray, memoryview, str)
"""Types in which the contents of a file may be given."""

_FOREIGN = re.compile(r"[A-Za-z]:[\\/]|\\\\|//")
"""Start of an absolute Windows path: a drive or a server."""


def forward(name: str) -> str:
    """Return the file or folder `name` with forward slashes: a backslash separates folders, as on Windows."""
    return name.replace("\\", "/")


def base_name(name: str) -> str:
    """Return the file name without folders."""
    return posixpath.basename(forward(name))


def is_absolute(name: str) -> bool:
    """Return True if `name` starts at the root of a disk, of this system or of Windows, or is an address."""
    return os.path.isabs(forward(name)) or _FOREIGN.match(name) is not None or ADDRESS.match(name) is not None


def normal(name: str) -> str:
    """Return the `name` with forward slashes and without detours; an address stays."""
    return name if ADDRESS.match(name) else posixpath.normpath(forward(name))


def on_disk(path: str) -> str:
    """Return the `path`, whose backslashes separate folders unless the disk has this very name."""
    return path if "\\" not in path or os.path.exists(path) else forward(path)


def place(folder: str, name: str) -> str:
    """Return the path of file or folder `name`: absolute, an address, or in `folder`; `..` is resolved in the text."""
    if ADDRESS.match(name):
        return addressed_file(name, folder) or name
    if is_absolute(name):
        return normal(on_disk(name))
    inside = os.path.normpath(os.path.join(on_disk(folder), forward(name)))
    if "\\" not in name or os.path.exists(inside):
        return inside
    literal = os.path.normpath(os.path.join(folder, name))
    return literal if os.path.exists(literal) else inside


def elsewhere(path: str, folder: str = "") -> str:
    """Return a hint about a `path` that does not exist, to append to a message: its kind, or nothing.

    Args:
        path: the path.
        folder: folder of the model.
    """
    if ADDRESS.match(path):
        return why_not_found(path, folder)
    if os.name == "nt" or _FOREIGN.match(path) is None:
        return ""
    return "; this is an absolute path of Windows: name the file relative to the folder of the model"


def default_name(file: str) -> str:
    """Return the default name of an asset: its file name without folders and extension."""
    name = base_name(file)
    return name[: name.rfind(".")] if "." in name else name


def as_bytes(data: bytes | str) -> bytes:
    """Return the contents of a file, which may be given as text."""
    return data.encode() if isinstance(data, str) else bytes(data)


def check_regular(path: str) -> os.stat_result:
    """Return the status of a regular file; reading others, such as pipes, may never end.

    Raises:
        OSError: there is none, or it is a folder, a pipe or a device.
    """
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", path)
    return status


def given_file(assets: Mapping[str, bytes | str] | None, name: str) -> bytes | None:
    """Return the contents of the file `name`, if it is given.

    Args:
        assets: contents of files by name; as in the official virtual file system, folders and case do not matter.
    """
    wanted = base_name(name).lower()
    for key, contents in (assets or {}).items():
        if base_name(key).lower() == wanted:
            return as_bytes(contents)
    return None


class FilesInFolders(dict[str, "bytes | str"]):
    """Contents of files by name; files in different folders may have the same name."""


def given_files(assets: Mapping[str, bytes | str] | None) -> dict[str, bytes | str]:
    """Return the files that a user gives: contents by name, which may also be bytes or a path.

    Raises:
        ModelError: two of them cannot be told apart; folders do so in `FilesInFolders` only.
        TypeError: these are no files.
    """
    if not (assets is None or isinstance(assets, Mapping)):
        raise TypeError(f"assets should be a dict of contents by file name, not {assets!r}")
    folders = isinstance(assets, FilesInFolders)
    files: dict[str, bytes | str] = FilesInFolders() if folders else {}
    known: dict[str, str] = {}
    for key, data in (assets or {}).items():
        if not ((is_text(key) or isinstance(key, os.PathLike)) and isinstance(data, CONTENTS)):
            raise TypeError(f"assets: {key!r} should be the name of a file, and its contents bytes or a string")
        name = sought(os.fspath(key) if isinstance(key, os.PathLike) else key)
        other = known.setdefault((normal(name) if folders else base_name(name)).lower(), name)
        if other != name or name in files:
            raise ModelError(f"Repeated file name in assets: '{name}' and '{other}': folders and case do not matter")
        files[name] = data
    return files
