"""MkDocs hook that records the scenes which play in pages of the site, and a poster of each.

A scene is a page of its own, `scenes/NAME.html` (`conjoint.viewer.web.export_page`). In a page of the documentation it
stands for the picture after a comment, which readers of the repository see:

    <!-- scene: trot -->
    ![A quadruped on a course](pictures/gallery-quadruped.png)

The site shows its poster, `scenes/NAME.webp`; docs/site.js replaces it by the scene when it is clicked.
"""

from __future__ import annotations

import io
import posixpath
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(ROOT / "examples")]

import trot  # noqa: E402

import conjoint  # noqa: E402
from conjoint.render.film import FilmRenderer  # noqa: E402
from conjoint.viewer.web import export_page  # noqa: E402

FPS = 25
"""Frames per second of a recording; browsers interpolate."""

WIDTH, HEIGHT = 960, 540
"""Size of a poster (pixels)."""

MARK = re.compile(r"<!-- scene: (\w+) -->\n!\[([^\]]*)\]\([^)]*\)")
"""A scene in a page: its name, and the alternative text of its picture."""

Motion = tuple[conjoint.MjModel, Iterator[np.ndarray]]


@dataclass(frozen=True)
class Scene:
    """A scene that plays in a page.

    Attributes:
        title: title of its page.
        seconds: length.
        poster: time (s) of its poster.
        view: height (m) of the point that the camera looks at, distance (m), azimuth and elevation (degrees).
        track: name of the body that the camera follows; "" for none.
        swing: amplitude of the controls, in halves of their ranges.
    """

    title: str
    seconds: float
    poster: float
    view: tuple[float, float, float, float]
    track: str = ""
    swing: float = 0.6


SCENES = {
    "trot": Scene("A quadruped trots over planks and through blocks", 4.5, 2.8, (0.2, 1.5, 130, -16), track="trunk"),
    "humanoid": Scene("A humanoid falls", 2.5, 0.5, (0.8, 3.2, 140, -12), swing=0.3),
    "hammock": Scene("A ball and a log fall into a hammock", 3.0, 1.4, (0.7, 2.6, 130, -22)),
    "flag": Scene("A flag in the wind", 4.0, 2.0, (1.0, 3.0, 100, -10)),
    "soft_block": Scene("Two fingers grip a soft block", 3.0, 1.5, (0.12, 0.6, 120, -18)),
    "pile": Scene("Twenty bodies fall into a pit", 3.0, 1.0, (0.3, 2.6, 50, -30)),
}
"""Scenes by the names of their files: models of the repository, and `trot`, which examples/trot.py simulates."""


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Record all scenes."""
    with tempfile.TemporaryDirectory() as folder:
        for name, scene in SCENES.items():
            target = Path(folder) / f"{name}.html"
            model, states = motion(name, scene)
            recorded = [state.copy() for state in states]
            camera = camera_of(model, scene)
            export_page(model, recorded, target, FPS, camera=camera, title=scene.title)
            files.append(File.generated(config, f"scenes/{name}.html", content=target.read_bytes()))
            content = poster(model, recorded[round(scene.poster * FPS)], camera)
            files.append(File.generated(config, f"scenes/{name}.webp", content=content))


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Replace marked pictures by posters that play."""

    def played(mark: re.Match[str]) -> str:
        name, text = mark.groups()
        if name not in SCENES:
            raise PluginError(f"{page.file.src_uri}: there is no scene {name}")
        place = posixpath.relpath(f"scenes/{name}", posixpath.dirname(page.file.dest_uri) or ".")
        picture = f'<img src="{place}.webp" alt="{text}" width="{WIDTH}" height="{HEIGHT}">'
        return f'<a class="scene" href="{place}.html" aria-label="Play: {SCENES[name].title}">{picture}</a>'

    return MARK.sub(played, markdown)


def motion(name: str, scene: Scene) -> Motion:
    """Return the model of a scene, and its positions frame by frame."""
    if name == "trot":
        model = trot.scene()
        return model, simulated(model, scene.seconds, lambda data: trot.controls(data.time))
    model = conjoint.MjModel.from_xml_path(conjoint.sample_model(name))
    low, high = np.where(model.actuator_ctrllimited[:, None], model.actuator_ctrlrange, [-1.0, 1.0]).T
    phase = np.arange(model.nu)

    def controls(data: conjoint.MjData) -> np.ndarray:
        return (low + high) / 2 + scene.swing * np.sin(6 * data.time + phase) * (high - low) / 2

    return model, simulated(model, scene.seconds, controls)


def simulated(
    model: conjoint.MjModel, seconds: float, controls: Callable[[conjoint.MjData], np.ndarray]
) -> Iterator[np.ndarray]:
    """Yield the positions of each frame, from the first keyframe of the model on."""
    data = conjoint.MjData(model)
    if model.nkey:
        conjoint.mj_resetDataKeyframe(model, data, 0)
    for frame in range(round(seconds * FPS)):
        while data.time < frame / FPS:
            data.ctrl[:] = controls(data)
            conjoint.mj_step(model, data)
        yield data.qpos


def camera_of(model: conjoint.MjModel, scene: Scene) -> conjoint.MjvCamera:
    """Return the first camera of a scene."""
    camera = conjoint.MjvCamera()
    conjoint.mjv_defaultFreeCamera(model, camera)
    camera.lookat[2], camera.distance, camera.azimuth, camera.elevation = scene.view
    if scene.track:
        camera.type, camera.trackbodyid = conjoint.mjtCamera.mjCAMERA_TRACKING, model.body(scene.track).id
    return camera


def poster(model: conjoint.MjModel, state: np.ndarray, camera: conjoint.MjvCamera) -> bytes:
    """Return a picture of a state, as WebP."""
    data = conjoint.MjData(model)
    data.qpos[:] = state
    conjoint.mj_forward(model, data)
    room = model.vis.global_
    room.offwidth, room.offheight = max(room.offwidth, WIDTH), max(room.offheight, HEIGHT)
    renderer = FilmRenderer(model, WIDTH, HEIGHT)
    stream = io.BytesIO()
    Image.fromarray(renderer.picture(data, camera)).save(stream, "WEBP", quality=80)
    renderer.close()
    return stream.getvalue()
