"""Common look of the film's scenes (sky, floor, light, materials, camera moves), and the interface of a scene.

A scene is a module of `examples/` with

    SECONDS = 5.0                                               # length of the scene
    def pictures(shot: Shot) -> Iterator[np.ndarray]: ...       # `shot.count` pictures, shape (height, width, 3), uint8
    if __name__ == "__main__":
        shoot(pictures, SECONDS, __doc__)                       # python examples/NAME.py out/NAME.mp4

It is deterministic, and uses the functions of this module:

    dress(spec, radius=2.0)                                     # before spec.compile()
    coat(geom, "orange")                                        # any of MATERIALS; paint() for geoms of a file
    renderer = renderer_of(model, shot)                         # a FilmRenderer
    move = Move(View((0, 0, 0.3), 3.0, 120, -14), View((0.5, 0, 0.3), 2.5, 100, -12))
    picture = renderer.picture(data, move.camera(share))        # share: fraction of the move, 0 to 1

Shadows look best for cameras with an azimuth of about 90 to 130 degrees, because sunlight then comes from the left.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import conjoint
from conjoint.render.film import FilmRenderer
from conjoint.render.video import film_file

HORIZON, ZENITH = (0.93, 0.95, 0.97), (0.45, 0.62, 0.80)
"""Colors of the sky at the horizon and at the zenith; haze has the color of the horizon."""

TILES, LINES = ((0.80, 0.79, 0.77), (0.76, 0.75, 0.73)), (0.71, 0.70, 0.68)
"""Two colors of the floor's tiles, and the color of the lines between them."""

TILE = 0.25
"""Side length of a floor tile, as a multiple of the scene's radius."""

KEY_LIGHT = (0.45, 0.55, -1.0)
"""Direction of sunlight, chosen for cameras that look along the x axis, the y axis, or between them."""

MATERIALS = {
    "shell": ((0.93, 0.93, 0.91), 0.4, 0.5),
    "graphite": ((0.17, 0.18, 0.21), 0.2, 0.4),
    "orange": ((0.95, 0.45, 0.13), 0.3, 0.5),
    "teal": ((0.10, 0.55, 0.58), 0.3, 0.5),
    "yellow": ((0.98, 0.75, 0.20), 0.3, 0.5),
    "slate": ((0.36, 0.45, 0.60), 0.3, 0.5),
    "sand": ((0.86, 0.66, 0.47), 0.15, 0.3),
}
"""Color, specular and shininess of each material, by name."""

FOG = 4.0, 14.0
"""Distances at which fog begins and at which it hides everything, as multiples of the scene's radius."""

SKY_SIDE = 128
"""Side length of each face of the sky's cube (pixels)."""


def dress(
    spec: conjoint.MjSpec,
    *,
    radius: float = 2.0,
    center: Sequence[float] = (0.0, 0.0, 0.0),
    follow: str | None = None,
    key: Sequence[float] = KEY_LIGHT,
    fovy: float = 30.0,
) -> None:
    """Replace the sky, lights and floor of a model by those of the film, and add the film's materials.

    Args:
        spec: model to change; its geom "floor", if there is one, becomes the floor.
        radius: radius of the area in which shadows are drawn (m); shadows are sharper if it is smaller.
        center: center of that area (m).
        follow: name of a body that the area moves with, instead of `center`.
        key: direction of sunlight.
        fovy: vertical field of view (degrees) of cameras that are not part of the model.
    """
    _set_visual(spec, radius)
    spec.visual.global_.fovy = fovy
    for texture in [each for each in spec.textures if each.type == conjoint.mjtTexture.mjTEXTURE_SKYBOX]:
        spec.delete(texture)
    for light in list(spec.lights):
        spec.delete(light)
    spec.add_texture(name="look_sky", type=conjoint.mjtTexture.mjTEXTURE_SKYBOX, width=SKY_SIDE, height=6 * SKY_SIDE,
                     nchannel=3, data=_sky().tobytes())  # fmt: skip
    for name, (rgb, specular, shininess) in MATERIALS.items():
        material = spec.material(name) or spec.add_material(name=name)
        material.rgba, material.specular, material.shininess, material.reflectance = [*rgb, 1], specular, shininess, 0
    _add_floor(spec, TILE * radius)
    _add_sun(spec, radius, np.asarray(center, float), follow, np.asarray(key, float))


def coat(geom: Any, material: str) -> None:
    """Set the material of a geom, flex or site to one of `MATERIALS`."""
    # this color is the default, which leaves the material's color unchanged
    geom.material, geom.rgba = material, [0.5, 0.5, 0.5, 1]


def paint(spec: conjoint.MjSpec, materials: dict[str, str]) -> None:
    """Set the material of every geom whose name begins with a key of `materials`; the first matching key counts."""
    for geom in spec.geoms:
        fits = [material for begin, material in materials.items() if geom.name.startswith(begin)]
        if fits:
            coat(geom, fits[0])


def renderer_of(model: conjoint.MjModel, shot: Shot, *, max_geom: int = 10000, shadow_size: int = 2048) -> FilmRenderer:
    """Return a renderer for a model that `dress` has prepared."""
    return FilmRenderer(model, shot.width, shot.height, shot.rays, fog=True, max_geom=max_geom, shadow_size=shadow_size)


def has_opengl() -> bool:
    """Return True if pictures are drawn with OpenGL, and False if they are ray traced."""
    renderer = FilmRenderer(conjoint.MjModel.from_xml_string("<mujoco/>"), 8, 8)
    renderer.close()
    return not renderer.rays


def _set_visual(spec: conjoint.MjSpec, radius: float) -> None:
    """Set the largest size of pictures, the headlight, fog, and the resolution of shadows."""
    visual = spec.visual
    visual.global_.offwidth, visual.global_.offheight = 1920, 1080
    visual.headlight.ambient, visual.headlight.diffuse, visual.headlight.specular = [0.41] * 3, [0.13] * 3, [0.1] * 3
    visual.rgba.haze = visual.rgba.fog = [*HORIZON, 1]
    visual.quality.shadowsize, visual.quality.offsamples = 4096, 4
    # the shadows of a directional light are drawn in a box of width `shadowclip * extent`
    spec.stat.extent, visual.map.shadowclip = radius, 1.0
    visual.map.fogstart, visual.map.fogend = FOG
    # fog hides the edge of the floor, so haze is not needed
    visual.map.zfar, visual.map.znear, visual.map.haze = 2 * FOG[1], 0.01, 0


def _sky() -> np.ndarray:
    """Return the faces of the sky's cube, one below another: right, left, up, down, front, back."""
    along = (np.arange(SKY_SIDE) + 0.5) / SKY_SIDE * 2 - 1
    x, y = np.meshgrid(along, along)
    sines = -y / np.sqrt(1 + x * x + y * y)
    side = _sky_color(sines)
    up = _sky_color(1 / np.sqrt(1 + x * x + y * y))
    down = np.broadcast_to(np.array(HORIZON), up.shape)
    return np.round(255 * np.concatenate([side, side, up, down, side, side])).astype(np.uint8)


def _sky_color(sine: np.ndarray) -> np.ndarray:
    """Return the colors of the sky for sines of the elevation angle; the color changes most near the horizon."""
    share = np.clip(sine, 0, 1)[..., np.newaxis] ** 0.7
    return np.array(HORIZON) * (1 - share) + np.array(ZENITH) * share


def _add_floor(spec: conjoint.MjSpec, tile: float) -> None:
    texture = spec.add_texture(name="look_tiles", type=conjoint.mjtTexture.mjTEXTURE_2D, width=512, height=512)
    texture.builtin, texture.mark = conjoint.mjtBuiltin.mjBUILTIN_CHECKER, conjoint.mjtMark.mjMARK_EDGE
    texture.rgb1, texture.rgb2, texture.markrgb = *TILES, LINES
    material = spec.add_material(
        name="look_floor", texrepeat=[1 / tile] * 2, texuniform=True, specular=0, reflectance=0
    )
    material.textures[conjoint.mjtTextureRole.mjTEXROLE_RGB] = "look_tiles"
    plane = spec.geom("floor") or spec.worldbody.add_geom(name="floor")
    plane.type, plane.size, plane.material = conjoint.mjtGeom.mjGEOM_PLANE, [0, 0, 0.1], "look_floor"
    plane.rgba = [0.5, 0.5, 0.5, 1]


def _add_sun(spec: conjoint.MjSpec, radius: float, center: np.ndarray, follow: str | None, key: np.ndarray) -> None:
    away = -key / np.linalg.norm(key) * 3 * radius
    body = spec.worldbody if follow is None else spec.body(follow)
    sun = body.add_light(name="look_sun", type=conjoint.mjtLightType.mjLIGHT_DIRECTIONAL, dir=key, castshadow=True)
    sun.diffuse, sun.specular, sun.ambient = [0.68, 0.672, 0.66], [0.3, 0.3, 0.29], [0, 0, 0]
    sun.pos = away + (center if follow is None else 0)
    sun.mode = conjoint.mjtCamLight.mjCAMLIGHT_FIXED if follow is None else conjoint.mjtCamLight.mjCAMLIGHT_TRACKCOM


# ---- camera


@dataclass(frozen=True)
class View:
    """A camera position: the point that the camera looks at (m), its distance (m), azimuth and elevation (degrees)."""

    lookat: tuple[float, float, float]
    distance: float
    azimuth: float
    elevation: float

    def array(self) -> np.ndarray:
        return np.array([*self.lookat, self.distance, self.azimuth, self.elevation])


@dataclass(frozen=True)
class Move:
    """A slow camera move between two views, which begins and ends smoothly."""

    begin: View
    end: View

    def camera(self, share: float, offset: Sequence[float] = (0.0, 0.0, 0.0)) -> conjoint.MjvCamera:
        """Return the camera at a fraction (0 to 1) of the move, shifted by an offset such as the position of a body."""
        first, last = self.begin.array(), self.end.array()
        now = first + (last - first) * ease(share)
        made = conjoint.MjvCamera()
        made.lookat[:] = now[:3] + np.asarray(offset)
        made.distance, made.azimuth, made.elevation = now[3:]
        return made


def ease(share: float) -> float:
    """Map time to progress, both as a fraction from 0 to 1, with lower speed at the beginning and the end."""
    t = min(max(share, 0.0), 1.0)
    # mean of constant speed and a smooth step
    return 0.5 * t + 0.5 * t * t * (3 - 2 * t)


# ---- pictures


@dataclass(frozen=True)
class Shot:
    """Settings for filming a scene.

    Attributes:
        width, height: size of the pictures, in pixels.
        fps: number of pictures per second.
        seconds: duration of the film (s).
        begin: time of the scene at the first picture (s).
        rays: True to trace rays even if OpenGL is available.
    """

    width: int = 1280
    height: int = 720
    fps: float = 24.0
    seconds: float = 5.0
    begin: float = 0.0
    rays: bool = False

    @property
    def count(self) -> int:
        """Number of pictures."""
        return round(self.seconds * self.fps)

    @property
    def times(self) -> list[float]:
        """Times of the pictures in the scene (s)."""
        return [self.begin + k / self.fps for k in range(self.count)]


Pictures = Callable[[Shot], Iterator[np.ndarray]]
"""Type of the function `pictures` of a scene."""

EVERY = 3.0
"""Time between two lines of progress (s)."""


def shoot(pictures: Pictures, seconds: float, about: str | None) -> None:
    """Film a scene to a file, with the settings of the command line."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=Path, help="file to write: .mp4, .gif, or .png for a file of each picture")
    parser.add_argument("--seconds", type=float, default=seconds)
    parser.add_argument("--begin", type=float, default=0.0, help="seconds left out at the beginning")
    parser.add_argument("--fps", type=float, default=24.0)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=720)
    parser.add_argument("--rays", action="store_true", help="draw by rays even if there is OpenGL")
    given = parser.parse_args()
    shot = Shot(given.width, given.height, given.fps, given.seconds, given.begin, given.rays)
    with film_file(given.target, shot.width, shot.height, shot.fps, shot.count) as write:
        for picture in with_progress(pictures(shot), shot.count):
            write(picture)
    print(f"wrote {given.target}")


def with_progress(pictures: Iterator[np.ndarray], count: int, name: str = "") -> Iterator[np.ndarray]:
    """Yield pictures, and print every few seconds how many have been yielded."""
    last = time.perf_counter()
    for k, picture in enumerate(pictures, 1):
        yield picture
        if time.perf_counter() - last > EVERY:
            last = time.perf_counter()
            print(f"  {name}{k} of {count} pictures", flush=True)
