"""MkDocs hook that records the scenes that play in pages of the site, and a poster of each scene.

A scene is a page of its own, `scenes/NAME.html` (`conjoint.viewer.web.export_page`). On the site, a comment before a
picture replaces the picture by a scene; in the repository, readers see the picture:

    <!-- scene: rubble -->
    ![A quadruped on a course](pictures/gallery-quadruped.png)

The site shows the scene's poster, `scenes/NAME.webp`. A click on the poster starts the scene (docs/site.js).
"""

from __future__ import annotations

import io
import posixpath
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(ROOT / "examples")]

import dominoes  # noqa: E402
import pick  # noqa: E402
import rubble  # noqa: E402
from film.look import Shot, coat, dress, paint  # noqa: E402

import conjoint  # noqa: E402
from conjoint.render.film import FilmRenderer  # noqa: E402
from conjoint.viewer.web import export_page  # noqa: E402

FPS = 25
"""Number of frames per second in a recording; browsers interpolate between them."""

WIDTH, HEIGHT = 960, 540
"""Size of a poster (pixels)."""

MARK = re.compile(r"<!-- scene: (\w+) -->\n!\[([^\]]*)\]\([^)]*\)")
"""Pattern of a scene in a page; its groups are the scene's name and the alternative text of the picture."""


Motion = tuple[conjoint.MjModel, list[np.ndarray]]
"""A model, and its `qpos` in each frame."""


@dataclass(frozen=True)
class Scene:
    """A scene that plays in a page.

    Attributes:
        title: title of the scene's page.
        poster: time at which the poster is taken (s).
        view: initial camera: point that it looks at (m), distance (m), azimuth and elevation (degrees).
        motion: function that simulates the scene.
        track: name of the body that the camera follows; "" for none.
    """

    title: str
    poster: float
    view: tuple[tuple[float, float, float], float, float, float]
    motion: Callable[[], Motion]
    track: str = ""


def filmed(program: Any) -> Motion:
    """Run a program of the film, and return the recorded positions of its model instead of images."""
    found: list[conjoint.MjModel] = []
    states: list[np.ndarray] = []

    class Camera:
        """Stand-in for a renderer, which records positions instead of drawing."""

        def picture(self, data: conjoint.MjData, _camera: conjoint.MjvCamera) -> np.ndarray:
            states.append(data.qpos.copy())
            return np.zeros((1, 1, 3), np.uint8)

        def close(self) -> None:
            pass

    def renderer_of(model: conjoint.MjModel, _shot: Shot) -> Camera:
        found.append(model)
        return Camera()

    with patch.object(program, "renderer_of", renderer_of):
        for _ in program.pictures(Shot(fps=FPS, seconds=program.SECONDS)):
            pass
    return found[0], states


def dressed(name: str, radius: float, materials: dict[str, str]) -> conjoint.MjModel:
    """Return a sample model with the sky, the floor and the light of the film."""
    spec = conjoint.MjSpec.from_file(conjoint.sample_model(name))
    dress(spec, radius=radius)
    paint(spec, materials)
    for flex in spec.flexes:
        coat(flex, "yellow")
    return spec.compile()


def simulated(model: conjoint.MjModel, seconds: float, controls: Callable[[float], Any]) -> Motion:
    """Simulate a model from its first keyframe, if it has one, with controls that depend on time (s)."""
    data, states = conjoint.MjData(model), []
    if model.nkey:
        conjoint.mj_resetDataKeyframe(model, data, 0)
    for frame in range(round(seconds * FPS)):
        while data.time < frame / FPS:
            data.ctrl[:] = controls(data.time)
            conjoint.mj_step(model, data)
        states.append(data.qpos.copy())
    return model, states


def gripped_block() -> Motion:
    """Simulate two fingers that close around a soft block and then lift it; return the motion."""
    model = dressed("soft_block", 0.4, {"left": "teal", "right": "teal", "palm": "graphite"})

    def controls(time: float) -> tuple[float, ...]:
        close = 0.05 * min(time / 0.6, 1)
        return -0.03 + 0.15 * float(np.clip(time - 1, 0, 1)), close, close

    return simulated(model, 3.0, controls)


def filled_hammock() -> Motion:
    """Simulate a ball and a log that drop into a hammock; return the motion."""
    return simulated(dressed("hammock", 1.5, {"ball": "orange", "log": "slate"}), 3.0, lambda time: 0)


def through_keyframes(model: conjoint.MjModel, *keys: str) -> Motion:
    """Simulate servos that move from keyframe to keyframe and back to the first one; each move takes 1.2 s."""
    targets = np.array([model.key(key).ctrl for key in (*keys, keys[0])])
    times = np.arange(len(targets)) * 1.2

    def controls(time: float) -> np.ndarray:
        # reach each target after 0.7 s, and hold it until the next move
        k = min(int(time / 1.2), len(targets) - 2)
        share = min((time - times[k]) / 0.7, 1)
        return targets[k] + (targets[k + 1] - targets[k]) * share * share * (3 - 2 * share)

    return simulated(model, float(times[-1]), controls)


def driving_rover() -> Motion:
    """Simulate the rover as it drives over its terrain; return the motion."""
    model = conjoint.MjModel.from_xml_path(conjoint.sample_model("rover"))
    return simulated(model, 6.0, lambda time: min(time, 1) * model.key("drive").ctrl)


SCENES = {
    "rubble": Scene(
        "A quadruped walks over stones, by a learned gait",
        1.6, ((0, 0, 0.2), 1.9, 118, -12), lambda: filmed(rubble), "trunk",
    ),
    "dominoes": Scene(
        "Marbles start a chain reaction of dominoes", 4.2, ((0, 0, 0), 3.4, 124, -30), lambda: filmed(dominoes)
    ),
    "pick": Scene(
        "An arm drops a ball, then puts it into a bowl", 3.9, ((0.31, 0.03, 0.22), 1.6, 138, -14), lambda: filmed(pick)
    ),
    "hand": Scene(
        "A hand of 20 joints", 1.1, ((0.03, 0, 0.17), 0.75, 140, -15),
        lambda: through_keyframes(dressed("hand", 0.5, {}), "open", "hold", "open", "pinch"),
    ),
    "biped": Scene(
        "A biped robot waves and squats", 1.0, ((0, 0, 0.72), 3.3, 150, -10),
        lambda: through_keyframes(dressed("biped", 1.5, {}), "stand", "wave", "stand", "squat"),
    ),
    "rover": Scene("A rover drives over a terrain", 3.0, ((0, 0, 0.3), 2.6, 135, -18), driving_rover, "rover"),
    "hammock": Scene("A hammock catches a ball and a log", 1.4, ((0, 0, 0.6), 2.3, 130, -22), filled_hammock),
    "soft_block": Scene("Two fingers grip a soft block and lift it", 2.0, ((0, 0, 0.12), 0.8, 125, -16), gripped_block),
}  # fmt: skip
"""Scenes by name, which is also the name of their files."""


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Record all scenes, and add their pages and posters to the site."""
    with tempfile.TemporaryDirectory() as folder:
        for name, scene in SCENES.items():
            target = Path(folder) / f"{name}.html"
            model, states = scene.motion()
            camera = camera_of(model, scene)
            export_page(model, states, target, FPS, camera=camera, title=scene.title, fog=foggy(model))
            files.append(File.generated(config, f"scenes/{name}.html", content=target.read_bytes()))
            content = poster(model, states[round(scene.poster * FPS)], camera)
            files.append(File.generated(config, f"scenes/{name}.webp", content=content))


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Replace marked pictures in a page by posters that start the scenes; return the page."""

    def played(mark: re.Match[str]) -> str:
        name, text = mark.groups()
        if name not in SCENES:
            raise PluginError(f"{page.file.src_uri}: there is no scene {name}")
        place = posixpath.relpath(f"scenes/{name}", posixpath.dirname(page.file.dest_uri) or ".")
        picture = f'<img src="{place}.webp" alt="{text}" width="{WIDTH}" height="{HEIGHT}">'
        return f'<a class="scene" href="{place}.html" aria-label="Play: {SCENES[name].title}">{picture}</a>'

    return MARK.sub(played, markdown)


def camera_of(model: conjoint.MjModel, scene: Scene) -> conjoint.MjvCamera:
    """Return the initial camera of a scene."""
    camera = conjoint.MjvCamera()
    conjoint.mjv_defaultFreeCamera(model, camera)
    camera.lookat[:], camera.distance, camera.azimuth, camera.elevation = scene.view
    if scene.track:
        camera.type, camera.trackbodyid = conjoint.mjtCamera.mjCAMERA_TRACKING, model.body(scene.track).id
    return camera


def foggy(model: conjoint.MjModel) -> bool:
    """Return True if a model sets the color of fog, which is otherwise black."""
    return bool(model.vis.rgba.fog[:3].any())


def poster(model: conjoint.MjModel, state: np.ndarray, camera: conjoint.MjvCamera) -> bytes:
    """Return a picture of a state as a WebP file."""
    data = conjoint.MjData(model)
    data.qpos[:] = state
    conjoint.mj_forward(model, data)
    if camera.type == conjoint.mjtCamera.mjCAMERA_TRACKING:
        camera.type, camera.lookat = conjoint.mjtCamera.mjCAMERA_FREE, data.subtree_com[camera.trackbodyid]
    room = model.vis.global_
    room.offwidth, room.offheight = max(room.offwidth, WIDTH), max(room.offheight, HEIGHT)
    renderer = FilmRenderer(model, WIDTH, HEIGHT, fog=foggy(model))
    stream = io.BytesIO()
    Image.fromarray(renderer.picture(data, camera)).save(stream, "WEBP", quality=80)
    renderer.close()
    return stream.getvalue()
