"""Saving a model as XML (API reference, Parse and compile)."""

from __future__ import annotations

from conjoint.api.objects.model import MjModel
from conjoint.lang.errors import FatalError


def mj_saveLastXML(filename: str, m: MjModel) -> None:
    """Save a model as MJCF, with the numbers that were changed in it since it was compiled.

    Args:
        filename: path of the file.
        m: a model that was made from XML.

    Raises:
        FatalError: the model was not made from XML, or the file cannot be written.
        ModelError: sizes of the model were changed.
    """
    from conjoint.compiler.changes import saved_xml

    if m._spec is None:
        raise FatalError("mj_saveLastXML: the model was not made from XML")
    text = saved_xml(m._spec, m._buffer)
    try:
        with open(filename, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise FatalError(f"mj_saveLastXML: cannot write '{filename}': {error.strerror}") from None
