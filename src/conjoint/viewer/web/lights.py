"""Conversion of a scene's lights to lights of a browser.

Models are designed for fixed-function OpenGL, in which lights add up in display brightness (OpenGL 2.1 specification,
2.14). Browsers add physical intensities, divide incident light by pi, and map sums to display brightness with a
film-like curve. three.js uses a curve that S. Hill fitted to that of the Academy Color Encoding System.
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
"""Brightness of a surface, and cosine of the light's angle of incidence, for which browsers match OpenGL."""

BRIGHTEST = 0.95
"""Brightness above which the film-like curve is nearly flat."""

GAMMA = 2.2
"""Exponent that converts brightness to intensity (IEC 61966-2-1, approximately)."""

FILM = (0.0245786, 0.000090537, 0.983729, 0.4329510, 0.238081, 0.6)
"""Coefficients a, b, c, d, e and exposure of the film-like curve (x (x + a) - b) / (x (c x + d) + e) of intensity x."""

FAR = 100.0
"""Distance (m) at which directional lights are placed."""

BEHIND = 0.5
"""Relative intensity of a second headlight, from behind, for browsers whose camera is unknown."""

WIDTH, PLACE = 0.4, 0.346
"""Constants for matching cones of light.

At the angle at which OpenGL's cone has the relative brightness `WIDTH`, the cosine in a browser's cone is the fraction
`PLACE` of the way from the cone's edge to its axis.
"""

MOST_SHADOWS = 4
"""Maximum number of lights with shadows, as in a window. Further lights cast none."""

LIGHT = ("type", "pos", "dir", "ambient", "diffuse", "attenuation", "cutoff", "exponent", "castshadow", "headlight")
"""Fields of a scene's lights that are used for browsers."""


Look = tuple[Any, ...]
"""Appearance of a light: kind, color, intensity, whether it casts shadows, decay, angle, penumbra."""


@dataclass
class Lamp:
    """A light in the browser.

    Attributes:
        handle: viser's handle of the light.
        look: appearance of the light.
        pose: current position and direction.
    """

    handle: Any
    look: Look
    pose: np.ndarray


class Lights:
    """The lights of a scene, which replace the browser's default lights.

    Args:
        server: viser's server.
        m: the model. At its center, lights with attenuation are as strong as in OpenGL.
        followed: whether each browser's headlight follows its camera, which is read at each `update`. Otherwise, the
            headlight stays at the camera of the scene, and a second one, half as bright, shines from behind.
        alone: whether the page shows only one scene. Otherwise, every light is directional and shines on all worlds.
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
        """Remove the headlights of browsers. Other lights are removed with the scene."""
        for lamp in self._heads.values():
            lamp.handle.remove()
        self._heads.clear()

    def _light(self, light: dict[str, Any], intensity: np.ndarray, casts: bool) -> tuple[Look, np.ndarray]:
        """Return the appearance and the pose in a browser of a light of the model."""
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
        """Move the headlights of all browsers to their cameras, or remove them if the scene has no headlight."""
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
    """Return the headlight for an unknown camera, and a second one for views from behind."""
    return {
        "/lights/head": (("directional", *shade(intensity), False), from_afar(way)),
        "/lights/behind": (("directional", *shade(BEHIND * intensity), False), from_afar(-way)),
    }


def from_afar(way: np.ndarray) -> np.ndarray:
    """Return the pose of a directional light along a unit vector; browsers aim such lights at the origin."""
    return np.concatenate([-FAR * way, way])


def put(api: Any, lamp: Lamp | None, name: str, look: Look, pose: np.ndarray) -> Lamp:
    """Return a light with the given appearance and pose; an existing light with this appearance is reused."""
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
    """Return intensities of ambient light and lamps whose sums appear as bright as in OpenGL.

    Args:
        ambient: brightness of ambient light, shape (3,): red, green, blue.
        diffuse: brightness of lamps, shape (n, 3), the headlight first.

    Returns:
        Intensities of the ambient light and the lamps, shape (1 + n, 3), on a surface that faces the light.
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
    """Split RGB intensities into an 8-bit color and a scalar intensity."""
    most = float(intensity.max())
    red, green, blue = np.round(255 * (intensity / max(most, 1e-9)) ** (1 / GAMMA)).astype(int).tolist()
    return (red, green, blue), most


def fading(attenuation: np.ndarray, distance: float) -> tuple[float, float]:
    """Return the relative intensity at 1 m and the decay exponent of a light with attenuation.

    They match OpenGL's intensity, and its change with distance, at the given distance (m). The intensity is relative to
    a light without attenuation.
    """
    terms = attenuation * distance ** np.arange(3)
    if not terms.sum() > 0:
        return 1.0, 0.0
    decay = GAMMA * float(terms @ np.arange(3) / terms.sum())
    return float(terms.sum() ** -GAMMA * distance**decay), decay


def cone(cutoff: float, exponent: float) -> tuple[float, float]:
    """Return the angle (rad) and penumbra (0 or 1) of a browser's cone for OpenGL's cutoff (degrees) and exponent."""
    angle = np.radians(cutoff)
    if exponent <= 0:
        return float(angle), 0.0
    rim = (WIDTH ** (1 / exponent) - PLACE) / (1 - PLACE)
    return float(min(angle, np.arccos(np.clip(rim, 0.0, 1.0)))), 1.0
