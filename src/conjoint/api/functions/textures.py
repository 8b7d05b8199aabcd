"""Textures that a model has, or has left in their files."""

from __future__ import annotations

import numpy as np

from conjoint.api.arguments import checked
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.textures import load_texture, with_pixels


@checked
def mj_loadTexture(m: MjModel, id: int) -> tuple:
    """A copy of the pixels of a texture, from its file if the model has left them there.

    Args:
        m: the model.
        id: the texture.

    Returns:
        The pixels, (height, width, channels), and the colour space (mjtColorSpace).

    Raises:
        ValueError: there is no such texture, or its file cannot be read.
    """
    if not 0 <= id < m.ntex:
        raise ValueError(f"mj_loadTexture: texture id {id} is out of range: the model has {m.ntex}")
    pixels, colorspace = load_texture(m, id)
    return np.array(pixels), colorspace


@checked
def mj_embedAssets(m: MjModel) -> MjModel:
    """A copy of the model with all assets in it, those that it has left in their files, too.

    Args:
        m: the model.

    Returns:
        The copy.

    Raises:
        ValueError: a file cannot be read.
    """
    return with_pixels(m) if (m.tex_adr < 0).any() else m.__copy__()
