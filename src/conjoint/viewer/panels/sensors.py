"""Floating panel: readings of sensors as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from imgui_bundle import imgui

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk

BAR = 70.0
"""Length of a bar for the largest reading of a sensor, in units of the display."""

POSITIVE, NEGATIVE, AXIS = 0xFF50B050, 0xFF5050D0, 0xFF808080
"""Colours: alpha, blue, green, red."""


def draw(desk: Desk) -> None:
    d = desk.d
    m = d.model
    if not m.nsensor:
        imgui.text_disabled("the model has no sensors")
        return
    for s in range(m.nsensor):
        start, count = int(m.sensor_adr[s]), int(m.sensor_dim[s])
        readings = d.sensordata[start : start + count]
        cutoff = float(m.sensor_cutoff[s])
        largest = cutoff if cutoff > 0 else max(float(np.abs(readings).max(initial=0.0)), 1.0)
        imgui.text_unformatted(m.sensor(s).name or f"sensor {s}")
        for reading in readings:
            bar(float(reading), largest)


def bar(reading: float, largest: float) -> None:
    """A bar to the right of its axis for a positive reading, to the left for a negative one."""
    place, height = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
    middle = place.x + BAR
    end = middle + BAR * float(np.clip(reading / largest, -1, 1))
    paper = imgui.get_window_draw_list()
    low, high = imgui.ImVec2(min(middle, end), place.y + 2), imgui.ImVec2(max(middle, end), place.y + height - 2)
    paper.add_rect_filled(low, high, POSITIVE if reading >= 0 else NEGATIVE)
    paper.add_line(imgui.ImVec2(middle, place.y), imgui.ImVec2(middle, place.y + height), AXIS)
    imgui.dummy(imgui.ImVec2(2 * BAR + 8, height))
    imgui.same_line()
    imgui.text_unformatted(f"{reading:.4g}")
