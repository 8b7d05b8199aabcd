"""Names of files, whatever the system that wrote them."""

import posixpath
from collections.abc import Mapping

from conjoint.lang.errors import ModelError


def base_name(name: str) -> str:
    """File name without folders."""
    return posixpath.basename(name.replace("\\", "/"))


def default_name(file: str) -> str:
    """Name of an asset that has none: that of its file, without folders and extension."""
    name = base_name(file)
    return name[: name.rfind(".")] if "." in name else name


def as_bytes(data: bytes | str) -> bytes:
    """Contents of a file, which may be given as text."""
    return data.encode() if isinstance(data, str) else bytes(data)


def given_file(assets: Mapping[str, bytes | str] | None, name: str) -> bytes | None:
    """Contents of the file `name`, if it is given.

    Args:
        assets: contents of files by name; as in the official virtual file system, folders and case do not matter.
    """
    wanted = base_name(name).lower()
    for key, contents in (assets or {}).items():
        if base_name(key).lower() == wanted:
            return as_bytes(contents)
    return None


def check_names(assets: Mapping[str, bytes | str] | None) -> None:
    """Raise ModelError if two given files cannot be told apart, TypeError if these are no files."""
    if not (assets is None or isinstance(assets, Mapping)):
        raise TypeError(f"assets should be a dict of contents by file name, not {assets!r}")
    for name, data in (assets or {}).items():
        if not (isinstance(name, str) and isinstance(data, (bytes, bytearray, str))):
            raise TypeError(f"assets: {name!r} should be the name of a file, and what is in it bytes or a string")
    known: dict[str, str] = {}
    for name in assets or ():
        other = known.setdefault(base_name(name).lower(), name)
        if other != name:
            raise ModelError(f"Repeated file name in assets: '{name}' and '{other}': folders and case do not matter")
