"""Soft shadow maps fitted to the shadow casters: a box for a directional light, a cone for a spotlight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvScene
from conjoint.render.camera import aside, frustum, look, ortho, unit
from conjoint.render.instances import Instances
from conjoint.render.soft_shadows import WIDEST
from conjoint.schema.enums import mjtGeom, mjtLightType, mjtObj
from conjoint.schema.enums_visual import mjtCatBit

SUN, BULB = 0.05, 0.1
"""Sizes of lights: tangent of the angular radius of a directional light; radius (m) of a spotlight's lamp."""

STEEPEST = 6.0
"""Largest slope of a surface, seen from the light, for which depth comparisons are corrected."""

STEP = 2.0**0.25
"""Ratio of consecutive map sizes. Sizes are rounded, so that shadow edges stay still while bodies move slightly."""

RIM = 1 / (1 - 2 * WIDEST)
"""Size of a shadow map relative to its used part. The margin is for samples beyond the edge of the used part."""

REACH = 4.0
"""Largest half side length of a directional light's map, relative to the model's extent."""

CONE_LIMIT = 80.0
"""Largest half angle (degrees) of the cone in which a light casts shadows."""

FLAT, LEVEL, FLOOR = 0.1, 0.9, 2.0
"""Limits for a fixed box that counts as a floor.

They are the box's largest thickness relative to its other sides, its smallest cosine of the slope, and its smallest
size relative to the objects on it.
"""

GLASS = 0.5
"""Opacity below which a geom casts no soft shadow."""


@dataclass(frozen=True)
class Lens:
    """Projection of a shadow map.

    Attributes:
        matrix: matrix from the world to clip coordinates.
        numbers: distances of the near and the far plane (m), scale factor for edge widths, largest corrected slope.
    """

    matrix: np.ndarray
    numbers: tuple[float, float, float, float]


@dataclass(frozen=True)
class Casters:
    """Geoms that cast shadows, and their bounding spheres.

    Attributes:
        geoms: indices of geoms of the scene.
        center: centers of the spheres, shape (n, 3), including the vertices of flexes and skins.
        radius: radii of the spheres, shape (n,).
    """

    geoms: np.ndarray
    center: np.ndarray
    radius: np.ndarray


def casters_of(m: MjModel, scene: MjvScene, shown: Instances, casting: np.ndarray) -> Casters:
    """Return the soft shadow casters among the geoms `casting`: no transparent geoms, decorative geoms or floors."""
    solid = shown.rows["color"][casting, 3] >= GLASS
    casting = casting[solid & (scene.memory.view("geoms.category")[casting] != mjtCatBit.mjCAT_DECOR)]
    vertices = (scene.memory.view(name) for name in ("flexvert", "skinvert"))
    points = np.concatenate([values.astype(float).reshape(-1, 3) for values in vertices])
    radius = scene.memory.view("geoms.modelrbound")[: shown.count].astype(float)
    radius = np.where(radius > 0, radius, shown.size.max(axis=1, initial=0.0).astype(float))
    small = casting[~np.isin(shown.type[casting], (mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_FLEX, mjtGeom.mjGEOM_SKIN))]
    flat = is_flat(m, shown, small)
    center, size = bounded(shown, radius, small[~flat], points)
    if flat.any():
        spread = float(np.linalg.norm(center - center.mean(axis=0), axis=1).max(initial=0.0)) if len(center) else 0.0
        floors = small[flat & (radius[small] > FLOOR * max(spread, float(size.max(initial=0.0))))]
        if len(center):
            casting, small = np.setdiff1d(casting, floors), np.setdiff1d(small, floors)
        center, size = bounded(shown, radius, small, points)
    return Casters(casting, center, size)


def bounded(shown: Instances, radius: np.ndarray, chosen: np.ndarray, points: np.ndarray) -> tuple[Any, Any]:
    """Return the centers and radii of bounding spheres: those of finite geoms, and spheres of radius 0 at `points`."""
    center = np.concatenate([shown.pos[chosen].astype(float), points])
    size = np.concatenate([radius[chosen], np.zeros(len(points))])
    finite = np.isfinite(center).all(axis=1) & np.isfinite(size)
    return center[finite], size[finite]


def is_flat(m: MjModel, shown: Instances, chosen: np.ndarray) -> np.ndarray:
    """Return a mask of the chosen geoms that are level, flat boxes fixed to the world."""
    size = shown.size[chosen].astype(float)
    flat = (shown.type[chosen] == mjtGeom.mjGEOM_BOX) & (size[:, 2] < FLAT * size[:, :2].min(axis=1))
    flat &= np.abs(shown.rows["axis_z"][chosen, 2]) > LEVEL
    geom = shown.objtype[chosen] == mjtObj.mjOBJ_GEOM
    fixed = np.zeros(len(chosen), bool)
    fixed[geom] = m.body_weldid[m.geom_bodyid[shown.objid[chosen[geom]]]] == 0
    return flat & fixed


def lens_of(m: MjModel, light: dict[str, np.ndarray], k: int, casters: Casters) -> Lens | None:
    """Return the projection of light `k` that contains all shadow casters; None if there are none."""
    center, radius = casters.center, casters.radius
    direction = unit(light["dir"][k].astype(float))
    pos = light["pos"][k].astype(float)
    if not len(center):
        return None
    if light["type"][k] == mjtLightType.mjLIGHT_DIRECTIONAL:
        return _parallel(m, direction, center, radius)
    angle = min(float(light["cutoff"][k]), CONE_LIMIT) * float(m.vis.map.shadowscale)
    return _conic(pos, direction, angle, casters)


def _parallel(m: MjModel, direction: np.ndarray, center: np.ndarray, radius: np.ndarray) -> Lens:
    """Return the projection of a directional light: a box along its direction that contains the shadow casters."""
    view = look(np.zeros(3), direction, aside(direction))
    seen = center @ view[:3, :3].T
    low, high = (seen - radius[:, None]).min(axis=0), (seen + radius[:, None]).max(axis=0)
    half, middle = stepped(max(float((high - low)[:2].max()) / 2, 1e-3)), (low + high) / 2
    limit = REACH * float(m.vis.map.shadowclip) * float(m.stat.extent)
    if half > limit > 0:
        half, middle = limit, view[:3, :3] @ np.array(m.stat.center, float)
    # round the position to a grid, so that shadow edges stay still
    grid = half / 64
    x, y = np.round(middle[:2] / grid) * grid
    half = (half + grid) * RIM
    near, far = -float(high[2]) - 0.01 * half, -float(low[2]) + 0.01 * half
    matrix = ortho(x - half, x + half, y - half, y + half, near, far) @ view
    return Lens(matrix, (near, far, SUN / (2 * half), STEEPEST * 2 * half / (far - near)))


def _conic(pos: np.ndarray, direction: np.ndarray, angle: float, casters: Casters) -> Lens | None:
    """Return the projection of a spotlight: a cone around the casters, whose half angle (degrees) is at most `angle`.

    Return None if no caster is in front of the light.
    """
    center, radius = casters.center, casters.radius
    away = center - pos
    distance = np.maximum(np.linalg.norm(away, axis=1), 1e-9)
    along = away @ direction
    ahead = (along + radius > 0) & (distance > radius)
    if not ahead.any():
        return None
    away, distance, along, radius = away[ahead], distance[ahead], along[ahead], radius[ahead]
    off = np.arccos(np.clip(along / distance, -1, 1)) + np.arcsin(np.clip(radius / distance, 0, 1))
    tangent = stepped(float(np.tan(min(off.max(), np.radians(CONE_LIMIT)))))
    tangent = RIM * min(tangent, float(np.tan(np.radians(angle))))
    far = stepped(float((along + radius).max()))
    near = max(float((along - radius).min()) / STEP, 0.01 * far)
    view = look(pos, direction, aside(direction))
    matrix = frustum(-near * tangent, near * tangent, -near * tangent, near * tangent, near, far) @ view
    middle = 2 * near * far / (near + far)
    slope = near * far / (far - near) / middle**2 * 2 * tangent * middle
    return Lens(matrix, (near, far, BULB / (2 * tangent), STEEPEST * slope))


def stepped(size: float) -> float:
    """Round a size up to a power of `STEP`."""
    return float(STEP ** np.ceil(np.log(size) / np.log(STEP)))


def planes_of(matrix: np.ndarray) -> np.ndarray:
    """Return the matrix that converts planes of the world to planes in map coordinates."""
    return np.linalg.inv(matrix).T
