"""The gallery: a picture of each model of the repository and of what the samples show, and the page that has them.

python -m tools.make_gallery [FOLDER]

FOLDER is docs/ unless given. Pictures are drawn by `Renderer`; what is said of a model is the comment that it begins
with.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import conjoint

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "models"
HEIGHT, WIDTH = 480, 640
COLORS = 96
"""Of a picture: the page shall be small."""

MOMENTS: dict[str, tuple[float, str | tuple[float, float, float, float]]] = {
    "ant": (1.0, (0.5, 3.0, 60, -25)),
    "boxes": (1.5, (0.1, 3.3, 50, -25)),
    "car": (1.2, (0.12, 1.4, 130, -20)),
    "cartpole": (0.2, "front"),
    "chain": (0.8, (0.0, 0.0, 0, 0)),
    "flag": (1.0, (0.0, 0.0, 0, 0)),
    "half_cheetah": (0.5, "side"),
    "hammock": (1.5, (0.0, 0.0, 0, 0)),
    "hopper": (0.25, "side"),
    "humanoid": (0.2, (0.9, 2.9, 140, -15)),
    "pile": (1.5, (0.3, 2.6, 50, -35)),
    "quadruped": (0.1, (0.22, 1.2, 140, -16)),
    "soft_block": (0.05, (0.1, 0.55, 120, -18)),
}
"""When (s) and by which camera: one of the model, or height of what is looked at, distance (m), azimuth and elevation
(degrees); without a distance the model's free camera."""

PAGE = """# Gallery

The models in `models/`, each drawn by [`Renderer`](rendering.md), and what commands show of them.
`python -m tools.make_gallery` makes this page and its pictures.

## Models

{models}
## Commands

`make demo` makes this film (`examples/trot.py`):

![A quadruped trots over planks and through blocks](pictures/demo.gif)

`conjoint view models/humanoid.xml` opens [the viewer](viewer.md), with `--web` [the web viewer](web-viewer.md):

![The viewer](pictures/window.png)

![The web viewer](pictures/page.png)

`conjoint record models/humanoid.xml out/falling.mp4 --camera side` makes a film ([command line](command-line.md)):

![Pictures of a film of a falling humanoid](pictures/gallery-record.png)

`conjoint derivative models/quadruped.xml --epochs 2 --nstep 50` takes derivatives and says how exact they are:

![What it prints](pictures/gallery-derivative.png)

`batch.render` and `batch.lidar` see all worlds of a batch [by rays](ray-rendering.md):

![Thirty worlds](pictures/rays-worlds.png)
"""


def world(name: str) -> tuple[conjoint.MjModel, conjoint.MjData]:
    """A model in its first keyframe, if it has one."""
    model = conjoint.MjModel.from_xml_path(str(MODELS / f"{name}.xml"))
    data = conjoint.MjData(model)
    if model.nkey:
        conjoint.mj_resetDataKeyframe(model, data, 0)
    return model, data


def run(model: conjoint.MjModel, data: conjoint.MjData, until: float, strength: float = 0.6) -> None:
    """Simulate until a time, under controls that swing slowly in their ranges."""
    low, high = np.where(model.actuator_ctrllimited[:, None], model.actuator_ctrlrange, [-1.0, 1.0]).T
    phase = np.arange(model.nu)
    while data.time < until:
        swing = strength * np.sin(6 * data.time + phase)
        data.ctrl[:] = (low + high) / 2 + swing * (high - low) / 2
        conjoint.mj_step(model, data)


def picture(name: str) -> np.ndarray:
    """A model at its moment."""
    until, view = MOMENTS[name]
    model, data = world(name)
    run(model, data, until)
    camera: str | conjoint.MjvCamera = view if isinstance(view, str) else conjoint.MjvCamera()
    if not isinstance(view, str):
        conjoint.mjv_defaultFreeCamera(model, camera)
        if view[1]:
            camera.lookat[2], camera.distance, camera.azimuth, camera.elevation = view
            camera.lookat[:2] = data.subtree_com[0][:2]
    return draw(model, data, camera)


def draw(model: conjoint.MjModel, data: conjoint.MjData, camera: str | conjoint.MjvCamera) -> np.ndarray:
    """What a camera sees."""
    with conjoint.Renderer(model, HEIGHT, WIDTH) as renderer:
        renderer.update_scene(data, camera)
        return renderer.render()


def film() -> np.ndarray:
    """Four pictures of a falling humanoid, side by side."""
    model, data = world("humanoid")
    frames = []
    for until in (0.05, 0.4, 0.7, 1.2):
        run(model, data, until, strength=0.0)
        frames.append(draw(model, data, "side")[:, 160:480])
    return np.concatenate(frames, axis=1)


def printed(*command: str) -> Image.Image:
    """What a command prints, as a picture."""
    given = [sys.executable, "-m", "conjoint", *command]
    text = subprocess.run(given, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    # letters of the font, without the lines of tables
    lines = [line for line in re.sub(r"[\u2500-\u257f]", " ", text).splitlines() if line.strip()]
    font = ImageFont.load_default(14)
    made = Image.new("RGB", (480, 20 * len(lines) + 20), (24, 26, 30))
    pen = ImageDraw.Draw(made)
    for row, line in enumerate(lines):
        # words stand in columns, whatever the letters' widths
        for word in re.finditer(r"\S+", line):
            pen.text((10 + 8.4 * word.start(), 10 + 20 * row), word.group(), (220, 222, 226), font)
    return made


def about(name: str) -> str:
    """The comment that a model begins with, on one line."""
    found = re.search(r"<!--(.*?)-->", (MODELS / f"{name}.xml").read_text(), re.DOTALL)
    return " ".join(found.group(1).split()) if found else ""


def page() -> str:
    """The text of the page."""
    shown = "\n".join(f"**{name}.** {about(name)}\n\n![{name}](pictures/gallery-{name}.png)\n" for name in MOMENTS)
    return PAGE.format(models=shown)


def main() -> None:
    """Make all of it."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    made = {name: Image.fromarray(picture(name)) for name in MOMENTS}
    made["record"] = Image.fromarray(film())
    made["derivative"] = printed("derivative", "models/quadruped.xml", "--epochs", "2", "--nstep", "50")
    for name, image in made.items():
        image.quantize(COLORS).save(folder / "pictures" / f"gallery-{name}.png", optimize=True)
    (folder / "gallery.md").write_text(page())


if __name__ == "__main__":
    main()
