"""Methods that save editable models as MJCF or zip archives, and transfer changes from compiled models."""

from __future__ import annotations

import lzma
import os
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import IO, Any

from conjoint.api.functions.files import mj_printModel, mj_saveModel
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.vfs import MjVfs, files_of
from conjoint.api.spec.copy_back import changed_settings, changes, check_expressed, write
from conjoint.api.spec.operations import SpecOperations
from conjoint.lang.errors import ArgumentError, ModelError
from conjoint.lang.text import as_written
from conjoint.once import MAKING
from conjoint.spec.filename import as_bytes, check_regular, given_files

ENCRYPTED = 1
"""Flag bit of an encrypted file in an archive."""
DAMAGES = (zlib.error, lzma.LZMAError, EOFError, NotImplementedError, ValueError, IndexError, struct.error)
"""Exceptions that unpacking a damaged archive may raise."""
MOST_BYTES = 1 << 30
"""Maximum size of an unpacked archive in bytes."""


def read_archive(file: str | os.PathLike[str] | IO[bytes]) -> tuple[bytes, dict[str, bytes]]:
    """Return the first .xml file in the outermost folder of an archive, and the other files by name.

    Raises:
        ModelError: the file is not an archive, contains no model, or is too large, encrypted or damaged.
        FileNotFoundError: the file does not exist.
        TypeError: `file` is neither a path nor an open file.
    """
    if not (isinstance(file, str) or hasattr(file, "read")):
        raise TypeError(f"from_zip: expected the path of an archive or a file that is open, not {file!r}")
    try:
        if isinstance(file, str):
            check_regular(file)
        with zipfile.ZipFile(file) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if sum(entry.file_size for entry in entries) > MOST_BYTES:
                raise ModelError(f"the archive contains more than {MOST_BYTES >> 20} MiB")
            secret = next((entry.filename for entry in entries if entry.flag_bits & ENCRYPTED), None)
            if secret is not None:
                raise ModelError(f"the archive is encrypted: '{secret}' needs a password; unpack it first")
            files = {entry.filename: archive.read(entry) for entry in entries}
    except (ModelError, FileNotFoundError):
        raise
    except OSError as error:
        raise ModelError(f"cannot read the archive: {error.strerror or error}") from None
    except zipfile.BadZipFile as error:
        raise ModelError(f"this is not a zip archive, or it is damaged: {error}") from None
    except DAMAGES as error:
        raise ModelError(f"the zip archive is damaged, or uses an unknown compression method: {error}") from None
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
    """Write a model and its assets to a zip archive, in a folder with the model's name."""
    if isinstance(file, (str, os.PathLike)):
        os.makedirs(os.path.dirname(os.path.abspath(file)), exist_ok=True)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{folder}/{folder}.xml", xml)
        for name, data in given_files(assets).items():
            archive.writestr(posixpath.join(folder, name), as_bytes(data))


FORMATS = {"text/xml": "xml", "application/xml": "xml", "application/vnd.mjb": "mjb", "text/plain": "txt",
           "application/zip": "mjz"}  # fmt: skip
"""File formats by content type."""


class SpecSaving(SpecOperations):
    """Base class of `MjSpec` with methods that save the model and transfer changes from compiled models."""

    def encode(
        self,
        filename: str | os.PathLike[str],
        model: MjModel | None = None,
        vfs: MjVfs | None = None,
        content_type: str = "",
    ) -> int:
        """Save the model, or a compiled model, to a file.

        Args:
            filename: path of the file. Its extension selects the format: .xml for MJCF, .mjz or .zip for an archive
                with `assets`, .mjb for a binary model, .txt for all fields as text.
            model: the compiled model with changed values; required for .mjb and .txt.
            vfs: files of meshes, textures and height fields, instead of `assets`.
            content_type: content type of the format, which overrides the extension, such as text/xml or
                application/zip.

        Returns:
            Number of bytes written.

        Raises:
            FatalError: the format is unknown, or `model` is required but None.
            ModelError: the model is invalid, or `model` was not compiled from it.
        """
        path = as_written(filename, "encode: filename")
        form = FORMATS.get(content_type, "") if content_type else os.path.splitext(str(path))[1][1:].lower()
        if form not in ("xml", "mjz", "zip", "mjb", "txt"):
            raise ArgumentError(
                f"encode: there is no encoder for {content_type or os.path.basename(str(path))!r}; use a "
                "name that ends with .xml, .mjz, .zip, .mjb or .txt"
            )
        files = files_of(self.files, vfs)
        if form in ("mjb", "txt"):
            if model is None:
                raise ArgumentError(f"encode: a .{form} file contains a compiled model: pass it as `model`")
            (mj_saveModel if form == "mjb" else mj_printModel)(model, path)
        elif form == "xml":
            with open(path, "w", encoding="utf-8") as file:
                file.write(self._text(model, files))
        else:
            write_archive(path, self.modelname, self._text(model, files), given_files(files))
        return os.path.getsize(path)

    def _text(self, model: MjModel | None, files: Any) -> str:
        """Return the model as MJCF text, with changed values from a compiled model unless `model` is None."""
        with MAKING.held:
            from conjoint.compiler.changes import saved_xml

        self.store_exposed()
        self.spec.assets = given_files(files)
        return saved_xml(self.spec, None if model is None else model.memory)

    def copy_back(self, model: MjModel) -> None:
        """Transfer changes in the compiled model to this editable model.

        Poses are converted to the frames of elements, and angles to the angle unit of the model. Derived fields
        (`body_subtreemass`, `dof_invweight0`, ...) are ignored.

        Args:
            model: the compiled model.

        Raises:
            ValueError: an editable model cannot express a changed value. In this case nothing is transferred.
            ModelError: the model is invalid.
        """
        with MAKING.held:
            from conjoint.compiler.compile import compile_draft

        if not isinstance(model, MjModel):
            raise TypeError(f"copy_back: expected an MjModel, not {model!r:.60}")
        self.store_exposed()
        draft, structure = compile_draft(self.spec)
        fresh, changed = structure.model, model.memory
        for name, size in fresh.layout.sizes.items():
            if name not in ("narena", "nbuffer") and changed.view(name) != size:
                raise ValueError(f"copy_back: the model was not compiled from the current MjSpec: {name} differs")
        found, options = changes(self, draft, fresh, changed), changed_settings(self.spec, fresh, changed)
        trial = self.copy()
        write(trial, found)
        trial.store_exposed()
        check_expressed(fresh, changed, compile_draft(trial.spec)[1].model)
        write(self, found)
        for element in (self.spec.option, self.spec.statistic, *self.spec.visual.values()):
            element.__dict__.update(options.get(id(element), {}))
