"""Panel: the value of an element of any field, as time passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk


def draw(desk: Desk) -> None:
    settings = desk.settings
    _, settings.watched = imgui.input_text("field", settings.watched)
    _, settings.element = imgui.input_int("element", settings.element)
    imgui.text_unformatted(watched(desk.d, settings.watched.strip(), settings.element))


def watched(d: Any, name: str, element: int) -> str:
    """The value of an element of a field of the world or, if it has none of that name, of the model.

    Args:
        d: the world.
        name: the field; parts of records are named with points (`opt.gravity`).
        element: its number, of all elements in a row.
    """
    for owner in (d, d.model):
        found = owner
        for part in name.split("."):
            found = getattr(found, part, None) if part and not part.startswith("_") else None
        if isinstance(found, (np.ndarray, int, float)):
            values = np.ravel(found)
            if 0 <= element < len(values):
                return f"{values[element]:.6g}"
            return f"{name} has {len(values)} elements"
    return f"neither world nor model has numbers {name!r}"
