"""Rendering of environments: images by OpenGL or ray casting, or a window."""

from __future__ import annotations

import copy
import time
from typing import Any

import numpy as np

from conjoint.api.functions.functions import mj_forward
from conjoint.api.objects.data import MjData
from conjoint.batch.batch import Batch, worlds_of
from conjoint.batch.exchange import fill_world
from conjoint.render.film import FilmRenderer

MODES = ("rgb_array", "human")
"""Render modes of an environment."""


def check_mode(mode: str | None) -> None:
    """Raise ValueError for an unknown render mode."""
    if mode is not None and mode not in MODES:
        raise ValueError(f"render_mode {mode!r}: choose 'rgb_array', 'human' or None")


class Pictures:
    """Pictures of the worlds of a batch, or a window that shows the first world.

    Args:
        batch: the worlds.
        mode: "rgb_array" or "human".
        size: width and height in pixels.
        camera: name or id of a camera of the model, or -1 for a free camera that shows the whole model. By default, the
            first available of these: a camera that follows a body, the model's first camera, a free camera.
        fps: pictures per second in a window.
    """

    def __init__(self, batch: Batch, mode: str, size: tuple[int, int], camera: int | str | None, fps: float):
        self.batch, self.mode, self.size, self.fps = batch, mode, size, fps
        self.model = copy.copy(batch.model)
        # `_take` overwrites fields of this model, so mark all of them as writable
        self.model.plans.exposed.expose_all()
        buffer = self.model.vis.global_
        buffer.offwidth, buffer.offheight = max(size[0], buffer.offwidth), max(size[1], buffer.offheight)
        self.data = MjData(self.model)
        self.camera = first_camera(self.model) if camera is None else camera
        self._renderer: Any = None
        self._window: Any = None
        self._shown = 0.0

    def arrays(self) -> tuple[np.ndarray, ...]:
        """Return a picture of every world, shape (height, width, 3), uint8."""
        return tuple(self._array(world) for world in range(self.batch.nworld))

    def _array(self, world: int) -> np.ndarray:
        """Return a picture of one world, shape (height, width, 3), uint8."""
        if self._renderer is None:
            self._renderer = FilmRenderer(self.model, *self.size)
        self._take(world)
        return self._renderer.picture(self.data, self.camera)

    def show(self) -> None:
        """Show the first world in a window, which the first call opens, and wait until the frame is due.

        Raises:
            FatalError: there is no display or no OpenGL, or a package is missing. The message says what to install.
        """
        from conjoint import viewer

        self._take(0)
        if self._window is None:
            self._window = viewer.launch_passive(self.model, self.data)
        if self._window.is_running():
            self._window.sync()
        wait = self._shown + 1 / self.fps - time.perf_counter()
        if wait > 0:
            time.sleep(wait)
        self._shown = time.perf_counter()

    def _take(self, world: int) -> None:
        """Copy a world to the model and data used for drawing, and run forward dynamics."""
        worlds = worlds_of(self.batch)
        with worlds.turn.held:
            fill_world(self.model, self.data, worlds, world)
        mj_forward(self.model, self.data)

    def close(self) -> None:
        """Close the window and the renderer."""
        for each in (self._renderer, self._window):
            if each is not None:
                each.close()
        self._renderer = self._window = None


def first_camera(model: Any) -> int:
    """Return the id of the first camera that follows a body, or else of the first camera; -1 if there is none."""
    following = np.flatnonzero(model.cam_mode != 0)
    return int(following[0]) if len(following) else min(model.ncam, 1) - 1
