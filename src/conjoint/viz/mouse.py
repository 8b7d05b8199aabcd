"""Mouse control of cameras, models and perturbations (Programming chapter, Abstract visualization and interaction).

Displacements are relative to the height of the window; x is to the right, y is downward.
"""

from typing import Annotated

import numpy as np

from conjoint.api.arguments import Vector3, checked, newer_form, without_warnings
from conjoint.api.mju.quaternions import mju_axisAngle2Quat, mju_mulQuat
from conjoint.api.mju.vectors import mju_normalize4
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvCamera, MjvPerturb, MjvScene
from conjoint.lang import ArgumentError
from conjoint.schema.enums_visual import mjtCamera, mjtMouse
from conjoint.viz.camera import direction, frustum_height, mjv_cameraInModel, mjv_cameraInRoom, mjv_frustumHeight

STEEPEST = 89.0
"""Largest elevation of a camera (degrees)."""

NEAREST, FARTHEST = 0.01, 100.0
"""Limits of the camera distance, relative to the extent of the model."""

SMALLEST, LARGEST = 0.01, 100.0
"""Limits of a model's scale in the room."""


def _axes(forward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the horizontal unit vectors to the right and forward."""
    level = np.array([forward[0], forward[1], 0.0]) / np.hypot(forward[0], forward[1])
    return np.array([level[1], -level[0], 0.0]), level


def _shift(action: int, dx: float, dy: float, forward: np.ndarray) -> np.ndarray:
    """Return the displacement of an object that the mouse moves in a vertical or a horizontal plane."""
    right, level = _axes(forward)
    return right * dx - (np.array([0.0, 0.0, dy]) if action == mjtMouse.mjMOUSE_MOVE_V else level * dy)


def _turned(
    quat: np.ndarray, action: int, dx: float, dy: float, forward: np.ndarray, up: np.ndarray, angle: float
) -> np.ndarray:
    """Return a quaternion rotated by the mouse: by dx about the up or forward axis, and by dy about the right axis."""
    right, level = _axes(forward)
    axis = (up if action == mjtMouse.mjMOUSE_ROTATE_V else level) * dx + right * dy
    size = float(np.linalg.norm(axis))
    turn, turned = np.zeros(4), np.zeros(4)
    mju_axisAngle2Quat(turn, axis / (size or 1.0), angle * size)
    mju_mulQuat(turned, turn, quat)
    mju_normalize4(turned)
    return turned


def _refuse(function: str, action: int) -> None:
    raise ArgumentError(f"{function}: unexpected action {action}: give one of mjtMouse that rotates, moves or zooms")


@checked
@without_warnings
def move_without_scene(
    m: MjModel, action: Annotated[int, mjtMouse], reldx: float, reldy: float, cam: MjvCamera
) -> None:
    """Move the camera: `mjv_moveCamera` as newer MuJoCo versions declare it.

    Newer versions have four more actions. `MOVE_V_REL` and `MOVE_H_REL` move the camera along its own axes, which for
    `MOVE_H_REL` include the viewing direction. `TURN_V` and `TURN_H` turn the camera about its own position.
    """
    if cam.type == mjtCamera.mjCAMERA_FIXED:
        return
    if cam.type == mjtCamera.mjCAMERA_FREE and action in (*MOVES, *RELATIVE):
        forward = direction(cam)
        if action in MOVES:
            height = frustum_height(m, cam)
            cam.lookat -= height * cam.distance * _shift(action, reldx, reldy, forward)
            return
        right, _ = _axes(forward)
        along = forward if action == mjtMouse.mjMOUSE_MOVE_H_REL else np.cross(right, forward)
        cam.lookat += right * reldx + along * reldy
    elif cam.type == mjtCamera.mjCAMERA_FREE and action in TURNS:
        head = cam.lookat - cam.distance * direction(cam)
        turn = (0.0, reldy) if action == mjtMouse.mjMOUSE_TURN_V else (reldx, 0.0)
        _turn_camera(cam, *turn)
        cam.lookat = head + cam.distance * direction(cam)
    elif action not in (*MOVES, *RELATIVE, *TURNS):
        _turn_or_zoom(m, action, reldx, reldy, cam)


MOVES = (mjtMouse.mjMOUSE_MOVE_V, mjtMouse.mjMOUSE_MOVE_H)
RELATIVE = (mjtMouse.mjMOUSE_MOVE_V_REL, mjtMouse.mjMOUSE_MOVE_H_REL)
TURNS = (mjtMouse.mjMOUSE_TURN_V, mjtMouse.mjMOUSE_TURN_H)
ROTATIONS = (mjtMouse.mjMOUSE_ROTATE_V, mjtMouse.mjMOUSE_ROTATE_H)


def _turn_camera(cam: MjvCamera, reldx: float, reldy: float) -> None:
    """Turn a camera about the point at which it looks."""
    cam.azimuth -= 180.0 * reldx
    cam.elevation = float(np.clip(cam.elevation - 180.0 * reldy, -STEEPEST, STEEPEST))
    cam.azimuth -= 360.0 * ((cam.azimuth > 180.0) - (cam.azimuth < -180.0))


def _turn_or_zoom(m: MjModel, action: int, reldx: float, reldy: float, cam: MjvCamera) -> None:
    """Turn or zoom a camera by a displacement of the mouse."""
    if action in ROTATIONS:
        _turn_camera(cam, reldx, reldy)
    elif action == mjtMouse.mjMOUSE_ZOOM:
        extent = m.stat.extent
        zoomed = cam.distance - 9.0 * extent * reldy * np.log(1.0 + cam.distance / (3.0 * extent))
        cam.distance = float(np.clip(zoomed, NEAREST * extent, FARTHEST * extent))
    else:
        _refuse("mjv_moveCamera", action)


@newer_form(move_without_scene, lambda arguments, named: len(arguments) + len(named) == 5)
@checked
@without_warnings
def mjv_moveCamera(
    m: MjModel, action: Annotated[int, mjtMouse], reldx: float, reldy: float, scn: MjvScene, cam: MjvCamera
) -> None:
    """Turn, move or zoom an abstract camera with the mouse. Fixed cameras stay; tracking cameras only turn and zoom.

    Args:
        m: the model.
        action: action of the mouse (mjtMouse).
        reldx, reldy: displacement of the mouse to the right and down, relative to the window height.
        scn: the scene that shows the current view of the camera.
        cam: the camera, which is changed.

    Raises:
        FatalError: `action` is not a valid action.
    """
    if cam.type == mjtCamera.mjCAMERA_FIXED:
        return
    if action in MOVES:
        if cam.type == mjtCamera.mjCAMERA_FREE:
            head, forward, up = np.zeros(3), np.zeros(3), np.zeros(3)
            mjv_cameraInModel(head, forward, up, scn)
            distance = float(forward @ (cam.lookat - head))
            cam.lookat -= mjv_frustumHeight(scn) * distance * _shift(action, reldx, reldy, forward)
    else:
        _turn_or_zoom(m, action, reldx, reldy, cam)


@checked
@without_warnings
def mjv_moveModel(
    m: MjModel, action: Annotated[int, mjtMouse], reldx: float, reldy: float, roomup: Vector3, scn: MjvScene
) -> None:
    """Turn, move or scale the model of a scene in the room with the mouse, if `scn.enabletransform` is set.

    Args:
        m: the model.
        action: action of the mouse (mjtMouse).
        reldx, reldy: displacement of the mouse to the right and down, relative to the window height.
        roomup: vertical direction of the room.
        scn: the scene, whose `translate`, `rotate` and `scale` are changed.

    Raises:
        FatalError: `action` is not a valid action.
    """
    if not scn.enabletransform:
        return
    head, forward, up = np.zeros(3), np.zeros(3), np.zeros(3)
    mjv_cameraInRoom(head, forward, up, scn)
    if action in (mjtMouse.mjMOUSE_ROTATE_V, mjtMouse.mjMOUSE_ROTATE_H):
        scn.rotate = _turned(scn.rotate.astype(float), action, reldx, reldy, forward, roomup, np.pi)
    elif action in (mjtMouse.mjMOUSE_MOVE_V, mjtMouse.mjMOUSE_MOVE_H):
        scn.translate += (scn.scale * _shift(action, reldx, reldy, forward)).astype(np.float32)
    elif action == mjtMouse.mjMOUSE_ZOOM:
        scn.scale = float(np.clip(scn.scale + 3.0 * reldy * np.log(1.0 + scn.scale / 3.0), SMALLEST, LARGEST))
    else:
        _refuse("mjv_moveModel", action)


@checked
@without_warnings
def mjv_movePerturb(
    m: MjModel, d: MjData, action: Annotated[int, mjtMouse], reldx: float, reldy: float, scn: MjvScene, pert: MjvPerturb
) -> None:
    """Turn or move the target pose of the selected body with the mouse; zooming has no effect.

    Args:
        m: the model.
        d: the world.
        action: action of the mouse (mjtMouse).
        reldx, reldy: displacement of the mouse to the right and down, relative to the window height.
        scn: the scene that shows the body.
        pert: the perturbation, which is changed.

    Raises:
        FatalError: `action` is not a valid action.
    """
    head, forward, up = np.zeros(3), np.zeros(3), np.zeros(3)
    mjv_cameraInModel(head, forward, up, scn)
    if action in (mjtMouse.mjMOUSE_MOVE_V, mjtMouse.mjMOUSE_MOVE_H):
        shift = pert.scale * _shift(action, reldx, reldy, forward)
        pert.refpos += shift
        pert.refselpos += shift
    elif action in (mjtMouse.mjMOUSE_ROTATE_V, mjtMouse.mjMOUSE_ROTATE_H):
        vertical = np.array([0.0, 0.0, 1.0])
        pert.refquat = _turned(pert.refquat, action, reldx, reldy, forward, vertical, 2.0 * np.pi)
    elif action != mjtMouse.mjMOUSE_ZOOM:
        _refuse("mjv_movePerturb", action)
