"""Editable models in zip archives: the model as MJCF, and its assets."""

import lzma
import os
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import IO

from conjoint.lang.errors import ModelError
from conjoint.spec.filename import as_bytes, check_regular, given_files

ENCRYPTED = 1
"""Flag of a file that needs a password."""
DAMAGES = (zlib.error, lzma.LZMAError, EOFError, NotImplementedError, ValueError, IndexError, struct.error)
"""What unpacking a damaged archive raises."""
MOST_BYTES = 1 << 30
"""Most that an archive may hold when it is unpacked."""


def read_archive(file: str | os.PathLike[str] | IO[bytes]) -> tuple[bytes, dict[str, bytes]]:
    """The first .xml file in the outermost folder of an archive, and the other files by name.

    Raises:
        ModelError: there is no model in it, it holds too much, it is encrypted or damaged, or it is no archive.
        FileNotFoundError: there is no such file.
        TypeError: `file` is neither a path nor a file.
    """
    if not (isinstance(file, str) or hasattr(file, "read")):
        raise TypeError(f"from_zip: expected the path of an archive or a file that is open, not {file!r}")
    try:
        if isinstance(file, str):
            check_regular(file)
        with zipfile.ZipFile(file) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if sum(entry.file_size for entry in entries) > MOST_BYTES:
                raise ModelError(f"the archive holds more than {MOST_BYTES >> 20} MiB")
            secret = next((entry.filename for entry in entries if entry.flag_bits & ENCRYPTED), None)
            if secret is not None:
                raise ModelError(f"the archive is encrypted: '{secret}' needs a password; unpack it first")
            files = {entry.filename: archive.read(entry) for entry in entries}
    except (ModelError, FileNotFoundError):
        raise
    except OSError as error:
        raise ModelError(f"cannot read the archive: {error.strerror or error}") from None
    except zipfile.BadZipFile as error:
        raise ModelError(f"this is no zip archive, or a damaged one: {error}") from None
    except DAMAGES as error:
        raise ModelError(f"the zip archive is damaged, or packed by a method that is not known: {error}") from None
    models = sorted((name.count("/"), name) for name in files if name.endswith(".xml"))
    if not models:
        raise ModelError("there is no .xml file in the archive")
    name = models[0][1]
    folder = posixpath.dirname(name)
    assets = {posixpath.relpath(other, folder or "."): data for other, data in files.items() if other != name}
    return files[name], assets


def write_archive(
    file: str | os.PathLike[str] | IO[bytes], folder: str, xml: str, assets: Mapping[str, bytes | str]
) -> None:
    """Write a model and its assets to an archive, in a folder that has the model's name too."""
    if isinstance(file, (str, os.PathLike)):
        os.makedirs(os.path.dirname(os.path.abspath(file)), exist_ok=True)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{folder}/{folder}.xml", xml)
        for name, data in given_files(assets).items():
            archive.writestr(posixpath.join(folder, name), as_bytes(data))
