"""Draw the pictures of the documentation.

    python -m tools.pictures [gallery rays window page derivatives robot walk] [--folder docs]

* gallery: a picture of each model of the repository, and the page that shows them.
* rays: docs/ray-rendering.md.
* window and page: docs/viewer.md and docs/web-viewer.md (`tools.screens`).
* derivatives: docs/derivatives.md; also prints the times for its table.
* robot: docs/your-robot.md.
* walk: docs/learning.md, for a policy that examples/learn.py has learned (`--policy FILE.npz --curve FILE.csv`).
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import conjoint
from conjoint.batch import Batch

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "models"
HEIGHT, WIDTH = 360, 640
COLORS = 256
"""Number of colors of a gallery picture; a small number keeps the page small."""

MOMENTS: dict[str, tuple[float, str | tuple[float, float, float, float]]] = {
    "ant": (1.0, (0.35, 2.3, 60, -22)),
    "arm": (0.02, (0.22, 1.45, 125, -17)),
    "biped": (0.4, (0.8, 2.3, 150, -11)),
    "boxes": (0.25, (0.35, 2.7, 50, -20)),
    "car": (1.2, (0.12, 1.1, 140, -18)),
    "cartpole": (0.2, (1.1, 2.6, 100, -8)),
    "chain": (0.8, (1.5, 2.0, 110, -8)),
    "flag": (1.0, (0.0, 0.0, 0, 0)),
    "half_cheetah": (0.5, (0.45, 1.9, 110, -12)),
    "hammock": (1.5, (0.55, 1.8, 130, -22)),
    "hand": (0.2, (0.0, 0.0, 0, 0)),
    "hopper": (0.25, (0.7, 2.2, 115, -12)),
    "humanoid": (0.2, (0.85, 2.4, 145, -12)),
    "pile": (1.5, (0.12, 1.7, 50, -30)),
    "quadruped": (0.2, (0.18, 1.1, 140, -15)),
    "rover": (0.8, (0.3, 2.0, 135, -14)),
    "soft_block": (0.05, (0.1, 0.55, 120, -18)),
}
"""Time (s) and camera of each model's picture. The camera is a name from the model, or a tuple: height of the point it
looks at (m), distance (m), azimuth and elevation (degrees). A distance of 0 selects the model's free camera.
"""

POSES = {"biped": "wave", "hand": "open", "quadruped": "home", "rover": "drive"}
"""Keyframes that set the state and constant controls of models; other models start from their first keyframe, with
oscillating controls.
"""

PAGE = """---
hide: [toc]
---

# Gallery

Models and scenes, simulated and drawn by Conjoint. `python -m tools.pictures gallery` makes this page and its pictures.

## Scenes that play

Click one, then drag to orbit, scroll or pinch to zoom, pause and scrub. They were simulated when this page was built;
`conjoint record MODEL page.html` [makes such a page](web-viewer.md#share-a-motion-as-an-html-file).

<div class="scenes" markdown>

{scenes}
</div>

## Models

Each is a file in `models/` and comes with the package: `conjoint view NAME` opens it, and
`cj.sample_model("NAME")` is its path.

<div class="pictures" markdown>

{models}
</div>

## Programs

`make film` makes this film; its captions name the programs in `examples/`. `make demo` makes a cut of ten seconds:

![Humanoids walk, a quadruped crosses rubble, dominoes topple](pictures/film.webp)

`conjoint view humanoid` opens [the viewer](viewer.md), with `--web` [the web viewer](web-viewer.md):

![The viewer, with panels beside a humanoid](pictures/window.png)

![The web viewer, with panels beside a humanoid](pictures/page.png)

`conjoint record humanoid out/falling.mp4 --camera side` makes a film ([command line](command-line.md)):

![Four pictures of a falling humanoid](pictures/gallery-record.png)

`conjoint derivative quadruped --epochs 2 --nstep 50` computes derivatives and their errors:

![A table of exact derivatives and finite differences, with errors and times](pictures/gallery-derivative.png)

`batch.render` and `batch.lidar` draw all worlds of a batch [by rays](ray-rendering.md):

![Thirty humanoids, each in its own world](pictures/rays-worlds.png)
"""

PLAYING = {
    "rubble": ("quadruped", "A quadruped walks over loose stones, by a gait that it has learned on flat ground."),
    "pick": ("arm", "An arm drops a ball; exact derivatives find how it puts the ball into the bowl."),
    "dominoes": ("boxes", "Marbles start a chain reaction of dominoes."),
    "rover": ("rover", "A rover drives over a terrain, measured by a lidar."),
    "hand": ("hand", "A hand of 20 joints holds a ball."),
    "biped": ("biped", "A biped robot waves and squats."),
    "hammock": ("hammock", "A hammock catches a ball and a log."),
    "soft_block": ("soft_block", "Two fingers grip a soft block and lift it."),
}
"""Interactive scenes in the gallery, by name in `site_scenes.SCENES`.

Each value contains the model whose picture is shown before the scene starts, and a caption.
"""


PALETTE = np.random.default_rng(3).integers(60, 255, (64, 3), np.uint8)
"""Colors of objects in segmentation images."""

SMOOTH = 2
"""Number of rays per pixel along each side of a ray-traced picture, for antialiasing."""


TIMED = ("cartpole", "hopper", "half_cheetah", "ant", "humanoid")
"""Models of `models/` whose steps are timed, smallest first."""


def world(name: str) -> tuple[conjoint.MjModel, conjoint.MjData]:
    """Load a model; return it and its data, set to the first keyframe if there is one."""
    model = conjoint.MjModel.from_xml_path(str(MODELS / f"{name}.xml"))
    data = conjoint.MjData(model)
    if model.nkey:
        conjoint.mj_resetDataKeyframe(model, data, 0)
    return model, data


def run(model: conjoint.MjModel, data: conjoint.MjData, until: float, strength: float = 0.6) -> None:
    """Simulate until a time (s), with controls that oscillate slowly within their ranges."""
    low, high = np.where(model.actuator_ctrllimited[:, None], model.actuator_ctrlrange, [-1.0, 1.0]).T
    phase = np.arange(model.nu)
    while data.time < until:
        swing = strength * np.sin(6 * data.time + phase)
        data.ctrl[:] = (low + high) / 2 + swing * (high - low) / 2
        conjoint.mj_step(model, data)


def moment(name: str) -> np.ndarray:
    """Draw a model at the time and from the camera that `MOMENTS` specifies for it; return the picture."""
    until, view = MOMENTS[name]
    model, data = world(name)
    if name in POSES:
        conjoint.mj_resetDataKeyframe(model, data, model.key(POSES[name]).id)
        conjoint.mj_step(model, data, round(until / model.opt.timestep))
    else:
        run(model, data, until)
    camera: str | conjoint.MjvCamera = view if isinstance(view, str) else conjoint.MjvCamera()
    if not isinstance(view, str):
        conjoint.mjv_defaultFreeCamera(model, camera)
        if view[1]:
            camera.lookat[2], camera.distance, camera.azimuth, camera.elevation = view
            camera.lookat[:2] = data.subtree_com[0][:2]
    return draw(model, data, camera)


def draw(model: conjoint.MjModel, data: conjoint.MjData, camera: str | conjoint.MjvCamera) -> np.ndarray:
    """Return a picture of the view of a camera, drawn with four samples per pixel."""
    model.vis.global_.offwidth, model.vis.global_.offheight = 2 * WIDTH, 2 * HEIGHT
    with conjoint.Renderer(model, 2 * HEIGHT, 2 * WIDTH) as renderer:
        renderer.update_scene(data, camera)
        return np.asarray(Image.fromarray(renderer.render()).reduce(2))


def falling() -> np.ndarray:
    """Return four pictures of a falling humanoid, side by side."""
    model, data = world("humanoid")
    frames = []
    for until in (0.05, 0.4, 0.7, 1.2):
        run(model, data, until, strength=0.0)
        frames.append(draw(model, data, "side")[:, 160:480])
    return np.concatenate(frames, axis=1)


def printed(*command: str) -> Image.Image:
    """Run a Conjoint command; return a picture of its text output."""
    given = [sys.executable, "-m", "conjoint", *command]
    text = subprocess.run(given, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    # the font lacks the characters that draw lines of tables
    lines = [line for line in re.sub(r"[\u2500-\u257f]", " ", text).splitlines() if line.strip()]
    font = ImageFont.load_default(14)
    made = Image.new("RGB", (480, 20 * len(lines) + 20), (24, 26, 30))
    pen = ImageDraw.Draw(made)
    for row, line in enumerate(lines):
        # draw each word at its column, because the letters have different widths
        for word in re.finditer(r"\S+", line):
            pen.text((10 + 8.4 * word.start(), 10 + 20 * row), word.group(), (220, 222, 226), font)
    return made


def about(name: str) -> str:
    """Return the first clause of the comment at the start of a model file."""
    found = re.search(r"<!--(.*?)-->", (MODELS / f"{name}.xml").read_text(), re.DOTALL)
    return re.split(r"[.:;](?:\s|$)", " ".join(found.group(1).split()))[0] + "." if found else ""


def gallery_page() -> str:
    """Return the text of the gallery page."""
    models = "\n".join(
        cell(f"![{name}](pictures/gallery-{name}.png)", f"**{name}.** {about(name)}") for name in MOMENTS
    )
    scenes = "\n".join(
        cell(f"<!-- scene: {name} -->\n![{words}](pictures/gallery-{picture}.png)", words)
        for name, (picture, words) in PLAYING.items()
    )
    return PAGE.format(models=models, scenes=scenes)


def cell(picture: str, words: str) -> str:
    """Return a cell of the gallery's grid: a picture, and a text below it."""
    return f"<div markdown>\n\n{picture}\n\n{words}\n\n</div>\n"


def gallery(given: argparse.Namespace) -> None:
    """Render the models and commands of the gallery, and write its page."""
    pictures = folder_of(given)
    made = {name: Image.fromarray(moment(name)) for name in MOMENTS}
    made["record"] = Image.fromarray(falling())
    made["derivative"] = printed("derivative", "models/quadruped.xml", "--epochs", "2", "--nstep", "50")
    for name, image in made.items():
        # choose a palette that includes rare colors; dithering hides its steps in sky and shading
        few = image.quantize(COLORS, Image.Quantize.MAXCOVERAGE, kmeans=3)
        dithered = image.quantize(COLORS, palette=few, dither=Image.Dither.FLOYDSTEINBERG)
        dithered.save(pictures / f"gallery-{name}.png", optimize=True)
    (given.folder / "gallery.md").write_text(gallery_page())


def ray_kinds() -> Image.Image:
    """Return a picture with color, depth, segmentation and normal images of the humanoid, side by side."""
    model = conjoint.MjModel.from_xml_path(str(MODELS / "humanoid.xml"))
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
        np.where(number[:, :, None] >= 0, PALETTE[number % len(PALETTE)], 0),
        np.where(number[:, :, None] >= 0, 127.5 * (normal[0] + 1), 0),
    )
    return smooth(np.concatenate(parts, axis=1).astype(np.uint8))


def ray_worlds() -> Image.Image:
    """Return a grid of small pictures of 30 worlds in which the humanoid falls."""
    model = conjoint.MjModel.from_xml_path(str(MODELS / "humanoid.xml"))
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


def ray_lidar() -> Image.Image:
    """Return a lidar's depth image, with elevations from 20 degrees down to -30; near points are bright."""
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
    """Return an antialiased image by averaging the rays of each pixel."""
    height, width = (side // SMOOTH for side in picture.shape[:2])
    parts = picture.reshape(height, SMOOTH, width, SMOOTH, 3)
    return Image.fromarray(parts.mean(axis=(1, 3)).round().astype(np.uint8))


def rays(given: argparse.Namespace) -> None:
    """Draw the pictures of docs/ray-rendering.md."""
    for name, make in {"kinds": ray_kinds, "worlds": ray_worlds, "lidar": ray_lidar}.items():
        make().save(folder_of(given) / f"rays-{name}.png", optimize=True)


def example(name: str) -> Any:
    """Import a program of `examples/`, and return it as a module."""
    place = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / f"{name}.py")
    assert place is not None and place.loader is not None
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


def best(call: Callable[[], None]) -> float:
    """Return the shortest time (us) that `call` takes in 200 repetitions."""
    call()
    times = []
    for _ in range(200):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return 1e6 * min(times)


def times_of_a_step(name: str) -> tuple[float, float]:
    """Return the times (us) to compute the matrices A and B of a step, exactly and by centered differences."""
    m = conjoint.MjModel.from_xml_path(str(MODELS / f"{name}.xml"))
    m.opt.integrator = conjoint.mjtIntegrator.mjINT_IMPLICITFAST
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d, 100)
    A, B = np.zeros((2 * m.nv + m.na, 2 * m.nv + m.na)), np.zeros((2 * m.nv + m.na, m.nu))
    exact = best(lambda: conjoint.mjd_transition(m, d, A, B, None, None))
    return exact, best(lambda: conjoint.mjd_transitionFD(m, d, 1e-6, 1, A, B, None, None))


def accuracy() -> tuple[np.ndarray, np.ndarray]:
    """Return step sizes of centered differences and, for each, the largest error in the matrix A of a cart-pole."""
    module = example("ilqr")
    m = conjoint.MjModel.from_xml_string(module.CARTPOLE)
    d = conjoint.MjData(m)
    d.qpos[1], d.qvel[:] = 1.0, 0.5
    A, other = np.zeros((4, 4)), np.zeros((4, 4))
    conjoint.mjd_transition(m, d, A, None, None, None)
    sizes, errors = np.logspace(-10, -1, 37), []
    for size in sizes:
        conjoint.mjd_transitionFD(m, d, size, 1, other, None, None, None)
        errors.append(float(np.abs(A - other).max()))
    return sizes, np.array(errors)


def derivatives(given: argparse.Namespace) -> None:
    """Plot the results of the derivative examples; print the times of exact derivatives and of finite differences."""
    plt = pyplot()
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    sizes, errors = accuracy()
    axes[0].loglog(sizes, np.maximum(errors, 1e-17))
    axes[0].set(title="differences of a cart-pole's step", xlabel="size of the difference", ylabel="error")
    costs = example("ilqr").main()[1]
    axes[1].semilogy(costs)
    axes[1].set(title="iterative LQR: swing up", xlabel="iteration", ylabel="cost")
    costs = example("policy_gradient").main()[1]
    axes[2].semilogy(costs)
    axes[2].set(title="policy gradient: balance", xlabel="iteration", ylabel="cost")
    figure.savefig(folder_of(given) / "derivatives.png", dpi=80)
    for kind in (False, True):
        print(f"identify_exact, differences: {kind}")
        example("identify_exact").main(differences=kind)
    for name in TIMED:
        exact, differences = times_of_a_step(name)
        print(f"| {name} | {exact:.0f} | {differences:.0f} | {differences / exact:.1f} |")


def walking(policy: Any, path: Path, command: tuple[float, float] = (0.8, 0.0), seconds: float = 2.0) -> None:
    """Film the quadruped as it walks at a commanded speed (m/s) and yaw rate (rad/s), at 25 frames per second.

    The first second, in which the gait settles, is left out.
    """
    from conjoint.envs import BatchEnv

    envs = BatchEnv("quadruped_walk", 1, render_mode="rgb_array", width=480, height=360, noise=0.0)
    observations, _ = envs.reset(seed=0)
    envs.worlds.command = np.array([command])
    frames, settle = [], round(1 / envs.duration)
    for step in range(settle + round(seconds / envs.duration)):
        observations, *_ = envs.step(policy(observations))
        if step >= settle and step % 2 == 0:
            frames.append(Image.fromarray(envs.render()[0]).quantize(64))
    envs.close()
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=round(2000 * envs.duration), loop=0)


def learning_curve(rows: np.ndarray, path: Path) -> None:
    """Plot the mean episode return against the number of environment steps."""
    figure, axes = pyplot().subplots(figsize=(6, 3.5))
    axes.plot(rows[:, 2] / 1e6, rows[:, 3])
    axes.set(xlabel="steps of the environment (millions)", ylabel="return, mean of 100 episodes")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110, bbox_inches="tight")


def walk(given: argparse.Namespace) -> None:
    """Draw the film and the learning curve of a policy from examples/learn.py."""
    from conjoint.envs import Policy

    walking(Policy.load(given.policy), folder_of(given) / "quadruped-walk.gif")
    rows = np.loadtxt(given.curve, delimiter=",", skiprows=1)
    learning_curve(rows, folder_of(given) / "quadruped-walk-curve.png")


def robot(given: argparse.Namespace) -> None:
    """Draw the robot of docs/your-robot.md as loaded from URDF, and standing after the page's programs have run."""
    text = (ROOT / "docs/your-robot.md").read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        page: dict[str, Any] = {}
        exec("\n".join(programs), page)
        loaded = conjoint.MjModel.from_xml_path("dog.urdf")
    start = conjoint.MjData(loaded)
    conjoint.mj_forward(loaded, start)
    camera = conjoint.MjvCamera()
    camera.lookat[:], camera.distance, camera.azimuth, camera.elevation = (0, 0, -0.12), 1.15, 125, -14
    before = draw(loaded, start, camera)
    camera.lookat[2] = 0.2
    both = np.concatenate([before, draw(page["model"], page["data"], camera)], axis=1)
    image = Image.fromarray(both).resize((2 * WIDTH * 3 // 4, HEIGHT * 3 // 4), Image.Resampling.LANCZOS)
    few = image.quantize(COLORS, Image.Quantize.MAXCOVERAGE, kmeans=3)
    few.save(folder_of(given) / "your-robot.png", optimize=True)


def folder_of(given: argparse.Namespace) -> Path:
    """Return the folder of the pictures, and create it if necessary."""
    found: Path = given.folder / "pictures"
    found.mkdir(parents=True, exist_ok=True)
    return found


def pyplot() -> Any:
    """Return `matplotlib.pyplot`, set up to draw without a display."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    return plt


def screen(name: str) -> Callable[[argparse.Namespace], None]:
    """Return a function that takes screenshots of the window or the page; it imports `tools.screens` when called."""
    return lambda given: getattr(importlib.import_module("tools.screens"), name)(folder_of(given))


KINDS = {
    "gallery": gallery, "rays": rays, "window": screen("window"), "page": screen("page"), "derivatives": derivatives,
    "robot": robot, "walk": walk,
}  # fmt: skip


def main() -> None:
    """Draw the pictures named on the command line, by default those of the models, rays and viewers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "kinds", nargs="*", metavar="kind", default=["gallery", "rays", "window", "page"], help=", ".join(KINDS)
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "docs", help="of the documentation")
    parser.add_argument("--policy", type=Path, help="policy of examples/learn.py (walk)")
    parser.add_argument("--curve", type=Path, help="its returns (walk)")
    given = parser.parse_args()
    for kind in given.kinds:
        if kind not in KINDS:
            parser.error(f"{kind}: give some of {', '.join(KINDS)}")
        KINDS[kind](given)


if __name__ == "__main__":
    main()
