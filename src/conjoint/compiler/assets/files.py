"""Finding and reading the files of assets."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from pathlib import Path

from conjoint.spec import Spec

MOST_BYTES = 1 << 30
"""Largest file that is read."""


class Files:
    """The files of a model: given by name, or on disk where `meshdir`, `texturedir` and the model's folder say."""

    def __init__(self, spec: Spec, assets: Mapping[str, bytes]):
        compiler = spec.compiler
        self.directory = spec.directory
        self.folders = {"mesh": compiler.meshdir or compiler.assetdir, "texture": compiler.texturedir or compiler.assetdir}
        self.strip = bool(compiler.strippath)
        # as in the official virtual file system, folders and case do not matter
        self.given = {base_name(name).lower(): data for name, data in assets.items()}

    def recorded(self, name: str) -> str:
        """The file name as it is kept in `paths`: with forward slashes, without detours."""
        name = name.replace("\\", "/")
        return posixpath.basename(name) if self.strip else posixpath.normpath(name)

    def path(self, name: str, kind: str) -> Path:
        """Where on disk the file is looked for; `kind` is "mesh" (also for height fields and skins) or "texture"."""
        return Path(self.directory, self.folders[kind], self.recorded(name))

    def read(self, name: str, kind: str) -> bytes:
        """Contents of a file.

        Raises:
            ValueError: it cannot be read, or is too large.
        """
        given = self.given.get(base_name(name).lower())
        if given is not None:
            return bytes(given)
        path = self.path(name, kind)
        try:
            with open(path, "rb") as file:
                data = file.read(MOST_BYTES + 1)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ValueError(f"cannot read '{path}': {reason}") from None
        if len(data) > MOST_BYTES:
            raise ValueError(f"'{path}' is larger than {MOST_BYTES >> 20} MiB")
        return data


def base_name(name: str) -> str:
    """File name without folders."""
    return posixpath.basename(name.replace("\\", "/"))


def default_name(file: str) -> str:
    """Name of an asset that has none: that of its file, without folders and extension."""
    name = base_name(file)
    return name[: name.rfind(".")] if "." in name else name


def extension(element_file: str, content_type: str, types: Mapping[str, str]) -> str:
    """Format of a file in lower case letters: from its content type, or from its extension.

    Raises:
        ValueError: the content type is not one of `types` (type to format).
    """
    if content_type:
        if content_type not in types:
            known = ", ".join(types)
            raise ValueError(f"content_type '{content_type}' is not one of {known}")
        return types[content_type]
    name = base_name(element_file)
    return name[name.rfind(".") + 1 :].lower() if "." in name else ""
