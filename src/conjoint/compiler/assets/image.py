"""PNG images."""

import io
import struct

import numpy as np
from numpy.typing import NDArray

from conjoint.once import MAKING

SIGNATURE = b"\x89PNG\r\n\x1a\n"
OTHERS = {b"\xff\xd8\xff": "JPEG", b"GIF8": "GIF"}
"""Formats that are not supported, by the first bytes of their files."""
MOST_PIXELS = 1 << 26
"""Maximum number of pixels of an image."""

STRIP = 256
"""Number of pixel rows copied from Pillow at a time."""

Image = NDArray[np.uint8]
"""Array of pixels (rows, columns, channels)."""

MODES = {3: "RGB", 4: "RGBA"}


def read_png(data: bytes, channels: int) -> Image:
    """Read the pixels of a PNG file with 1 (the first color channel), 3 or 4 channels.

    Raises:
        ValueError: the file is not a PNG file, is too large or is damaged.
    """
    width, height = _size(data)
    if width * height > MOST_PIXELS:
        raise ValueError(f"the PNG image has {width} x {height} pixels, more than {MOST_PIXELS}")
    with MAKING.held:
        from PIL import Image as Pillow

    try:
        with Pillow.open(io.BytesIO(data), formats=["PNG"]) as image:
            pixels = _pixels(image, channels)
    except (OSError, SyntaxError, ValueError, Pillow.DecompressionBombError) as error:
        raise ValueError(f"the PNG image cannot be decoded: {error}") from None
    return pixels


def check_format(data: bytes) -> None:
    """Raise ValueError if the data are an image in another known format."""
    for start, name in OTHERS.items():
        if data.startswith(start):
            raise ValueError(f"it is a {name} image: convert it to PNG")


def is_srgb(data: bytes) -> bool:
    """Return True if a PNG file declares sRGB colors."""
    return b"sRGB" in _chunks(data)


def _size(data: bytes) -> tuple[int, int]:
    """Return the width and height from the header of a PNG file."""
    check_format(data)
    if len(data) < 33 or not data.startswith(SIGNATURE) or data[12:16] != b"IHDR":
        raise ValueError("it is not a PNG image")
    if b"IEND" not in _chunks(data):
        raise ValueError("the PNG image is truncated")
    width, height = struct.unpack(">2I", data[16:24])
    return width, height


def _chunks(data: bytes) -> set[bytes]:
    """Return the types of the complete chunks of a PNG file."""
    types = set()
    at = len(SIGNATURE)
    while at + 12 <= len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        if at + 12 + length <= len(data):
            types.add(data[at + 4 : at + 8])
        at += 12 + length
    return types


def _pixels(image, channels: int) -> Image:
    """Return the pixels of a Pillow image."""
    if image.mode.startswith("I"):
        # 16 bits: use the upper byte
        gray = (np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8)[:, :, None]
        return _from_gray(gray, channels)
    if channels == 1:
        source = image if image.mode in ("L", "RGB", "RGBA", "LA") else image.convert("RGBA")
        pixels = np.asarray(source)
        return pixels[:, :, None] if pixels.ndim == 2 else pixels[:, :, :1]
    if image.mode != MODES[channels]:
        image = image.convert(MODES[channels])
    # copy in strips, because Pillow makes two copies of the pixels as bytes
    pixels = np.empty((image.height, image.width, channels), np.uint8)
    for top in range(0, image.height, STRIP):
        bottom = min(top + STRIP, image.height)
        pixels[top:bottom] = np.asarray(image.crop((0, top, image.width, bottom)))
    return pixels


def _from_gray(gray: Image, channels: int) -> Image:
    """Return an opaque image with the gray values in every color channel."""
    parts = [gray] * min(channels, 3) + [np.full_like(gray, 255)] * (channels == 4)
    return np.concatenate(parts, axis=2)
