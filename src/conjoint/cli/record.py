"""`conjoint record`: simulate a model and write a camera's view as a video, an animation, pictures or a web page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import conjoint
from conjoint import render
from conjoint.cli.control import controls
from conjoint.cli.failure import InputError, writing
from conjoint.cli.model_file import load_to_simulate, starting_keyframe
from conjoint.cli.options import RecordOptions
from conjoint.cli.recording import read_recording
from conjoint.cli.simulate import progress_line
from conjoint.lang import FatalError
from conjoint.render.video import ANIMATIONS, VIDEOS, film_file
from conjoint.viz.framing import frame_motion

PAGE = ".html"
"""File name extension of web pages that play the motion."""


def record(options: RecordOptions, console: Console) -> None:
    """Simulate a model or replay a trajectory, and write the pictures.

    Raises:
        InputError: the model, the camera, the controls or the file cannot be used, or OpenGL is missing.
    """
    if options.target.suffix not in (*VIDEOS, *ANIMATIONS, ".png", ".raw", PAGE):
        kinds = ", ".join((*ANIMATIONS, ".raw", PAGE, *VIDEOS))
        raise InputError(f"{options.target}: the name must end in .png (one file per picture), {kinds}")
    if options.depth and options.target.suffix != ".raw":
        raise InputError(f"{options.target}: --depth needs a file name that ends in .raw")
    model = load_to_simulate(options.model)
    # allow pictures larger than the model's buffer
    room = model.vis.global_
    room.offwidth, room.offheight = max(room.offwidth, options.width), max(room.offheight, options.height)
    data = conjoint.MjData(model)
    seconds, advance = replayed(options, model, data) if options.replay else simulated(options, model, data)
    frames = max(1, round(seconds * options.slow * options.fps))
    if options.target.suffix == PAGE:
        record_page(options, model, data, frames, advance, console)
        return
    camera = named_camera(model, options.camera)
    with (
        renderer_of(options, model) as renderer,
        writing(options.target),
        film_file(options.target, options.width, options.height, options.fps, frames) as write,
        progress_line(console) as progress,
    ):
        task = progress.add_task("recording", total=frames, rate="")
        for frame in range(frames):
            advance(frame / (options.fps * options.slow))
            conjoint.mj_forward(model, data)
            if camera == -1:
                camera = first_camera(model, data, options.width / options.height)
            renderer.update_scene(data, camera=camera)
            write(renderer.render())
            if options.depth:
                renderer.enable_depth_rendering()
                with depth_file(options).open("ab" if frame else "wb") as stream:
                    stream.write(np.ascontiguousarray(renderer.render(), np.float32).tobytes())
                renderer.disable_depth_rendering()
            progress.update(task, completed=frame + 1)
    console.print(f"recorded [bold]{options.target}[/]: {counted(frames)} of {options.width} x {options.height}")


def counted(frames: int) -> str:
    """Return a text with the number of pictures, such as "1 picture"."""
    return "1 picture" if frames == 1 else f"{frames} pictures"


def record_page(
    options: RecordOptions, model: Any, data: Any, frames: int, advance: Callable[[float], None], console: Console
) -> None:
    """Write a web page that plays the motion."""
    from conjoint.viewer.web import export_page

    with writing(options.target), progress_line(console) as progress:
        task = progress.add_task("recording", total=frames, rate="")

        def states() -> Iterator[np.ndarray]:
            for frame in range(frames):
                advance(frame / (options.fps * options.slow))
                yield data.qpos
                progress.update(task, completed=frame + 1)

        options.target.parent.mkdir(parents=True, exist_ok=True)
        try:
            export_page(model, states(), options.target, options.fps)
        except FatalError as error:
            raise InputError(str(error)) from error
    console.print(f"recorded [bold]{options.target}[/]: {counted(frames)}; open it in a browser")


def simulated(options: RecordOptions, model: Any, data: Any) -> tuple[float, Callable[[float], None]]:
    """Return the duration (s), and a function that simulates up to a given time."""
    keyframe = starting_keyframe(model, options.key, options.ctrl)
    source = controls(options.ctrl, model, 1, options.seed, keyframe)
    if keyframe is not None:
        conjoint.mj_resetDataKeyframe(model, data, keyframe)
    step = 0

    def advance(seconds: float) -> None:
        nonlocal step
        while step < round(seconds / model.opt.timestep):
            data.ctrl[:] = source(step)[0]
            conjoint.mj_step(model, data)
            step += 1

    return options.seconds, advance


def replayed(options: RecordOptions, model: Any, data: Any) -> tuple[float, Callable[[float], None]]:
    """Return the duration (s) of a recorded trajectory, and a function that sets `data` to its state at a time.

    If several worlds were recorded, the first one is used.
    """
    assert options.replay is not None
    rows = read_recording(options.replay, model)

    def advance(seconds: float) -> None:
        sample = int(np.searchsorted(rows["time"], rows["time"][0] + seconds, side="right")) - 1
        data.time, data.qpos[:], data.qvel[:] = (rows[name][max(sample, 0)] for name in ("time", "qpos", "qvel"))

    return float(rows["time"][-1] - rows["time"][0]), advance


def depth_file(options: RecordOptions) -> Path:
    """Return the path of the file for depths, next to the file for colors."""
    return options.target.with_name(f"{options.target.stem}_depth.raw")


def renderer_of(options: RecordOptions, model: Any) -> Any:
    """Create the renderer that the options select."""
    if options.rays:
        return render.RayRenderer(model, options.width, options.height)
    try:
        from conjoint.render.soft_renderer import SoftRenderer

        return SoftRenderer(model, options.height, options.width)
    except (FatalError, ImportError) as error:
        raise InputError(f"{error}\nWith --rays no OpenGL is needed.") from error


def first_camera(model: Any, data: Any, aspect: float) -> conjoint.MjvCamera:
    """Return a free camera that shows everything that moves."""
    camera = conjoint.MjvCamera()
    frame_motion(model, data, camera, aspect)
    return camera


def named_camera(model: Any, name: str | None) -> Any:
    """Return the name or id of the requested camera; -1 if none is requested."""
    names = [model.camera(i).name for i in range(model.ncam)]
    if name is None:
        return -1
    if name not in (*names, *map(str, range(model.ncam))):
        raise InputError(f"--camera {name}: the model has {', '.join(names) or 'no cameras'}")
    return name if name in names else int(name)
