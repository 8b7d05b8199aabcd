"""Pictures written to a file as a video, by FFmpeg."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from conjoint.lang.optional_packages import need

VIDEOS = (".mp4", ".mkv", ".webm", ".mov")
"""Endings of files that FFmpeg writes."""


@contextmanager
def video_file(path: Path, width: int, height: int, fps: float) -> Iterator[Callable[[np.ndarray], None]]:
    """A function that appends a picture, shape (height, width, 3), uint8, to a new video.

    Args:
        path: the file; its ending says which kind of video (`VIDEOS`).
        width, height: of all pictures, in pixels.
        fps: pictures in a second.

    Raises:
        MissingExtraError: FFmpeg is not installed.
    """
    stream = need("video", f"{path}: a video").write_frames(str(path), (width, height), fps=fps, macro_block_size=2)
    stream.send(None)
    try:
        yield lambda picture: stream.send(np.ascontiguousarray(picture))
    finally:
        stream.close()
