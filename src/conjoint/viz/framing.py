"""Initial camera of a viewer, fitted to the moving parts of the model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conjoint.api.functions.visual import mjv_defaultFreeCamera
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvCamera
from conjoint.schema.enums import mjtGeom, mjtJoint
from conjoint.schema.enums_visual import mjtCamera
from conjoint.viz.camera import direction

USUAL_VIEW, VIEW = (90.0, -45.0), (125.0, -15.0)
"""Default azimuth and elevation of models (degrees), and the values that replace them in an initial camera."""

MARGIN = 1.2
"""Distance of the camera, relative to the smallest distance at which everything is visible."""

LEAST = 0.4
"""Minimum size of the moving parts, relative to the picture, for keeping the model's own view."""

NEAR, SIMILAR = 1.5, 1.5
"""Limits for fixed geoms that are shown with the moving parts: distance and size, in radii of the moving parts."""

TINY = 0.01
"""Size of the moving parts, relative to the model, below which all of the model is shown."""

SHOWN_GROUPS = 3
"""Number of geom groups that are visible by default, as in `mjv_defaultOption`."""

FLAT = 0.1
"""Thickness of a fixed box, relative to its next larger side, below which it counts as a floor or a wall."""

FAR = 50.0
"""Distance, in radii of the moving parts, beyond which they are too small to be seen."""

SLIDE = 3.0
"""Maximum part of a slide's range that is shown, in radii of the moving parts."""


@dataclass(frozen=True)
class Box:
    """An axis-aligned box in world coordinates.

    Attributes:
        low, high: corners with the lowest and the highest coordinates (m).
    """

    low: np.ndarray
    high: np.ndarray

    @property
    def center(self) -> np.ndarray:
        return (self.low + self.high) / 2

    @property
    def radius(self) -> float:
        """Radius of the circumscribed sphere (m)."""
        return float(np.linalg.norm(self.high - self.low)) / 2


def frame_motion(m: MjModel, d: MjData, cam: MjvCamera, aspect: float = 4 / 3) -> None:
    """Aim a free camera so that the moving parts fill the picture, or if nothing moves, everything except floors.

    `mjv_defaultFreeCamera` aims at the center and extent of the model, which include a large floor. If that view shows
    all moving parts at a sufficient size, the camera keeps it, because authors of models chose it.

    Args:
        m: the model, whose `vis.global_` sets the viewing direction and the field of view.
        d: the world, with up-to-date body positions (`mj_kinematics`).
        cam: the camera, which is changed.
        aspect: width of the picture, relative to its height.
    """
    mjv_defaultFreeCamera(m, cam)
    box = focus(m, d)
    if box is None or not box.radius > 0:
        return
    if np.allclose((cam.azimuth, cam.elevation), USUAL_VIEW):
        cam.azimuth, cam.elevation = VIEW
    if is_framed(box, cam, float(m.vis.global_.fovy), aspect):
        return
    cam.lookat[:] = box.center
    # without perspective, the distance does not matter
    if not cam.orthographic:
        cam.distance = MARGIN * distance_of(box, cam, float(m.vis.global_.fovy), aspect)


def distance_of(box: Box, cam: MjvCamera, fovy: float, aspect: float) -> float:
    """Return the least distance from the center of a box at which its corners are in the picture.

    Args:
        box: the box.
        cam: a camera with the viewing direction.
        fovy: vertical field of view (degrees).
        aspect: width of the picture, relative to its height.
    """
    x, y, depth = seen_corners(box, box.center, cam)
    return float((np.maximum(np.abs(x) / aspect, np.abs(y)) / np.tan(np.radians(fovy) / 2) - depth).max())


def is_framed(box: Box, cam: MjvCamera, fovy: float, aspect: float) -> bool:
    """Return True if a free perspective camera shows a whole box, at a sufficient size."""
    x, y, depth = seen_corners(box, cam.lookat, cam)
    reach = (depth + cam.distance) * np.tan(np.radians(fovy) / 2)
    if cam.orthographic or not (reach > 0).all():
        return False
    x, y = x / (aspect * reach), y / reach
    size = max(float(np.ptp(x)), float(np.ptp(y))) / 2
    return bool(max(np.abs(x).max(), np.abs(y).max()) < 1 and size > LEAST)


def seen_corners(box: Box, origin: np.ndarray, cam: MjvCamera) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the coordinates of a box's corners along a camera's right, up and forward axes, relative to a point."""
    forward = direction(cam)
    right = np.array([forward[1], -forward[0], 0.0])
    right /= max(float(np.linalg.norm(right)), 1e-9)
    corners = np.array(np.meshgrid(*zip(box.low, box.high, strict=True))).reshape(3, -1).T - origin
    return corners @ right, corners @ np.cross(right, forward), corners @ forward


def keep_in_view(m: MjModel, d: MjData, cam: MjvCamera) -> None:
    """Aim a free camera at the moving parts, from the same direction, if they are out of view; else do nothing.

    Args:
        m: the model.
        d: the world, with up-to-date body positions.
        cam: the camera, which is changed.
    """
    box = focus(m, d)
    if cam.type != mjtCamera.mjCAMERA_FREE or box is None or not box.radius > 0:
        return
    away = box.center - (cam.lookat - cam.distance * direction(cam))
    distance = float(np.linalg.norm(away))
    half = np.radians(float(m.vis.global_.fovy)) / 2
    off = np.arccos(np.clip(away @ direction(cam) / max(distance, 1e-9), -1, 1))
    if np.isfinite(distance) and distance < FAR * box.radius and (distance < box.radius or off < half):
        return
    cam.lookat[:] = box.center
    cam.distance = MARGIN * distance_of(box, cam, float(m.vis.global_.fovy), 1.0)


def focus(m: MjModel, d: MjData) -> Box | None:
    """Return a box around the moving parts and nearby fixed geoms; None if there are only floors."""
    low, high = geom_boxes(m, d)
    solid = is_visible(m) & ~is_background(m) & np.isfinite(low).all(axis=1) & np.isfinite(high).all(axis=1)
    vertices = d.flexvert_xpos.reshape(-1, 3)

    def around(chosen: np.ndarray) -> Box | None:
        corners = np.concatenate([low[chosen], high[chosen], vertices])
        return Box(corners.min(axis=0), corners.max(axis=0)) if len(corners) else None

    moves = solid & (m.body_weldid[m.geom_bodyid] > 0)
    moving, whole = around(moves), around(solid)
    if moving is None or whole is None or moving.radius < TINY * whole.radius:
        return whole
    with np.errstate(invalid="ignore"):
        distance = np.linalg.norm((low + high) / 2 - moving.center, axis=1)
        size = np.linalg.norm(high - low, axis=1) / 2
    belongs = solid & (distance < NEAR * moving.radius) & (size < SIMILAR * moving.radius)
    box = around(moves | belongs)
    return box if box is None else with_slides(m, d, box, moving.radius)


def with_slides(m: MjModel, d: MjData, box: Box, radius: float) -> Box:
    """Return a box enlarged by the ranges of slide joints that carry whole trees."""
    low, high = box.low.copy(), box.high.copy()
    for j in np.flatnonzero((m.jnt_type == mjtJoint.mjJNT_SLIDE) & m.jnt_limited.astype(bool)):
        if m.body_weldid[m.body_parentid[m.jnt_bodyid[j]]] == 0:
            ways = np.clip(m.jnt_range[j] - d.qpos[m.jnt_qposadr[j]], -SLIDE * radius, SLIDE * radius)
            shifts = ways[:, None] * d.xaxis[j]
            low, high = low + np.minimum(shifts, 0).min(axis=0), high + np.maximum(shifts, 0).max(axis=0)
    return Box(low, high)


def geom_boxes(m: MjModel, d: MjData) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and upper corners of boxes around all geoms, shape (ngeom, 3) each; planes have no thickness."""
    turn = np.abs(d.geom_xmat.reshape(-1, 3, 3))
    middle, half = m.geom_aabb[:, :3].copy(), m.geom_aabb[:, 3:].copy()
    plane = m.geom_type == mjtGeom.mjGEOM_PLANE
    middle[plane], half[plane] = 0.0, np.where(m.geom_size[plane] > 0, m.geom_size[plane], np.inf)
    half[plane, 2] = 0.0
    center = d.geom_xpos + np.einsum("gij,gj->gi", d.geom_xmat.reshape(-1, 3, 3), middle)
    with np.errstate(invalid="ignore"):
        reach = np.nansum(turn * half[:, None, :], axis=2)
    return center - reach, center + reach


def is_background(m: MjModel) -> np.ndarray:
    """Return a mask of geoms that are background: fixed planes, height fields, floors and walls."""
    fixed = m.body_weldid[m.geom_bodyid] == 0
    size = np.sort(m.geom_size, axis=1)
    flat = (m.geom_type == mjtGeom.mjGEOM_BOX) & (size[:, 0] < FLAT * size[:, 1])
    return fixed & (np.isin(m.geom_type, (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_HFIELD)) | flat)


def is_visible(m: MjModel) -> np.ndarray:
    """Return a mask of the geoms that viewers show by default. If they show none, the mask contains all geoms."""
    alpha = np.where(m.geom_matid >= 0, m.mat_rgba[m.geom_matid, 3] if m.nmat else 1.0, m.geom_rgba[:, 3])
    shown = (m.geom_group < SHOWN_GROUPS) & (alpha > 0)
    return shown if shown.any() else np.ones(m.ngeom, bool)
