"""Where abstract cameras are and what they see, without a scene; newer versions of the official package have these."""

from __future__ import annotations

import numpy as np

from conjoint.api.arguments import OutFloats, OutVector, checked, require
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvGLCamera, MjvScene
from conjoint.api.objects.visual import MjvCamera
from conjoint.lang import FatalError
from conjoint.schema.enums_visual import mjtCamera
from conjoint.viz.scene import mjv_updateCamera
from conjoint.viz.space import mjv_averageCamera


def direction(cam: MjvCamera) -> np.ndarray:
    """Unit vector along which a free or tracking camera looks."""
    azimuth, elevation = np.deg2rad((cam.azimuth, cam.elevation))
    return np.array((np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)))


def frustum_height(m: MjModel, cam: MjvCamera) -> float:
    """Height of what a free or tracking camera sees at unit distance; of an orthographic one at any."""
    settings = m.vis.global_
    if cam.orthographic:
        return float(settings.fovy)
    return float(2.0 * np.tan(np.deg2rad(settings.fovy) / 2.0))


@checked
def mjv_cameraFrame(
    headpos: OutVector | None,
    forward: OutVector | None,
    up: OutVector | None,
    right: OutVector | None,
    d: MjData,
    cam: MjvCamera,
) -> None:
    """Position and axes of a camera.

    Args:
        headpos: receives its position, three numbers as all others; None to leave it out, as all others.
        forward, up, right: receive its axes.
        d: the world.
        cam: the camera.

    Raises:
        FatalError: the camera or body that it names does not exist, or it is a user's.
    """
    m = d.model
    if cam.type == mjtCamera.mjCAMERA_FIXED:
        if not 0 <= cam.fixedcamid < m.ncam:
            raise FatalError(f"mjv_cameraFrame: there is no camera {cam.fixedcamid}: the model has {m.ncam}")
        axes = d.cam_xmat[cam.fixedcamid].reshape(3, 3)
        found = d.cam_xpos[cam.fixedcamid], -axes[:, 2], axes[:, 1], axes[:, 0]
    else:
        azimuth, elevation = np.deg2rad((cam.azimuth, cam.elevation))
        ahead = direction(cam)
        above = np.array(
            (-np.sin(elevation) * np.cos(azimuth), -np.sin(elevation) * np.sin(azimuth), np.cos(elevation))
        )
        found = _looked_at(d, cam) - cam.distance * ahead, ahead, above, np.cross(ahead, above)
    for name, vector, values in zip(
        ("headpos", "forward", "up", "right"), (headpos, forward, up, right), found, strict=True
    ):
        if vector is not None:
            require(len(vector) == 3, f"mjv_cameraFrame: {name} should have 3 elements")
            vector[:] = values


def _looked_at(d: MjData, cam: MjvCamera) -> np.ndarray:
    """The point that a free or tracking camera looks at."""
    if cam.type == mjtCamera.mjCAMERA_FREE:
        return np.array(cam.lookat)
    if cam.type == mjtCamera.mjCAMERA_TRACKING and 0 <= cam.trackbodyid < d.model.nbody:
        return np.array(d.subtree_com[cam.trackbodyid])
    raise FatalError(f"mjv_cameraFrame: camera of type {cam.type} that follows body {cam.trackbodyid}")


@checked
def mjv_cameraFrustum(
    zver: OutFloats | None, zhor: OutFloats | None, zclip: OutFloats | None, m: MjModel, cam: MjvCamera
) -> None:
    """What a camera sees at the near plane, and the distances of its planes.

    Args:
        zver: receives how far it sees down and up; None to leave it out, as all others.
        zhor: receives how far it sees to the left and to the right; zeros if that follows from the picture.
        zclip: receives the distances of the near and the far plane.
        m: the model.
        cam: the camera.
    """
    seen = mjv_camera2GLCamera(m, MjData(m), cam)
    across = (seen.frustum_width - seen.frustum_center, seen.frustum_width + seen.frustum_center)
    found = {
        "zver": (zver, (-seen.frustum_bottom, seen.frustum_top)),
        "zhor": (zhor, across if seen.frustum_width else (0.0, 0.0)),
        "zclip": (zclip, (seen.frustum_near, seen.frustum_far)),
    }
    for name, (vector, values) in found.items():
        if vector is not None:
            require(len(vector) == 2, f"mjv_cameraFrustum: {name} should have 2 elements")
            vector[:] = values


@checked
def mjv_camera2GLCamera(m: MjModel, d: MjData, cam: MjvCamera) -> MjvGLCamera:
    """The camera of OpenGL between the two that a scene would have for its eyes.

    Args:
        d: the world.
        cam: the abstract camera.
    """
    scn = MjvScene(m, 1)
    mjv_updateCamera(m, d, cam, scn)
    return mjv_averageCamera(scn.camera[0], scn.camera[1])
