"""Files named by addresses: `package://` of ROS, looked up where ROS and its users keep packages, and `file://`."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from typing import Any

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
"""Where packages are looked up: a folder, several, or only where ROS says."""


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
    """Path of the file at an address, None if there is none.

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
    """What to add to a message about an address at which there is no file."""
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
    """Folders of packages with a name, in the order of the search."""
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
    """A folder, the one of a name in it, and then those down to a depth; not those below a package."""
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
    """A folder, and those above it."""
    here = os.path.abspath(folder)
    while True:
        yield here
        above = os.path.dirname(here)
        if above == here:
            return
        here = above
