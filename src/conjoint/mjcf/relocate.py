"""Names of asset files as they are written: for the folders of the whole model, or for another place of its file."""

import os

from conjoint.spec import Element, Spec
from conjoint.spec.filename import base_name, forward, given_file, on_disk
from conjoint.spec.files import Files
from conjoint.spec.packages import ADDRESS

FOLDERS = ("strippath", "meshdir", "texturedir")
"""Attributes of `compiler` that names of files depend on."""


class FileNames:
    """Finds the names of the files of a model.

    Attributes:
        directory: folder that the model will be saved in, where all names start from; None: names stay as they are.
    """

    def __init__(self, spec: Spec, directory: str | None):
        self.spec = spec
        self.directory = directory

    def of(self, element: Element, name: str) -> str:
        """The name to write for the file `name` of `element`."""
        settings = self.spec.settings(element)
        if given_file(self.spec.assets, name) is not None:
            return base_name(name) if settings.strippath else name
        directory = element.__dict__.get("directory", self.spec.directory)
        own = os.path.join(on_disk(directory), _folder(settings, element))
        start = os.path.join(on_disk(self.spec.directory), _folder(self.spec.compiler, element))
        # without folders only if it is there, too
        kept = Files(self.spec).recorded(element, name) if settings.strippath else forward(name)
        if self.directory is not None:
            start = self.directory
        elif own == start or ADDRESS.match(kept):
            return kept
        inside = os.path.join(_folder(settings, element), kept)
        # what was written as an absolute path stays one
        return inside if os.path.isabs(inside) else os.path.relpath(os.path.join(own, kept), start or ".")


def _folder(settings: Element, element: Element) -> str:
    """Folder that the files of `element` are in."""
    return forward(settings.texturedir if element.kind == "texture" else settings.meshdir)
