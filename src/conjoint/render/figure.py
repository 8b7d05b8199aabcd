"""`mjr_figure`: plots of lines or bars, with axes, labels and a legend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conjoint.api.arguments import checked
from conjoint.api.objects.visual import MjrRect, MjvFigure
from conjoint.render.commands import port_of
from conjoint.render.mjr_context import MjrContext, use
from conjoint.schema.constants import mjMAXLINE, mjMAXLINEPNT

GAP = 6
"""Pixels between the elements of a figure."""


@dataclass
class Pane:
    """Plot area of a figure: its edges in pixels from the figure's lower left corner, and the data values there."""

    left: float
    bottom: float
    right: float
    top: float
    x: tuple[float, float]
    y: tuple[float, float]

    def pixels(self, points: np.ndarray) -> np.ndarray:
        """Convert points (x, y) from data coordinates to pixels."""
        scale = (self.right - self.left) / (self.x[1] - self.x[0]), (self.top - self.bottom) / (self.y[1] - self.y[0])
        return np.array([self.left, self.bottom]) + (points - np.array([self.x[0], self.y[0]])) * scale


@checked
def mjr_figure(viewport: MjrRect, fig: MjvFigure, con: MjrContext) -> None:
    """Draw a figure into a rectangle of the current framebuffer.

    The figure receives its axis ranges in pixels (`xaxispixel`, `yaxispixel`) and in data values (`xaxisdata`,
    `yaxisdata`). `highlightid` becomes the index of the line whose legend entry is at the point `highlight`.

    Args:
        viewport: the rectangle.
        fig: the figure.
        con: the rendering context.
    """
    use(con)
    if viewport.width < 1 or viewport.height < 1:
        return
    lines = [_points(fig, k) for k in range(mjMAXLINE)]
    pane = _layout(viewport, fig, con, lines)
    Plot(viewport, fig, con, pane).draw(lines)
    fig.xaxispixel[:] = round(pane.left), round(pane.right)
    fig.yaxispixel[:] = round(pane.bottom), round(pane.top)
    fig.xaxisdata[:], fig.yaxisdata[:] = pane.x, pane.y


def _points(fig: MjvFigure, k: int) -> np.ndarray:
    """Return the points of line k, shape (number of points, 2)."""
    count = min(max(int(fig.linepnt[k]), 0), mjMAXLINEPNT)
    return np.asarray(fig.linedata[k], float)[: 2 * count].reshape(count, 2)


def _layout(viewport: MjrRect, fig: MjvFigure, con: MjrContext, lines: list[np.ndarray]) -> Pane:
    """Return the plot area, with the axis ranges of the figure; empty ranges are replaced by those of the lines."""
    points = np.concatenate(lines) if any(len(one) for one in lines) else np.zeros((0, 2))
    points = points[np.isfinite(points).all(axis=1)]
    x, y = (_range(fig, axis, points[:, axis]) for axis in range(2))
    if fig.flg_symmetric:
        y = -max(abs(y[0]), abs(y[1])), max(abs(y[0]), abs(y[1]))
    measures = con.ink.font(con.fontScale)
    ticks = [_label(fig.yformat, value) for value in np.linspace(*y, max(int(fig.gridsize[1]), 2))]
    wide = max(measures.measure(text) for text in [*ticks, fig.minwidth]) if fig.flg_ticklabel[1] else 0
    below = (bool(fig.flg_ticklabel[0]) + bool(fig.xlabel)) * measures.height
    above = measures.height + GAP if fig.title else 0
    left, bottom = wide + 2 * GAP, below + GAP + measures.height // 2
    right, top = max(viewport.width - 2 * GAP, left + 1), max(viewport.height - above - GAP, bottom + 1)
    return Pane(left, bottom, right, top, x, y)


def _range(fig: MjvFigure, axis: int, values: np.ndarray) -> tuple[float, float]:
    """Return the figure's axis range, extended to the data if requested; if it is empty, the range of the data."""
    low, high = (float(v) for v in fig.range[axis])
    if len(values) and (low >= high or fig.flg_extend):
        least, most = float(values.min()), float(values.max())
        low, high = (least, most) if low >= high else (min(low, least), max(high, most))
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def _label(form: str, value: float) -> str:
    """Format a number with a C format string."""
    try:
        return form % value
    except (TypeError, ValueError):
        return f"{value:g}"


class Plot:
    """State of a figure during drawing."""

    def __init__(self, viewport: MjrRect, fig: MjvFigure, con: MjrContext, pane: Pane):
        self.fig, self.con, self.pane, self.ink = fig, con, pane, con.ink
        self.target, self.port, self.scale = con.target(), port_of(viewport), con.fontScale
        self.letters = con.ink.font(con.fontScale)
        self.ink_rgba = (*fig.textrgb, 1.0)

    def draw(self, lines: list[np.ndarray]) -> None:
        """Draw the whole figure."""
        fig, pane = self.fig, self.pane
        self.ink.fill(self.target, self.port, fig.figurergba)
        self.ink.fill(self.target, self.port, fig.panergba, (pane.left, pane.bottom, pane.right, pane.top))
        self._grid()
        for k, points in enumerate(lines):
            rgba = (*fig.linergb[k], 1.0)
            if len(points) and fig.flg_barplot:
                self._bars(points, rgba)
            elif len(points) > 1:
                self._strip(pane.pixels(points), rgba, float(fig.linewidth))
        if fig.flg_selection:
            ends = np.array([[fig.selection, pane.y[0]], [fig.selection, pane.y[1]]])
            self._strip(pane.pixels(ends), self.ink_rgba, float(fig.gridwidth))
        self._texts()
        if fig.flg_legend:
            self._legend(lines)

    def _strip(self, pixels: np.ndarray, rgba: Any, width: float) -> None:
        """Draw a line, clipped to the pane."""
        pane = self.pane
        inside = np.clip(pixels, [pane.left, pane.bottom], [pane.right, pane.top])
        self.ink.strip(self.target, self.port, inside[np.isfinite(inside).all(axis=1)], rgba, width)

    def _bars(self, points: np.ndarray, rgba: Any) -> None:
        """Draw bars, given two points for each: their x coordinates are the bar's sides, the second y is its height."""
        pixels = self.pane.pixels(points)
        zero = float(np.clip(self.pane.pixels(np.zeros((1, 2)))[0, 1], self.pane.bottom, self.pane.top))
        for (x0, _), (x1, y1) in zip(pixels[:-1:2], pixels[1::2], strict=False):
            high = float(np.clip(y1, self.pane.bottom, self.pane.top))
            self.ink.fill(self.target, self.port, rgba, (x0, min(zero, high), x1, max(zero, high)))

    def _grid(self) -> None:
        """Draw the grid lines and their tick labels."""
        fig, pane = self.fig, self.pane
        rgba, middle = (*fig.gridrgb, 1.0), self.letters.height / 2
        for x in np.linspace(*pane.x, max(int(fig.gridsize[0]), 2)):
            pixels = pane.pixels(np.array([[x, pane.y[0]], [x, pane.y[1]]]))
            self.ink.strip(self.target, self.port, pixels, rgba, float(fig.gridwidth))
            if fig.flg_ticklabel[0]:
                text = _label(fig.xformat, x)
                at = pixels[0, 0] - self.letters.measure(text) / 2, pane.bottom - self.letters.height - 1
                self._write(text, at)
        for y in np.linspace(*pane.y, max(int(fig.gridsize[1]), 2)):
            pixels = pane.pixels(np.array([[pane.x[0], y], [pane.x[1], y]]))
            self.ink.strip(self.target, self.port, pixels, rgba, float(fig.gridwidth))
            if fig.flg_ticklabel[1]:
                text = _label(fig.yformat, y)
                self._write(text, (pane.left - self.letters.measure(text) - GAP, pixels[0, 1] - middle))

    def _texts(self) -> None:
        """Draw the title above the plot area and the label of the x axis below it."""
        fig, pane = self.fig, self.pane
        middle = (pane.left + pane.right) / 2
        for text, y in ((fig.title, pane.top + GAP / 2), (fig.xlabel, 1.0)):
            if text:
                self._write(text, (middle - self.letters.measure(text) / 2, y))

    def _legend(self, lines: list[np.ndarray]) -> None:
        """Draw the names of lines in their colors, and find the one at `highlight`."""
        fig, height = self.fig, self.letters.height
        named = [(k, fig.linename[k].decode(errors="replace")) for k in range(mjMAXLINE) if fig.linename[k]]
        named = [(k, name) for k, name in named if len(lines[k])]
        fig.highlightid = -1
        if not named:
            return
        width = max(self.letters.measure(name) for _, name in named) + 2 * GAP
        right, top = self.pane.right - GAP, self.pane.top - GAP - fig.legendoffset * height
        box = right - width, top - height * len(named) - GAP, right, top
        self.ink.fill(self.target, self.port, fig.legendrgba, box)
        x, y = fig.highlight[0] - self.port[0], fig.highlight[1] - self.port[1]
        for row, (k, name) in enumerate(named):
            bottom = top - (row + 1) * height - GAP / 2
            if box[0] <= x <= right and bottom <= y < bottom + height:
                fig.highlightid = k
            self._write(name, (box[0] + GAP, bottom), (*fig.linergb[k], 1.0))

    def _write(self, text: str, at: tuple[float, float], rgba: Any = None) -> None:
        self.ink.write(self.target, self.port, text, at, rgba or self.ink_rgba, self.scale)
