"""Saving editable models, and writing to them what was changed in their compiled models."""

from __future__ import annotations

import os
from typing import Any

from conjoint.api.functions.printing import mj_printModel
from conjoint.api.functions.saving import mj_saveModel
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.vfs import MjVfs, files_of
from conjoint.api.spec.archive import write_archive
from conjoint.api.spec.copy_back import changed_settings, changes, check_expressed, write
from conjoint.api.spec.operations import SpecOperations
from conjoint.lang.errors import FatalError
from conjoint.lang.text import as_written
from conjoint.once import MAKING
from conjoint.spec.filename import given_files

FORMATS = {"text/xml": "xml", "application/xml": "xml", "application/vnd.mjb": "mjb", "text/plain": "txt",
           "application/zip": "mjz"}  # fmt: skip
"""Formats by their content type."""


class SpecSaving(SpecOperations):
    """The part of an editable model that is saved, and takes values of compiled models."""

    def encode(
        self,
        filename: str | os.PathLike[str],
        model: MjModel | None = None,
        vfs: MjVfs | None = None,
        content_type: str = "",
    ) -> int:
        """Save the model, or its compiled model, to a file.

        Args:
            filename: the file, whose ending says the format: .xml for MJCF, .mjz and .zip for an archive with the
                files of `assets`, .mjb for a binary model, .txt for all fields of a model.
            model: the compiled model, whose changed values are saved; needed for .mjb and .txt.
            vfs: files of meshes, textures and height fields, in place of `assets`.
            content_type: the format, if it is not to follow from the ending: text/xml, application/zip ...

        Returns:
            Bytes of the file.

        Raises:
            FatalError: the format is none of these, or a model is missing.
            ModelError: the model breaks a rule, or `model` was not compiled from it.
        """
        path = as_written(filename, "encode: filename")
        form = FORMATS.get(content_type, "") if content_type else os.path.splitext(str(path))[1][1:].lower()
        if form not in ("xml", "mjz", "zip", "mjb", "txt"):
            raise FatalError(
                f"encode: no encoder is known for {content_type or os.path.basename(str(path))!r}; "
                "files end with .xml, .mjz, .zip, .mjb or .txt"
            )
        files = files_of(self.files, vfs)
        if form in ("mjb", "txt"):
            if model is None:
                raise FatalError(f"encode: a .{form} file holds a compiled model: give `model`")
            (mj_saveModel if form == "mjb" else mj_printModel)(model, path)
        elif form == "xml":
            with open(path, "w", encoding="utf-8") as file:
                file.write(self._text(model, files))
        else:
            write_archive(path, self.modelname, self._text(model, files), given_files(files))
        return os.path.getsize(path)

    def _text(self, model: MjModel | None, files: Any) -> str:
        """The model as MJCF, with the values of a compiled model."""
        with MAKING.held:
            from conjoint.compiler.changes import saved_xml

        self.store_lent()
        self.spec.assets = given_files(files)
        return saved_xml(self.spec, None if model is None else model.memory)

    def copy_back(self, model: MjModel) -> None:
        """Write to this model what a program changed in the model that was compiled from it.

        Poses are written in the frames that elements are in, angles in the unit of the model. What follows from other
        values (`body_subtreemass`, `dof_invweight0`, ...) is not looked at.

        Args:
            model: the compiled model.

        Raises:
            ValueError: a value was changed that cannot be expressed here; nothing is written then.
            ModelError: the model breaks a rule.
        """
        with MAKING.held:
            from conjoint.compiler.compile import compile_draft

        if not isinstance(model, MjModel):
            raise TypeError(f"copy_back: expected an MjModel, not {model!r:.60}")
        self.store_lent()
        draft, structure = compile_draft(self.spec)
        fresh, changed = structure.model, model.memory
        for name, size in fresh.layout.sizes.items():
            if name not in ("narena", "nbuffer") and changed.view(name) != size:
                raise ValueError(f"copy_back: the model was not compiled from this MjSpec as it is: {name} differs")
        found, options = changes(self, draft, fresh, changed), changed_settings(self.spec, fresh, changed)
        trial = self.copy()
        write(trial, found)
        trial.store_lent()
        check_expressed(fresh, changed, compile_draft(trial.spec)[1].model)
        write(self, found)
        for element in (self.spec.option, self.spec.statistic, *self.spec.visual.values()):
            element.__dict__.update(options.get(id(element), {}))
