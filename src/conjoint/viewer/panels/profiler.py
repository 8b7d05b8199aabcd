"""Floating panel: constraints, convergence and times of the last steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from imgui_bundle import imgui, implot

from conjoint.viewer.profile import COUNTS, TIMERS, convergence

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk

FEW = 30
"""So many points are marked."""

SMALLEST = 1e-15
"""What is drawn of numbers that are zero, on a logarithmic axis."""


def draw(desk: Desk) -> None:
    room = imgui.get_content_region_avail()
    size = imgui.ImVec2(room.x, max(room.y / 3 - 4, 60))
    lines("Constraints", "step", size, dict(zip(COUNTS, desk.profile.counts, strict=True)))
    found = {name: np.log10(np.maximum(values, SMALLEST)) for name, values in convergence(desk.d).items()}
    lines("Convergence (log10)", "iteration", size, found)
    lines("Times (ms)", "step", size, dict(zip(TIMERS, desk.profile.times, strict=True)))


def lines(title: str, axis: str, size: imgui.ImVec2, rows: dict[str, np.ndarray]) -> None:
    """A plot with a line for each row, the newest number at the right."""
    if not implot.begin_plot(title, size):
        return
    fit = implot.AxisFlags_.auto_fit
    implot.setup_axes(axis, "", fit | implot.AxisFlags_.no_tick_labels, fit)
    # names stand beside the lines, not on them
    implot.setup_legend(implot.Location_.east, implot.LegendFlags_.outside)
    style = implot.Spec()
    # a single point has no line
    few = max((len(values) for values in rows.values()), default=0) < FEW
    style.marker = implot.Marker_.circle if few else implot.Marker_.none
    for name, values in rows.items():
        if len(values):
            implot.plot_line(name, np.ascontiguousarray(values), spec=style)
    implot.end_plot()
