"""`MjVfs`: in-memory files for reading and compiling models."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from conjoint.lang.text import is_text, sought
from conjoint.schema.version import STANDS_FOR
from conjoint.spec.filename import CONTENTS, FilesInFolders, as_bytes, given_files, normal

Assets = Mapping[str, bytes | str] | None


class MjVfs(MutableMapping[str, bytes]):
    """Mapping from names to in-memory files, for the argument `vfs` of functions that load models.

    It is a context manager. Fill it like a dict: `vfs["model.xml"] = b"<mujoco/>"`. Files in different folders may have
    the same name. A model may also refer to a file without its folder. To replace a file, delete it first: `del
    vfs["model.xml"]`.
    """

    def __init__(self) -> None:
        """Create an empty file system."""
        self._files: dict[str, tuple[str, bytes]] | None = {}

    def _open(self) -> dict[str, tuple[str, bytes]]:
        """Return names and contents of all files, by lookup key. Raises RuntimeError if the file system is closed."""
        if self._files is None:
            raise RuntimeError("VFS is closed")
        return self._files

    def __setitem__(self, name: str, contents: bytes) -> None:
        """Add a file.

        Raises:
            ValueError: a file with this name exists already.
            TypeError: the name is not a string, or the contents are not bytes.
            RuntimeError: the file system is closed.
        """
        files, key = self._open(), _key(name)
        if not isinstance(contents, CONTENTS):
            raise TypeError(f"MjVfs: the contents of {name!r} should be bytes, not {contents!r:.40}")
        if key in files:
            raise ValueError(f"MjVfs: there is a file {files[key][0]!r} already; delete it first")
        files[key] = _text(name), as_bytes(contents)

    def __getitem__(self, name: str) -> bytes:
        """Return the contents of a file. Raises KeyError if the file does not exist."""
        found = self._open().get(_key(name))
        if found is None:
            raise KeyError(name)
        return found[1]

    def __delitem__(self, name: str) -> None:
        """Delete a file. Raises KeyError if the file does not exist."""
        if self._open().pop(_key(name), None) is None:
            raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, _ in self._open().values()])

    def __len__(self) -> int:
        return len(self._open())

    def __enter__(self) -> MjVfs:
        self._open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release all files. After that, other methods raise RuntimeError."""
        self._files = None

    def __repr__(self) -> str:
        return "<MjVfs, closed>" if self._files is None else f"<MjVfs of {len(self._files)} files>"


def _text(name: Any) -> str:
    """Return a file name as a string. Raises TypeError if `name` is neither a string nor a path."""
    if not (is_text(name) or isinstance(name, os.PathLike)):
        raise TypeError(f"MjVfs: the name of a file should be a string, not {name!r:.40}")
    return sought(os.fspath(name) if isinstance(name, os.PathLike) else name)


def _key(name: Any) -> str:
    """Return the lookup key of a file name. Raises TypeError if `name` is neither a string nor a path."""
    return normal(_text(name))


def files_of(assets: Assets, vfs: MjVfs | None) -> Assets:
    """Return the files that were passed either as `assets` or as `vfs`.

    Raises:
        ValueError: both `assets` and `vfs` are passed.
        TypeError: `vfs` is not an MjVfs.
        RuntimeError: the file system is closed.
    """
    if vfs is None:
        return assets
    if not isinstance(vfs, MjVfs):
        raise TypeError(f"vfs should be an MjVfs, not {vfs!r:.40}; pass a dict of contents as `assets`")
    if assets:
        raise ValueError("files are given both as assets and as vfs: use one of them")
    return FilesInFolders(vfs)


def given_by_name(include: Assets, assets: Assets, vfs: MjVfs | None) -> dict[str, bytes | str]:
    """Combine the files that were passed in three arguments, and return them by name.

    Args:
        include: contents of the files that a text includes, by name.
        assets: contents of meshes, textures and height fields, by name.
        vfs: all files as an `MjVfs`, instead of `include` and `assets`.
    """
    files = {**_in_folders(include), **_in_folders(assets)}
    return given_files(files_of(FilesInFolders(files) if STANDS_FOR.moved else files, vfs))


def _in_folders(files: Assets) -> dict[str, bytes | str]:
    """Return the files by name. In newer versions, files with the same name in different folders are distinguished."""
    return given_files(FilesInFolders(files) if STANDS_FOR.moved and isinstance(files, Mapping) else files)
