"""Panel: groups of elements that are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from conjoint.schema.constants import mjNGROUP
from conjoint.schema.scene import VISUAL_OPTION_FIELDS

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk

KINDS = tuple(field.name for field in VISUAL_OPTION_FIELDS if field.name.endswith("group"))
"""Options that say which groups are shown."""


def draw(desk: Desk) -> None:
    exchange = desk.exchange
    assert exchange is not None
    with exchange.lock:
        for kind in KINDS:
            imgui.push_id(kind)
            shown = getattr(exchange.opt, kind)
            for group in range(mjNGROUP):
                changed, on = imgui.checkbox(f"##{group}", bool(shown[group]))
                if changed:
                    shown[group] = on
                imgui.same_line()
            imgui.text_unformatted(kind.removesuffix("group"))
            imgui.pop_id()
