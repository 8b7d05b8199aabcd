"""Columns of panels on both sides of a window, floating panels, and their drawing with Dear ImGui."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui

from conjoint.schema.constants import mjRNDSTRING
from conjoint.schema.enums_visual import mjtCamera
from conjoint.viewer import actions, overlay, panels, profile
from conjoint.viewer.items import Button, Folder, Item, Note, Row, Value

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk

COLUMN = (
    imgui.WindowFlags_.no_title_bar | imgui.WindowFlags_.no_resize | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_collapse | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_bring_to_front_on_focus
)  # fmt: skip

OVERLAYS = {"help": "Help F1", "info": "Information F2", "profiler": "Profiler F3", "sensors": "Sensors F4",
            "plots": "Plots F8"}  # fmt: skip
"""Labels of the switches that show overlays, by display setting."""

ENTERED = imgui.InputTextFlags_.enter_returns_true
"""Input field flag: the text is applied when the Enter key is pressed."""

SLIDER = 0.42
"""Width of a slider, relative to the width of its column."""

LEAST = 300.0
"""Minimum initial width of a floating panel, in screen coordinates of the display."""

SAVED = (("Save XML", actions.save_xml), ("Save MJB", actions.save_binary), ("Copy pose", actions.copy_pose))
"""Buttons that save the model or the state."""

PRINTED = ("Print model", actions.print_model), ("Print data", actions.print_data)
"""Buttons that write all fields as text."""


# ---- panels that only a window has


def columns_of(desk: Desk) -> tuple[tuple[Folder, ...], tuple[Folder, ...]]:
    """Return the panels of the left and of the right column."""
    if desk.picture is None or desk.exchange is None:
        return (file_panel(desk),), ()
    found = panels.model_panels(desk.exchange)
    below = (found[title] for title in ("Groups", "Physics", "Colors and sizes", "Inspect fields"))
    left = file_panel(desk), simulation_panel(desk), view_panel(desk), *below
    return left, tuple(found[title] for title in ("Joints", "Actuators", "Equality constraints"))


def file_panel(desk: Desk) -> Folder:
    """Return the panel for loading and saving files."""
    settings = desk.settings
    items: list[Item] = []
    if desk.simulation is not None:
        items.append(Value("Model file", "text", lambda: "", desk.load, hint="path of a model; press Enter to load it"))
        items.append(Button("Reload", desk.simulation.load))
    if desk.picture is not None:

        def synchronize(on: bool) -> None:
            settings.vertical_sync = on
            desk.window.set_vertical_sync(on)

        items += [
            Row((
                Button("Screenshot", partial(actions.screenshot, desk)),
                Button(
                    lambda: "Record" if desk.video is None else "Stop recording", partial(actions.toggle_video, desk)
                ),
            )),
            Row(tuple(Button(name, partial(write, desk)) for name, write in SAVED)),
            Row((*(Button(name, partial(write, desk)) for name, write in PRINTED), Button("Quit", desk.quit))),
            Row((
                Button("Full screen", desk.window.toggle_fullscreen),
                Value("Wait for display", "switch", lambda: settings.vertical_sync, synchronize,
                      hint="synchronize pictures with the display (vertical sync)"),
            )),
        ]  # fmt: skip
    return Folder("File", tuple(items), opened=True)


def simulation_panel(desk: Desk) -> Folder:
    """Return the panel for the simulation and the overlays."""
    assert desk.exchange is not None
    items: tuple[Item, ...] = (Note(lambda: "The program that opened this window runs the simulation."),)
    if desk.simulation is not None:
        items = panels.simulation_items(desk.exchange, desk.simulation)

    def switch(name: str, label: str) -> Value:
        return Value(label, "switch", lambda: getattr(desk.settings, name), lambda on: desk.toggle(name))

    switches = Row(tuple(switch(name, label) for name, label in OVERLAYS.items()), columns=2)
    return Folder("Simulation", (*items, switches), opened=True)


def view_panel(desk: Desk) -> Folder:
    """Return the panel for the camera, labels, frames, and visualization and rendering flags."""
    picture = desk.picture
    assert picture is not None
    exchange = picture.exchange
    m, cam = exchange.m, exchange.cam

    def camera() -> int:
        fixed = cam.type == mjtCamera.mjCAMERA_FIXED
        return 2 + cam.fixedcamid if fixed else int(cam.type == mjtCamera.mjCAMERA_TRACKING)

    def choose(k: int) -> None:
        kinds = mjtCamera.mjCAMERA_FREE, mjtCamera.mjCAMERA_TRACKING, mjtCamera.mjCAMERA_FIXED
        actions.choose(desk, kinds[min(k, 2)], k - 2 if k >= 2 else -1)

    def copy() -> None:
        desk.window.copy(actions.camera_xml(desk))
        desk.notify("Copied the camera as <camera .../>.")

    names = ("free", "follows the selected body", *(m.camera(i).name or f"camera {i}" for i in range(m.ncam)))
    flat = panels.attribute(exchange, cam, "orthographic", "switch", "Orthographic")
    return Folder("View", (
        Value("Camera", "choice", camera, choose, options=names),
        Row((Button("Reset camera", lambda: actions.align(desk)), Button("Copy camera", copy))),
        *panels.view_items(exchange, keys=True),
        Folder("Picture", (
            panels.flags(exchange, picture.scn.flags, mjRNDSTRING, keys=True),
            Row((panels.attribute(exchange, picture, "smooth", "switch", "Smooth edges"), flat), columns=2),
        ), opened=True),
    ))  # fmt: skip


# ---- where panels are


def draw(desk: Desk) -> None:
    """Draw all visible panels."""
    width, height = desk.window.size
    if desk.settings.left:
        column(desk, "left", 0.0, height, desk.panels[0])
    if desk.settings.right and desk.panels[1]:
        column(desk, "right", width - desk.column, height, desk.panels[1])
    overlay.draw(desk)
    if desk.picture is not None:
        floating(desk, "profiler", lambda: profile.draw_profiler(desk.profile, desk.d), (0.02, 0.05))
        floating(desk, "sensors", lambda: profile.draw_sensors(desk.d), (0.55, 0.05))
        floating(desk, "plots", lambda: draw_plots(desk), (0.02, 0.08), 0.62)


def column(desk: Desk, name: str, left: float, height: float, folders: tuple[Folder, ...]) -> None:
    """Draw one column of collapsible panels."""
    imgui.set_next_window_pos(imgui.ImVec2(left, 0))
    imgui.set_next_window_size(imgui.ImVec2(desk.column, height))
    imgui.begin(name, None, COLUMN)
    imgui.push_item_width(SLIDER * desk.column)
    for panel in folders:
        if imgui.collapsing_header(panel.title, imgui.TreeNodeFlags_.default_open if panel.opened else 0):
            imgui.push_id(panel.title)
            paint(panel.items)
            imgui.pop_id()
    imgui.pop_item_width()
    imgui.end()


def draw_plots(desk: Desk) -> None:
    """Draw the plot settings, followed by the plots."""
    imgui.push_item_width(0.55 * imgui.get_content_region_avail().x)
    paint(panels.plot_items(desk.plots))
    imgui.pop_item_width()
    profile.draw_plots(desk.plots)


def floating(
    desk: Desk, name: str, content: Callable[[], None], place: tuple[float, float], tall: float = 0.8
) -> None:  # fmt: skip
    """Draw a floating window, which the user can move and close, if the display setting called `name` is True."""
    if not getattr(desk.settings, name):
        return
    left, top, width, height = overlay.area(desk)
    first = imgui.Cond_.first_use_ever
    imgui.set_next_window_pos(imgui.ImVec2(left + place[0] * width, top + place[1] * height), first)
    imgui.set_next_window_size(imgui.ImVec2(max(0.44 * width, LEAST), tall * height), first)
    shown, opened = imgui.begin(name.capitalize(), True)
    if shown:
        content()
    imgui.end()
    if not opened:
        desk.toggle(name)


# ---- items


def paint(items: tuple[Item, ...]) -> None:
    """Draw items, and apply the user's changes."""
    for k, item in enumerate(items):
        # the position is the id, because labels may be equal
        imgui.push_id(k)
        match item:
            case Button(label, press):
                if imgui.button(label if isinstance(label, str) else label()):
                    press()
            case Note(get):
                imgui.text_wrapped(get())
            case Row(parts, columns):
                paint_row(parts, columns)
            case Folder(title, parts, opened):
                if imgui.tree_node_ex(title, imgui.TreeNodeFlags_.default_open if opened else 0):
                    paint(parts)
                    imgui.tree_pop()
            case Value():
                paint_value(item)
        imgui.pop_id()


def paint_row(items: tuple[Item, ...], columns: int) -> None:
    """Draw items side by side or, if `columns` is positive, in a table."""
    if not columns:
        for k, item in enumerate(items):
            if k:
                imgui.same_line()
            imgui.push_id(k)
            paint((item,))
            imgui.pop_id()
    elif imgui.begin_table("row", columns):
        for k, item in enumerate(items):
            imgui.table_next_column()
            imgui.push_id(k)
            paint((item,))
            imgui.pop_id()
        imgui.end_table()


def paint_value(value: Value) -> None:
    """Draw a value with its tooltip, and apply the user's change."""
    imgui.begin_disabled(value.disabled())
    changed, new = edit(value)
    imgui.end_disabled()
    if changed:
        value.set(new)
    if value.hint and imgui.is_item_hovered():
        imgui.set_tooltip(value.hint)


def edit(value: Value) -> tuple[bool, Any]:
    """Draw the widget of a value. Return a flag, True if the user changed the value, and the new value."""
    label, now = value.label, value.get()
    match value.kind:
        case "switch":
            return imgui.checkbox(label, bool(now))
        case "choice":
            return imgui.combo(label, int(now), list(value.options))
        case "slider":
            low, high = value.ends()
            if isinstance(low, int):
                return imgui.slider_int(label, int(now), low, int(high))
            steep = imgui.SliderFlags_.logarithmic if value.logarithmic else 0
            return imgui.slider_float(label, float(now), low, high, form_of(value, float(now)), steep)
        case "integer":
            return imgui.input_int(label, int(now), 0, 0, ENTERED)
        case "real":
            return imgui.input_double(label, float(now), 0, 0, "%.4g", ENTERED)
        case "drag":
            return imgui.drag_float(label, float(now), 0.01 * max(abs(float(now)), 0.01))
        case "color":
            rgba = imgui.ImVec4(*now.tolist(), *([1.0] if len(now) == 3 else []))
            plain = imgui.ColorEditFlags_.no_inputs | imgui.ColorEditFlags_.float
            changed, new = imgui.color_edit4(label, rgba, plain)
            return changed, [new.x, new.y, new.z, new.w][: len(now)]
        case "text":
            return imgui.input_text(label, str(now), ENTERED)
        case "marks":
            return edit_row(label, now, lambda k, on: imgui.checkbox(f"##{k}", bool(on)))
    width = 0.55 * imgui.calc_item_width() * 2 / len(now)
    imgui.push_item_width(width)
    found = edit_row(label, now, lambda k, x: imgui.input_double(f"##{k}", float(x), 0, 0, "%.3g", ENTERED), 2.0)
    imgui.pop_item_width()
    return found


def form_of(value: Value, now: float) -> str:
    """Return the format string for a slider's number, with its unit."""
    # escape % in units, because a single % begins a number
    unit = value.unit.replace("%", "%%")
    if value.scale != 1:
        return f"%.2f ({value.scale * now:.3g} {unit})"
    return f"{value.form} {unit}" if unit else value.form


def edit_row(
    label: str, now: np.ndarray, widget: Callable[[int, Any], tuple[bool, Any]], gap: float = -1.0
) -> tuple[bool, np.ndarray]:
    """Draw a widget for each element of an array, followed by the label; return True if one changed, and the array."""
    made, changed = np.array(now), False
    for k, element in enumerate(now):
        new, number = widget(k, element)
        if new:
            made[k], changed = number, True
        imgui.same_line(0.0, gap)
    imgui.text_unformatted(label)
    return changed, made
