"""Text and rectangles over a picture: the two-dimensional `mjr` functions."""

from __future__ import annotations

import numpy as np

from conjoint.api.arguments import checked
from conjoint.api.objects.visual import MjrRect
from conjoint.lang import ArgumentError
from conjoint.render.commands import mjr_maxViewport, port_of
from conjoint.render.mjr_context import MjrContext, use, used
from conjoint.schema.enums_visual import mjtFont, mjtGridPos

SHADE = (0.0, 0.0, 0.0, 1.0)
"""Color of the shadows of letters."""

BACKGROUND = (0.0, 0.0, 0.0, 0.3)
"""Background color of overlays."""

MARGIN = 5
"""Pixels between an overlay and the edge of its rectangle, and around its text."""


@checked
def mjr_rectangle(viewport: MjrRect, r: float, g: float, b: float, a: float) -> None:
    """Fill a rectangle of the current framebuffer.

    Args:
        viewport: the rectangle.
        r, g, b, a: components of the color, from 0 to 1.

    Raises:
        FatalError: no context is in use.
    """
    con = used()
    con.ink.fill(con.target(), port_of(viewport), (r, g, b, a))


@checked
def mjr_text(font: int, txt: str, con: MjrContext, x: float, y: float, r: float, g: float, b: float) -> None:
    """Write a line of text into the current framebuffer.

    Args:
        font: font of the text (mjtFont).
        txt: the text.
        con: the rendering context.
        x, y: lower left corner of the text, relative to the framebuffer size, from 0 to 1.
        r, g, b: components of the text color, from 0 to 1.
    """
    area = mjr_maxViewport(con)
    use(con)
    _line(con, area, font, txt, (x * area.width, y * area.height), (r, g, b, 1.0))


def _line(con: MjrContext, area: MjrRect, font: int, text: str, at: tuple[float, float], rgba: tuple) -> None:
    """Write a line of text, with its shadow if the font has one."""
    target, port, big = con.target(), port_of(area), con.big(font)
    if font == mjtFont.mjFONT_SHADOW:
        con.ink.write(target, port, text, (at[0] + 1, at[1] - 1), SHADE, con.fontScale, big)
    con.ink.write(target, port, text, at, rgba, con.fontScale, big)


@checked
def mjr_overlay(
    font: int, gridpos: int, viewport: MjrRect, overlay: str, overlay2: str | None, con: MjrContext
) -> None:
    """Write lines of text at an edge or a corner of a rectangle, on a dark background.

    Args:
        font: font of the text (mjtFont).
        gridpos: position in the rectangle (mjtGridPos).
        viewport: the rectangle.
        overlay: text, whose lines are separated by newlines.
        overlay2: text of a second column to the right; None for a single column.
        con: the rendering context.

    Raises:
        FatalError: `gridpos` is not a value of mjtGridPos.
    """
    if gridpos not in {int(one) for one in mjtGridPos}:
        raise ArgumentError(f"mjr_overlay: {gridpos} is not a grid position: use a member of mjtGridPos")
    use(con)
    measures = con.ink.font(con.fontScale, con.big(font))
    columns = [text.splitlines() for text in (overlay, overlay2) if text]
    widths = [max((measures.measure(line) for line in lines), default=0) for lines in columns]
    rows = max((len(lines) for lines in columns), default=0)
    if not rows:
        return
    width = sum(widths) + MARGIN * (len(columns) + 1)
    height = rows * measures.height + 2 * MARGIN
    left, bottom = _corner(gridpos, viewport, width, height)
    con.ink.fill(con.target(), port_of(viewport), BACKGROUND, (left, bottom, left + width, bottom + height))
    x = left + MARGIN
    for lines, wide in zip(columns, widths, strict=True):
        for k, line in enumerate(lines):
            at = x, bottom + height - MARGIN - (k + 1) * measures.height
            _line(con, viewport, font, line, at, (1.0, 1.0, 1.0, 1.0))
        x += wide + MARGIN


def _corner(gridpos: int, area: MjrRect, width: float, height: float) -> tuple[float, float]:
    """Return the lower left corner of a box at a grid position of a rectangle."""
    name = mjtGridPos(gridpos).name
    x, y = (area.width - width) / 2, (area.height - height) / 2
    if "LEFT" in name:
        x = MARGIN
    if "RIGHT" in name:
        x = area.width - width - MARGIN
    if "TOP" in name:
        y = area.height - height - MARGIN
    if "BOTTOM" in name:
        y = MARGIN
    return x, y


@checked
def mjr_label(
    viewport: MjrRect, font: int, txt: str, r: float, g: float, b: float, a: float, rt: float, gt: float, bt: float,
    con: MjrContext,
) -> None:  # fmt: skip
    """Fill a rectangle with a color, and write centered text in a second color.

    Args:
        viewport: the rectangle.
        font: font of the text (mjtFont).
        txt: the text.
        r, g, b, a: color of the rectangle, components from 0 to 1.
        rt, gt, bt: color of the text, components from 0 to 1.
        con: the rendering context.
    """
    use(con)
    con.ink.fill(con.target(), port_of(viewport), (r, g, b, a))
    measures = con.ink.font(con.fontScale, con.big(font))
    at = (viewport.width - measures.measure(txt)) / 2, (viewport.height - measures.height) / 2
    _line(con, viewport, font, txt, at, (rt, gt, bt, 1.0))


@checked
def mjr_findRect(x: int, y: int, nrect: int, rect: MjrRect) -> int:
    """Return 0 if a point is in a rectangle, and -1 if it is outside or `nrect` is less than 1.

    Args:
        x, y: the point, in pixels from the lower left corner.
        nrect: number of rectangles: 1, or 0 for none.
        rect: the rectangle.
    """
    inside = rect.left <= x < rect.left + rect.width and rect.bottom <= y < rect.bottom + rect.height
    return 0 if nrect > 0 and bool(np.all(inside)) else -1
