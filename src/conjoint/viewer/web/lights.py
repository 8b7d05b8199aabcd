"""The lights of a scene as lights of a browser.

Models are made for OpenGL without shaders, where lights add up in the brightness that displays show (OpenGL 2.1
specification, 2.14). Browsers add intensities, divide what falls on a surface by pi, and show sums by a curve like that
of a film: three.js has one that S. Hill fitted to that of the Academy Color Encoding System.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvScene
from conjoint.schema.enums import mjtLightType
from conjoint.schema.enums_visual import mjtRndFlag
from conjoint.viewer.web.looks import linear

GRAY, SLANT = 0.5, 0.85
"""Brightness of a surface that looks in browsers as in OpenGL, where light falls on it with such a cosine."""

BRIGHTEST = 0.95
"""Brightness above which the curve of a film hardly rises."""

GAMMA = 2.2
"""Power of brightness that is intensity (IEC 61966-2-1, nearly)."""

FILM = (0.0245786, 0.000090537, 0.983729, 0.4329510, 0.238081, 0.6)
"""Numbers a, b, c, d, e of what is shown of an intensity x, (x (x + a) - b) / (x (c x + d) + e), and an exposure."""

FAR = 100.0
"""Distance (m) of lights that only have a direction."""

BEHIND = 0.5
"""Part of the headlight that shines from behind in files, which do not know the camera of their user."""

WIDTH, PLACE = 0.4, 0.346
"""Match of cones. If a cone of OpenGL has this part of its brightness at an angle, a browser's cone gets the cosine
that is this part of the way from its rim to its middle.
"""

MOST_SHADOWS = 4
"""Maximum number of lights with shadows, as in a window; further lights cast none."""

LIGHT = ("type", "pos", "dir", "ambient", "diffuse", "attenuation", "cutoff", "exponent", "castshadow", "headlight")
"""Fields of lights that are sent to browsers."""


Look = tuple[Any, ...]
"""Appearance of a light: kind, color, intensity, whether it casts shadows, decay, angle, soft part."""


@dataclass
class Lamp:
    """A light in the browser.

    Attributes:
        handle: of viser.
        look: what it is.
        pose: position and direction that it was put to.
    """

    handle: Any
    look: Look
    pose: np.ndarray


class Lights:
    """The lights of a scene, which replace the browser's default lights.

    Args:
        server: of viser.
        m: the model; lights that fade have their strength at its center.
        followed: whether the headlight of each browser follows its camera, which is read at each `update`. Else it
            stays at the camera of the scene, and another, half as bright, stands behind the scene.
        alone: whether the scene is the only one; else each light shines on all worlds, from its direction.
    """

    def __init__(self, server: Any, m: MjModel, followed: bool = True, alone: bool = True):
        self.server, self.followed, self.alone = server, followed, alone
        self.center = np.array(m.stat.center, float)
        self._lamps: dict[str, Lamp] = {}
        self._heads: dict[int, Lamp] = {}
        server.scene.configure_default_lights(False)
        server.scene.configure_environment_map(None)

    def update(self, scn: MjvScene) -> None:
        """Update the browser's lights from a scene."""
        count = int(scn.nlight)
        row = {name: scn.memory.view(f"lights.{name}")[:count].astype(float) for name in LIGHT}
        added = intensities(row["ambient"].sum(axis=0), row["diffuse"])
        shown = {"/lights/ambient": (("ambient", *shade(added[0])), np.zeros(6))}
        head = None
        shadows = MOST_SHADOWS * bool(scn.flags[mjtRndFlag.mjRND_SHADOW])
        for k in range(count):
            if row["headlight"][k]:
                head = added[k + 1]
                if not self.followed:
                    shown |= fixed_headlight(head, row["dir"][k])
                continue
            casts = bool(row["castshadow"][k]) and shadows > 0
            shadows -= casts
            light = {name: values[k] for name, values in row.items()}
            shown[f"/lights/{k}"] = self._light(light, added[k + 1], casts)
        for name, (look, pose) in shown.items():
            self._lamps[name] = put(self.server.scene, self._lamps.get(name), name, look, pose)
        for name in self._lamps.keys() - shown.keys():
            self._lamps.pop(name).handle.remove()
        if self.followed:
            self._follow(head)

    def close(self) -> None:
        """Remove the headlights of browsers; other lights are removed with the scene."""
        for lamp in self._heads.values():
            lamp.handle.remove()
        self._heads.clear()

    def _light(self, light: dict[str, Any], intensity: np.ndarray, casts: bool) -> tuple[Look, np.ndarray]:
        """Return the appearance of a light of the model in a browser, and its pose."""
        pos, kind = light["pos"], int(light["type"])
        way = light["dir"] if kind == mjtLightType.mjLIGHT_DIRECTIONAL or self.alone else self.center - pos
        way = way / max(np.linalg.norm(way), 1e-9)
        if kind == mjtLightType.mjLIGHT_DIRECTIONAL or not self.alone:
            return ("directional", *shade(intensity), casts), from_afar(way)
        strength, decay = fading(light["attenuation"], float(np.linalg.norm(pos - self.center)))
        color, bright = shade(intensity)
        look: Look = ("point", color, bright * strength, casts, decay)
        if kind == mjtLightType.mjLIGHT_SPOT and light["cutoff"] <= 90.0:
            look = ("spot", *look[1:], *cone(light["cutoff"], light["exponent"]))
        return look, np.concatenate([pos, way])

    def _follow(self, intensity: np.ndarray | None) -> None:
        """Move the headlights of all browsers to their cameras; remove them if there is no headlight."""
        if intensity is None:
            self.close()
            return
        look = ("directional", *shade(intensity), False)
        clients = self.server.get_clients()
        for gone in self._heads.keys() - clients.keys():
            del self._heads[gone]
        for number, client in clients.items():
            way = client.camera.look_at - client.camera.position
            pose = from_afar(way / max(np.linalg.norm(way), 1e-9))
            self._heads[number] = put(client.scene, self._heads.get(number), "/headlight", look, pose)


def fixed_headlight(intensity: np.ndarray, way: np.ndarray) -> dict[str, tuple[Look, np.ndarray]]:
    """Return the headlight of an unknown camera, and another for views from behind."""
    return {
        "/lights/head": (("directional", *shade(intensity), False), from_afar(way)),
        "/lights/behind": (("directional", *shade(BEHIND * intensity), False), from_afar(-way)),
    }


def from_afar(way: np.ndarray) -> np.ndarray:
    """Return the pose of a light along a unit vector; browsers aim lights at the origin."""
    return np.concatenate([-FAR * way, way])


def put(api: Any, lamp: Lamp | None, name: str, look: Look, pose: np.ndarray) -> Lamp:
    """Return a light with the given appearance and pose; reuse the existing one if its appearance is unchanged."""
    if lamp is None or lamp.look != look:
        lamp = Lamp(make(api, name, look), look, np.full(6, np.nan))
    if not np.array_equal(lamp.pose, pose):
        lamp.handle.position = pose[:3]
        if look[0] == "spot":
            lamp.handle.direction = tuple(float(x) for x in pose[3:])
        lamp.pose = pose.copy()
    return lamp


def make(api: Any, name: str, look: Look) -> Any:
    """Create a light in the browser."""
    kind, color, bright, *more = look
    given: dict[str, Any] = {"color": color, "intensity": bright}
    if kind == "ambient":
        return api.add_light_ambient(name, **given)
    given["cast_shadow"] = more[0]
    if kind == "directional":
        return api.add_light_directional(name, **given)
    given["decay"] = more[1]
    if kind == "point":
        return api.add_light_point(name, **given)
    return api.add_light_spot(name, angle=more[2], penumbra=more[3], **given)


def intensities(ambient: np.ndarray, diffuse: np.ndarray) -> np.ndarray:
    """Return the intensities of ambient light and of lamps whose sums are as bright as in OpenGL.

    Args:
        ambient: brightness of light from all sides, shape (3,): red, green, blue.
        diffuse: brightness of lamps, shape (n, 3), the headlight first.

    Returns:
        Intensities, shape (1 + n, 3): what falls on a surface that looks towards the light.
    """
    sums = np.cumsum(np.concatenate([[ambient], SLANT * diffuse.reshape(-1, 3)]), axis=0)
    found = np.diff(shown_as(GRAY * sums), axis=0, prepend=0.0) * np.pi / linear(np.array(GRAY))
    found[1:] /= SLANT
    return found


def shown_as(brightness: np.ndarray) -> np.ndarray:
    """Return the intensity that browsers display with a given brightness."""
    a, b, c, d, e, exposure = FILM
    y = linear(np.clip(brightness, 0.0, BRIGHTEST))
    # the positive root of (1 - c y) x^2 + (a - d y) x - (b + e y)
    half, square = (d * y - a) / 2, 1 - c * y
    return exposure * (half + np.sqrt(half**2 + square * (b + e * y))) / square


def shade(intensity: np.ndarray) -> tuple[tuple[int, int, int], float]:
    """Split RGB intensities into a color and a scalar intensity."""
    most = float(intensity.max())
    red, green, blue = np.round(255 * (intensity / max(most, 1e-9)) ** (1 / GAMMA)).astype(int).tolist()
    return (red, green, blue), most


def fading(attenuation: np.ndarray, distance: float) -> tuple[float, float]:
    """Intensity at 1 m, relative to that of a light that does not fade, and the power of the distance by which it
    fades, so that both are right at a distance."""
    terms = attenuation * distance ** np.arange(3)
    if not terms.sum() > 0:
        return 1.0, 0.0
    decay = GAMMA * float(terms @ np.arange(3) / terms.sum())
    return float(terms.sum() ** -GAMMA * distance**decay), decay


def cone(cutoff: float, exponent: float) -> tuple[float, float]:
    """Return the angle (rad) of a cone, and the part of it in which light fades, for the cutoff (degrees) and the
    exponent that OpenGL takes."""
    angle = np.radians(cutoff)
    if exponent <= 0:
        return float(angle), 0.0
    rim = (WIDTH ** (1 / exponent) - PLACE) / (1 - PLACE)
    return float(min(angle, np.arccos(np.clip(rim, 0.0, 1.0)))), 1.0
