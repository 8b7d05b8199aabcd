"""File names from any operating system, which may be paths or URLs."""

import errno
import os
import posixpath
import re
import stat
from collections.abc import Mapping

from conjoint.lang.errors import ModelError
from conjoint.lang.text import is_text, sought
from conjoint.spec.packages import ADDRESS, addressed_file, missing_reason

CONTENTS = (bytes, bytearray, memoryview, str)
"""Types in which the contents of a file may be passed."""

_FOREIGN = re.compile(r"[A-Za-z]:[\\/]|\\\\|//")
"""Regular expression for the start of an absolute Windows path: a drive or a server."""


def forward(name: str) -> str:
    """Return `name` with forward slashes. Backslashes are treated as separators, as on Windows."""
    return name.replace("\\", "/")


def base_name(name: str) -> str:
    """Return a file name without its folders."""
    return posixpath.basename(forward(name))


def is_absolute(name: str) -> bool:
    """Return True if `name` is an absolute path of this system or of Windows, or a URL."""
    return os.path.isabs(forward(name)) or _FOREIGN.match(name) is not None or ADDRESS.match(name) is not None


def normal(name: str) -> str:
    """Return `name` normalized, with forward slashes. A URL is returned unchanged."""
    return name if ADDRESS.match(name) else posixpath.normpath(forward(name))


def on_disk(path: str) -> str:
    """Return a path for use on disk. Backslashes are separators unless a file with exactly this name exists."""
    return path if "\\" not in path or os.path.exists(path) else forward(path)


def place(folder: str, name: str) -> str:
    """Return the path of `name`, which is relative to `folder` unless it is absolute or a URL.

    `..` is resolved textually.
    """
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
    """Return a hint about a `path` that does not exist, to append to a message, or "" if there is no hint.

    Args:
        path: the path.
        folder: folder of the model.
    """
    if ADDRESS.match(path):
        return missing_reason(path, folder)
    if os.name == "nt" or _FOREIGN.match(path) is None:
        return ""
    return "; this is an absolute path of Windows: name the file relative to the folder of the model"


def default_name(file: str) -> str:
    """Return the default name of an asset: its file name without folders and extension."""
    name = base_name(file)
    return name[: name.rfind(".")] if "." in name else name


def as_bytes(data: bytes | str) -> bytes:
    """Convert the contents of a file, which may be a string, to bytes."""
    return data.encode() if isinstance(data, str) else bytes(data)


def check_regular(path: str) -> os.stat_result:
    """Return the status of a regular file. Other files are rejected, because reading a pipe may never end.

    Raises:
        OSError: the file does not exist, or is a folder, a pipe or a device.
    """
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", path)
    return status


def given_file(assets: Mapping[str, bytes | str] | None, name: str) -> bytes | None:
    """Return the contents of the file `name` in `assets`, or None if it is not in `assets`.

    Args:
        assets: contents of files by name. As in MuJoCo's virtual file system, folders and case do not matter.
        name: name of the file.
    """
    wanted = base_name(name).lower()
    for key, contents in (assets or {}).items():
        if base_name(key).lower() == wanted:
            return as_bytes(contents)
    return None


class FilesInFolders(dict[str, "bytes | str"]):
    """Contents of files by name. Files in different folders may have the same name."""


def given_files(assets: Mapping[str, bytes | str] | None) -> dict[str, bytes | str]:
    """Return the contents of files passed by the user, by name. The user's names may also be bytes or paths.

    Raises:
        ModelError: two names are the same. Folders distinguish names only in `FilesInFolders`.
        TypeError: `assets` does not map names to contents.
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
            raise ModelError(f"Repeated file name in assets: '{name}' and '{other}': folders and case are ignored")
        files[name] = data
    return files
