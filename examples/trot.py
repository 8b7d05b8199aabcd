"""A quadruped trots over planks and through loose blocks: a film of it.

    python examples/trot.py out/demo.mp4 out/demo.gif

The legs move in diagonal pairs, each joint along a sine, with numbers found as in docs/tutorials/learning-to-walk.md.
The film is drawn with OpenGL, or by rays where there is none. Formats other than GIF need the extra `video`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from PIL import Image

import conjoint
from conjoint.render.film import FilmRenderer

FREQUENCY = 2.5
"""Frequency of the legs (Hz)."""

HOME = np.array([0.75, -1.5])
"""Lift and knee (rad) of a standing leg."""

GAIT = np.array([[[0.133, 0.012, 0.064], [0.012, -0.175, 0.323]], [[0.522, 0.128, 0.223], [0.136, 0.051, 0.21]]])
"""Offset, sine and cosine part (rad) of lift and knee, for the front legs and the back legs."""

LEGS = {"fr": (0, 1), "fl": (0, 0), "br": (1, 0), "bl": (1, 1)}
"""For each leg, whether it is a back leg, and its half of the period."""

EVERY = 3.0
"""Seconds between two lines of progress."""


def scene() -> conjoint.MjModel:
    """Return a model of the quadruped on a course."""
    spec = conjoint.MjSpec.from_file(conjoint.sample_model("quadruped"))
    box, rng = conjoint.mjtGeom.mjGEOM_BOX, np.random.default_rng(4)
    for k, x in enumerate((0.5, 0.85, 1.2)):
        spec.worldbody.add_geom(type=box, pos=[x, 0, 0], size=[0.06, 0.5, 0.006 + 0.002 * k], rgba=[0.85, 0.6, 0.3, 1])
    colors = [0.85, 0.3, 0.25, 1], [0.95, 0.75, 0.25, 1], [0.25, 0.55, 0.8, 1], [0.3, 0.65, 0.4, 1]
    for k in range(16):
        place = [rng.uniform(1.6, 2.5), rng.uniform(-0.35, 0.35), 0.03]
        block = spec.worldbody.add_body(pos=place, quat=[1, 0, 0, rng.uniform(-1, 1)])
        block.add_freejoint()
        block.add_geom(type=box, size=[0.028] * 3, density=150, rgba=colors[k % 4])
    return spec.compile()


def controls(time: float) -> np.ndarray:
    """Return angles (rad) of the twelve servos, leg by leg: swing, lift, knee."""
    angles = []
    # start with small steps
    size = min(time / 0.4, 1.0)
    for back, half in LEGS.values():
        phase = 2 * np.pi * FREQUENCY * time + np.pi * half
        offset, sine, cosine = GAIT[back].T
        angles += [0.0, *(HOME + offset + size * (sine * np.sin(phase) + cosine * np.cos(phase)))]
    return np.array(angles)


def follow(camera: conjoint.MjvCamera, data: conjoint.MjData, seconds: float) -> None:
    """Move the camera with the trunk, and slowly around it."""
    share = data.time / seconds
    camera.lookat[:] = data.qpos[0] + 0.12, 0.3 * data.qpos[1], 0.2
    camera.distance, camera.azimuth, camera.elevation = 1.45, 130 - 45 * share, -16


def film(seconds: float, fps: int, width: int, height: int, rays: bool = False) -> list[np.ndarray]:
    """Return pictures of the robot on its course."""
    model = scene()
    data, camera = conjoint.MjData(model), conjoint.MjvCamera()
    data.qpos[:19] = model.key_qpos[0, :19]
    renderer = FilmRenderer(model, width, height, rays)
    print(
        f"drawing {round(seconds * fps)} pictures of {width} x {height}", "by rays" if renderer.rays else "with OpenGL"
    )
    pictures: list[np.ndarray] = []
    last = time.perf_counter()
    for frame in range(round(seconds * fps)):
        while data.time < frame / fps:
            data.ctrl[:] = controls(data.time)
            conjoint.mj_step(model, data)
        follow(camera, data, seconds)
        conjoint.mj_forward(model, data)
        pictures.append(renderer.picture(data, camera))
        if time.perf_counter() - last > EVERY:
            last = time.perf_counter()
            print(f"  {frame + 1} of {round(seconds * fps)}", flush=True)
    renderer.close()
    print(f"{data.qpos[0]:.1f} m in {seconds:g} s")
    return pictures


def save(pictures: list[np.ndarray], fps: int, path: Path) -> None:
    """Write the film as a video, or as a GIF of half its size and half its pictures."""
    if path.suffix == ".gif":
        height, width = pictures[0].shape[:2]
        size = width // 2, height // 2
        pictures, fps = [np.asarray(Image.fromarray(picture).resize(size)) for picture in pictures[::2]], fps // 2
    conjoint.Film(pictures, fps).save(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="+", type=Path, help="files to write: .mp4, .gif, ...")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--fps", type=int, default=20)
    parser.add_argument("--height", type=int, default=480)
    parser.add_argument("--width", type=int, default=640)
    parser.add_argument("--rays", action="store_true", help="draw by rays even if there is OpenGL")
    given = parser.parse_args()
    pictures = film(given.seconds, given.fps, given.width, given.height, given.rays)
    for path in given.targets:
        save(pictures, given.fps, path)
        print(f"wrote {path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
