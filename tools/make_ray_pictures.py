"""The pictures of docs/ray-rendering.md, made from our own models.

python -m tools.make_ray_pictures
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

import conjoint
from conjoint.batch import Batch

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "pictures"

COLORS = np.random.default_rng(3).integers(60, 255, (64, 3), np.uint8)
"""Of objects."""

SMOOTH = 2
"""Pixels of a ray picture along a side of one that is shown."""


def kinds() -> Image.Image:
    """Colours, distances, objects and normals of the humanoid, side by side."""
    model = conjoint.MjModel.from_xml_path(str(ROOT / "models" / "humanoid.xml"))
    batch = Batch(model, 1)
    batch.reset(key=0)
    camera = conjoint.MjvCamera()
    camera.lookat[:], camera.distance, camera.azimuth, camera.elevation = (0, 0, 0.8), 2.6, 140, -12
    what = ("color", "depth", "segmentation", "normal")
    color, depth, seen, normal = batch.render(camera, 260 * SMOOTH, 340 * SMOOTH, what)
    number = seen[0, :, :, 0]
    parts = (
        color[0],
        np.repeat((255 * np.clip(1.6 / depth[0], 0, 1))[:, :, None], 3, axis=2),
        np.where(number[:, :, None] >= 0, COLORS[number % len(COLORS)], 0),
        np.where(number[:, :, None] >= 0, 127.5 * (normal[0] + 1), 0),
    )
    return smooth(np.concatenate(parts, axis=1).astype(np.uint8))


def worlds() -> Image.Image:
    """Many worlds of the humanoid as it falls, each small."""
    model = conjoint.MjModel.from_xml_path(str(ROOT / "models" / "humanoid.xml"))
    batch = Batch(model, 30)
    generator = np.random.default_rng(0)
    for _ in range(8):
        batch.ctrl[...] = generator.uniform(-1, 1, batch.ctrl.shape)
        batch.step(20)
    camera = conjoint.MjvCamera()
    camera.lookat[:], camera.distance, camera.azimuth, camera.elevation = (0, 0, 0.6), 3.2, 130, -20
    pictures = batch.render(camera, 104 * SMOOTH, 90 * SMOOTH)
    rows = pictures.reshape(3, 10, *pictures.shape[1:])
    return smooth(np.concatenate([np.concatenate(list(row), axis=1) for row in rows]))


def lidar() -> Image.Image:
    """Distances from a lidar all around, from 20 degrees above it to 30 below, near ones bright."""
    model = conjoint.MjModel.from_xml_string(SCAN)
    batch = Batch(model, 1)
    across, upwards = np.meshgrid(np.radians(np.arange(180, -180, -0.36)), np.radians(np.arange(20, -30, -0.36)))
    ways = np.stack([np.cos(across) * np.cos(upwards), np.sin(across) * np.cos(upwards), np.sin(upwards)], axis=-1)
    distance = batch.lidar("scanner", ways.reshape(-1, 3), cutoff=8.0).reshape(across.shape)
    return Image.fromarray(np.where(distance < 0, 0, 255 * (1 - distance / 8) ** 0.7).astype(np.uint8))


SCAN = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><site name="scanner" pos="0 0 .8"/>
<geom type="box" size=".3 .3 .6" pos="3 1 .6" euler="0 0 30"/><geom type="cylinder" size=".2 1" pos="1 3 1"/>
<geom type="capsule" size=".3 .5" pos="-3 1 .8"/><geom type="sphere" size=".6" pos="-2 -3 .6"/>
<geom type="box" size=".1 3 1" pos="5 -1 1"/>
<geom type="ellipsoid" size=".3 .5 .8" pos="1 -2 .8"/></worldbody></mujoco>"""


def smooth(picture: np.ndarray) -> Image.Image:
    """A picture with several rays for each pixel."""
    height, width = (side // SMOOTH for side in picture.shape[:2])
    parts = picture.reshape(height, SMOOTH, width, SMOOTH, 3)
    return Image.fromarray(parts.mean(axis=(1, 3)).round().astype(np.uint8))


def main() -> None:
    for name, make in {"rays-kinds": kinds, "rays-worlds": worlds, "rays-lidar": lidar}.items():
        make().save(TARGET / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
