"""Editable models in zip archives: the model as MJCF, and its assets."""

from __future__ import annotations

import os
import posixpath
import zipfile
from typing import IO

from conjoint.api.spec.model import MjSpec
from conjoint.lang.errors import ModelError

MOST_BYTES = 1 << 30
"""Most that an archive may hold when it is unpacked."""


def from_zip(file: str | os.PathLike[str] | IO[bytes]) -> MjSpec:
    """The model in an archive: its first .xml file in the outermost folder; the other files are assets.

    Raises:
        ModelError: there is no model in it, it holds too much, or it is no archive.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MOST_BYTES:
                raise ModelError(f"the archive holds more than {MOST_BYTES >> 20} MiB")
            files = {entry.filename: archive.read(entry) for entry in archive.infolist() if not entry.is_dir()}
    except zipfile.BadZipFile as error:
        raise ModelError(f"this is no zip archive: {error}") from None
    models = sorted((name.count("/"), name) for name in files if name.endswith(".xml"))
    if not models:
        raise ModelError("there is no .xml file in the archive")
    name = models[0][1]
    folder = posixpath.dirname(name)
    assets = {posixpath.relpath(other, folder or "."): data for other, data in files.items() if other != name}
    return MjSpec.from_string(files[name].decode(), assets=assets)


def to_zip(spec: MjSpec, file: str | os.PathLike[str] | IO[bytes]) -> None:
    """Write the model and its assets, in a folder with the model's name."""
    folder = spec.modelname
    if isinstance(file, (str, os.PathLike)):
        os.makedirs(os.path.dirname(os.path.abspath(file)), exist_ok=True)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{folder}/{folder}.xml", spec.to_xml())
        for name, data in spec.assets.items():
            archive.writestr(posixpath.join(folder, name), data)
