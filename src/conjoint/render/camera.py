"""Camera and light matrices of a scene, in OpenGL conventions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conjoint.api.objects.visual import MjvScene
from conjoint.lang import ArgumentError
from conjoint.schema.enums_visual import mjtStereo

Port = tuple[int, int, int, int]
"""A rectangle of a framebuffer: left, bottom, width, height."""


@dataclass(frozen=True)
class Eye:
    """Viewpoint of a picture.

    Attributes:
        pos: camera position (m).
        forward, up: unit vectors of the viewing direction and of the upward direction.
        near, far: distances of the near and the far clipping plane from the camera (m).
        orthographic: True for an orthographic projection, False for a perspective one.
        view: view matrix, from world to camera coordinates.
        projection: projection matrix, from camera to clip coordinates.
    """

    pos: np.ndarray
    forward: np.ndarray
    up: np.ndarray
    near: float
    far: float
    orthographic: bool
    view: np.ndarray
    projection: np.ndarray

    def place_of(self, point: np.ndarray) -> tuple[float, float] | None:
        """Return the image coordinates of a point (0 to 1, from the lower left corner).

        Return None if the point is behind the camera.
        """
        x, y, _, w = self.projection @ self.view @ np.append(point, 1.0)
        return ((x / w + 1) / 2, (y / w + 1) / 2) if w > 0 else None


@dataclass(frozen=True)
class View:
    """View of a scene that fills a rectangle of a framebuffer.

    Attributes:
        eye: viewpoint.
        port: rectangle of the framebuffer.
    """

    eye: Eye
    port: Port


def views_of(scene: MjvScene, port: Port) -> list[View]:
    """Return the views of a rectangle: a single one, or in stereo the left and the right eye's view side by side.

    Windows with separate buffers for the eyes are not supported: `mjSTEREO_QUADBUFFERED` is drawn side by side, too.
    """
    left, bottom, width, height = port
    if scene.stereo == mjtStereo.mjSTEREO_NONE or width < 2:
        return [View(eye_of(scene, width, height), port)]
    half = width // 2
    ports = (left, bottom, half, height), (left + half, bottom, half, height)
    return [View(eye_of(scene, half, height, slice(k, k + 1)), ports[k]) for k in range(2)]


def eye_of(scene: MjvScene, width: int, height: int, which: slice = slice(None)) -> Eye:
    """Return the viewpoint of one eye, or of the camera midway between both eyes, for a given picture size.

    Args:
        scene: the scene, which stores the left and the right eye's camera.
        width, height: size of the picture (pixels).
        which: slice that selects one of the two cameras; by default, both are averaged.

    Raises:
        FatalError: the camera has NaN or infinite values, no direction, or an empty view volume.
    """
    row = {name: scene.memory.view(f"camera.{name}")[which].astype(float).mean(axis=0) for name in CAMERA}
    _check(row)
    bottom, top, near, far = (float(row[f"frustum_{name}"]) for name in ("bottom", "top", "near", "far"))
    half = float(row["frustum_width"]) or 0.5 * (top - bottom) * width / height
    center = float(row["frustum_center"])
    orthographic = bool(row["orthographic"] > 0.5)
    if not center + half > center - half:
        raise ArgumentError(f"the camera of the scene has its center at {center}, beside which its window has no width")
    sides = center - half, center + half, bottom, top, near, far
    projection = ortho(*sides) if orthographic else frustum(*sides)
    forward, up = unit(row["forward"]), unit(row["up"])
    view = look(row["pos"], forward, up)
    return Eye(row["pos"], forward, up, near, far, orthographic, view, projection)


def _check(row: dict[str, np.ndarray]) -> None:
    """Raise an error if a camera has NaN or infinite values, no direction, or an empty view volume.

    Raises:
        FatalError: a value of the camera is invalid. The message names it.
    """
    advice = "set finite values in the abstract camera, the model camera or visual/map, and update the scene"
    for name, value in row.items():
        if not np.isfinite(value).all():
            raise ArgumentError(f"the camera of the scene has {name} = {value}: {advice}")
    near, far, parallel = row["frustum_near"], row["frustum_far"], row["orthographic"] > 0.5
    if not far > near or not (near > 0 or parallel):
        raise ArgumentError(
            f"the camera of the scene has its near plane at {near} m and its far plane at {far} m: {advice}"
        )
    if not row["frustum_top"] > row["frustum_bottom"]:
        raise ArgumentError(f"the camera of the scene has a field of view with zero height: {advice}")
    if not row["forward"].any() or not np.cross(row["forward"], row["up"]).any():
        raise ArgumentError(
            f"the camera of the scene has no direction: its vectors forward and up are parallel or zero; {advice}"
        )


CAMERA = ("pos", "forward", "up", "frustum_center", "frustum_width", "frustum_bottom", "frustum_top", "frustum_near",
          "frustum_far", "orthographic")  # fmt: skip


def unit(v: np.ndarray) -> np.ndarray:
    return v / max(float(np.linalg.norm(v)), 1e-30)


def look(pos: np.ndarray, forward: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return the view matrix of a camera, from the world to a frame whose axes point right, up and backward."""
    right = unit(np.cross(forward, up))
    axes = np.stack([right, np.cross(right, forward), -forward])
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = axes, -axes @ pos
    return matrix


def frustum(left: float, right: float, bottom: float, top: float, near: float, far: float) -> np.ndarray:
    """Return the perspective projection matrix, given the view's edges at the near plane (OpenGL 2.1, glFrustum)."""
    return np.array([
        [2 * near / (right - left), 0, (right + left) / (right - left), 0],
        [0, 2 * near / (top - bottom), (top + bottom) / (top - bottom), 0],
        [0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)],
        [0, 0, -1, 0],
    ])  # fmt: skip


def ortho(left: float, right: float, bottom: float, top: float, near: float, far: float) -> np.ndarray:
    """Return the orthographic projection matrix, given the edges of the view volume (OpenGL 2.1, glOrtho)."""
    return np.array([
        [2 / (right - left), 0, 0, -(right + left) / (right - left)],
        [0, 2 / (top - bottom), 0, -(top + bottom) / (top - bottom)],
        [0, 0, -2 / (far - near), -(far + near) / (far - near)],
        [0, 0, 0, 1],
    ])  # fmt: skip


def mirrored(eye: Eye, point: np.ndarray, normal: np.ndarray) -> Eye:
    """Return the mirror image of a camera, given a point of the mirror plane and its normal."""
    flip = np.eye(4)
    flip[:3, :3] -= 2 * np.outer(normal, normal)
    flip[:3, 3] = 2 * float(point @ normal) * normal
    turned = flip[:3, :3]
    pos = turned @ eye.pos + flip[:3, 3]
    forward = turned @ eye.forward
    return Eye(pos, forward, turned @ eye.up, eye.near, eye.far, eye.orthographic, eye.view @ flip, eye.projection)


def aside(direction: np.ndarray) -> np.ndarray:
    """Return a unit vector perpendicular to a direction."""
    least = np.eye(3)[np.argmin(np.abs(direction))]
    return unit(np.cross(direction, least))
