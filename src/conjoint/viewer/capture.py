"""Pictures of a window, as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from conjoint.lang.optional_packages import need

FPS = 30
"""Pictures in a second of a video."""


def free_name(stem: str, suffix: str) -> Path:
    """A file in the working folder that does not exist yet: stem_001.png and so on."""
    number = 1
    while (path := Path(f"{stem}_{number:03d}{suffix}")).exists():
        number += 1
    return path


def save_picture(pixels: np.ndarray, stem: str = "conjoint") -> Path:
    """Write a picture to a new file."""
    from PIL import Image

    path = free_name(stem, ".png")
    Image.fromarray(pixels).save(path)
    return path


class ScreenVideo:
    """A video file of what a window shows, in real time.

    Args:
        path: file to write.

    Raises:
        MissingExtraError: FFmpeg is not installed.
    """

    def __init__(self, path: Path):
        self._writers = need("video", "a video")
        self.path = path
        self._size = (0, 0)
        self._stream: Any = None
        self._start, self.count = 0.0, 0

    def add(self, pixels: np.ndarray, now: float) -> None:
        """Take a picture, shape (height, width, 3), at a time (s); it is shown until the next."""
        height, width = pixels.shape[:2]
        if self._stream is None:
            # encoders want sides that are even
            self._size, self._start = (width // 2 * 2, height // 2 * 2), now
            self._stream = self._writers.write_frames(str(self.path), self._size, fps=FPS, macro_block_size=2)
            self._stream.send(None)
        wanted = int((now - self._start) * FPS) + 1 - self.count
        if wanted <= 0:
            return
        shown = np.ascontiguousarray(fitted(pixels, *self._size))
        for _ in range(wanted):
            self._stream.send(shown)
        self.count += wanted

    def close(self) -> None:
        """Finish the file; again does nothing."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None


def fitted(pixels: np.ndarray, width: int, height: int) -> np.ndarray:
    """A picture cut or filled with black to a size: a video has the size of its first picture."""
    made = np.zeros((height, width, 3), np.uint8)
    part = pixels[:height, :width]
    made[: part.shape[0], : part.shape[1]] = part
    return made
