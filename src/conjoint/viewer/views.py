"""What is chosen of cameras, selections, labels and frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from conjoint.schema.enums_visual import mjtCamera

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk


def cycle(desk: Desk, name: str, count: int) -> None:
    """Show the next of the labels or frames."""
    if desk.picture is not None:
        option = desk.picture.exchange.opt
        setattr(option, name, (getattr(option, name) + 1) % int(count))


def align(desk: Desk) -> None:
    """The camera is where it was at first."""
    if desk.picture is not None:
        with desk.picture.exchange.lock:
            desk.picture.free_camera()


def choose(desk: Desk, kind: int, number: int = -1) -> None:
    """Look through the free camera, one that follows the selected body, or camera `number` of the model."""
    if desk.picture is None:
        return
    exchange = desk.picture.exchange
    with exchange.lock:
        cam = exchange.cam
        if kind == mjtCamera.mjCAMERA_TRACKING and exchange.pert.select <= 0:
            desk.tell("select a body to follow: double click on it")
            return
        cam.type, cam.fixedcamid = int(kind), number
        cam.trackbodyid = int(exchange.pert.select) if kind == mjtCamera.mjCAMERA_TRACKING else -1


def next_camera(desk: Desk, step: int) -> None:
    """The next or previous camera of the model; the free one is before the first."""
    if desk.picture is None:
        return
    exchange = desk.picture.exchange
    m, cam = exchange.m, exchange.cam
    now = cam.fixedcamid if cam.type == mjtCamera.mjCAMERA_FIXED else -1
    wanted = (now + 1 + step) % (m.ncam + 1) - 1
    choose(desk, mjtCamera.mjCAMERA_FIXED if wanted >= 0 else mjtCamera.mjCAMERA_FREE, wanted)


def select_parent(desk: Desk) -> None:
    """Select the parent of the selected body, at its origin."""
    if desk.picture is None:
        return
    exchange = desk.picture.exchange
    with exchange.lock:
        if exchange.pert.select > 0:
            exchange.pert.select = int(exchange.m.body_parentid[exchange.pert.select])
            exchange.pert.localpos = 0.0


def camera_xml(desk: Desk) -> str:
    """The camera of the scene as an element of a model."""
    assert desk.picture is not None
    eye = desk.picture.eye
    assert eye is not None
    x = np.cross(eye.forward, eye.up)
    axes = " ".join(f"{number:.3f}" for number in (*x, *eye.up))
    pos = " ".join(f"{number:.3f}" for number in eye.pos)
    return f'<camera pos="{pos}" xyaxes="{axes}"/>'
