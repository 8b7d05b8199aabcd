"""Files at URLs: `package://` URLs of ROS are resolved in package folders, `file://` URLs on disk."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import chain
from typing import Any

ADDRESS = re.compile(r"[A-Za-z][\w+.-]+://")
"""Regular expression for the scheme of a URL."""
FILE = "file://"
PACKAGE = re.compile(r"package://([^/\\]+)[/\\]+(.+)", re.DOTALL)
_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")
DEPTH = 3
"""Maximum depth of the search for packages below a folder of a search path."""
HEAD = 1 << 14
"""Number of bytes at the start of a package.xml that are searched for the package name."""

_argument: ContextVar[tuple[str, ...]] = ContextVar("package_path", default=())

Folder = str | os.PathLike[str]
PackagePath = Folder | Iterable[Folder] | None
"""Folders that are searched for packages: one, several, or None for the folders in ROS's environment variables."""


@contextmanager
def packages_in(path: PackagePath) -> Iterator[None]:
    """Search the given folders before all others for packages, within a `with` block.

    Raises:
        TypeError: `path` is neither a folder nor a list of folders.
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
    """Return the path of the file at a URL, or None if the file does not exist.

    Args:
        address: the URL.
        folder: folder of the model; its parents are searched last.
    """
    if address.startswith(FILE):
        path = address[len(FILE) :]
        # /C:/ is a drive
        path = path[1:] if re.match(r"/[A-Za-z]:[/\\]", path) else path
        return path if os.path.isfile(path) else None
    match = PACKAGE.match(address)
    if match is None:
        return None
    paths = (os.path.normpath(os.path.join(place, match[2])) for place in package_folders(match[1], folder))
    return next(filter(os.path.isfile, paths), None)


def missing_reason(address: str, folder: str) -> str:
    """Return a hint about a URL at which there is no file, to append to a message."""
    match = PACKAGE.match(address)
    if match is None:
        if address.startswith(FILE):
            return ""
        scheme = address.partition("//")[0]
        return f"; {scheme}// addresses are not supported: give the file name relative to the folder of the model"
    found = next(package_folders(match[1], folder), None)
    if found is not None:
        return f"; the package '{match[1]}' is at '{found}', but does not contain this file"
    return f"{no_package(match[1], 'the model')}, or name the file relative to the folder of the model"


def no_package(name: str, below: str) -> str:
    """Return a hint about a missing package, to append to a message. Folders above `below` were searched, too."""
    from difflib import get_close_matches

    near = get_close_matches(name, _known(), 1, 0.6)
    hint = f"did you mean '{near[0]}'? Otherwise set" if near else "set"
    return (
        f"; there is no package '{name}' in package_path, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, COLCON_PREFIX_PATH and "
        f"the folders above {below}: {hint} one of these"
    )


def package_folders(name: str, folder: str) -> Iterator[str]:
    """Yield the folders of packages called `name`, in the order of the search.

    Args:
        name: name of the package.
        folder: folder of the model; its parents are searched last.
    """
    roots = _roots(name)
    near = chain.from_iterable((place, os.path.join(place, name)) for place in _above(folder))
    places = chain(chain.from_iterable(_below(root, name, DEPTH) for root in roots), near)
    seen: set[str] = set()
    for place in places:
        if place not in seen and _is_package(place, name):
            seen.add(place)
            yield place


def _roots(name: str) -> Iterator[str]:
    """Yield the folders to search for a package, including subfolders."""
    yield from _argument.get()
    yield from _listed("ROS_PACKAGE_PATH")
    for prefix in _listed("AMENT_PREFIX_PATH"):
        yield os.path.join(prefix, "share")
    for prefix in _listed("COLCON_PREFIX_PATH"):
        # a merged installation, and one with a folder for each package
        yield os.path.join(prefix, "share")
        yield os.path.join(prefix, name, "share")


def _listed(variable: str) -> list[str]:
    """Return the folders that an environment variable lists."""
    return [folder for folder in os.environ.get(variable, "").split(os.pathsep) if folder]


def _known() -> list[str]:
    """Return names of possible package folders, for suggestions."""
    names: list[str] = []
    for root in (*_roots(""), *_listed("COLCON_PREFIX_PATH")):
        # a prefix may be the folder of the package
        names.append(os.path.basename(os.path.dirname(root) if os.path.basename(root) == "share" else root))
        with suppress(OSError):
            names += (entry.name for entry in os.scandir(root) if entry.is_dir())
    return names


def _is_package(folder: str, name: str) -> bool:
    """Return True if a folder, or the package.xml in it, has the name of a package."""
    if os.path.basename(folder) == name:
        return os.path.isdir(folder)
    try:
        with open(os.path.join(folder, "package.xml"), "rb") as file:
            match = _NAME.search(file.read(HEAD))
    except (OSError, ValueError):
        return False
    return match is not None and match[1] == os.fsencode(name)


def _below(root: str, name: str, depth: int) -> Iterator[str]:
    """Yield a folder, its child called `name`, then all subfolders down to `depth`, except subfolders of packages."""
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
    """Yield a folder and all its parents."""
    here = os.path.abspath(folder)
    while True:
        yield here
        above = os.path.dirname(here)
        if above == here:
            return
        here = above
