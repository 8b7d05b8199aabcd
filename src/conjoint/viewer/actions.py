"""Actions of keys and buttons: files and the clipboard, cameras, selections, labels and frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from conjoint.api.functions.files import mj_printData, mj_printModel, mj_saveLastXML, mj_saveModel
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import FatalError
from conjoint.schema.enums_visual import mjtCamera
from conjoint.viewer.files import free_name, located
from conjoint.viewer.picture import Picture, ScreenVideo, save_picture

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk


def pose_xml(d: MjData) -> str:
    """Return the state of a world as an MJCF keyframe."""
    m = d.model
    parts: dict[str, np.ndarray] = {"qpos": d.qpos, "act": d.act, "ctrl": d.ctrl}
    if np.any(d.qvel):
        parts["qvel"] = d.qvel
    if m.nmocap:
        parts |= {"mpos": d.mocap_pos.ravel(), "mquat": d.mocap_quat.ravel()}
    texts = (f'{name}="{" ".join(f"{x:.6g}" for x in values)}"' for name, values in parts.items() if len(values))
    return f"<key {' '.join(texts)}/>"


def copy_pose(desk: Desk) -> None:
    """Copy the state to the clipboard, as an MJCF keyframe."""
    if desk.picture is not None:
        desk.window.copy(pose_xml(desk.d))
        desk.notify("Copied the pose as <key .../>.")


def screenshot(desk: Desk) -> None:
    """Write a picture of the scene to a file."""

    def job(picture: Picture) -> None:
        desk.notify(f"Saved {located(save_picture(picture.pixels()))}.")

    desk.do(writing(desk, job))


def toggle_video(desk: Desk) -> None:
    """Start or stop recording the scene, as MP4, or as GIF if FFmpeg is not installed."""
    if desk.video is not None:
        desk.video.close()
        desk.notify(f"Saved {located(desk.video.path)}: {desk.video.seconds:.1f} s.")
        desk.video = None
        return
    size = desk.viewport.width, desk.viewport.height
    try:
        desk.video = ScreenVideo(free_name("conjoint", ".mp4"), *size)
    except FatalError:
        desk.video = ScreenVideo(free_name("conjoint", ".gif"), *size)


def save_xml(desk: Desk) -> None:
    """Save the current model to a new XML file."""
    write(desk, "model", ".xml", lambda path, m, d: mj_saveLastXML(path, m))


def save_binary(desk: Desk) -> None:
    """Save the compiled model to a new MJB file."""
    write(desk, "model", ".mjb", lambda path, m, d: mj_saveModel(m, path))


def print_model(desk: Desk) -> None:
    """Write all fields of the model to a new text file."""
    write(desk, "model", ".txt", lambda path, m, d: mj_printModel(m, path))


def print_data(desk: Desk) -> None:
    """Write all fields of the world to a new text file."""
    write(desk, "data", ".txt", lambda path, m, d: mj_printData(m, d, path))


def write(desk: Desk, stem: str, suffix: str, save: Callable[[str, MjModel, MjData], object]) -> None:
    """Write the model or the world to a new file in the working folder."""

    def job(picture: Picture) -> None:
        path = free_name(stem, suffix)
        with picture.exchange.lock:
            save(str(path), picture.exchange.m, desk.d)
        desk.notify(f"Saved {located(path)}.")

    desk.do(writing(desk, job))


def writing(desk: Desk, job: Callable[[Picture], None]) -> Callable[[Picture], None]:
    """Wrap `job` so that its errors are shown to the user as a notice instead of being raised."""

    def careful(picture: Picture) -> None:
        try:
            job(picture)
        except (OSError, FatalError) as error:
            desk.notify(f"Cannot save: {error}")

    return careful


def cycle(desk: Desk, name: str, count: int) -> None:
    """Switch to the next value of a visualization option, such as `label` or `frame`."""
    if desk.picture is not None:
        option = desk.picture.exchange.opt
        setattr(option, name, (getattr(option, name) + 1) % int(count))


def align(desk: Desk) -> None:
    """Reset the camera to its initial pose."""
    if desk.picture is not None:
        with desk.picture.exchange.lock:
            desk.picture.align()


def choose(desk: Desk, kind: int, number: int = -1) -> None:
    """Switch to the free camera, a camera that follows the selected body, or camera `number` of the model."""
    if desk.picture is None:
        return
    exchange = desk.picture.exchange
    with exchange.lock:
        cam = exchange.cam
        if kind == mjtCamera.mjCAMERA_TRACKING and exchange.pert.select <= 0:
            desk.notify("Select a body to follow by double-clicking it.")
            return
        cam.type, cam.fixedcamid = int(kind), number
        cam.trackbodyid = int(exchange.pert.select) if kind == mjtCamera.mjCAMERA_TRACKING else -1


def next_camera(desk: Desk, step: int) -> None:
    """Switch to the next or previous camera of the model; the free camera precedes the first one."""
    if desk.picture is None:
        return
    exchange = desk.picture.exchange
    m, cam = exchange.m, exchange.cam
    now = cam.fixedcamid if cam.type == mjtCamera.mjCAMERA_FIXED else -1
    wanted = (now + 1 + step) % (m.ncam + 1) - 1
    choose(desk, mjtCamera.mjCAMERA_FIXED if wanted >= 0 else mjtCamera.mjCAMERA_FREE, wanted)


def select_parent(desk: Desk) -> None:
    """Select the parent of the selected body, at the parent's origin."""
    if desk.picture is None:
        return
    exchange = desk.picture.exchange
    with exchange.lock:
        if exchange.pert.select > 0:
            exchange.pert.select = int(exchange.m.body_parentid[exchange.pert.select])
            exchange.pert.localpos = 0.0


def camera_xml(desk: Desk) -> str:
    """Return the camera of the scene as an MJCF element."""
    assert desk.picture is not None
    eye = desk.picture.eye
    assert eye is not None
    x = np.cross(eye.forward, eye.up)
    axes = " ".join(f"{number:.3f}" for number in (*x, *eye.up))
    pos = " ".join(f"{number:.3f}" for number in eye.pos)
    return f'<camera pos="{pos}" xyaxes="{axes}"/>'
