"""`conjoint record`: simulate a model and write what a camera sees as a video, an animation or pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import conjoint
from conjoint.cli.control import controls
from conjoint.cli.failure import InputError, writing
from conjoint.cli.model_file import find_keyframe, load_to_simulate
from conjoint.cli.simulate import progress_line
from conjoint.lang import FatalError
from conjoint.render import Renderer

VIDEOS = (".mp4", ".mkv", ".webm", ".mov")
"""Files that FFmpeg writes."""

Write = Callable[[np.ndarray], None]


@dataclass
class Film:
    """What the user asked for; the options of the command."""

    model: Path
    target: Path
    seconds: float
    width: int
    height: int
    fps: float
    slow: float
    camera: str | None
    ctrl: str
    seed: int
    key: str | None


def record(film: Film, console: Console) -> None:
    """Carry out `film`.

    Raises:
        InputError: the model, the camera, the controls or the file cannot be used, or there is no OpenGL.
    """
    if film.target.suffix not in (*VIDEOS, ".gif", ".png"):
        kinds = ", ".join(VIDEOS)
        raise InputError(f"{film.target}: the name must end in .png (a file for each picture), .gif or {kinds}")
    model = load_to_simulate(film.model)
    # pictures may be as large as is asked for
    room = model.vis.global_
    room.offwidth, room.offheight = max(room.offwidth, film.width), max(room.offheight, film.height)
    keyframe = find_keyframe(model, film.key) if film.key is not None else None
    source = controls(film.ctrl, model, 1, film.seed, keyframe)
    data = conjoint.MjData(model)
    if keyframe is not None:
        conjoint.mj_resetDataKeyframe(model, data, keyframe)
    camera = named_camera(model, film.camera)
    frames = max(1, round(film.seconds * film.slow * film.fps))
    try:
        renderer = Renderer(model, film.height, film.width)
    except FatalError as error:
        raise InputError(str(error)) from error
    with renderer, writing(film.target), writer(film) as write, progress_line(console) as progress:
        task = progress.add_task("recording", total=frames, rate="")
        step = 0
        for frame in range(frames):
            while step < round(frame / (film.fps * film.slow) / model.opt.timestep):
                data.ctrl[:] = source(step)[0]
                conjoint.mj_step(model, data)
                step += 1
            conjoint.mj_forward(model, data)
            renderer.update_scene(data, camera=camera)
            write(renderer.render())
            progress.update(task, completed=frame + 1)
    console.print(f"recorded [bold]{film.target}[/]: {frames} pictures of {film.width} x {film.height}")


def named_camera(model: Any, name: str | None) -> int | str:
    """A camera by name or number; a free one if none is asked for."""
    names = [model.camera(i).name for i in range(model.ncam)]
    if name is None:
        return -1
    if name not in (*names, *map(str, range(model.ncam))):
        raise InputError(f"--camera {name}: the model has {', '.join(names) or 'no cameras'}")
    return name if name in names else int(name)


@contextmanager
def writer(film: Film) -> Iterator[Write]:
    """What takes the pictures."""
    film.target.parent.mkdir(parents=True, exist_ok=True)
    if film.target.suffix == ".png":
        yield numbered_files(film.target)
    elif film.target.suffix == ".gif":
        pictures: list[np.ndarray] = []
        yield pictures.append
        save_animation(pictures, film)
    else:
        yield from video(film)


def numbered_files(target: Path) -> Write:
    """Write each picture to a file of its own: name_00000.png and so on."""
    from PIL import Image

    count = 0

    def write(picture: np.ndarray) -> None:
        nonlocal count
        Image.fromarray(picture).save(target.with_name(f"{target.stem}_{count:05d}.png"))
        count += 1

    return write


def save_animation(pictures: list[np.ndarray], film: Film) -> None:
    """Write an animated GIF."""
    from PIL import Image

    images = [Image.fromarray(picture) for picture in pictures]
    images[0].save(film.target, save_all=True, append_images=images[1:], duration=round(1000 / film.fps), loop=0)


def video(film: Film) -> Iterator[Write]:
    """Give pictures to FFmpeg."""
    try:
        import imageio_ffmpeg
    except ImportError:
        raise InputError(f"{film.target}: videos need FFmpeg: pip install 'conjoint[video]', or name a .gif") from None
    size = film.width, film.height
    stream = imageio_ffmpeg.write_frames(str(film.target), size, fps=film.fps, macro_block_size=2)
    stream.send(None)
    try:
        yield lambda picture: stream.send(np.ascontiguousarray(picture))
    finally:
        stream.close()
