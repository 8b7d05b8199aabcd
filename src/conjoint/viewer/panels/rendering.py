"""Panel: camera, labels, frames, and all switches of what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from conjoint.schema.constants import mjFRAMESTRING, mjLABELSTRING, mjRNDSTRING, mjVISSTRING
from conjoint.schema.enums_visual import mjtCamera
from conjoint.viewer import actions

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk

DEEPEST = 20
"""Depth of bounding volumes that can be chosen."""


def draw(desk: Desk) -> None:
    picture = desk.picture
    assert picture is not None
    exchange = picture.exchange
    with exchange.lock:
        cameras(desk)
        option = exchange.opt
        _, option.label = imgui.combo("label", option.label, list(mjLABELSTRING))
        _, option.frame = imgui.combo("frame", option.frame, list(mjFRAMESTRING))
        _, option.bvh_depth = imgui.slider_int("tree depth", option.bvh_depth, 0, DEEPEST)
        _, option.flex_layer = imgui.slider_int("flex layer", option.flex_layer, 0, 10)
        imgui.separator_text("Elements")
        switches(option.flags, mjVISSTRING)
        imgui.separator_text("Drawing")
        switches(picture.scn.flags, mjRNDSTRING)
        _, picture.smooth = imgui.checkbox("smooth edges", picture.smooth)


def cameras(desk: Desk) -> None:
    """Which camera is looked through."""
    assert desk.picture is not None
    m, cam = desk.picture.exchange.m, desk.picture.exchange.cam
    names = ["Free", "Tracking", *(m.camera(i).name or f"camera {i}" for i in range(m.ncam))]
    fixed = cam.type == mjtCamera.mjCAMERA_FIXED
    now = 2 + cam.fixedcamid if fixed else int(cam.type == mjtCamera.mjCAMERA_TRACKING)
    changed, chosen = imgui.combo("camera", now, names)
    if changed and chosen >= 2:
        actions.choose(desk, mjtCamera.mjCAMERA_FIXED, chosen - 2)
    elif changed:
        actions.choose(desk, mjtCamera.mjCAMERA_TRACKING if chosen else mjtCamera.mjCAMERA_FREE)
    if imgui.button("Copy camera"):
        desk.window.copy(actions.camera_xml(desk))
        desk.tell("copied <camera .../>")
    imgui.same_line()
    _, straight = imgui.checkbox("orthographic", bool(cam.orthographic))
    cam.orthographic = int(straight)


def switches(flags: Any, strings: tuple[tuple[str, str, str], ...]) -> None:
    """A switch for each flag, with its key, in two columns."""
    if not imgui.begin_table("flags", 2):
        return
    for number, (name, _, key) in enumerate(strings):
        imgui.table_next_column()
        changed, on = imgui.checkbox(f"{name} {key}##{number}", bool(flags[number]))
        if changed:
            flags[number] = on
    imgui.end_table()
