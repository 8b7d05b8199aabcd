"""Where panels are: a column on either side, and what lies over the scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from conjoint.viewer import overlay
from conjoint.viewer.panels import LEFT, RIGHT, Panel, profiler, sensors

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk

COLUMN = (
    imgui.WindowFlags_.no_title_bar | imgui.WindowFlags_.no_resize | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_collapse | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_bring_to_front_on_focus
)  # fmt: skip


def draw(desk: Desk) -> None:
    """All panels that are shown."""
    width, height = desk.window.size
    if desk.settings.left:
        column(desk, "left", 0.0, height, LEFT)
    if desk.settings.right and desk.picture is not None:
        column(desk, "right", width - desk.column, height, RIGHT)
    overlay.draw(desk)
    if desk.picture is not None:
        floating(desk, "profiler", profiler.draw, (0.02, 0.05))
        floating(desk, "sensors", sensors.draw, (0.55, 0.05))


def column(desk: Desk, name: str, left: float, height: float, panels: tuple[Panel, ...]) -> None:
    """Panels below each other; each can be folded up."""
    imgui.set_next_window_pos(imgui.ImVec2(left, 0))
    imgui.set_next_window_size(imgui.ImVec2(desk.column, height))
    imgui.begin(name, None, COLUMN)
    imgui.push_item_width(0.45 * desk.column)
    for panel in panels:
        if panel.needs_model and desk.picture is None:
            continue
        opened = imgui.TreeNodeFlags_.default_open if panel.opened else 0
        if imgui.collapsing_header(panel.title, opened):
            imgui.push_id(panel.title)
            panel.draw(desk)
            imgui.pop_id()
    imgui.pop_item_width()
    imgui.end()


def floating(desk: Desk, name: str, content: Callable[[Desk], None], place: tuple[float, float]) -> None:
    """A window over the scene that can be moved and closed, if the setting of its name says that it is shown."""
    if not getattr(desk.settings, name):
        return
    left, top, width, height = overlay.area(desk)
    first = imgui.Cond_.first_use_ever
    imgui.set_next_window_pos(imgui.ImVec2(left + place[0] * width, top + place[1] * height), first)
    imgui.set_next_window_size(imgui.ImVec2(0.44 * width, 0.8 * height), first)
    shown, opened = imgui.begin(name.capitalize(), True)
    if shown:
        content(desk)
    imgui.end()
    if not opened:
        desk.toggle(name)
