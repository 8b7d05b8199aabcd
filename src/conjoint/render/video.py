"""Picture and film files: videos by FFmpeg, animations (.gif, .webp), single pictures (.png), raw colors (.raw)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from conjoint.lang.optional_packages import need

VIDEOS = (".mp4", ".mkv", ".webm", ".mov")
"""File name endings of videos, which FFmpeg writes."""

ANIMATIONS = (".gif", ".webp")
"""File name endings of animations, which web pages can display as images."""

SMALL_PICTURES = {"quality": 60, "method": 2}
"""Options for .webp files: picture quality (0 to 100), and effort of the encoder (0 to 6)."""

FAST = ["-preset", "veryfast"]
"""FFmpeg options that halve the encoding time and keep the file size."""

SHORTEST = 20
"""Minimum duration (ms) of a picture in an animation: browsers slow down shorter ones."""

Write = Callable[[np.ndarray], Any]
"""Function that appends a picture, shape (height, width, 3), uint8, to a file."""


@contextmanager
def film_file(path: Path, width: int, height: int, fps: float, count: int = 0) -> Iterator[Write]:
    """Open a film file, or one file per picture, to which pictures are appended; missing folders are created.

    Args:
        path: the file, with the ending .png, .raw, or one of `ANIMATIONS` and `VIDEOS`.
        width, height: size of all pictures, in pixels.
        fps: pictures per second.
        count: number of pictures. If it is not 1, the names of .png files are numbered (name_00000.png).

    Yields:
        A function that appends a picture.

    Raises:
        MissingExtraError: the file is a video, and FFmpeg is not installed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    match path.suffix.lower():
        case ".png":
            yield picture_files(path, count)
        case ".raw":
            with path.open("wb") as stream:
                yield lambda picture: stream.write(np.ascontiguousarray(picture).tobytes())
        case ending if ending in ANIMATIONS:
            pictures: list[np.ndarray] = []
            yield pictures.append
            with path.open("wb") as stream:
                write_animation(stream, pictures, fps, ending[1:].upper())
        case _:
            with video_file(path, width, height, fps) as write:
                yield write


@contextmanager
def video_file(path: Path, width: int, height: int, fps: float) -> Iterator[Write]:
    """Open a video file to which pictures are appended.

    Raises:
        MissingExtraError: FFmpeg is not installed.
    """
    writers = need("video", f"{path}: a video, unlike a .gif or .webp,")
    options = [] if path.suffix.lower() == ".webm" else FAST
    stream = writers.write_frames(str(path), (width, height), fps=fps, macro_block_size=2, output_params=options)
    stream.send(None)
    try:
        yield lambda picture: stream.send(np.ascontiguousarray(picture))
    finally:
        stream.close()


def picture_files(path: Path, count: int) -> Write:
    """Return a function that writes each picture to a file of its own, numbered unless `count` is 1."""
    from PIL import Image

    written = 0

    def write(picture: np.ndarray) -> None:
        nonlocal written
        target = path if count == 1 else path.with_name(f"{path.stem}_{written:05d}.png")
        Image.fromarray(picture).save(target)
        written += 1

    return write


def write_animation(stream: IO[bytes], pictures: Sequence[np.ndarray], fps: float, kind: str = "GIF") -> None:
    """Write an endlessly repeated animation as a GIF or a WEBP."""
    from PIL import Image

    first, *others = (Image.fromarray(picture) for picture in pictures)
    duration = max(round(1000 / fps), SHORTEST)
    more = SMALL_PICTURES if kind == "WEBP" else {}
    first.save(stream, kind, save_all=True, append_images=others, duration=duration, loop=0, **more)
