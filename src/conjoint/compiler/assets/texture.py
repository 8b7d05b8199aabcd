"""Textures, from files or patterns (XML Reference chapter, asset/texture)."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.compiler.assets.cache import CACHE, digest, lasting
from conjoint.compiler.assets.image import MOST_PIXELS, Image, check_format, is_srgb, read_png
from conjoint.compiler.assets.pattern import color_bytes, cube_pattern, flat_pattern
from conjoint.compiler.kinds import Texture
from conjoint.schema.enums_newer import mjtEmbed
from conjoint.schema.mjcf.asset import CUBE_FACES
from conjoint.schema.mjcf.grammar import defaults
from conjoint.spec import Element, Spec
from conjoint.spec.files import Files, extension

TEX_2D, SKYBOX = 0, 2
AUTO, LINEAR, SRGB = range(3)
CONTENT_TYPES = {"image/png": "png", "image/vnd.mujoco.texture": "texture"}
LETTERS = "RLUDFB"
MOST_CELLS = 12
PATTERN = ("type", "builtin", "rgb1", "rgb2", "mark", "markrgb", "random", "nchannel")
"""Attributes, besides the size, that determine the pixels of a procedural texture."""


def compile_texture(element: Texture, files: Files, left: bool = False) -> Image:
    """Return the pixels of a texture. A cube texture has six stacked sides, or one if all sides are equal.

    Args:
        element: the texture.
        files: files of the model.
        left: whether to leave textures in their files if possible, instead of storing their pixels in the model.

    Raises:
        ValueError: a file cannot be read, or attributes contradict each other.
    """
    if _by_reference(element, files, left):
        return np.zeros((0, 0, element.nchannel), np.uint8)
    pixels = element.__dict__.get("data")
    if pixels:
        return _given(element, pixels)
    if element.builtin:
        return _builtin(element)
    sides = [getattr(element, "file" + face) for face in CUBE_FACES]
    if element.file:
        image = _load(element, element.file, files)
        return image if element.type == TEX_2D else _cube(element, image)
    if not any(sides):
        raise ValueError("either a file or a builtin pattern must be given")
    if element.type == TEX_2D:
        raise ValueError("a 2d texture has a single file: use the attribute file")
    return _six(element, sides, files)


def _by_reference(element: Texture, files: Files, left: bool) -> bool:
    """Return True if a texture stays in its file.

    Raises:
        ValueError: the element requires that the texture stays in its file, but this is impossible.
    """
    if element.embed == mjtEmbed.mjEMBED_TRUE or (element.embed == mjtEmbed.mjEMBED_AUTO and not left):
        return False
    reasons = {
        "its pixels are given": bool(element.__dict__.get("data")),
        "it is a pattern": bool(element.builtin),
        "it has no single file": not element.file,
        "it is flipped": bool(element.hflip or element.vflip),
        "it is a grid of several images": tuple(element.gridsize) != (1, 1),
        "its file is in memory": bool(element.file) and files.contents(element, element.file) is not None,
    }
    found = [reason for reason, holds in reasons.items() if holds]
    if found and element.embed == mjtEmbed.mjEMBED_FALSE:
        raise ValueError(f"embed='false': its pixels cannot stay in the file, because {found[0]}")
    return not found


def load_reference(path: str, content_type: str, colorspace: int, channels: int) -> tuple[Image, int]:
    """Load the pixels and the color space of a texture whose pixels are not stored in the model, but only in its file.

    Raises:
        ValueError: the file cannot be read.
    """
    values = {**defaults("texture"), "content_type": content_type, "colorspace": colorspace, "nchannel": channels}
    element: Any = Element("texture", {**values, "directory": ""})
    return _load(element, path, Files(Spec())), int(element.colorspace)


def _given(element: Texture, pixels: bytes) -> Image:
    """Return the pixels set by the user's program, row by row."""
    shape = (element.height, element.width, element.nchannel)
    expected = element.height * element.width * element.nchannel
    if len(pixels) != expected:
        raise ValueError(f"its data have {len(pixels)} bytes, expected {expected}: height x width x nchannel")
    return np.frombuffer(pixels, np.uint8).reshape(shape)


def _builtin(element: Texture) -> Image:
    """Return the pixels of a procedural texture, from the cache if possible."""
    width, height = element.width, element.height
    if element.type != TEX_2D:
        height = 6 * width
    if width < 1 or height < 1:
        raise ValueError("a builtin texture needs a positive width and height")
    if width * height > MOST_PIXELS:
        raise ValueError(f"a texture of {width} x {height} pixels is too large: the maximum is {MOST_PIXELS}")
    if element.nchannel < 1 or width * height * element.nchannel > 4 * MOST_PIXELS:
        raise ValueError(f"a builtin texture cannot have {element.nchannel} channels")
    key = ("pattern", width, height, *(getattr(element, name) for name in PATTERN))
    return CACHE.get(key, lambda: _pattern(element, width, height), lambda made: made.nbytes)


def _pattern(element: Texture, width: int, height: int) -> Image:
    """Return the pixels of a procedural texture with the given size."""
    image = flat_pattern(element, width, height) if element.type == TEX_2D else cube_pattern(element, width)
    if element.nchannel == 3:
        return image
    # as in MuJoCo, three bytes for each pixel for any number of channels
    data = np.zeros(width * height * element.nchannel, np.uint8)
    data[: image.size] = image.reshape(-1)[: data.size]
    return data.reshape(height, width, element.nchannel)


def _load(element: Texture, file: str, files: Files) -> Image:
    """Load the pixels of one file, and flip the image if the texture requests it."""
    if element.nchannel not in (1, 3, 4):
        raise ValueError(f"nchannel is {element.nchannel}, expected 1, 3 or 4")
    try:
        kind = extension(file, element.content_type, CONTENT_TYPES)
        key = ("texture", files.identity(element, file), kind, element.nchannel)
        image, srgb = CACHE.get(
            key, lambda: _decoded(files.read(element, file), kind, element.nchannel), lambda made: made[0].nbytes
        )
    except ValueError as error:
        raise ValueError(f"file '{file}': {error}") from None
    if element.colorspace == AUTO:
        element.colorspace = SRGB if srgb else LINEAR
    if (element.hflip or element.vflip) and element.nchannel != 3:
        raise ValueError(f"hflip and vflip need 3 channels, not {element.nchannel}")
    if element.hflip:
        image = image[:, ::-1]
    if element.vflip:
        image = image[::-1]
    return np.ascontiguousarray(image)


def _decoded(data: bytes, kind: str, channels: int) -> tuple[Image, bool]:
    """Return the pixels of a file, and True if it declares sRGB."""
    if kind == "ktx":
        raise ValueError("KTX textures are not supported: convert it to PNG")
    if kind == "png":
        return lasting(("image", digest(data), channels), lambda: (read_png(data, channels), is_srgb(data)))
    return _custom(data, channels), False


def _custom(data: bytes, channels: int) -> Image:
    """Return the pixels in a file of the custom format: width, height, and three bytes per pixel."""
    check_format(data)
    if channels != 3:
        raise ValueError("the custom format has 3 channels")
    if len(data) < 8:
        raise ValueError("the header of the texture is not complete")
    width, height = (int(number) for number in np.frombuffer(data, "<i4", 2))
    if width < 1 or height < 1 or len(data) != 8 + channels * width * height:
        raise ValueError(f"the header promises {width} x {height} pixels, but the file has {len(data)} bytes")
    return np.frombuffer(data, np.uint8, offset=8).reshape(height, width, channels)


def _cube(element: Texture, image: Image) -> Image:
    """Return the sides of a cube texture from one image: a grid of sides, or a single side for all six."""
    rows, columns = element.gridsize
    height, width = image.shape[:2]
    if rows < 1 or columns < 1 or rows * columns > MOST_CELLS:
        raise ValueError(f"gridsize {rows} {columns}: both must be positive, their product at most {MOST_CELLS}")
    if "gridlayout" in element.written and len(element.gridlayout) != rows * columns:
        raise ValueError(f"gridlayout has {len(element.gridlayout)} cells, but gridsize is {rows} x {columns}")
    if height % rows or width % columns or height // rows != width // columns:
        raise ValueError(f"an image of {width} x {height} pixels is not a grid of {rows} x {columns} squares")
    if rows == columns == 1:
        return image
    side = height // rows
    cells = image.reshape(rows, side, columns, side, -1).swapaxes(1, 2).reshape(rows * columns, side, side, -1)
    faces = _plain_sides(element, side, image.shape[2])
    for letter, cell in zip(element.gridlayout, cells, strict=False):
        if letter == ".":
            continue
        if letter not in LETTERS:
            raise ValueError(f"gridlayout: '{letter}' is not one of . R L U D F B")
        faces[LETTERS.index(letter)] = cell
    return faces.reshape(6 * side, side, -1)


def _six(element: Texture, sides: list[str], files: Files) -> Image:
    """Return the sides of a cube texture from separate files."""
    images = {i: _load(element, file, files) for i, file in enumerate(sides) if file}
    shapes = {image.shape for image in images.values()}
    height, width, channels = next(iter(shapes))
    if len(shapes) > 1 or height != width:
        raise ValueError("the images of the sides of a cube must be squares of the same size")
    faces = _plain_sides(element, width, channels)
    for i, image in images.items():
        faces[i] = image
    return faces.reshape(6 * width, width, channels)


def _plain_sides(element: Texture, width: int, channels: int) -> Image:
    """Return six sides of a cube texture, filled with the first color of the texture."""
    # line by line: broadcasting three bytes to every pixel is slow
    line = np.full((width, channels), 255, np.uint8)
    colors = min(channels, 3)
    line[:, :colors] = color_bytes(element.rgb1)[:colors]
    return np.tile(line, (6, width, 1, 1))
