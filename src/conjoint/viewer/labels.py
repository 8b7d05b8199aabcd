"""Texts beside geoms, drawn by the user interface."""

from __future__ import annotations

import numpy as np
from imgui_bundle import imgui

from conjoint.viewer.picture import Picture

INK, SHADE = 0xFFFFFFFF, 0xC0000000
"""Colours of letters and of their shadow: alpha, blue, green, red."""


def draw(picture: Picture, window_height: float, scale: float) -> None:
    """Write the labels of a scene over it.

    Args:
        window_height: in units of the display.
        scale: units of the display per pixel.
    """
    count, eye, area = int(picture.scn.ngeom), picture.eye, picture.viewport
    texts = picture.scn.memory.view("geoms.label")[:count]
    labelled = np.flatnonzero(texts[:, 0])
    if eye is None or not len(labelled):
        return
    points = picture.scn.memory.view("geoms.pos")[:count][labelled].astype(float)
    seen = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ eye.both.T
    paper = imgui.get_background_draw_list()
    for g, (x, y, _, w) in zip(labelled, seen, strict=True):
        if w <= 0:
            continue
        text = bytes(texts[g]).split(b"\0")[0].decode(errors="replace")
        left = (area.left + (x / w + 1) / 2 * area.width) * scale
        top = window_height - (area.bottom + (y / w + 1) / 2 * area.height) * scale
        paper.add_text(imgui.ImVec2(left + 1, top + 1), SHADE, text)
        paper.add_text(imgui.ImVec2(left, top), INK, text)
