"""Sky behind the scene of a page, which depends on each browser's camera, and haze that hides infinite planes."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.render.resources import pixels_of
from conjoint.render.style import GROUND, HORIZON, ZENITH
from conjoint.schema.enums import mjtGeom, mjtTexture

ROWS = 128
"""Number of rows of a sky picture."""

STEP = np.radians(0.25)
"""Change in a camera's angles above which browsers receive a new picture."""

FALL = 4.0
"""Rate at which the color changes with the sine of the elevation, as in the window."""

FADED = np.radians(3.0)
"""Angle above the horizon up to which haze is visible."""

UP, DOWN = 2, 3
"""Indices of the upper and the lower side of a cube texture."""

NEAR, FAR = 8.0, 29.0
"""Distances at which haze begins, and at which it hides infinite planes, in extents of the model."""


def sky_colors(m: MjModel, elevation: np.ndarray) -> np.ndarray:
    """Return the colors of the sky at angles above the horizon (rad), shape (n, 3), from 0 to 1."""
    found = np.flatnonzero(m.tex_type == mjtTexture.mjTEXTURE_SKYBOX)
    if not len(found):
        share = (1 - np.exp(-FALL * np.abs(np.sin(elevation))))[:, None]
        end = np.where(elevation[:, None] > 0, ZENITH, GROUND)
        return (1 - share) * HORIZON + share * end
    pixels = pixels_of(m, int(found[0]))[..., :3]
    side = pixels.shape[1]
    faces = pixels.reshape(-1, side, side, 3).astype(float) / 255.0
    faces = np.repeat(faces, 6, axis=0) if len(faces) == 1 else faces
    around, slope = faces[0].mean(axis=1), np.tan(np.clip(elevation, -1.5, 1.5))
    colors = around[np.clip(((1 - slope) / 2 * side).astype(int), 0, side - 1)]
    for face, above in ((UP, slope > 1), (DOWN, slope < -1)):
        # from the edge of the side to its center
        inward = 0.5 * (1 - 1 / np.abs(slope[above])) * side
        colors[above] = faces[face, side // 2, np.clip(inward.astype(int), 0, side - 1)]
    if not is_hazy(m):
        return colors
    # haze fades slightly above the horizon
    thick = np.clip(1 - elevation / FADED, 0, 1)[:, None] ** 2
    return (1 - thick) * colors + thick * np.array(m.vis.rgba.haze[:3], float)


def sky_picture(m: MjModel, pitch: float, fov: float) -> np.ndarray:
    """Return the part of the sky that a camera sees, from top to bottom, shape (`ROWS`, 2, 3), uint8.

    Args:
        m: the model, whose skybox is used; without a skybox, the sky is that of the viewers.
        pitch: angle of the camera above the horizon (rad).
        fov: vertical field of view (rad).
    """
    heights = 1 - 2 * (np.arange(ROWS) + 0.5) / ROWS
    colors = sky_colors(m, pitch + np.arctan(np.tan(fov / 2) * heights))
    rows = np.round(255 * np.clip(colors, 0, 1)).astype(np.uint8)
    return np.ascontiguousarray(np.broadcast_to(rows[:, None], (ROWS, 2, 3)))


def is_hazy(m: MjModel) -> bool:
    """Return True if the model has infinite planes."""
    planes = m.geom_type == mjtGeom.mjGEOM_PLANE
    return bool((m.geom_size[planes, :2] <= 0).all(axis=1).any())


class Sky:
    """The sky of a web page.

    Args:
        server: viser's server.
        m: the model.
    """

    def __init__(self, server: Any, m: MjModel):
        self.server, self.m = server, m
        self._pitch: dict[int, tuple[float, float]] = {}
        textured = bool((m.tex_type == mjtTexture.mjTEXTURE_SKYBOX).any())
        color = np.array(m.vis.rgba.haze[:3] if textured else HORIZON, float)
        extent = float(m.stat.extent)
        server.scene.configure_fog(NEAR * extent, FAR * extent, color=tuple(color.tolist()), enabled=is_hazy(m))

    def update(self) -> None:
        """Send each browser a picture of the part of the sky that its camera sees, if the camera has turned."""
        clients = self.server.get_clients()
        for gone in self._pitch.keys() - clients.keys():
            del self._pitch[gone]
        for number, client in clients.items():
            way = client.camera.look_at - client.camera.position
            pitch = float(np.arcsin(np.clip(way[2] / max(np.linalg.norm(way), 1e-9), -1, 1)))
            now = pitch, float(client.camera.fov)
            if np.abs(np.subtract(now, self._pitch.get(number, (np.inf, 0.0)))).max() > STEP:
                self._pitch[number] = now
                client.scene.set_background_image(sky_picture(self.m, *now), format="png")
