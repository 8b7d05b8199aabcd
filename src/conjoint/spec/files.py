"""Lookup and reading of asset files."""

import os
import posixpath
from collections.abc import Hashable, Mapping
from hashlib import blake2b

from conjoint.spec.element import Element
from conjoint.spec.filename import as_bytes, base_name, check_regular, elsewhere, forward, normal, place
from conjoint.spec.packages import ADDRESS, addressed_file
from conjoint.spec.spec import Spec

MOST_BYTES = 1 << 30
"""Maximum file size in bytes."""


class Files:
    """Asset files of a model.

    They are passed by name, or are on disk in `meshdir`, `texturedir` or the model's folder.
    """

    def __init__(self, spec: Spec):
        self.spec = spec
        # as in MuJoCo's virtual file system, folders and case do not matter
        self.given = {base_name(name).lower(): as_bytes(data) for name, data in spec.assets.items()}
        # if several files have the same name, as newer versions allow, folders matter
        self._by_path = {normal(name).lower(): as_bytes(data) for name, data in spec.assets.items()}

    def recorded(self, element: Element, file: str) -> str:
        """Return the file name to store in `paths`, normalized and with forward slashes.

        With `strippath`, the name has no folders, unless the file exists only with them.
        """
        if not self.spec.settings(element).strippath:
            return normal(file)
        alone = base_name(file)
        if alone == file or alone.lower() in self.given or os.path.exists(self._inside(element, alone)):
            return alone
        # messages show a URL as written
        return normal(file) if ADDRESS.match(file) or os.path.exists(self._inside(element, file)) else alone

    def contents(self, element: Element, file: str) -> bytes | None:
        """Return the contents of a file of `element` from the passed assets, or None if the file is not among them."""
        if len(self._by_path) > len(self.given):
            for path in (posixpath.join(forward(self._folder(element)), forward(file)), file):
                found = self._by_path.get(normal(path).lower())
                if found is not None:
                    return found
        return self.given.get(base_name(file).lower())

    def path(self, element: Element, file: str) -> str:
        """Return the path on disk of a file of `element`. `..` is resolved textually, without following links."""
        return self._inside(element, self.recorded(element, file))

    def _inside(self, element: Element, file: str) -> str:
        """Return the path of a file in the folder for files of the element's type."""
        return place(place(self._directory(element), self._folder(element)), file)

    def _directory(self, element: Element) -> str:
        """Return the folder of the model that an element comes from."""
        return str(element.__dict__.get("directory", self.spec.directory))

    def _folder(self, element: Element) -> str:
        """Return the folder for files of the element's type, as set in the compiler settings."""
        settings = self.spec.settings(element)
        return str(settings.texturedir if element.kind == "texture" else settings.meshdir)

    def beside(self, element: Element, file: str, folder: str | None) -> str:
        """Return the name of a file that an included file refers to, with `folder` if the file exists only there."""
        if base_name(file).lower() in self.given:
            return file
        if ADDRESS.match(file):
            return addressed_file(file, self._directory(element)) or file
        if folder is None or os.path.exists(self.path(element, file)):
            return file
        beside = os.path.abspath(place(folder, file))
        return beside if os.path.exists(beside) else file

    def identity(self, element: Element, file: str) -> Hashable:
        """Return a key that identifies a file of `element` and its current contents.

        Raises:
            ValueError: the file does not exist.
        """
        given = self.contents(element, file)
        if given is not None:
            return blake2b(given, digest_size=16).digest()
        path = self.path(element, file)
        try:
            status = os.stat(path)
        except (OSError, ValueError) as error:
            raise self._unreadable(element, path, error) from None
        return os.path.abspath(path), status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns

    def size(self, element: Element, file: str) -> int:
        """Return the size of a file of `element` in bytes, or 0 if there is no file."""
        given = self.contents(element, file)
        try:
            return len(given) if given is not None else os.stat(self.path(element, file)).st_size
        except (OSError, ValueError):
            return 0

    def read(self, element: Element, file: str) -> bytes:
        """Return the contents of a file of `element`.

        Raises:
            ValueError: the file cannot be read, or is too large.
        """
        given = self.contents(element, file)
        if given is not None:
            return given
        path = self.path(element, file)
        try:
            if check_regular(path).st_size > MOST_BYTES:
                raise ValueError(f"it is larger than {MOST_BYTES >> 20} MiB")
            with open(path, "rb") as stream:
                return stream.read()
        except (OSError, ValueError) as error:
            raise self._unreadable(element, path, error) from None

    def _unreadable(self, element: Element, path: str, error: Exception) -> ValueError:
        """Return the exception for a file of `element` that cannot be read."""
        reason = getattr(error, "strerror", None) or error
        hint = ""
        if isinstance(error, FileNotFoundError):
            hint = elsewhere(path, self._directory(element)) or "; compiler/meshdir and texturedir set the folders"
        return ValueError(f"cannot read '{path}': {reason}{hint}")


def extension(element_file: str, content_type: str, types: Mapping[str, str]) -> str:
    """Return the format of a file in lower case, derived from its content type or from its extension.

    Raises:
        ValueError: the content type is not a key of `types`, which maps content types to formats.
    """
    if content_type:
        if content_type not in types:
            known = ", ".join(types)
            raise ValueError(f"content_type '{content_type}' is not one of {known}")
        return types[content_type]
    name = base_name(element_file)
    return name[name.rfind(".") + 1 :].lower() if "." in name else ""
