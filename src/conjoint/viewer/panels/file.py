"""Panel: files to load and to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from conjoint.viewer import actions

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk

WRITTEN = (
    ("Save XML", actions.save_xml), ("Save MJB", actions.save_binary), ("Print model", actions.print_model),
    ("Print data", actions.print_data), ("Screenshot", actions.screenshot), ("Copy pose", actions.copy_pose),
)  # fmt: skip
"""Buttons, and what they write."""


def draw(desk: Desk) -> None:
    if desk.simulation is not None:
        done = imgui.InputTextFlags_.enter_returns_true
        entered, desk.settings.path = imgui.input_text("model file", desk.settings.path, done)
        if (imgui.button("Open") or entered) and desk.settings.path:
            desk.load(desk.settings.path)
        imgui.same_line()
        if imgui.button("Reload"):
            actions.reload(desk)
    if desk.picture is None:
        return
    for number, (name, write) in enumerate(WRITTEN):
        if number % 3:
            imgui.same_line()
        if imgui.button(name):
            write(desk)
    if imgui.button("Begin video" if desk.video is None else "End video"):
        actions.toggle_video(desk)
    imgui.same_line()
    if imgui.button("Full screen"):
        desk.window.toggle_fullscreen()
    imgui.same_line()
    if imgui.button("Quit"):
        desk.close()
    changed, desk.settings.vertical_sync = imgui.checkbox("vertical sync", desk.settings.vertical_sync)
    if changed:
        desk.window.set_vertical_sync(desk.settings.vertical_sync)
