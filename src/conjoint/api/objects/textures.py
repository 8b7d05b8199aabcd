"""Pixels of textures, which are stored in a model or in external files."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.objects.model import MjModel, model_in
from conjoint.lang.memory.layout import Buffer
from conjoint.lang.warn import warn
from conjoint.once import MAKING
from conjoint.schema.enums import mjtColorSpace
from conjoint.schema.memory import model_layout
from conjoint.schema.model import MODEL_FIELDS
from conjoint.schema.sizes import SIZES

PIXELS = ("tex_data", "tex_adr", "tex_height", "tex_width", "tex_colorspace")
"""Model fields that contain pixels of textures, or their addresses and formats."""


def content_types(m: Any) -> list[int]:
    """Return the address in `paths` of each texture's content type, or -1 if the texture has none.

    The type is stored after the path of the file, unless another path starts there.
    """
    starts = {int(start) for prefix in ("hfield", "mesh", "skin", "tex") for start in getattr(m, prefix + "_pathadr")}
    found = []
    for path, adr in zip(m.tex_pathadr.tolist(), m.tex_adr.tolist(), strict=True):
        after = m.paths.index(b"\0", path) + 1 if adr < 0 else -1
        found.append(after if 0 < after < m.npaths and after not in starts else -1)
    return found


def load_texture(m: MjModel, i: int) -> tuple[np.ndarray, int]:
    """Return the pixels of a texture, shape (height, width, channels), and their color space.

    If the model contains the pixels, the result is a view of them.

    Raises:
        ValueError: the texture file cannot be read.
    """
    if m.tex_adr[i] >= 0:
        return m.tex(i).data, int(m.tex_colorspace[i])
    with MAKING.held:
        from conjoint.compiler.assets.texture import load_reference

    path, kind = (_text(m, start) for start in (int(m.tex_pathadr[i]), content_types(m)[i]))
    try:
        return load_reference(path, kind, int(m.tex_colorspace[i]), int(m.tex_nchannel[i]))
    except ValueError as error:
        raise ValueError(f"texture {i}: {error}") from None


def drawn_texture(m: MjModel, i: int) -> tuple[np.ndarray, int]:
    """Return the result of `load_texture`. If the file cannot be read, warn and return a white texture."""
    try:
        return load_texture(m, i)
    except ValueError as error:
        warn(str(error))
        return np.full((1, 1, 3), 255, np.uint8), int(mjtColorSpace.mjCOLORSPACE_LINEAR)


def with_pixels(m: MjModel) -> MjModel:
    """Return a copy of a model that contains the pixels of all textures. Raises ValueError as `load_texture` does."""
    loaded = [load_texture(m, i) for i in range(m.ntex)]
    pixels = [image.reshape(-1) for image, _ in loaded]
    layout = model_layout({**m.sizes, "ntexdata": sum(map(len, pixels))})
    buffer = Buffer(layout)
    for field in MODEL_FIELDS:
        if field.name not in PIXELS:
            buffer.view(field.name)[...] = m.memory.view(field.name)
    for name in SIZES:
        buffer.view(name)[...] = layout.sizes[name]
    starts = np.cumsum([0, *map(len, pixels)])
    for i, (image, colorspace) in enumerate(loaded):
        buffer.view("tex_height")[i], buffer.view("tex_width")[i] = image.shape[:2]
        buffer.view("tex_colorspace")[i], buffer.view("tex_adr")[i] = colorspace, starts[i]
        buffer.view("tex_data")[starts[i] : starts[i + 1]] = pixels[i]
    return model_in(buffer, spec=m.spec)


def _text(m: MjModel, start: int) -> str:
    """Return the text at an address in `paths`, or "" if the address is negative."""
    return m.paths[start : m.paths.index(b"\0", start)].decode() if start >= 0 else ""
