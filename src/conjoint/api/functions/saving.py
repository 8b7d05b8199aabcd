"""Saving models, as XML and in binary files (API reference, Parse and compile, Initialization)."""

import numpy as np

from conjoint.api.arguments import FileName, OutBytes, checked, not_written
from conjoint.api.objects.binary import binary_parts, binary_size
from conjoint.api.objects.model import MjModel
from conjoint.lang.errors import ArgumentError, FatalError
from conjoint.once import MAKING


@checked
def mj_saveLastXML(filename: FileName, m: MjModel) -> None:
    """Save a model as MJCF, with the numbers that were changed in it since it was compiled.

    Args:
        filename: path of the file.
        m: a model that was made from XML.

    Raises:
        FatalError: the model was not made from XML, or the file cannot be written.
        ModelError: sizes of the model were changed.
    """
    with MAKING.held:
        from conjoint.compiler.changes import saved_xml

    if m.spec is None:
        raise FatalError("mj_saveLastXML: the model was not made from XML")
    text = saved_xml(m.spec, m.memory)
    try:
        with open(filename, "w", encoding="utf-8") as file:
            file.write(text)
    except (OSError, ValueError) as error:
        raise FatalError(f"mj_saveLastXML: {not_written(filename, error)}") from None


@checked
def mj_sizeModel(m: MjModel) -> int:
    """Bytes of the binary file of a model, as `mj_saveModel` writes it.

    Args:
        m: the model.
    """
    return binary_size(m.memory)


@checked
def mj_saveModel(m: MjModel, filename: FileName | None = None, buffer: OutBytes | None = None) -> None:
    """Save a model to a binary file, or to memory.

    Args:
        filename: path of the file.
        buffer: bytes (uint8) of at least `mj_sizeModel(m)`, used instead of a file if it is given.

    Raises:
        FatalError: there is neither a file name nor a buffer, the buffer is too small, or the file cannot be written.
    """
    parts = binary_parts(m.memory)
    if buffer is not None:
        contents = b"".join(parts)
        if len(buffer) < len(contents):
            raise ArgumentError(f"mj_saveModel: the buffer must have {len(contents)} bytes, it has {len(buffer)}")
        buffer[: len(contents)] = np.frombuffer(contents, np.uint8)
    elif filename is None:
        raise ArgumentError("mj_saveModel: neither a file name nor a buffer is given")
    else:
        try:
            with open(filename, "wb") as file:
                file.writelines(parts)
        except (OSError, ValueError) as error:
            raise FatalError(f"mj_saveModel: {not_written(filename, error)}") from None
