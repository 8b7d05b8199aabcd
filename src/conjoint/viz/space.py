"""The spaces of a scene: that of the model, and the room of whoever looks (Programming chapter, Virtual reality).

A scene may show its model moved, turned and scaled as a whole; its cameras are in the room.
"""

import math
from copy import copy

import numpy as np

from conjoint.api.arguments import OutVector3, OutVector4, Vector3, Vector4, checked, without_warnings
from conjoint.api.mju.quaternions import mju_mulQuat, mju_negQuat, mju_quat2Mat
from conjoint.api.objects.scene import MjvGLCamera, MjvScene
from conjoint.lang import FatalError
from conjoint.schema.constants import mjMINVAL


def eyes(scn: MjvScene, name: str) -> np.ndarray:
    """The mean of a field of both cameras."""
    left, right = getattr(scn.camera, name).astype(float)
    return 0.5 * (left + right)


def unit(v: np.ndarray) -> np.ndarray:
    """v with length 1; the first axis if it has none."""
    length = math.sqrt(v.dot(v))
    return v / length if length >= mjMINVAL else np.eye(1, len(v))[0]


def _check_scale(function: str, scn: MjvScene) -> None:
    """Refuse a scene whose scale is zero or less."""
    if scn.scale < mjMINVAL:
        raise FatalError(f"{function}: mjvScene scale too small: it is {scn.scale:g}")


def _check_near(function: str, scn: MjvScene) -> None:
    """Refuse a scene whose cameras have no near plane, which `mjv_updateCamera` gives them."""
    for camera in scn.camera:
        if camera.frustum_near < mjMINVAL:
            raise FatalError(
                f"{function}: mjvScene frustum_near too small: call mjv_updateCamera or mjv_updateScene first"
            )


def _turn(scn: MjvScene) -> np.ndarray:
    """The rotation of the model in the room."""
    mat = np.zeros(9)
    mju_quat2Mat(mat, scn.rotate.astype(float))
    return mat.reshape(3, 3)


@checked
@without_warnings
def mjv_room2model(
    modelpos: OutVector3, modelquat: OutVector4, roompos: Vector3, roomquat: Vector4, scn: MjvScene
) -> None:
    """Take a pose from the room to the space of the model.

    Args:
        modelpos, modelquat: receive the pose in the space of the model.
        roompos, roomquat: the pose in the room.
        scn: the scene, whose `translate`, `rotate` and `scale` place the model in the room.
    """
    back = np.zeros(4)
    _check_scale("mjv_room2model", scn)
    mju_negQuat(back, scn.rotate.astype(float))
    modelpos[:] = _turn(scn).T @ (roompos - scn.translate) / scn.scale
    mju_mulQuat(modelquat, back, roomquat)


@checked
@without_warnings
def mjv_model2room(
    roompos: OutVector3, roomquat: OutVector4, modelpos: Vector3, modelquat: Vector4, scn: MjvScene
) -> None:
    """Take a pose from the space of the model to the room; officially the translation is scaled, too.

    Args:
        roompos, roomquat: receive the pose in the room.
        modelpos, modelquat: the pose in the space of the model.
        scn: the scene, whose `translate`, `rotate` and `scale` place the model in the room.
    """
    _check_scale("mjv_model2room", scn)
    roompos[:] = scn.scale * (_turn(scn) @ modelpos + scn.translate)
    mju_mulQuat(roomquat, scn.rotate.astype(float), modelquat)


@checked
@without_warnings
def mjv_cameraInRoom(headpos: OutVector3, forward: OutVector3, up: OutVector3, scn: MjvScene) -> None:
    """Where the head between both cameras of a scene is in the room, and its directions.

    Args:
        headpos: receives the position.
        forward, up: receive unit vectors.
        scn: the scene.
    """
    _check_near("mjv_cameraInRoom", scn)
    headpos[:] = eyes(scn, "pos")
    forward[:], up[:] = unit(eyes(scn, "forward")), unit(eyes(scn, "up"))


@checked
@without_warnings
def mjv_cameraInModel(headpos: OutVector3, forward: OutVector3, up: OutVector3, scn: MjvScene) -> None:
    """Where the head between both cameras of a scene is in the space of the model, and its directions.

    Args:
        headpos: receives the position.
        forward, up: receive unit vectors.
        scn: the scene.
    """
    _check_near("mjv_cameraInModel", scn)
    _check_scale("mjv_cameraInModel", scn)
    mjv_cameraInRoom(headpos, forward, up, scn)
    if scn.enabletransform:
        turn = _turn(scn)
        headpos[:] = turn.T @ (headpos - scn.translate) / scn.scale
        forward[:], up[:] = turn.T @ forward, turn.T @ up


@checked
@without_warnings
def mjv_frustumHeight(scn: MjvScene) -> float:
    """Height (m) of what the cameras of a scene see at a distance of 1 m; of all that they see without perspective.

    Args:
        scn: the scene.
    """
    _check_near("mjv_frustumHeight", scn)
    height = float(eyes(scn, "frustum_top") - eyes(scn, "frustum_bottom"))
    return height if scn.camera[0].orthographic else height / float(eyes(scn, "frustum_near"))


@checked
@without_warnings
def mjv_alignToCamera(res: OutVector3, vec: Vector3, forward: Vector3) -> None:
    """res := vec turned about the vertical by the angle that takes the y axis to the direction of view.

    Args:
        res: receives the vector.
        vec: the vector.
        forward: direction of view.
    """
    x, y = unit(forward[:2])
    res[:] = vec[0] * y + vec[1] * x, vec[1] * y - vec[0] * x, vec[2]


@checked
@without_warnings
def mjv_averageCamera(cam1: MjvGLCamera, cam2: MjvGLCamera) -> MjvGLCamera:
    """The camera between two, as between the two eyes.

    Args:
        cam1, cam2: the cameras.

    Returns:
        A new camera, with the means of their positions, directions and frusta.
    """
    mean = copy(cam1)
    for name in (
        "pos",
        "frustum_center",
        "frustum_width",
        "frustum_bottom",
        "frustum_top",
        "frustum_near",
        "frustum_far",
    ):
        setattr(mean, name, (getattr(cam1, name) + getattr(cam2, name)) / 2)
    mean.forward, mean.up = unit(cam1.forward + cam2.forward), unit(cam1.up + cam2.up)
    return mean
