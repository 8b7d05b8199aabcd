"""Films: `Film` stores pictures, `Recorder` records them during a simulation, `show` displays them in notebooks."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from conjoint.api.arguments import FrameRate, checked, given
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvCamera, MjvScene
from conjoint.batch.batch import Batch
from conjoint.lang import FatalError
from conjoint.render.rays import RayRenderer
from conjoint.render.scene import SceneRenderer
from conjoint.render.video import ANIMATIONS, VIDEOS, film_file, write_animation
from conjoint.schema.enums_visual import mjtRndFlag
from conjoint.viz.framing import frame_motion

CONTRAST = 24
"""Brightness difference (of 255) in a pixel's neighborhood above which the pixel is smoothed as part of an edge."""


class Film:
    """Pictures at a frame rate. A notebook plays them as an animation, and `save` writes a video.

    A `Film` only stores pictures; a `Recorder` records them.

    Args:
        frames: pictures, shape (height, width, 3) each, uint8, all of one size.
        fps: pictures per second.

    Raises:
        ValueError: there are no pictures, the pictures differ in size, or `fps` is not positive.
        TypeError: `fps` is not a number.
    """

    def __init__(self, frames: Sequence[np.ndarray], fps: float = 30.0):
        pictures = [np.asarray(frame) for frame in frames]
        if not pictures or any(p.shape != pictures[0].shape or p.ndim != 3 or p.shape[2] != 3 for p in pictures):
            raise ValueError("a film needs at least one picture, and all of the same shape (height, width, 3)")
        fps = given("fps", fps, FrameRate)
        self.frames, self.fps = pictures, fps

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the film to a file.

        Args:
            path: file name, which ends in .gif or .webp for an animation, or in .mp4, .mkv, .webm or .mov for a video.
                Missing folders are created.

        Raises:
            ValueError: the name has a different ending.
            MissingExtraError: the file is a video, and FFmpeg is not installed (`pip install 'conjoint[video]'`).
        """
        target = Path(path)
        kind = target.suffix.lower()
        if kind not in (*ANIMATIONS, *VIDEOS):
            raise ValueError(f"{target}: the name of a film must end in {', '.join((*ANIMATIONS, *VIDEOS))}")
        height, width, _ = self.frames[0].shape
        with film_file(target, width, height, self.fps) as write:
            for picture in self.frames:
                write(picture.astype(np.uint8, copy=False))

    def __repr__(self) -> str:
        height, width, _ = self.frames[0].shape
        seconds = f"{len(self.frames) / self.fps:.3g} s"
        return (
            f"<Film of {len(self.frames)} pictures, {width} x {height}, {seconds}: a notebook plays it, save writes it>"
        )

    def gif(self) -> bytes:
        """Return the film as the bytes of an animated GIF."""
        stream = io.BytesIO()
        write_animation(stream, [picture.astype(np.uint8) for picture in self.frames], self.fps)
        return stream.getvalue()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, bytes]:
        """Return the film as a GIF for the display hooks of notebooks."""
        return {"image/gif": self.gif()}

    def _repr_html_(self) -> str:
        """Return the film as HTML, for notebooks that display only text formats."""
        from base64 import b64encode

        return f'<img src="data:image/gif;base64,{b64encode(self.gif()).decode()}" alt="film">'


def show(frames: Sequence[np.ndarray] | Film, fps: float = 30.0) -> Film:
    """Return a film of the pictures, which a notebook plays if it is the last expression of a cell.

    Args:
        frames: pictures, shape (height, width, 3) each; or a film, which is returned unchanged.
        fps: pictures per second.

    Raises:
        TypeError: `frames` is neither a sequence of pictures nor a film, or `fps` is not a number.
        ValueError: there are no pictures, the pictures differ in size, or `fps` is not positive.
    """
    if isinstance(frames, str) or not isinstance(frames, Film | Iterable):
        raise TypeError(f"show: frames must be pictures or a film, not {type(frames).__name__}")
    fps = given("show: fps", fps, FrameRate)
    return frames if isinstance(frames, Film) else Film(frames, fps)


class Recorder:
    """Camera that films a world during a simulation, with a given number of pictures per simulated second.

        with conjoint.Recorder(model, fps=30) as recorder:
            while data.time < 3:
                conjoint.mj_step(model, data)
                recorder.take(data)
        recorder.film.save("falling.mp4")

    Args:
        model: the model.
        fps: pictures per simulated second.
        width, height: size of the pictures, in pixels.
        camera: name or id of a camera of the model, an `MjvCamera`, or -1 for a fixed camera that shows everything that
            moves, as of the first picture.
        rays: whether to use ray casting instead of OpenGL. Without OpenGL, ray casting is always used.
        max_geom: maximum number of geoms in a picture.

    Raises:
        ValueError: pictures are larger than the model's buffer, or `fps` is not positive.
        TypeError: `fps` is not a number.
    """

    def __init__(
        self, model: MjModel, *, fps: float = 30.0, width: int = 320, height: int = 240,
        camera: int | str | MjvCamera = -1, rays: bool = False, max_geom: int = 10000,
    ):  # fmt: skip
        fps = given("fps", fps, FrameRate)
        self._renderer = FilmRenderer(model, width, height, rays, max_geom=max_geom)
        self._camera, self.fps, self._model, self._aspect = camera, fps, model, width / height
        self.frames: list[np.ndarray] = []
        self._begin: float | None = None

    @checked
    def take(self, data: MjData | Batch) -> bool:
        """Record a frame if the simulation time has reached the next frame time.

        Args:
            data: a world, or a batch. A frame of a batch shows all worlds, and its time is the latest of their times.

        Returns:
            True if a frame was recorded.

        Raises:
            TypeError: `data` is neither MjData nor a Batch.
            ValueError: the camera does not exist.
            RuntimeError: the recorder has been closed.
        """
        now = float(np.max(data.time))
        if self._begin is None or now < self._begin:
            self._begin = now - len(self.frames) / self.fps
        # tolerance for rounding errors: times are sums of timesteps
        if now - self._begin < len(self.frames) / self.fps - 1e-9:
            return False
        if isinstance(self._camera, int) and self._camera == -1 and isinstance(data, MjData):
            self._camera = MjvCamera()
            frame_motion(self._model, data, self._camera, self._aspect)
        self.frames.append(self._renderer.picture(data, self._camera))
        return True

    @property
    def film(self) -> Film:
        """The pictures recorded so far, as a `Film`.

        Raises:
            FatalError: no picture has been recorded.
        """
        if not self.frames:
            raise FatalError("the recorder contains no pictures: call take(data) between steps")
        return Film(self.frames, self.fps)

    def close(self) -> None:
        """Release the OpenGL context; the pictures remain."""
        self._renderer.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *details: Any) -> None:
        self.close()


class FilmRenderer:
    """Color renderer that uses OpenGL or, if it is not available, ray casting.

    Args:
        model: the model.
        width, height: size of the pictures, in pixels.
        rays: whether to use ray casting even if OpenGL is available.
        fog: whether to draw the fog of `<visual><map fogstart fogend/><rgba fog/>`, which hides distant objects.
        max_geom: maximum number of geoms in the scene.
        shadow_size: maximum side length of a shadow map (pixels), even if the model requests more.

    Attributes:
        rays: True if pictures are drawn by ray casting.

    Raises:
        ValueError: pictures are larger than the model's buffer.
    """

    def __init__(
        self, model: MjModel, width: int, height: int, rays: bool = False, *, fog: bool = False, max_geom: int = 10000,
        shadow_size: int = 2048,
    ):  # fmt: skip
        self.rays, self._renderer = _renderer(model, (width, height), rays, max_geom, shadow_size)
        self.scene.flags[mjtRndFlag.mjRND_FOG] = fog

    @property
    def scene(self) -> MjvScene:
        """The scene to draw; programs may add geoms between `update` and `draw`."""
        return self._renderer.scene

    def picture(self, data: MjData | Batch, camera: Any = -1) -> np.ndarray:
        """Return a picture of a camera's view, shape (height, width, 3), uint8.

        Args:
            data: a world, or a batch, whose worlds are all drawn.
            camera: name or id of a camera of the model, an `MjvCamera`, or -1 for a free one.

        Raises:
            ValueError: the camera does not exist.
        """
        self.update(data, camera)
        return self.draw()

    def update(self, data: MjData | Batch, camera: Any = -1) -> None:
        """Update the scene from a world and a camera. The arguments are as in `picture`."""
        self._renderer.update_scene(data, camera=camera)

    def draw(self) -> np.ndarray:
        """Return a picture of the scene, shape (height, width, 3), uint8."""
        seen = self._renderer.render()
        return smoothed(seen) if self.rays else seen

    def close(self) -> None:
        """Release the OpenGL context of the renderer."""
        self._renderer.close()


def _renderer(
    model: MjModel, size: tuple[int, int], rays: bool, max_geom: int, shadow_size: int
) -> tuple[bool, SceneRenderer]:
    """Return a flag, True if ray casting is used, and a new renderer."""
    if not rays:
        try:
            # needs the extra `render`
            from conjoint.render.soft_renderer import SoftRenderer

            return False, SoftRenderer(model, size[1], size[0], max_geom, shadow_size)
        except FatalError:
            pass
    return True, RayRenderer(model, *size, max_geom)


def smoothed(picture: np.ndarray) -> np.ndarray:
    """Smooth the edges in a picture by blending their pixels with neighboring ones.

    Ray casting uses one ray per pixel and leaves jagged edges, unlike OpenGL, which uses several samples per pixel.
    """
    wide = np.pad(picture.astype(np.int16), ((1, 1), (1, 1), (0, 0)), "edge")
    light = wide.sum(axis=2) // 3
    rows, columns = (np.s_[:-2], np.s_[1:-1], np.s_[2:]), (np.s_[:-2], np.s_[1:-1], np.s_[2:])
    around = [light[row, column] for row in rows for column in columns]
    edge = np.maximum.reduce(around) - np.minimum.reduce(around) > CONTRAST
    # weights 1, 2, 1 along rows, then along columns
    across = wide[:, :-2] + 2 * wide[:, 1:-1] + wide[:, 2:]
    mixed = (across[:-2] + 2 * across[1:-1] + across[2:]) // 16
    return np.where(edge[:, :, np.newaxis], mixed, picture).astype(np.uint8)
