"""Panel: settings of the visualizer that belong to the model (`m.vis`), from the rows of the schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui

from conjoint.lang.memory.layout import Field
from conjoint.schema.option import VISUAL_FIELDS, VISUAL_GROUPS
from conjoint.viewer.panels.physics import edited

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk

COLORS = ("rgba", "headlight")
"""Groups whose vectors are colours."""


def draw(desk: Desk) -> None:
    exchange = desk.exchange
    assert exchange is not None
    vis = exchange.m.vis
    for group in VISUAL_GROUPS:
        if not imgui.tree_node(group):
            continue
        owner = getattr(vis, "global_" if group == "global" else group)
        with exchange.lock:
            for field in VISUAL_FIELDS:
                if field.name.split(".")[1] == group:
                    setting(owner, field, group)
        imgui.tree_pop()


def setting(owner: Any, field: Field, group: str) -> None:
    """A setting that can be changed."""
    name = field.name.split(".")[2]
    value = getattr(owner, name)
    if isinstance(value, np.ndarray) and group in COLORS:
        rgba = imgui.ImVec4(*value.tolist(), *([1.0] if len(value) == 3 else []))
        changed, chosen = imgui.color_edit4(name, rgba, imgui.ColorEditFlags_.no_inputs | imgui.ColorEditFlags_.float)
        if changed:
            value[:] = [chosen.x, chosen.y, chosen.z, chosen.w][: len(value)]
    elif isinstance(value, np.ndarray):
        changed, numbers = edited(name, value)
        if changed:
            value[:] = numbers
    elif field.kind == "int":
        changed, number = imgui.input_int(name, int(value), 0, 0, imgui.InputTextFlags_.enter_returns_true)
        if changed:
            setattr(owner, name, number)
    else:
        changed, real = imgui.drag_float(name, float(value), 0.01 * max(abs(float(value)), 0.01))
        if changed:
            setattr(owner, name, real)
    if imgui.is_item_hovered():
        imgui.set_tooltip(f"{field.meaning}{f' ({field.unit})' if field.unit else ''}")
