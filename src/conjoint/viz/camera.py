"""Abstract and OpenGL cameras of a scene, and its two coordinate systems: model space and room space.

A scene may show its model translated, rotated and scaled as a whole, in the room of the viewer. Its cameras are in room
space (Programming chapter, Virtual reality).
"""

from __future__ import annotations

import math
from copy import copy

import numpy as np

from conjoint.api.arguments import (
    OutFloats,
    OutVector,
    OutVector3,
    OutVector4,
    Vector3,
    Vector4,
    checked,
    without_warnings,
)
from conjoint.api.mju.quaternions import mju_mulQuat, mju_negQuat, mju_quat2Mat
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvCamera, MjvGLCamera, MjvScene
from conjoint.lang import ArgumentError
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums_visual import mjtCamera
from conjoint.viz.scene import mjv_updateCamera


def eyes(scn: MjvScene, name: str) -> np.ndarray:
    """Return the mean of a field of the left and the right camera."""
    left, right = getattr(scn.camera, name).astype(float)
    return 0.5 * (left + right)


def unit(v: np.ndarray) -> np.ndarray:
    """Return v with length 1; the first unit vector if v is zero."""
    length = math.sqrt(v.dot(v))
    return v / length if length >= mjMINVAL else np.eye(1, len(v))[0]


def _check_scale(function: str, scn: MjvScene) -> None:
    """Raise an error if the scale of a scene is not positive."""
    if scn.scale < mjMINVAL:
        raise ArgumentError(f"{function}: mjvScene scale too small: it is {scn.scale:g}")


def _check_near(function: str, scn: MjvScene) -> None:
    """Raise an error if the cameras of a scene have no near plane, which `mjv_updateCamera` sets."""
    for camera in scn.camera:
        if camera.frustum_near < mjMINVAL:
            raise ArgumentError(
                f"{function}: mjvScene frustum_near too small: call mjv_updateCamera or mjv_updateScene first"
            )


def _turn(scn: MjvScene) -> np.ndarray:
    """Return the rotation matrix from model space to room space."""
    mat = np.zeros(9)
    mju_quat2Mat(mat, scn.rotate.astype(float))
    return mat.reshape(3, 3)


@checked
@without_warnings
def mjv_room2model(
    modelpos: OutVector3, modelquat: OutVector4, roompos: Vector3, roomquat: Vector4, scn: MjvScene
) -> None:
    """Convert a pose from room space to model space.

    Args:
        modelpos, modelquat: receive the pose in model space.
        roompos, roomquat: the pose in room space.
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
    """Convert a pose from model space to room space. As in MuJoCo, the translation is scaled, too.

    Args:
        roompos, roomquat: receive the pose in room space.
        modelpos, modelquat: the pose in model space.
        scn: the scene, whose `translate`, `rotate` and `scale` place the model in the room.
    """
    _check_scale("mjv_model2room", scn)
    roompos[:] = scn.scale * (_turn(scn) @ modelpos + scn.translate)
    mju_mulQuat(roomquat, scn.rotate.astype(float), modelquat)


@checked
@without_warnings
def mjv_cameraInRoom(headpos: OutVector3, forward: OutVector3, up: OutVector3, scn: MjvScene) -> None:
    """Find the position and directions of the head, midway between both cameras of a scene, in room space.

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
    """Find the position and directions of the head, midway between both cameras of a scene, in model space.

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
    """Return the height (m) of the cameras' view; for a perspective projection, at a distance of 1 m.

    Args:
        scn: the scene.
    """
    _check_near("mjv_frustumHeight", scn)
    height = float(eyes(scn, "frustum_top") - eyes(scn, "frustum_bottom"))
    return height if scn.camera[0].orthographic else height / float(eyes(scn, "frustum_near"))


@checked
@without_warnings
def mjv_alignToCamera(res: OutVector3, vec: Vector3, forward: Vector3) -> None:
    """Rotate a vector about the vertical by the angle from the y axis to the viewing direction.

    Args:
        res: receives the rotated vector.
        vec: the vector.
        forward: viewing direction.
    """
    x, y = unit(forward[:2])
    res[:] = vec[0] * y + vec[1] * x, vec[1] * y - vec[0] * x, vec[2]


@checked
@without_warnings
def mjv_averageCamera(cam1: MjvGLCamera, cam2: MjvGLCamera) -> MjvGLCamera:
    """Return the camera midway between two cameras, such as those of the two eyes.

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


def direction(cam: MjvCamera) -> np.ndarray:
    """Return the unit vector of the viewing direction of a free or tracking camera."""
    azimuth, elevation = np.deg2rad((cam.azimuth, cam.elevation))
    return np.array((np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)))


def frustum_height(m: MjModel, cam: MjvCamera) -> float:
    """Return the height of the view of a free or tracking camera: at unit distance if it is a perspective camera."""
    settings = m.vis.global_
    if cam.orthographic:
        return float(settings.fovy)
    return float(2.0 * np.tan(np.deg2rad(settings.fovy) / 2.0))


@checked(headpos="3", forward="3", up="3", right="3")
def mjv_cameraFrame(
    headpos: OutVector | None,
    forward: OutVector | None,
    up: OutVector | None,
    right: OutVector | None,
    d: MjData,
    cam: MjvCamera,
) -> None:
    """Find the position and axes of a camera.

    Args:
        headpos: receives the position, three numbers; None to omit it.
        forward, up, right: receive the axes, three numbers each; None to omit one.
        d: the world.
        cam: the camera.

    Raises:
        FatalError: the camera or the tracked body does not exist, or the camera is of type `mjCAMERA_USER`.
    """
    m = d.model
    if cam.type == mjtCamera.mjCAMERA_FIXED:
        if not 0 <= cam.fixedcamid < m.ncam:
            raise ArgumentError(f"mjv_cameraFrame: there is no camera {cam.fixedcamid}: the model has {m.ncam}")
        axes = d.cam_xmat[cam.fixedcamid].reshape(3, 3)
        found = d.cam_xpos[cam.fixedcamid], -axes[:, 2], axes[:, 1], axes[:, 0]
    else:
        azimuth, elevation = np.deg2rad((cam.azimuth, cam.elevation))
        ahead = direction(cam)
        above = np.array(
            (-np.sin(elevation) * np.cos(azimuth), -np.sin(elevation) * np.sin(azimuth), np.cos(elevation))
        )
        found = _looked_at(d, cam) - cam.distance * ahead, ahead, above, np.cross(ahead, above)
    for vector, values in zip((headpos, forward, up, right), found, strict=True):
        if vector is not None:
            vector[:] = values


def _looked_at(d: MjData, cam: MjvCamera) -> np.ndarray:
    """Return the point at which a free or tracking camera looks."""
    if cam.type == mjtCamera.mjCAMERA_FREE:
        return np.array(cam.lookat)
    if cam.type == mjtCamera.mjCAMERA_TRACKING and 0 <= cam.trackbodyid < d.model.nbody:
        return np.array(d.subtree_com[cam.trackbodyid])
    raise ArgumentError(f"mjv_cameraFrame: camera of type {cam.type} that follows body {cam.trackbodyid}")


@checked(zver="2", zhor="2", zclip="2")
def mjv_cameraFrustum(
    zver: OutFloats | None, zhor: OutFloats | None, zclip: OutFloats | None, m: MjModel, cam: MjvCamera
) -> None:
    """Find the bounds of a camera's view at the near plane, and the distances of its clipping planes.

    Args:
        zver: receives the extents of the view downward and upward; None to omit them.
        zhor: receives the extents of the view to the left and to the right, zeros if they depend on the picture's
            aspect ratio; None to omit them.
        zclip: receives the distances of the near and the far plane; None to omit them.
        m: the model.
        cam: the camera.
    """
    seen = mjv_camera2GLCamera(m, MjData(m), cam)
    across = (seen.frustum_width - seen.frustum_center, seen.frustum_width + seen.frustum_center)
    for vector, values in (
        (zver, (-seen.frustum_bottom, seen.frustum_top)),
        (zhor, across if seen.frustum_width else (0.0, 0.0)),
        (zclip, (seen.frustum_near, seen.frustum_far)),
    ):
        if vector is not None:
            vector[:] = values


@checked
def mjv_camera2GLCamera(m: MjModel, d: MjData, cam: MjvCamera) -> MjvGLCamera:
    """Return the OpenGL camera of an abstract camera, the mean of the left and the right eye's cameras.

    Args:
        m: the model.
        d: the world.
        cam: the abstract camera.
    """
    scn = MjvScene(m, 1)
    mjv_updateCamera(m, d, cam, scn)
    return mjv_averageCamera(scn.camera[0], scn.camera[1])
