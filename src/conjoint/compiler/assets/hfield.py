"""Height fields, from numbers or files (XML Reference chapter, asset/hfield)."""

import numpy as np
from numpy.typing import NDArray

from conjoint.compiler.assets.cache import CACHE, digest, lasting
from conjoint.compiler.assets.image import read_png
from conjoint.compiler.kinds import Hfield
from conjoint.lang.memory.layout import number_array
from conjoint.spec.files import Files, extension

CONTENT_TYPES = {"image/png": "png", "image/vnd.mujoco.hfield": "hfield"}
MOST = 1 << 26
"""Maximum number of elevations of a height field."""


def compile_hfield(element: Hfield, files: Files) -> NDArray[np.float32]:
    """Return the elevations by rows, scaled to values between 0 and 1. The first row is at the smallest y.

    Raises:
        ValueError: the file cannot be read, or the sizes are invalid.
    """
    if element.file:
        data = _loaded(element, files)
    elif element.nrow < 1 or element.ncol < 1:
        raise ValueError("it needs a file, or a positive nrow and ncol")
    elif element.nrow * element.ncol > MOST:
        raise ValueError(f"it has {element.nrow} x {element.ncol} elevations, more than {MOST}")
    elif element.userdata:
        if len(element.userdata) != element.nrow * element.ncol:
            found = f"it has {len(element.userdata)} elevations, but is {element.nrow} x {element.ncol}"
            raise ValueError(f"{found}\nError: elevation data length must match nrow*ncol")
        # in XML, the first row is at the top
        data = number_array(element.userdata, np.dtype(np.float32)).reshape(element.nrow, element.ncol)[::-1]
    else:
        data = np.zeros((element.nrow, element.ncol), np.float32)
    if min(element.size) <= 0:
        raise ValueError("all four numbers of size must be positive")
    element.nrow, element.ncol = data.shape
    if not np.isfinite(data).all():
        raise ValueError("all elevations must be finite numbers")
    lowest = data.min()
    span = data.max() - lowest
    return (data - lowest) / span if span > 1e-15 else np.zeros_like(data)


def _loaded(element: Hfield, files: Files) -> NDArray[np.float32]:
    """Return the elevations in the file, which is an image (first channel) or has MuJoCo's custom format."""
    try:
        kind = extension(element.file, element.content_type, CONTENT_TYPES)
        key = ("hfield", files.identity(element, element.file), kind)
        return CACHE.get(key, lambda: _decoded(files.read(element, element.file), kind), lambda made: made.nbytes)
    except ValueError as error:
        raise ValueError(f"file '{element.file}': {error}") from None


def _decoded(data: bytes, kind: str) -> NDArray[np.float32]:
    """Return the elevations in a file. Rows of an image are reversed, so that the first row is at the bottom."""
    if kind == "png":
        return lasting(("hfield", digest(data)), lambda: read_png(data, 1)[::-1, :, 0].astype(np.float32))
    return _custom(data)


def _custom(data: bytes) -> NDArray[np.float32]:
    """Return the elevations in a file of the custom format, which starts with the numbers of rows and columns."""
    if len(data) < 8:
        raise ValueError("the header of the height field is not complete")
    nrow, ncol = (int(number) for number in np.frombuffer(data, "<i4", 2))
    if nrow < 1 or ncol < 1 or len(data) != 8 + 4 * nrow * ncol:
        raise ValueError(f"the header promises {nrow} x {ncol} elevations, but the file has {len(data)} bytes")
    return np.frombuffer(data, "<f4", nrow * ncol, 8).reshape(nrow, ncol)
