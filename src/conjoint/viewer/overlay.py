"""Overlays of the scene: labels, help, information, the state of the simulation, and a program's overlays."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui, implot

from conjoint.api.objects.visual import MjrRect, MjvFigure
from conjoint.schema.enums_visual import mjtGridPos
from conjoint.viewer import shortcuts
from conjoint.viewer.desk import Text
from conjoint.viewer.picture import Picture
from conjoint.viz.scene import labels_of

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk


INK, SHADE = 0xFFFFFFFF, 0xC0000000
"""Colors of letters and of their shadows, as alpha, blue, green, red."""


def draw_labels(picture: Picture, window_height: float, scale: float) -> None:
    """Draw the labels of a scene.

    Args:
        picture: the picture of the scene.
        window_height: height of the window, in screen coordinates of the display.
        scale: screen coordinates of the display per pixel.
    """
    eye, area = picture.eye, picture.viewport
    paper = imgui.get_background_draw_list()
    for point, text in labels_of(picture.scn):
        place = eye.place_of(point) if eye is not None else None
        if place is not None:
            left = (area.left + place[0] * area.width) * scale
            top = window_height - (area.bottom + place[1] * area.height) * scale
            paper.add_text(imgui.ImVec2(left + 1, top + 1), SHADE, text)
            paper.add_text(imgui.ImVec2(left, top), INK, text)


OPACITY, HELP_OPACITY = 0.6, 0.9
"""Opacity of the background of texts. It is higher for the help, because long texts are easier to read that way."""

ALARM = (0.6, 0.1, 0.1, 1.0)
"""Background color of error messages."""

MARGIN = 8.0
"""Distance of overlays from the edge of the scene, in screen coordinates of the display."""

PLAIN = (
    imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_inputs | imgui.WindowFlags_.always_auto_resize
    | imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_focus_on_appearing
)  # fmt: skip
"""Window flags for an overlay without decoration that ignores input."""

CORNERS: dict[int, tuple[float, float]] = {
    mjtGridPos.mjGRID_TOPLEFT: (0, 0), mjtGridPos.mjGRID_TOPRIGHT: (1, 0), mjtGridPos.mjGRID_BOTTOMLEFT: (0, 1),
    mjtGridPos.mjGRID_BOTTOMRIGHT: (1, 1), mjtGridPos.mjGRID_TOP: (0.5, 0), mjtGridPos.mjGRID_BOTTOM: (0.5, 1),
    mjtGridPos.mjGRID_LEFT: (0, 0.5), mjtGridPos.mjGRID_RIGHT: (1, 0.5),
}  # fmt: skip
"""Positions of texts by mjtGridPos, as fractions of the scene's width and height from its upper left corner."""

Rows = list[tuple[str, str]]
"""Rows of texts in two columns."""


def area(desk: Desk) -> tuple[float, float, float, float]:
    """Return left, top, width and height of the scene, in screen coordinates of the display."""
    viewport, scale = desk.viewport, desk.scale
    height = desk.window.size[1]
    return (
        viewport.left / scale, height - (viewport.bottom + viewport.height) / scale,
        viewport.width / scale, viewport.height / scale,
    )  # fmt: skip


def box(
    desk: Desk, name: str, place: tuple[float, float], rows: Rows, size: float = 1.0, opacity: float = OPACITY,
    pairs: int = 1,
) -> None:  # fmt: skip
    """Draw rows of two texts at a position in the scene, optionally in several pairs of columns side by side."""
    left, top, width, height = area(desk)
    x = left + MARGIN + place[0] * (width - 2 * MARGIN)
    y = top + MARGIN + place[1] * (height - 2 * MARGIN)
    imgui.set_next_window_pos(imgui.ImVec2(x, y), pivot=imgui.ImVec2(*place))
    imgui.set_next_window_bg_alpha(opacity)
    imgui.begin(name, None, PLAIN)
    imgui.push_font(None, imgui.get_style().font_size_base * size)
    height_of_pair = -(-len(rows) // pairs)
    if imgui.begin_table("rows", 2 * pairs):
        for row in range(height_of_pair):
            imgui.table_next_row()
            for pair in rows[row::height_of_pair]:
                for text in pair:
                    imgui.table_next_column()
                    imgui.text_unformatted(text)
        imgui.end_table()
    imgui.pop_font()
    imgui.end()


def draw(desk: Desk) -> None:
    """Draw all visible overlays."""
    if desk.picture is not None:
        draw_extra(desk)
        if desk.settings.info and not desk.settings.help:
            box(desk, "info", (0, 1), facts(desk))
    if desk.settings.help:
        box(desk, "help", (0, 0), shortcuts.help_rows(), opacity=HELP_OPACITY, pairs=2)
    else:
        state = desk.simulation.condition() if desk.simulation is not None else []
        if desk.video is not None:
            state = [*state, (f"recording {desk.video.path.name}", f"{desk.video.seconds:.1f} s")]
        if state:
            box(desk, "condition", (0, 0), state)
    problem = desk.simulation.message if desk.simulation is not None else ""
    if problem:
        imgui.push_style_color(imgui.Col_.window_bg, imgui.ImVec4(*ALARM))
        box(desk, "problem", (0.5, 0.15), [("", wrapped(desk, problem))])
        imgui.pop_style_color()
    if desk.notice:
        box(desk, "notice", (1, 1), [("", wrapped(desk, desk.notice))])


def facts(desk: Desk) -> Rows:
    """Return status values of the world and the window, as pairs of a name and a text."""
    assert desk.exchange is not None
    rows = [*desk.exchange.facts(), ("Pictures", f"{1 / max(desk.seconds, 1e-4):.0f} per second")]
    if desk.simulation is not None and desk.simulation.pace.cost:
        rows.append(("CPU", f"{1000 * desk.simulation.pace.cost:.3f} ms per step"))
    return rows


def wrapped(desk: Desk, text: str) -> str:
    """Return a text wrapped to the width of the scene."""
    width = int(0.8 * area(desk)[2] / imgui.calc_text_size("m").x)
    return "\n".join(line for part in text.splitlines() for line in (textwrap.wrap(part, max(width, 20)) or [""]))


# ---- what programs add


def draw_extra(desk: Desk) -> None:
    """Draw the texts, images and figures that a program added."""
    by_place: dict[int, list[Text]] = {}
    for text in desk.extra.texts:
        by_place.setdefault(int(text[1]), []).append(text)
    for place, texts in by_place.items():
        size = float(texts[0][0]) / 100.0
        box(desk, f"text {place}", CORNERS[place], [(first, second) for _, _, first, second in texts], size)
    for number, (rect, image) in enumerate(desk.extra.images):
        with placed(desk, f"image {number}", rect):
            imgui.image(desk.gui.image(f"extra {number}", image), imgui.ImVec2(rect.width, rect.height))
    for number in range(len(desk.extra.images), desk.extra.shown_images):
        desk.gui.forget_image(f"extra {number}")
    desk.extra.shown_images = len(desk.extra.images)
    for number, (rect, figure) in enumerate(desk.extra.figures):
        with placed(desk, f"figure {number}", rect):
            draw_figure(figure, rect)


class placed:
    """Context manager that opens a borderless window at a rectangle of pixels, measured from the lower left corner."""

    def __init__(self, desk: Desk, name: str, rect: MjrRect):
        scale = desk.scale
        top = desk.window.size[1] - (rect.bottom + rect.height) / scale
        imgui.set_next_window_pos(imgui.ImVec2(rect.left / scale, top))
        imgui.set_next_window_size(imgui.ImVec2(rect.width / scale, rect.height / scale))
        imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(0, 0))
        imgui.begin(name, None, PLAIN & ~imgui.WindowFlags_.always_auto_resize)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *details: Any) -> None:
        imgui.end()
        imgui.pop_style_var()


def draw_figure(figure: MjvFigure, rect: MjrRect) -> None:
    """Draw a figure as a line plot."""
    title = figure.title.decode() if isinstance(figure.title, bytes) else str(figure.title)
    if not implot.begin_plot(title or "##figure", imgui.ImVec2(rect.width, rect.height)):
        return
    label = figure.xlabel.decode() if isinstance(figure.xlabel, bytes) else str(figure.xlabel)
    fit = implot.AxisFlags_.auto_fit
    fixed = [bool(figure.range[k][0] < figure.range[k][1]) for k in range(2)]
    implot.setup_axes(label, "", 0 if fixed[0] else fit, 0 if fixed[1] else fit)
    for axis, known in enumerate(fixed):
        if known:
            which = implot.ImAxis_.x1 if axis == 0 else implot.ImAxis_.y1
            low, high = (float(end) for end in figure.range[axis])
            implot.setup_axis_limits(which, low, high, imgui.Cond_.always)
    for line in range(len(figure.linepnt)):
        count = int(figure.linepnt[line])
        if count <= 0:
            continue
        points = np.asarray(figure.linedata[line], float)[: 2 * count].reshape(-1, 2)
        name = figure.linename[line]
        name = name.decode() if isinstance(name, bytes) else str(name)
        style = implot.Spec()
        red, green, blue = (float(part) for part in figure.linergb[line])
        style.line_color = imgui.ImVec4(red, green, blue, 1.0)
        x, y = (np.ascontiguousarray(points[:, k]) for k in range(2))
        implot.plot_line(name or f"##{line}", x, y, style)
    implot.end_plot()
