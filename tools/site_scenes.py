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

import dominoes  # noqa: E402
import rubble  # noqa: E402
from film.look import coat, dress, paint  # noqa: E402

import conjoint  # noqa: E402
from conjoint.render.film import FilmRenderer  # noqa: E402
from conjoint.viewer.web import export_page  # noqa: E402

FPS = 25
"""Frames per second of a recording; browsers interpolate."""

WIDTH, HEIGHT = 960, 540
"""Size of a poster (pixels)."""

MARK = re.compile(r"<!-- scene: (\w+) -->\n!\[([^\]]*)\]\([^)]*\)")
"""A scene in a page: its name, and the alternative text of its picture."""


Controls = Callable[[conjoint.MjData], np.ndarray]


@dataclass(frozen=True)
class Scene:
    """A scene that plays in a page.

    Attributes:
        title: title of its page.
        seconds: length.
        poster: time (s) of its poster.
        view: height (m) of the point that the camera looks at, distance (m), azimuth and elevation (degrees).
        make: returns the model, its first state, and controls for each step; None for a sample model in its first
            keyframe, without controls.
        track: name of the body that the camera follows; "" for none.
    """

    title: str
    seconds: float
    poster: float
    view: tuple[float, float, float, float]
    make: Callable[[], tuple[conjoint.MjModel, conjoint.MjData, Controls]] | None = None
    track: str = ""


def walking_robot() -> tuple[conjoint.MjModel, conjoint.MjData, Controls]:
    """The scene of examples/rubble.py, after the stones have settled."""
    model = rubble.model()
    data, walker = conjoint.MjData(model), rubble.Walker(model)
    data.qpos[:19], data.qpos[0] = model.key_qpos[0, :19], rubble.START
    control = model.key_ctrl[0].copy()

    def controls(data: conjoint.MjData) -> np.ndarray:
        # a control is held for several steps, as in the training
        if round(data.time / model.opt.timestep) % round(rubble.CONTROL / model.opt.timestep) == 0:
            control[:] = walker.control(data)
        return control

    while data.time < rubble.SETTLE:
        data.ctrl[:] = controls(data)
        conjoint.mj_step(model, data)
    return model, data, controls


def falling_dominoes() -> tuple[conjoint.MjModel, conjoint.MjData, Controls]:
    """The scene of examples/dominoes.py."""
    model = dominoes.model()
    return model, conjoint.MjData(model), lambda data: data.ctrl


def gripped_block() -> tuple[conjoint.MjModel, conjoint.MjData, Controls]:
    """A soft block between two fingers, which close and then lift it."""
    model = dressed("soft_block", 0.4, {"left": "teal", "right": "teal", "palm": "graphite"})

    def controls(data: conjoint.MjData) -> np.ndarray:
        close = 0.05 * min(data.time / 0.6, 1)
        return np.array([-0.03 + 0.15 * np.clip(data.time - 1, 0, 1), close, close])

    return model, conjoint.MjData(model), controls


def filled_hammock() -> tuple[conjoint.MjModel, conjoint.MjData, Controls]:
    """A hammock that catches a ball and a log."""
    model = dressed("hammock", 1.5, {"ball": "orange", "log": "slate"})
    return model, conjoint.MjData(model), lambda data: data.ctrl


def dressed(name: str, radius: float, materials: dict[str, str]) -> conjoint.MjModel:
    """Return a sample model with the sky, the floor and the light of the film."""
    spec = conjoint.MjSpec.from_file(conjoint.sample_model(name))
    dress(spec, radius=radius)
    paint(spec, materials)
    for flex in spec.flexes:
        coat(flex, "yellow")
    return spec.compile()


SCENES = {
    "rubble": Scene(
        "A quadruped walks over stones, by a learned gait", 5.0, 2.6, (0.2, 1.9, 118, -12), walking_robot, "trunk"
    ),
    "dominoes": Scene("Marbles start a chain reaction of dominoes", 6.5, 4.2, (0.0, 3.4, 124, -30), falling_dominoes),
    "soft_block": Scene("Two fingers grip a soft block and lift it", 3.0, 2.0, (0.12, 0.8, 125, -16), gripped_block),
    "hammock": Scene("A hammock catches a ball and a log", 3.0, 1.4, (0.6, 2.3, 130, -22), filled_hammock),
}
"""Scenes by the names of their files."""


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Record all scenes."""
    with tempfile.TemporaryDirectory() as folder:
        for name, scene in SCENES.items():
            target = Path(folder) / f"{name}.html"
            model, data, controls = made(name, scene)
            states = [state.copy() for state in simulated(model, data, scene.seconds, controls)]
            camera = camera_of(model, scene)
            export_page(model, states, target, FPS, camera=camera, title=scene.title, fog=True)
            files.append(File.generated(config, f"scenes/{name}.html", content=target.read_bytes()))
            content = poster(model, states[round(scene.poster * FPS)], camera)
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


def made(name: str, scene: Scene) -> tuple[conjoint.MjModel, conjoint.MjData, Controls]:
    """Return the model of a scene, its first state and its controls."""
    if scene.make is not None:
        return scene.make()
    model = conjoint.MjModel.from_xml_path(conjoint.sample_model(name))
    data = conjoint.MjData(model)
    if model.nkey:
        conjoint.mj_resetDataKeyframe(model, data, 0)
    return model, data, lambda data: data.ctrl


def simulated(
    model: conjoint.MjModel, data: conjoint.MjData, seconds: float, controls: Controls
) -> Iterator[np.ndarray]:
    """Yield the positions of each frame."""
    start = data.time
    for frame in range(round(seconds * FPS)):
        while data.time - start < frame / FPS:
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
    if camera.type == conjoint.mjtCamera.mjCAMERA_TRACKING:
        camera.type, camera.lookat = conjoint.mjtCamera.mjCAMERA_FREE, data.subtree_com[camera.trackbodyid]
    room = model.vis.global_
    room.offwidth, room.offheight = max(room.offwidth, WIDTH), max(room.offheight, HEIGHT)
    renderer = FilmRenderer(model, WIDTH, HEIGHT, fog=True)
    stream = io.BytesIO()
    Image.fromarray(renderer.picture(data, camera)).save(stream, "WEBP", quality=80)
    renderer.close()
    return stream.getvalue()
